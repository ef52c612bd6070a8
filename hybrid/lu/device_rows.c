/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

#include <string.h>
#include "hybrid/lu/verify/carried.h"

/* ---- sums for the online check ------------------------------------------- */

/* Sums of rows that travel, for the online check: packed rows, a column each
 * there, times columns of weights. */
typedef enum { LEAVE, ENTER, WAYS } row_way_t;

typedef struct { /* packed rows of panel k, from number first on */
    hyb_queue_t *queue;
    row_way_t way;
    int k, first;
    hyb_run_t run;    /* their columns there */
    hyb_block_t rows; /* a column each */
} rows_t;

struct hyb_device_row_sums {
    int64_t ld, sums; /* columns there; numbers of each of them, each way */
    struct {          /* of an iteration */
        hyb_block_t weights[WAYS]; /* nb x sums */
        double *up;                /* these, as they go up, pinned */
        double *down[WAYS];        /* pinned; a column of each sum, ld long */
    } slot[HYB_IN_FLIGHT];
    hyb_block_t way[WAYS]; /* columns x sums, on their way down */
};

int64_t hyb_device_row_sums_doubles(int nprow, int64_t nb, int64_t columns)
{
    return nprow == 1
               ? 0
               : WAYS * hyb_rows_sums(nprow) * (HYB_IN_FLIGHT * nb + columns);
}

size_t hyb_device_row_sums_host_doubles(int nprow, int64_t nb, int64_t columns)
{
    return nprow == 1 ? 0
                      : (size_t)(WAYS * hyb_rows_sums(nprow) * HYB_IN_FLIGHT *
                                 (nb + columns));
}

xh_status_t hyb_device_row_sums_create(hyb_device_columns_t *d, int64_t at,
                                       double *host)
{
    struct hyb_device_row_sums *s;
    int64_t nb = d->memory.u.rows;

    if (d->base.lu->grid->nprow == 1)
        return XH_OK;
    d->row_sums = s = calloc(1, sizeof(*s));
    if (s == NULL)
        return XH_ERR_MEMORY;
    s->ld = d->columns[d->base.lu->ledger.blocks];
    s->sums = hyb_rows_sums(d->base.lu->grid->nprow);
    for (int way = 0; way < WAYS; way++, at += s->ld * s->sums)
        s->way[way] = hyb_block(d->memory.buffer, at, s->ld, s->sums);
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        s->slot[i].up = host;
        host += WAYS * nb * s->sums;
        for (int way = 0; way < WAYS; way++) {
            s->slot[i].weights[way] =
                hyb_block(d->memory.buffer, at, nb, s->sums);
            at += nb * s->sums;
            s->slot[i].down[way] = host;
            host += s->ld * s->sums;
        }
    }
    return XH_OK;
}

xh_status_t hyb_device_weigh_rows(hyb_device_columns_t *d, int k)
{
    struct hyb_device_row_sums *s = d->row_sums;
    int64_t nb = d->memory.u.rows, i = k % HYB_IN_FLIGHT;
    double *leave, *enter;

    if (s == NULL)
        return XH_OK;
    leave = s->slot[i].up;
    enter = leave + nb * s->sums;
    hyb_carried_row_weights(d->base.lu, k, leave, enter);
    XH_TRY(hyb_queue_copy_in(d->queue.link, (xh_view_t){leave, nb, s->sums, nb},
                             s->slot[i].weights[LEAVE]));
    return hyb_queue_copy_in(d->queue.link, (xh_view_t){enter, nb, s->sums, nb},
                             s->slot[i].weights[ENTER]);
}

/* Sums first .. first + count - 1 of the run, which come down. */
static xh_status_t sum(hyb_device_columns_t *d, const rows_t *r, int64_t first,
                       int64_t count)
{
    struct hyb_device_row_sums *s = d->row_sums;
    int i = r->k % HYB_IN_FLIGHT;
    const hyb_gemm_t product = {
        .alpha = 1.0,
        .a = r->rows,
        .b = hyb_block_part(s->slot[i].weights[r->way], r->first, first,
                            r->rows.cols, count),
        .c = hyb_block_part(s->way[r->way], r->run.from, first, r->run.count,
                            count)};
    double *down = s->slot[i].down[r->way] + first * s->ld + r->run.from;

    if (r->rows.cols == 0) {
        for (int64_t c = 0; c < count; c++)
            memset(down + c * s->ld, 0, (size_t)r->run.count * sizeof(*down));
        return XH_OK;
    }
    XH_TRY(hyb_queue_gemm(r->queue, &product));
    return hyb_queue_copy_out(r->queue, product.c,
                              (xh_view_t){down, r->run.count, count, s->ld});
}

/* Of this process's own; of all of those that leave the top, or of U's that
 * enter. */
static xh_status_t sum_own_rows(hyb_device_columns_t *d, const rows_t *rows)
{
    return d->row_sums == NULL
               ? XH_OK
               : sum(d, rows, HYB_ROWS_PLAIN, HYB_ROWS_ALL_WEIGHTED);
}

static xh_status_t sum_all_rows(hyb_device_columns_t *d, const rows_t *rows)
{
    return d->row_sums == NULL ? XH_OK
                               : sum(d, rows, HYB_ROWS_ALL_WEIGHTED,
                                     d->row_sums->sums - HYB_ROWS_ALL_WEIGHTED);
}

void hyb_device_row_sums_met(const hyb_device_columns_t *d,
                             hyb_device_sums_of_run_t *sums, int64_t column)
{
    const struct hyb_device_row_sums *s = d->row_sums;
    int i = sums->k % HYB_IN_FLIGHT;

    if (s == NULL)
        return;
    sums->leave = s->slot[i].down[LEAVE] + column;
    sums->enter = s->slot[i].down[ENTER] + column;
    sums->ld = s->ld;
    sums->x = hyb_exchange_of(d->base.lu, sums->run, &sums->at);
}

void hyb_device_rows_left(const hyb_device_columns_t *d,
                          const hpl_exchange_t *x, hyb_blocks_t group)
{
    const struct hyb_device_row_sums *s = d->row_sums;
    const hyb_ledger_t *ledger = &d->base.lu->ledger;
    int64_t start = hyb_ledger_first(ledger, group.from);
    const double *down;

    if (s == NULL)
        return;
    down = s->slot[hpl_panel_number(x->panel) % HYB_IN_FLIGHT].down[LEAVE];
    for (int64_t b = group.from; b < group.to; b++)
        if (hyb_device_holds(d, b))
            hyb_carried_left(x, (int)(hyb_ledger_first(ledger, b) - start),
                             (int)hyb_device_run(d, hyb_one_block(b)).count,
                             down + d->columns[b], s->ld);
}

/* ---- rows that travel ---------------------------------------------------- */

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
                      hyb_block(d->memory.buffer,
                                offset + run.from * d->memory.u.rows, run.count,
                                d->memory.u.rows)};
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

/* What leaves, or enters, from row first on. */
static rows_t rows_to_sum(hyb_device_columns_t *d, const packed_t *p,
                          row_way_t way, int first, int64_t count)
{
    const HPL_T_panel *h = p->x->panel;

    return (rows_t){.queue = way == LEAVE ? d->queue.leave : d->queue.compute,
                    .way = way,
                    .k = hpl_panel_number(h),
                    .first = first,
                    .run = hyb_device_run(d, p->group),
                    .rows = rows_of(p, first, (int)count)};
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
    rows_t own = rows_to_sum(d, &u, LEAVE, mine, list[HYB_U_FROM].rows);
    rows_t all =
        rows_to_sum(d, &displaced, LEAVE, 0, list[HYB_DISPLACED_FROM].rows);

    XH_TRY(hyb_queue_wait(d->queue.leave, panel->ready));
    XH_TRY(gather(d, &u, list[HYB_U_FROM], mine));
    XH_TRY(gather(d, &displaced, list[HYB_DISPLACED_FROM], 0));
    XH_TRY(sum_own_rows(d, &own));
    return sum_all_rows(d, &all);
}

void hyb_device_send_rows(hyb_place_t *place, hpl_exchange_t *x,
                          hyb_blocks_t group)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    if (hyb_device_run(d, group).count == 0)
        return;
    lend(d, x, group);
    hyb_device_check(d, send_rows(d, x, group));
    d->queued.leaving = x;
    d->queued.group = group;
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
static xh_status_t put_rows(const hyb_device_columns_t *d,
                            const hpl_exchange_t *x, hyb_blocks_t group)
{
    const hpl_pivots_t *moves = x->panel->pivots;
    const int *mine = moves->gather_offset + moves->me;
    const int *come = moves->displace_offset + moves->me;
    packed_t u = packed(d, x, group, false);
    packed_t displaced = packed(d, x, group, true);

    XH_TRY(copy(d, &u, 0, mine[0], ENTER));
    XH_TRY(copy(d, &u, mine[1], x->panel->jb - mine[1], ENTER));
    if (moves->me > 0)
        XH_TRY(copy(d, &displaced, come[0], come[1] - come[0], ENTER));
    XH_TRY(hyb_event_record(d->queue.link, d->event.arrived));
    return hyb_queue_wait(d->queue.compute, d->event.arrived);
}

void hyb_device_put_rows(hyb_place_t *place, const hpl_exchange_t *x,
                         hyb_blocks_t group)
{
    const hyb_device_columns_t *d = (hyb_device_columns_t *)place;

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
    rows_t all = rows_to_sum(d, &rows, ENTER, 0, x->panel->jb);
    rows_t own =
        rows_to_sum(d, &displaced, ENTER, moves->displace_offset[moves->me],
                    list[HYB_DISPLACED_TO].rows);

    XH_TRY(sum_all_rows(d, &all));
    XH_TRY(sum_own_rows(d, &own));
    XH_TRY(
        hyb_queue_scatter_rows(d->queue.compute, all.rows, list[HYB_U_TO], u));
    return hyb_queue_scatter_rows(d->queue.compute, own.rows,
                                  list[HYB_DISPLACED_TO],
                                  hyb_device_trailing(d, x->panel, own.run));
}
