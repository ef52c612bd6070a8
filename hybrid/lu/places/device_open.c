/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/places/place_device_private.h"

#include <math.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/places/place_device.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/residence.h"
#include "hybrid/lu/tune/sizes.h"

/* ---- sizes --------------------------------------------------------------- */

uint64_t hyb_place_device_bytes(const hyb_resources_t *resources,
                                const hpl_shape_t *shape)
{
    int devices = hyb_machine_working_devices(resources->machine);
    int64_t rows = hpl_system_rows(shape), nb = Mmin(shape->nb, shape->n);
    hyb_extent_t e = {
        .rows = rows,
        .nb = nb,
        .columns = hpl_system_columns(shape),
        .wide = nb * (resources->resident
                          ? hyb_residence_group(&resources->figures, shape)
                          : 1),
        .nprow = shape->nprow,
        .checked = resources->checked};
    return (uint64_t)devices * hyb_sizes_host_doubles(&e) * sizeof(double);
}

/* ---- which blocks -------------------------------------------------------- */

static void say_lost(const hyb_device_info_t *lost, char *why, size_t size)
{
    snprintf(why, size,
             "all devices of a process are needed, but %s device %d (%s) has "
             "failed",
             lost->backend, lost->index, lost->name);
}

bool hyb_place_device_able(const hyb_resources_t *resources, int nprow,
                           char *why, size_t size)
{
    const hyb_op_t needed[] = {HYB_OP_GEMM,
                               HYB_OP_TRSM,
                               HYB_OP_GEMV,
                               HYB_OP_GENERATE,
                               HYB_OP_COPY,
                               nprow > 1 ? HYB_OP_GATHER_ROWS
                                         : HYB_OP_SWAP_ROWS,
                               nprow > 1 ? HYB_OP_SCATTER_ROWS : HYB_OP_COPY};
    int devices = hyb_machine_devices(resources->machine);

    if (devices == 0) {
        snprintf(why, size, "this process has no device, and needs one");
        return false;
    }
    for (int i = 0; i < devices; i++)
        if (!hyb_machine_works(resources->machine, i)) {
            say_lost(hyb_machine_device_info(resources->machine, i), why, size);
            return false;
        }
    for (int i = 0; i < devices; i++)
        for (size_t op = 0; op < sizeof(needed) / sizeof(needed[0]); op++)
            if (!hyb_device_has(hyb_machine_device(resources->machine, i),
                                needed[op])) {
                snprintf(why, size, "device %d lacks the operation %s", i,
                         hyb_op_name(needed[op]));
                return false;
            }
    return true;
}

double hyb_place_device_panel_rows(hyb_device_t *device)
{
    if (hyb_device_has(device, HYB_OP_PANEL_COLUMN))
        return HUGE_VAL;
    return hyb_device_has(device, HYB_OP_PANEL_STEP) ? 1.0 : 0.0;
}

/* ---- create and destroy -------------------------------------------------- */

/* Lay out the device's memory; returns where free memory begins. */
static int64_t lay_out(hyb_place_device_t *d, hyb_extent_t e)
{
    hyb_buffer_t *m = d->memory.buffer;
    int64_t at = 0, u = e.nb * hyb_sizes_u_columns(&e),
            travel = hyb_sizes_travel_doubles(&e);

    d->memory.matrix = hyb_device_view(m, at, e.rows, e.columns);
    d->memory.u = hyb_device_view(m, at += e.rows * e.columns, e.nb,
                                  hyb_sizes_u_columns(&e));
    d->memory.packed_u = at += u;
    d->memory.packed = at += travel;
    d->memory.slots = u;
    at += travel;
    d->memory.y = hyb_device_view(m, at, e.rows, 1);
    d->memory.x = hyb_device_view(m, at += e.rows, e.nb, 1);
    d->memory.pivots = hyb_device_view(m, at += e.nb, e.nb, 1);
    d->memory.proposed =
        hyb_device_view(m, at += e.nb, hyb_pivot_elements(e.nb), 1);
    d->memory.pivot_rows =
        hyb_device_view(m, at += d->memory.proposed.rows, e.nb, e.nb);
    at += e.nb * e.nb;
    for (int i = 0; i < HYB_SLOTS; i++, at += hyb_sizes_panel_doubles(e.nb)) {
        d->panel[i].l1 = hyb_device_view(m, at, e.nb, e.nb);
        d->panel[i].lists =
            hyb_device_view(m, at + e.nb * e.nb, HYB_ROW_LISTS * e.nb, 1);
    }
    for (int i = 0; i < HYB_SLOTS; i++, at += e.rows * e.wide) {
        d->memory.l[i] = hyb_device_view(m, at, e.rows, e.wide);
        d->panel[i].l2 = hyb_device_view_first(d->memory.l[i], e.rows, e.nb);
    }
    return at;
}

static xh_status_t open_queues(hyb_place_device_t *d)
{
    XH_TRY(hyb_queue_create(d->device, HYB_QUEUE_NORMAL, &d->queue.compute));
    XH_TRY(hyb_queue_create(d->device, HYB_QUEUE_HIGH, &d->queue.link));
    XH_TRY(hyb_queue_create(d->device, HYB_QUEUE_HIGH, &d->queue.leave));
    if (d->base.lu->homes.resident)
        XH_TRY(hyb_queue_create(d->device, HYB_QUEUE_HIGH, &d->queue.factor));
    XH_TRY(hyb_event_create(d->device, &d->event.computed));
    XH_TRY(hyb_event_create(d->device, &d->event.copied));
    XH_TRY(hyb_event_create(d->device, &d->event.begun));
    XH_TRY(hyb_event_create(d->device, &d->event.down));
    XH_TRY(hyb_event_create(d->device, &d->event.arrived));
    for (int i = 0; i < HYB_SLOTS; i++) {
        XH_TRY(hyb_event_create(d->device, &d->panel[i].ready));
        XH_TRY(hyb_event_create(d->device, &d->panel[i].followed));
    }
    for (int i = 0; i < d->queued.count; i++)
        XH_TRY(hyb_event_create(d->device, &d->queued.work[i].done));
    return XH_OK;
}

/* List the blocks that live on this device, and allocate the work list. */
static xh_status_t deal(hyb_place_device_t *d)
{
    const hyb_lu_t *lu = d->base.lu;
    const hyb_ledger_t *ledger = &lu->ledger;
    int64_t count = 0;

    d->columns = calloc((size_t)ledger->blocks + 1, sizeof(*d->columns));
    if (d->columns == NULL)
        return XH_ERR_MEMORY;
    for (int64_t b = 0; b < ledger->blocks; b++) {
        if (hyb_place_number(&lu->homes, b) == d->number &&
            !hyb_homes_is_guest(&lu->homes, b)) {
            d->columns[b + 1] =
                hyb_ledger_columns(ledger, hyb_one_block(b)).count;
            count++;
        }
        d->columns[b + 1] += d->columns[b];
    }
    /*
     * The list has room, for two iterations, for each block, the panel here and
     * factored, and the rows of a group; for two groups, for compared rows and
     * panels; for two entries per seat; and for the next entry.
     */
    d->queued.count = 2 * (int)count + 16 + 2 * HYB_SEATS + 4 * HYB_GROUP_MOST;
    d->queued.work = calloc((size_t)d->queued.count, sizeof(*d->queued.work));
    return d->queued.work != NULL ? XH_OK : XH_ERR_MEMORY;
}

static xh_status_t open_memory(hyb_place_device_t *d, hyb_extent_t e)
{
    uint64_t bytes = (uint64_t)hyb_sizes_doubles(&e) * sizeof(double);
    xh_status_t status;
    double *host;
    int64_t at;

    status = hyb_buffer_create(d->device, bytes, &d->memory.buffer);
    if (status == XH_ERR_MEMORY && d->base.lu->homes.resident)
        xh_log_warning("home=device: the columns of this process and its "
                       "panels take %.1f MiB, more than device %d has",
                       (double)bytes / (1 << 20), d->number - 1);
    XH_TRY(status);
    d->host.bytes = hyb_sizes_host_doubles(&e) * sizeof(double);
    XH_TRY(hyb_pinned_alloc(d->device, d->host.bytes, &d->host.pinned));
    xh_memory_touch(d->host.pinned, d->host.bytes, 0, 1);
    d->host.rows = (int64_t *)(d->host.pinned + e.rows * e.nb);
    d->host.l1 =
        d->host.pinned + e.rows * e.nb + HYB_SLOTS * HYB_ROW_LISTS * e.nb;
    d->host.l1_down = d->host.l1 + HYB_SLOTS * e.nb * e.nb;
    d->host.pivot = (int64_t *)(d->host.l1_down + e.nb * e.nb);
    d->host.proposal = (double *)(d->host.pivot + e.nb);
    at = lay_out(d, e);
    host = d->host.proposal + hyb_pivot_elements(e.nb);
    XH_TRY(hyb_place_wide_create(d, at, host));
    at += hyb_sizes_wide_doubles(e.nb, e.wide);
    host += hyb_sizes_wide_host_doubles(e.nb, e.wide);
    d->seats = e.seats;
    if (e.seats > 0)
        XH_TRY(hyb_place_seats_create(d, at));
    at += e.seats * hyb_sizes_seat_doubles(&e);
    return e.checked ? hyb_place_guard_create(d, at, host) : XH_OK;
}

/* Number of seats for which a device that holds no columns has memory. */
static int seats_alone(const hyb_place_device_t *d, hyb_extent_t e)
{
    double memory = (double)hyb_machine_memory(d->base.lu->resources.machine,
                                               d->number - 1);
    double seat = sizeof(double) * (double)hyb_sizes_seat_doubles(&e);
    double left = memory - sizeof(double) * (double)hyb_sizes_doubles(&e);

    return left > 0.0 ? (int)fmin(left / seat, HYB_SEATS) : 0;
}

/* Warn that a device without columns has no memory for visitors, or refuses it.
 */
static xh_status_t stand_by(hyb_place_device_t *d, hyb_extent_t e)
{
    e.seats = HYB_VISITOR_SEATS;
    xh_log_warning("device %d is not used: panels and %d block columns need "
                   "%.1f MiB, more memory than is available",
                   d->number - 1, e.seats,
                   sizeof(double) * (double)hyb_sizes_doubles(&e) / 0x1p20);
    return XH_OK;
}

static xh_status_t open_for_visits(hyb_place_device_t *d, hyb_extent_t e)
{
    xh_status_t status;

    e.seats = seats_alone(d, e);
    if (e.seats < HYB_VISITOR_SEATS)
        return stand_by(d, e);
    status = open_queues(d);
    if (status == XH_OK)
        status = open_memory(d, e);
    if (status == XH_OK)
        status = hyb_place_spans_create(d);
    return status == XH_ERR_MEMORY && hyb_place_is_idle(d) ? stand_by(d, e)
                                                           : status;
}

static xh_status_t open_all(hyb_place_device_t *d)
{
    const hyb_lu_t *lu = d->base.lu;
    hyb_extent_t e = {.rows = lu->mat->mp,
                      .nb = Mmin(lu->mat->nb, lu->mat->n),
                      .all = lu->ledger.columns,
                      .wide = lu->groups.width * Mmin(lu->mat->nb, lu->mat->n),
                      .nprow = lu->grid->nprow,
                      .checked = lu->resources.checked};

    d->nb = e.nb;
    XH_TRY(deal(d));
    e.columns = d->columns[lu->ledger.blocks];
    if (!hyb_machine_works(lu->resources.machine, d->number - 1))
        return lu->homes.resident ? XH_ERR_DEVICE : XH_OK;
    XH_TRY(hyb_device_describe(d->device, &d->info));
    if (!lu->homes.resident)
        return open_for_visits(d, e);
    e.seats = lu->homes.seats;
    XH_TRY(open_queues(d));
    XH_TRY(open_memory(d, e));
    return hyb_place_spans_create(d);
}

xh_status_t hyb_place_device_create(hyb_lu_t *lu, int number,
                                    hyb_place_t **place_p)
{
    hyb_place_device_t *d = calloc(1, sizeof(*d));
    xh_status_t status;

    if (d == NULL)
        return XH_ERR_MEMORY;
    d->base = hyb_place_device;
    d->base.lu = lu;
    d->number = number;
    d->queued.sending = d->newest_panel = d->pending_panel = -1;
    d->queued.pace = 1e-10;
    d->stall_seconds = xh_settings_real("stall_seconds");
    d->device = hyb_machine_device(lu->resources.machine, number - 1);
    status = open_all(d);
    if (!lu->homes.resident ||
        lu->grid->nprow > hyb_place_device_panel_rows(d->device))
        d->base.factor_panel = NULL;
    if (d->seats == 0)
        d->base.has_room = NULL;
    if (status == XH_OK)
        *place_p = &d->base;
    else
        hyb_place_device_destroy(&d->base);
    return status;
}

/* Destroy queues before memory, because this waits for work that uses the
 * memory. */
static void destroy_queues(hyb_place_device_t *d)
{
    hyb_queue_destroy(d->queue.guests);
    hyb_queue_destroy(d->queue.arrive);
    hyb_queue_destroy(d->queue.factor);
    hyb_queue_destroy(d->queue.leave);
    hyb_queue_destroy(d->queue.link);
    hyb_queue_destroy(d->queue.compute);
}

void hyb_place_device_destroy(hyb_place_t *place)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;

    if (d == NULL)
        return;
    destroy_queues(d);
    hyb_pinned_free(d->device, d->host.pinned, d->host.bytes);
    hyb_buffer_destroy(d->memory.buffer);
    for (int i = 0; d->queued.work != NULL && i < d->queued.count; i++)
        hyb_event_destroy(d->queued.work[i].done);
    for (int i = 0; i < HYB_SLOTS; i++) {
        hyb_event_destroy(d->panel[i].ready);
        hyb_event_destroy(d->panel[i].followed);
    }
    hyb_place_spans_destroy(d);
    hyb_place_seats_destroy(d);
    hyb_place_wide_destroy(d);
    hyb_event_destroy(d->event.kept);
    hyb_event_destroy(d->event.arrived);
    hyb_event_destroy(d->event.down);
    hyb_event_destroy(d->event.begun);
    hyb_event_destroy(d->event.copied);
    hyb_event_destroy(d->event.computed);
    free(d->guard);
    free(d->queued.work);
    free(d->columns);
    free(d);
}
