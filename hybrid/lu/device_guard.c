/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

#include <string.h>
#include "hybrid/lu/guard/check_columns.h"

/* Rows of columns on a device are compared by products with both weights. */

enum { BOTH = HYB_CHECK_COLUMNS };

struct hyb_device_guard {
    hyb_block_t weights; /* columns x both */
    hyb_block_t panel;   /* rows x both: of the next panel's columns */
    hyb_block_t rows;    /* likewise, of all others */
    double *all;         /* pinned: rows x both, on their way down, ... */
    double *own[HYB_IN_FLIGHT]; /* ... and of panel k's columns */
    double *host_weights;
    int swept; /* iterations before this one are */
};

typedef struct hyb_device_guard guard_t;

/* ---- memory -------------------------------------------------------------- */

int64_t hyb_device_guard_doubles(int64_t rows, int64_t columns)
{
    return BOTH * (columns + 2 * rows);
}

size_t hyb_device_guard_host_doubles(int64_t rows, int64_t columns)
{
    return (size_t)(BOTH * (columns + (1 + HYB_IN_FLIGHT) * rows));
}

/* The weights of its columns go up. */
static xh_status_t send_weights(hyb_device_columns_t *d, double *host)
{
    const hyb_ledger_t *ledger = &d->base.lu->ledger;
    int64_t columns = d->columns[ledger->blocks];

    for (int64_t b = 0; b < ledger->blocks; b++) {
        hyb_run_t run = hyb_ledger_columns(ledger, hyb_one_block(b));

        for (int which = 0; which < BOTH && hyb_device_holds(d, b); which++)
            memcpy(host + d->columns[b] + which * columns,
                   d->base.lu->check->weight[which] + run.from,
                   (size_t)run.count * sizeof(*host));
    }
    XH_TRY(hyb_queue_copy_in(d->queue.link,
                             (xh_view_t){host, columns, BOTH, columns},
                             d->guard->weights));
    return hyb_device_settle(d);
}

xh_status_t hyb_device_guard_create(hyb_device_columns_t *d, int64_t at,
                                    double *host)
{
    int64_t rows = d->memory.matrix.rows;
    int64_t columns = d->columns[d->base.lu->ledger.blocks];
    guard_t *g = d->guard = calloc(1, sizeof(*g));

    if (g == NULL)
        return XH_ERR_MEMORY;
    g->weights = hyb_block(d->memory.buffer, at, columns, BOTH);
    g->panel = hyb_block(d->memory.buffer, at += BOTH * columns, rows, BOTH);
    g->rows = hyb_block(d->memory.buffer, at + BOTH * rows, rows, BOTH);
    g->all = host + BOTH * columns;
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        g->own[i] = g->all + (i + 1) * BOTH * rows;
    g->host_weights = host;
    return XH_OK;
}

/* Needs lu's check columns. */
void hyb_device_guard_begin(hyb_device_columns_t *d)
{
    if (d->guard != NULL)
        hyb_device_check(d, send_weights(d, d->guard->host_weights));
}

/* ---- rows of all columns ------------------------------------------------- */

/* z := - A w, of rows from one on and a run of its columns. */
static xh_status_t weigh(hyb_device_columns_t *d, int64_t row, hyb_run_t run,
                         hyb_block_t z, double *down)
{
    int64_t rows = d->memory.matrix.rows - row;
    const hyb_gemm_t product = {
        .alpha = -1.0,
        .a = hyb_block_part(d->memory.matrix, row, run.from, rows, run.count),
        .b = hyb_block_part(d->guard->weights, run.from, 0, run.count, BOTH),
        .c = hyb_block_first(z, rows, BOTH)};
    xh_view_t host = {down, rows, BOTH, d->memory.matrix.rows};

    if (rows == 0)
        return XH_OK;
    if (run.count == 0) {
        for (int which = 0; which < BOTH; which++)
            memset(down + which * host.ld, 0, (size_t)rows * sizeof(*down));
        return XH_OK;
    }
    XH_TRY(hyb_queue_gemm(d->queue.compute, &product));
    return hyb_queue_copy_out(d->queue.compute, product.c, host);
}

/* Is the panel's own part of rows needed? It is as it was only until the device
 * factors it. */
static bool needs_panel(const hyb_device_columns_t *d, int k)
{
    return d->guard != NULL && (d->base.lu->grid->nprow > 1 ||
                                hyb_check_columns_due(d->base.lu, k - 1));
}

xh_status_t hyb_device_guard_panel(hyb_device_columns_t *d, int k)
{
    int64_t b = hyb_lu_panel_block(d->base.lu, k);

    if (!needs_panel(d, k) || !hyb_device_holds(d, b))
        return XH_OK;
    return weigh(d, hyb_lu_rows_above(d->base.lu, k),
                 hyb_device_run(d, hyb_one_block(b)), d->guard->panel,
                 d->guard->own[k % HYB_IN_FLIGHT]);
}

void hyb_device_guard_took(hyb_device_columns_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;
    int64_t rows = lu->mat->mp;

    if (d->guard != NULL && lu->grid->nprow > 1)
        memcpy(lu->check->panel[k % HYB_IN_FLIGHT],
               d->guard->own[k % HYB_IN_FLIGHT],
               BOTH * (size_t)rows * sizeof(double));
}

/* Have its blocks been queued to meet panel k, all of them? Guests, which come
 * in turns, are finished. */
static bool can_sweep(const hyb_device_columns_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;
    hyb_blocks_t all = hyb_lu_trailing(lu, k);

    for (int64_t b = all.from; b < all.to; b++)
        if (hyb_home_number(&lu->homes, b) == d->number &&
            (hyb_homes_is_guest(&lu->homes, b) ||
             !hyb_ledger_queued(&lu->ledger, hyb_one_block(b),
                                hyb_stage(k + 1))))
            return false;
    return true;
}

static xh_status_t sweep(hyb_device_columns_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;
    hyb_blocks_t rest = hyb_lu_trailing(lu, k + 1);

    XH_TRY(weigh(d, hyb_lu_rows_above(lu, k + 1), hyb_device_run(d, rest),
                 d->guard->rows, d->guard->all));
    d->queued
        .work[hyb_device_note(d, (hyb_blocks_t){0}, 0, 0.0, d->queue.compute)]
        .swept = k;
    return XH_OK;
}

void hyb_device_guard_sweep(hyb_place_t *place, int k)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    if (d->guard == NULL || d->guard->swept > k ||
        !hyb_check_columns_due(place->lu, k) || !can_sweep(d, k))
        return;
    d->guard->swept = k + 1;
    hyb_device_check(d, sweep(d, k));
}

void hyb_device_guard_swept(hyb_device_columns_t *d, int k)
{
    hyb_lu_t *lu = d->base.lu;
    int64_t mp = lu->mat->mp, from = hyb_lu_rows_above(lu, k + 1);
    const double *own = d->guard->own[(k + 1) % HYB_IN_FLIGHT];

    if (hyb_lu_owns(lu, k + 1) &&
        hyb_device_holds(d, hyb_lu_panel_block(lu, k + 1)))
        for (int which = 0; which < BOTH; which++)
            for (int64_t i = which * mp; i < which * mp + mp - from; i++)
                d->guard->all[i] += own[i];
    hyb_check_columns_judge(lu, &(hyb_compared_t){.place = d->number,
                                                  .k = k,
                                                  .first = from,
                                                  .rows = mp - from,
                                                  .z = d->guard->all,
                                                  .ld = mp});
}
