/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

#include <string.h>
#include "hybrid/lu/verify/carried.h"

/* Sums of the online check: products of columns with columns of weights. */
struct hyb_device_sums {
    hyb_block_t places;      /* weights of rows, as none has been moved */
    struct {                 /* of an iteration */
        hyb_block_t rows, l; /* weights: of rows; sums of L, and of U's rows */
        double *weights, *l1, *kept; /* on their way up, pinned, as all here */
        double *l_sums, *u_sums, *c_sums; /* down */
    } slot[HYB_IN_FLIGHT];
    hyb_block_t u, c; /* by column: what is on its way down */
};

typedef struct hyb_device_sums sums_t;

/* ---- memory -------------------------------------------------------------- */

int64_t hyb_device_sums_doubles(int64_t rows, int64_t nb, int64_t columns)
{
    return (HYB_IN_FLIGHT + 1) * HYB_SUMS_OF_C * rows +
           HYB_IN_FLIGHT * HYB_SUMS_OF_U * nb +
           (HYB_SUMS_OF_U + HYB_SUMS_OF_C) * columns;
}

/* The first slot begins with the weights that never change, on their way up. */
static int64_t slot_doubles(int64_t rows, int64_t nb, int64_t columns)
{
    return rows + 5 * nb + (HYB_SUMS_OF_U + HYB_SUMS_OF_C) * columns;
}

size_t hyb_device_sums_host_doubles(int64_t rows, int64_t nb, int64_t columns)
{
    return (size_t)(HYB_IN_FLIGHT * slot_doubles(rows, nb, columns) +
                    (HYB_SUMS_OF_C + 1) * rows + HYB_SUMS_OF_U * nb);
}

static int64_t columns_of(const hyb_device_columns_t *d)
{
    return d->columns[d->base.lu->ledger.blocks];
}

static void lay_out_there(hyb_device_columns_t *d, int64_t at)
{
    sums_t *s = d->sums;
    int64_t rows = d->memory.matrix.rows, nb = d->memory.u.rows,
            columns = columns_of(d);

    s->places = hyb_block(d->memory.buffer, at, rows, HYB_SUMS_OF_C);
    at += rows * HYB_SUMS_OF_C;
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        s->slot[i].rows = hyb_block(d->memory.buffer, at, rows, HYB_SUMS_OF_C);
        at += rows * HYB_SUMS_OF_C;
        s->slot[i].l = hyb_block(d->memory.buffer, at, nb, HYB_SUMS_OF_U);
        at += nb * HYB_SUMS_OF_U;
    }
    s->u = hyb_block(d->memory.buffer, at, HYB_SUMS_OF_U, columns);
    s->c = hyb_block(d->memory.buffer, at + HYB_SUMS_OF_U * columns,
                     HYB_SUMS_OF_C, columns);
}

/* Returns what is left of host. */
static double *lay_out_here(hyb_device_columns_t *d, double *host)
{
    int64_t rows = d->memory.matrix.rows, nb = d->memory.u.rows,
            columns = columns_of(d);

    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        double *at = host + i * slot_doubles(rows, nb, columns);

        d->sums->slot[i].weights = at;
        d->sums->slot[i].l1 = at += rows;
        d->sums->slot[i].kept = at += 2 * nb;
        d->sums->slot[i].l_sums = at += nb;
        d->sums->slot[i].u_sums = at += 2 * nb;
        d->sums->slot[i].c_sums = at + HYB_SUMS_OF_U * columns;
    }
    return host + HYB_IN_FLIGHT * slot_doubles(rows, nb, columns);
}

/* Weights that never change go up. */
static xh_status_t send_weights(hyb_device_columns_t *d, double *host)
{
    int64_t rows = d->memory.matrix.rows, nb = d->memory.u.rows;
    xh_view_t all = {host, rows, HYB_SUMS_OF_C, Mmax(rows, 1)};
    double *of_l = host + rows * HYB_SUMS_OF_C;
    xh_view_t l = {of_l, nb, HYB_SUMS_OF_U, nb};

    hyb_carried_weights(d->base.lu, rows, host);
    hyb_carried_weights(d->base.lu, nb, of_l);
    for (int64_t i = 0; i < nb; i++)
        of_l[i + HYB_SUM_KEPT * nb] = 1.0;
    XH_TRY(hyb_queue_copy_in(d->queue.link, all, d->sums->places));
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        XH_TRY(hyb_queue_copy_in(d->queue.link, all, d->sums->slot[i].rows));
        XH_TRY(hyb_queue_copy_in(d->queue.link, l, d->sums->slot[i].l));
    }
    return hyb_device_settle(d);
}

xh_status_t hyb_device_sums_create(hyb_device_columns_t *d, int64_t at,
                                   double *host)
{
    d->sums = calloc(1, sizeof(*d->sums));
    if (d->sums == NULL)
        return XH_ERR_MEMORY;
    lay_out_there(d, at);
    return send_weights(d, lay_out_here(d, host));
}

/* ---- sums ---------------------------------------------------------------- */

/* sums := weights^T a, which come down to host. */
static xh_status_t sum(hyb_queue_t *queue, hyb_block_t weights, hyb_block_t a,
                       hyb_block_t sums, double *host)
{
    const hyb_gemm_t product = {
        .trans_a = XH_TRANS, .alpha = 1.0, .a = weights, .b = a, .c = sums};

    if (a.rows == 0) {
        memset(host, 0, (size_t)(sums.rows * sums.cols) * sizeof(*host));
        return XH_OK;
    }
    XH_TRY(hyb_queue_gemm(queue, &product));
    return hyb_queue_copy_out(
        queue, sums, (xh_view_t){host, sums.rows, sums.cols, sums.rows});
}

/* Of sums by column. */
static hyb_block_t of_columns(hyb_block_t sums, hyb_run_t run)
{
    return hyb_block_part(sums, 0, run.from, sums.rows, run.count);
}

/* Of so many rows of block b: on their way down. */
static const double *sum_rows(hyb_device_columns_t *d, int64_t b, int64_t row,
                              int64_t rows)
{
    sums_t *s = d->sums;
    hyb_run_t run = hyb_device_run(d, hyb_one_block(b));
    double *down = s->slot[0].c_sums + run.from * HYB_SUMS_OF_C;

    if (rows == 0)
        return down;
    hyb_device_check(
        d, sum(d->queue.link,
               hyb_block_part(s->places, row, 0, rows, HYB_SUMS_OF_C),
               hyb_block_part(d->memory.matrix, row, run.from, rows, run.count),
               of_columns(s->c, run), down));
    return down;
}

/* After a restart rows of U are there, too. */
static void sum_block(hyb_device_columns_t *d, int64_t b)
{
    hyb_lu_t *lu = d->base.lu;
    hyb_run_t run = hyb_ledger_columns(&lu->ledger, hyb_one_block(b));
    int64_t u, from = hyb_carried_first_row(lu, b, &u);
    const double *sums;

    memset(d->sums->slot[0].c_sums + d->columns[b] * HYB_SUMS_OF_C, 0,
           (size_t)(run.count * HYB_SUMS_OF_C) * sizeof(double));
    sums = sum_rows(d, b, from, d->memory.matrix.rows - from);
    hyb_device_check(d, hyb_device_settle(d));
    hyb_carried_start(lu, run, sums);
    if (u == 0)
        return;
    sums = sum_rows(d, b, 0, u);
    hyb_device_check(d, hyb_device_settle(d));
    hyb_carried_start_u(lu, run, sums);
}

void hyb_device_sum_all(hyb_place_t *place)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    for (int64_t b = 0; d->sums != NULL && b < place->lu->ledger.blocks; b++)
        if (hyb_device_holds(d, b))
            sum_block(d, b);
}

/* What L is multiplied with to be summed up goes up, and its sums come down. */
xh_status_t hyb_device_sum_panel(hyb_device_columns_t *d, int k)
{
    const hyb_device_panel_t *panel = hyb_device_panel(d, k);
    int64_t nb = d->memory.u.rows, below = panel->first + panel->top,
            jb = panel->jb;
    int i = k % HYB_IN_FLIGHT;
    hyb_gemm_t product = {.trans_a = XH_TRANS, .alpha = 1.0, .beta = 1.0};
    hyb_block_t rows, l;
    double *weights;

    if (d->sums == NULL)
        return XH_OK;
    rows = d->sums->slot[i].rows;
    l = hyb_block_first(d->sums->slot[i].l, jb, 2);
    weights = d->sums->slot[i].weights;
    hyb_carried_panel_weights(d->base.lu, k, weights, d->sums->slot[i].l1,
                              d->sums->slot[i].kept);
    XH_TRY(hyb_device_weigh_rows(d, k));
    XH_TRY(hyb_queue_copy_in(
        d->queue.link,
        (xh_view_t){weights, panel->rows, 1, Mmax(panel->rows, 1)},
        hyb_block_part(rows, panel->first, HYB_SUM_WEIGHTED, panel->rows, 1)));
    XH_TRY(hyb_queue_copy_in(d->queue.link,
                             (xh_view_t){d->sums->slot[i].l1, jb, 2, nb}, l));
    XH_TRY(hyb_queue_copy_in(
        d->queue.link, (xh_view_t){d->sums->slot[i].kept, jb, 1, nb},
        hyb_block_part(d->sums->slot[i].l, 0, HYB_SUM_KEPT_WEIGHTED, jb, 1)));
    product.a = panel->l2;
    product.b = hyb_block_part(rows, below, 0, panel->l2.rows, 2);
    product.c = l;
    if (panel->l2.rows > 0)
        XH_TRY(hyb_queue_gemm(d->queue.link, &product));
    return hyb_queue_copy_out(d->queue.link, l,
                              (xh_view_t){d->sums->slot[i].l_sums, jb, 2, nb});
}

/* C of block b, which has met the panel of step. */
static xh_status_t sum_c(hyb_device_columns_t *d, const hyb_step_t *step,
                         int64_t b)
{
    const hyb_device_panel_t *panel = hyb_device_panel(d, step->k);
    sums_t *s = d->sums;
    int i = step->k % HYB_IN_FLIGHT;
    hyb_run_t run = hyb_device_run(d, hyb_one_block(b));
    int64_t from = panel->first + panel->top,
            rows = d->memory.matrix.rows - from;

    return sum(
        d->queue.compute,
        hyb_block_part(s->slot[i].rows, from, 0, rows, HYB_SUMS_OF_C),
        hyb_block_part(d->memory.matrix, from, run.from, rows, run.count),
        of_columns(s->c, run), s->slot[i].c_sums + run.from * HYB_SUMS_OF_C);
}

/* Is C of block b summed up in the iteration of step? What is factored next
 * is. */
static bool is_due(const hyb_device_columns_t *d, const hyb_step_t *step,
                   int64_t b)
{
    return hyb_device_holds(d, b) && step->k + 1 < d->base.lu->range.panels &&
           (hyb_step_is_next(step, b) ||
            hyb_carried_is_due(d->base.lu, step, b));
}

xh_status_t hyb_device_sum_run(hyb_device_columns_t *d, const hyb_step_t *step,
                               hyb_blocks_t blocks, hyb_block_t u)
{
    const hyb_device_panel_t *panel = hyb_device_panel(d, step->k);
    sums_t *s = d->sums;
    int i = step->k % HYB_IN_FLIGHT;
    hyb_run_t run = hyb_device_run(d, blocks);

    if (s == NULL)
        return XH_OK;
    XH_TRY(sum(d->queue.compute,
               hyb_block_first(s->slot[i].l, panel->jb, HYB_SUMS_OF_U), u,
               of_columns(s->u, run),
               s->slot[i].u_sums + run.from * HYB_SUMS_OF_U));
    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (is_due(d, step, b))
            XH_TRY(sum_c(d, step, b));
    return XH_OK;
}

/* ---- what came down ------------------------------------------------------ */

void hyb_device_sums_met(hyb_device_columns_t *d, int k, hyb_blocks_t blocks)
{
    hyb_lu_t *lu = d->base.lu;
    sums_t *s = d->sums;
    int i = k % HYB_IN_FLIGHT;

    for (int64_t b = blocks.from; s != NULL && b < blocks.to; b++) {
        int64_t at = d->columns[b];
        hyb_device_sums_of_run_t sums = {
            .k = k,
            .device = d->number - 1,
            .run = hyb_ledger_columns(&lu->ledger, hyb_one_block(b)),
            .l = s->slot[i].l_sums,
            .u = s->slot[i].u_sums + at * HYB_SUMS_OF_U};

        if (is_due(d, hyb_lu_step(lu, k), b))
            sums.c = s->slot[i].c_sums + at * HYB_SUMS_OF_C;
        hyb_device_row_sums_met(d, &sums, at);
        if (hyb_device_holds(d, b))
            hyb_carried_met(lu, &sums);
    }
}

bool hyb_device_sums_are_next(const hyb_device_columns_t *d, int k,
                              hyb_blocks_t blocks)
{
    const hyb_ledger_t *ledger = &d->base.lu->ledger;

    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (hyb_device_holds(d, b) &&
            !hyb_ledger_reached(ledger, hyb_one_block(b), hyb_stage(k)))
            return false;
    return hyb_carried_is_filled(d->base.lu, k);
}

void hyb_device_sums_take(hyb_device_columns_t *d, int k)
{
    if (d->sums != NULL)
        hyb_carried_take_l(d->base.lu, k, d->number - 1,
                           d->sums->slot[k % HYB_IN_FLIGHT].l_sums);
}

/* ---- the back-substitution ----------------------------------------------- */

xh_status_t hyb_device_sum_factors(const hyb_device_columns_t *d, hyb_block_t a,
                                   int64_t row, const double **sums_p)
{
    sums_t *s = d->sums;

    if (s == NULL)
        return XH_OK;
    *sums_p = s->slot[0].c_sums;
    return sum(d->queue.link,
               hyb_block_part(s->places, row, 0, a.rows, HYB_SUMS_OF_C), a,
               hyb_block_first(s->c, HYB_SUMS_OF_C, a.cols), s->slot[0].c_sums);
}
