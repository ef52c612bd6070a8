/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

/* Rows that travel, P > 1. */

typedef enum { LEAVE, ENTER } row_way_t;

/* A packed buffer of an exchange, on the host and on the device, where only the
 * columns that live there stand in a row. */
typedef struct {
    const hpl_exchange_t *x;
    hyb_blocks_t group;
    double *host;
    hyb_block_t device; /* a row of the buffer is a column here */
} packed_t;

static packed_t packed(const hyb_device_columns_t *d, const hpl_exchange_t *x,
                       hyb_blocks_t group, bool displaced)
{
    hyb_run_t run = hyb_device_run(d, group);
    int64_t offset = displaced ? d->memory.packed : d->memory.packed_u;

    return (packed_t){x, group, displaced ? x->displaced : x->gathered,
                      hyb_block(d->memory.buffer, offset + run.from * d->nb,
                                run.count, d->nb)};
}

/* Rows first .. first + count - 1. */
static hyb_block_t rows_of(const packed_t *p, int first, int count)
{
    return hyb_block_part(p->device, 0, first, p->device.rows, count);
}

/* One copy a block of the group, or one in all where the device has it all;
 * none where MPI takes the rows from here. */
static xh_status_t copy(const hyb_device_columns_t *d, const packed_t *p,
                        int first, int count, row_way_t way)
{
    const hyb_ledger_t *ledger = &d->base.lu->ledger;
    int64_t start = hyb_ledger_first(ledger, p->group.from), at = 0, b;
    bool whole = p->device.rows == p->x->columns;

    if (p->host == hyb_block_address(p->device))
        return XH_OK;
    for (b = p->group.from; b < p->group.to; b++) {
        int64_t width =
            whole ? p->x->columns : hyb_device_run(d, hyb_one_block(b)).count;
        int64_t column = whole ? 0 : hyb_ledger_first(ledger, b) - start;
        xh_view_t host = {p->host + (int64_t)first * p->x->columns + column,
                          width, count, p->x->columns};
        hyb_block_t device = hyb_block_part(p->device, at, first, width, count);

        if (width == 0)
            continue;
        if (way == LEAVE)
            XH_TRY(hyb_queue_copy_out(d->queue.leave, device, host));
        else
            XH_TRY(hyb_queue_copy_in(d->queue.link, host, device));
        if (whole)
            break;
        at += width;
    }
    return XH_OK;
}

/* Rows of the columns leave: device, then host. */
static xh_status_t gather(const hyb_device_columns_t *d, const packed_t *p,
                          hyb_block_t list, int first)
{
    hyb_block_t columns =
        hyb_device_trailing(d, p->x->panel, hyb_device_run(d, p->group));

    XH_TRY(hyb_queue_gather_rows(d->queue.leave, columns, list,
                                 rows_of(p, first, (int)list.rows)));
    return copy(d, p, first, (int)list.rows, LEAVE);
}

/* MPI takes the rows from here, and puts others here, where the process's one
 * device has all columns of the group. */
static void lend(const hyb_device_columns_t *d, hpl_exchange_t *x,
                 hyb_blocks_t group)
{
    const hyb_lu_t *lu = d->base.lu;

    if (!lu->means.device_mpi || lu->homes.places > 2 ||
        hyb_device_run(d, group).count < x->columns)
        return;
    x->gathered = hyb_block_address(packed(d, x, group, false).device);
    x->displaced = hyb_block_address(packed(d, x, group, true).device);
}

static xh_status_t send_rows(hyb_device_columns_t *d, const hpl_exchange_t *x,
                             hyb_blocks_t group)
{
    int k = hpl_panel_number(x->panel);
    const hyb_device_panel_t *panel = hyb_device_panel(d, k);
    const hyb_block_t *list = panel->list;
    const hpl_pivots_t *moves = x->panel->pivots;
    packed_t u = packed(d, x, group, false);
    packed_t displaced = packed(d, x, group, true);
    int mine = moves->gather_offset[moves->me];

    XH_TRY(hyb_queue_wait(d->queue.leave, panel->ready));
    hyb_device_span(d, d->queue.leave, "rows");
    XH_TRY(gather(d, &u, list[HYB_U_FROM], mine));
    XH_TRY(gather(d, &displaced, list[HYB_DISPLACED_FROM], 0));
    hyb_device_span_end(d, d->queue.leave, HYB_SPAN, 0.0);
    return XH_OK;
}

void hyb_device_send_rows(hyb_place_t *place, hpl_exchange_t *x,
                          hyb_blocks_t group)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    if (hyb_device_run(d, group).count == 0)
        return;
    lend(d, x, group);
    hyb_device_check(d, send_rows(d, x, group));
    d->queued.sending =
        hyb_device_note(d, (hyb_blocks_t){0}, 0, 0.0, d->queue.leave);
}

bool hyb_device_has_sent_rows(hyb_place_t *place)
{
    const hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    return d->queued.sending < 0 ||
           !d->queued.work[d->queued.sending].under_way;
}

/* Mine are there already. */
static xh_status_t put_rows(hyb_device_columns_t *d, const hpl_exchange_t *x,
                            hyb_blocks_t group)
{
    const hpl_pivots_t *moves = x->panel->pivots;
    const int *mine = moves->gather_offset + moves->me;
    const int *come = moves->displace_offset + moves->me;
    packed_t u = packed(d, x, group, false);
    packed_t displaced = packed(d, x, group, true);

    hyb_device_span(d, d->queue.link, "rows");
    XH_TRY(copy(d, &u, 0, mine[0], ENTER));
    XH_TRY(copy(d, &u, mine[1], x->panel->jb - mine[1], ENTER));
    if (moves->me > 0)
        XH_TRY(copy(d, &displaced, come[0], come[1] - come[0], ENTER));
    hyb_device_span_end(d, d->queue.link, HYB_SPAN, 0.0);
    XH_TRY(hyb_event_record(d->queue.link, d->event.arrived));
    return hyb_queue_wait(d->queue.compute, d->event.arrived);
}

void hyb_device_put_rows(hyb_place_t *place, const hpl_exchange_t *x,
                         hyb_blocks_t group)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    if (hyb_device_run(d, group).count > 0)
        hyb_device_check(d, put_rows(d, x, group));
}

xh_status_t hyb_device_take_rows(hyb_device_columns_t *d, int k,
                                 hyb_blocks_t group, hyb_block_t u)
{
    hyb_lu_t *lu = d->base.lu;
    int column;
    const hpl_exchange_t *x =
        hyb_exchange_of(lu, hyb_ledger_columns(&lu->ledger, group), &column);
    const hpl_pivots_t *moves = x->panel->pivots;
    const hyb_block_t *list = hyb_device_panel(d, k)->list;
    packed_t rows = packed(d, x, group, false);
    packed_t displaced = packed(d, x, group, true);
    hyb_run_t run = hyb_device_run(d, group);

    XH_TRY(hyb_queue_scatter_rows(
        d->queue.compute, rows_of(&rows, 0, x->panel->jb), list[HYB_U_TO], u));
    return hyb_queue_scatter_rows(
        d->queue.compute,
        rows_of(&displaced, moves->displace_offset[moves->me],
                (int)list[HYB_DISPLACED_TO].rows),
        list[HYB_DISPLACED_TO], hyb_device_trailing(d, x->panel, run));
}
