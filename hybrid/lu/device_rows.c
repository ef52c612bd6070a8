/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

/* Rows that travel, P > 1. */

typedef enum { LEAVE, ENTER } row_way_t;

/* A packed buffer of a parcel, on the host and on the device, where only the
 * columns that are there stand in a row. */
typedef struct {
    const hyb_parcel_t *parcel;
    double *host;
    hyb_block_t device; /* a row of the buffer is a column here */
} packed_t;

static packed_t packed(const hyb_device_columns_t *d,
                       const hyb_parcel_t *parcel, bool displaced)
{
    const hpl_exchange_t *x = &parcel->x;
    hyb_run_t run = hyb_device_run(d, parcel->blocks);
    int64_t at =
        parcel->slot < 0 ? run.from * d->nb : d->memory.slots + parcel->slot;
    int64_t columns = hyb_parcel_is_l2(parcel) ? x->columns : run.count;

    at += displaced ? d->memory.packed : d->memory.packed_u;
    return (packed_t){parcel, displaced ? x->displaced : x->gathered,
                      hyb_block(d->memory.buffer, at, columns, x->panel->jb)};
}

/* Rows first .. first + count - 1. */
static hyb_block_t rows_of(const packed_t *p, int first, int count)
{
    return hyb_block_part(p->device, 0, first, p->device.rows, count);
}

/* Columns from .. from + device.rows - 1 of the buffer on the host. */
static xh_status_t copy_columns(const hyb_device_columns_t *d,
                                const packed_t *p, int64_t from, int first,
                                hyb_block_t device, row_way_t way)
{
    int64_t columns = p->parcel->x.columns;
    xh_view_t host = {p->host + (int64_t)first * columns + from, device.rows,
                      device.cols, columns};

    if (device.rows == 0)
        return XH_OK;
    return way == LEAVE ? hyb_queue_copy_out(d->queue.leave, device, host)
                        : hyb_queue_copy_in(d->queue.link, host, device);
}

/* One copy a block of the parcel, or one in all where the device has it all;
 * none where MPI takes the rows from here. */
static xh_status_t copy(const hyb_device_columns_t *d, const packed_t *p,
                        int first, int count, row_way_t way)
{
    const hyb_ledger_t *ledger = &d->base.lu->ledger;
    hyb_blocks_t blocks = p->parcel->blocks;
    hyb_block_t device = rows_of(p, first, count);
    int64_t at = 0;

    if (p->host == hyb_block_address(p->device))
        return XH_OK;
    if (device.rows == p->parcel->x.columns)
        return copy_columns(d, p, 0, first, device, way);
    for (int64_t b = blocks.from; b < blocks.to; b++) {
        int64_t width = hyb_device_run(d, hyb_one_block(b)).count;

        XH_TRY(copy_columns(
            d, p,
            hyb_ledger_first(ledger, b) - hyb_ledger_first(ledger, blocks.from),
            first, hyb_block_part(device, at, 0, width, count), way));
        at += width;
    }
    return XH_OK;
}

/* Those of the parcel's columns that are here, from its panel's first row on.
 */
static hyb_block_t columns_of(const hyb_device_columns_t *d,
                              const hyb_parcel_t *parcel)
{
    if (hyb_parcel_is_l2(parcel))
        return hyb_device_l2_before(d, parcel->k);
    return hyb_device_trailing(d, parcel->x.panel,
                               hyb_device_run(d, parcel->blocks));
}

static bool has_columns(const hyb_device_columns_t *d,
                        const hyb_parcel_t *parcel)
{
    return hyb_parcel_is_l2(parcel) ||
           hyb_device_run(d, parcel->blocks).count > 0;
}

/* Rows of the columns leave: device, then host. */
static xh_status_t gather(const hyb_device_columns_t *d, const packed_t *p,
                          hyb_block_t list, int first)
{
    XH_TRY(hyb_queue_gather_rows(d->queue.leave, columns_of(d, p->parcel), list,
                                 rows_of(p, first, (int)list.rows)));
    return copy(d, p, first, (int)list.rows, LEAVE);
}

/* MPI takes the rows from here, and puts others here, where the process's one
 * device has all columns of the parcel. */
static void lend(const hyb_device_columns_t *d, hyb_parcel_t *parcel)
{
    const hyb_lu_t *lu = d->base.lu;
    packed_t u = packed(d, parcel, false), displaced = packed(d, parcel, true);

    if (!lu->means.device_mpi || lu->homes.places > 2 ||
        u.device.rows < parcel->x.columns)
        return;
    parcel->x.gathered = hyb_block_address(u.device);
    parcel->x.displaced = hyb_block_address(displaced.device);
}

static xh_status_t send_rows(hyb_device_columns_t *d,
                             const hyb_parcel_t *parcel)
{
    const hyb_block_t *list =
        hyb_device_panels(d, parcel->from, parcel->to)->list;
    const hpl_pivots_t *moves = parcel->x.panel->pivots;
    packed_t u = packed(d, parcel, false), displaced = packed(d, parcel, true);
    int first;

    hyb_device_span(d, d->queue.leave, "rows");
    XH_TRY(gather(d, &u, list[HYB_U_FROM], moves->gather_offset[moves->me]));
    hpl_pivots_displaced_from(moves, moves->me, &first);
    XH_TRY(gather(d, &displaced, list[HYB_DISPLACED_FROM], first));
    hyb_device_span_end(d, d->queue.leave, HYB_SPAN, 0.0);
    return XH_OK;
}

/* L2 of the panels before has followed them, then the first of the devices
 * sends its rows; nobody uses the parcel of two iterations before any more. */
static xh_status_t send_l2(hyb_device_columns_t *d, const hyb_parcel_t *parcel)
{
    XH_TRY(hyb_queue_wait(d->queue.leave,
                          hyb_device_panel(d, parcel->k - 1)->followed));
    return d->number == 1 ? send_rows(d, parcel) : XH_OK;
}

void hyb_device_send_rows(hyb_place_t *place, hyb_parcel_t *parcel)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    if (!has_columns(d, parcel))
        return;
    lend(d, parcel);
    hyb_device_check(d, hyb_queue_wait(d->queue.leave,
                                       hyb_device_panel(d, parcel->k)->ready));
    hyb_device_check(d, hyb_parcel_is_l2(parcel) ? send_l2(d, parcel)
                                                 : send_rows(d, parcel));
    d->queued.sending =
        hyb_device_note(d, (hyb_blocks_t){0}, 0, 0.0, d->queue.leave);
}

bool hyb_device_has_sent_rows(hyb_place_t *place)
{
    const hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    return d->queued.sending < 0 ||
           !d->queued.work[d->queued.sending].under_way;
}

/* Mine are there already, but for L2's on other devices. */
static xh_status_t bring(const hyb_device_columns_t *d, const packed_t *p,
                         int first, int count, bool is_mine)
{
    bool is_there = is_mine && (!hyb_parcel_is_l2(p->parcel) || d->number == 1);

    return is_there || count == 0 ? XH_OK : copy(d, p, first, count, ENTER);
}

static xh_status_t bring_rows(hyb_device_columns_t *d,
                              const hyb_parcel_t *parcel)
{
    const hpl_pivots_t *moves = parcel->x.panel->pivots;
    const int *mine = moves->gather_offset + moves->me;
    packed_t u = packed(d, parcel, false), displaced = packed(d, parcel, true);
    int first, count;

    hyb_device_span(d, d->queue.link, "rows");
    XH_TRY(bring(d, &u, 0, mine[0], false));
    XH_TRY(bring(d, &u, mine[0], mine[1] - mine[0], true));
    XH_TRY(bring(d, &u, mine[1], parcel->x.panel->jb - mine[1], false));
    for (int source = 0; source < moves->sources; source++) {
        count = hpl_pivots_between(moves, source, moves->me, &first);
        XH_TRY(bring(d, &displaced, first, count, source == moves->me));
    }
    hyb_device_span_end(d, d->queue.link, HYB_SPAN, 0.0);
    XH_TRY(hyb_event_record(d->queue.link, d->event.arrived));
    return hyb_queue_wait(d->queue.compute, d->event.arrived);
}

xh_status_t hyb_device_take_rows(hyb_device_columns_t *d,
                                 const hyb_parcel_t *parcel, hyb_block_t u)
{
    const hpl_pivots_t *moves = parcel->x.panel->pivots;
    const hyb_block_t *list =
        hyb_device_panels(d, parcel->from, parcel->to)->list;
    packed_t rows = packed(d, parcel, false);
    packed_t displaced = packed(d, parcel, true);
    int first, count, at = 0;

    XH_TRY(hyb_queue_scatter_rows(d->queue.compute,
                                  rows_of(&rows, 0, parcel->x.panel->jb),
                                  list[HYB_U_TO], u));
    for (int source = 0; source < moves->sources; source++, at += count) {
        count = hpl_pivots_between(moves, source, moves->me, &first);
        if (count > 0)
            XH_TRY(hyb_queue_scatter_rows(
                d->queue.compute, rows_of(&displaced, first, count),
                hyb_block_part(list[HYB_DISPLACED_TO], at, 0, count, 1),
                columns_of(d, parcel)));
    }
    return XH_OK;
}

void hyb_device_put_rows(hyb_place_t *place, const hyb_parcel_t *parcel)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    if (!has_columns(d, parcel))
        return;
    hyb_device_check(d, bring_rows(d, parcel));
    if (!hyb_parcel_is_l2(parcel))
        return;
    hyb_device_check(
        d, hyb_device_take_rows(d, parcel, hyb_device_l1_before(d, parcel->k)));
    hyb_device_check(d, hyb_device_followed(d, parcel->k));
    hyb_device_guard_moved(d, parcel);
}

hyb_block_t hyb_device_aside(const hyb_device_columns_t *d,
                             const hyb_parcel_t *parcel)
{
    hyb_block_t rows = packed(d, parcel, false).device;

    return hyb_block(rows.buffer, rows.offset, rows.cols, rows.rows);
}
