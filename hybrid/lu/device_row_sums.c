/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

#include <string.h>
#include "hybrid/lu/verify/carried.h"

/* Sums of rows that travel, for the online check: packed rows, a column each
 * there, times columns of weights. */
struct hyb_device_row_sums {
    int64_t ld, sums; /* columns there; numbers of each of them, each way */
    struct {          /* of an iteration */
        hyb_block_t weights[HYB_ROW_WAYS]; /* nb x sums */
        double *up;                        /* these, as they go up, pinned */
        double *down[HYB_ROW_WAYS]; /* pinned; a column of each sum, ld long */
    } slot[HYB_IN_FLIGHT];
    hyb_block_t way[HYB_ROW_WAYS]; /* columns x sums, on their way down */
};

/* ---- memory --------------------------------------------------------------
 */

int64_t hyb_device_row_sums_doubles(int nprow, int64_t nb, int64_t columns)
{
    return nprow == 1 ? 0
                      : HYB_ROW_WAYS * hyb_rows_sums(nprow) *
                            (HYB_IN_FLIGHT * nb + columns);
}

size_t hyb_device_row_sums_host_doubles(int nprow, int64_t nb, int64_t columns)
{
    return nprow == 1 ? 0
                      : (size_t)(HYB_ROW_WAYS * hyb_rows_sums(nprow) *
                                 HYB_IN_FLIGHT * (nb + columns));
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
    for (int way = 0; way < HYB_ROW_WAYS; way++, at += s->ld * s->sums)
        s->way[way] = hyb_block(d->memory.buffer, at, s->ld, s->sums);
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        s->slot[i].up = host;
        host += HYB_ROW_WAYS * nb * s->sums;
        for (int way = 0; way < HYB_ROW_WAYS; way++) {
            s->slot[i].weights[way] =
                hyb_block(d->memory.buffer, at, nb, s->sums);
            at += nb * s->sums;
            s->slot[i].down[way] = host;
            host += s->ld * s->sums;
        }
    }
    return XH_OK;
}

/* ---- sums ----------------------------------------------------------------
 */

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
                             s->slot[i].weights[HYB_ROWS_LEAVE]));
    return hyb_queue_copy_in(d->queue.link, (xh_view_t){enter, nb, s->sums, nb},
                             s->slot[i].weights[HYB_ROWS_ENTER]);
}

/* Sums first .. first + count - 1 of the run, which come down. */
static xh_status_t sum(hyb_device_columns_t *d, const hyb_device_rows_t *r,
                       int64_t first, int64_t count)
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

xh_status_t hyb_device_sum_own_rows(hyb_device_columns_t *d,
                                    const hyb_device_rows_t *rows)
{
    return d->row_sums == NULL
               ? XH_OK
               : sum(d, rows, HYB_ROWS_PLAIN, HYB_ROWS_ALL_WEIGHTED);
}

xh_status_t hyb_device_sum_all_rows(hyb_device_columns_t *d,
                                    const hyb_device_rows_t *rows)
{
    return d->row_sums == NULL ? XH_OK
                               : sum(d, rows, HYB_ROWS_ALL_WEIGHTED,
                                     d->row_sums->sums - HYB_ROWS_ALL_WEIGHTED);
}

/* ---- what came down ------------------------------------------------------
 */

void hyb_device_row_sums_met(const hyb_device_columns_t *d,
                             hyb_device_sums_of_run_t *sums, int64_t column)
{
    const struct hyb_device_row_sums *s = d->row_sums;
    int i = sums->k % HYB_IN_FLIGHT;

    if (s == NULL)
        return;
    sums->leave = s->slot[i].down[HYB_ROWS_LEAVE] + column;
    sums->enter = s->slot[i].down[HYB_ROWS_ENTER] + column;
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
    down = s->slot[x->panel->ja / x->panel->nb % HYB_IN_FLIGHT]
               .down[HYB_ROWS_LEAVE];
    for (int64_t b = group.from; b < group.to; b++)
        if (hyb_device_holds(d, b))
            hyb_carried_left(
                x, (int)(hyb_ledger_first(ledger, b) - start),
                (int)hyb_device_run(d, (hyb_blocks_t){b, b + 1}).count,
                down + d->columns[b], s->ld);
}
