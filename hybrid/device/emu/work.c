/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/checksum.h"
#include "base/sequence.h"
#include "hybrid/device/emu/emu.h"

/* ---- copies ------------------------------------------------------------- */

static void move(xh_view_t from, xh_view_t to)
{
    size_t column = (size_t)from.rows * sizeof(double);

    if (from.ld == from.rows && to.ld == to.rows) {
        memcpy(to.data, from.data, column * (size_t)from.cols);
        return;
    }
    for (int64_t j = 0; j < from.cols; j++)
        memcpy(xh_at(to, 0, j), xh_at(from, 0, j), column);
}

static xh_status_t copy(const hyb_task_t *t)
{
    if (t->op == HYB_OP_COPY_IN)
        move(t->link.host, hyb_view(t->link.block));
    else if (t->op == HYB_OP_COPY_OUT)
        move(hyb_view(t->link.block), t->link.host);
    else
        move(hyb_view(t->copy.from), hyb_view(t->copy.to));
    return XH_OK;
}

/* ---- rows ---------------------------------------------------------------- */

/* Get the row numbers of a list; false if one of them is not a row of v. */
static bool find_rows(hyb_device_view_t list, xh_view_t v,
                      const int64_t **row_p)
{
    const void *row = hyb_view(list).data;

    *row_p = row;
    for (int64_t r = 0; r < list.rows; r++)
        if ((*row_p)[r] < 0 || (*row_p)[r] >= v.rows)
            return false;
    return true;
}

/* Copy displaced rows out of the top before U overwrites it. */
static xh_status_t swap_rows(const hyb_task_t *t)
{
    const hyb_row_swap_t *swap = &t->swap_rows;
    const xh_view_t columns = hyb_view(swap->columns), u = hyb_view(swap->u);
    const int64_t *source, *from, *to;

    if (!find_rows(swap->source, columns, &source) ||
        !find_rows(swap->from, columns, &from) ||
        !find_rows(swap->to, columns, &to))
        return XH_ERR_ARG;
    for (int64_t j = 0; j < u.cols; j++) {
        for (int64_t i = 0; i < u.rows; i++)
            *xh_at(u, i, j) = *xh_at(columns, source[i], j);
        for (int64_t i = 0; i < swap->from.rows; i++)
            *xh_at(columns, to[i], j) = *xh_at(columns, from[i], j);
        memcpy(xh_at(columns, 0, j), xh_at(u, 0, j),
               (size_t)u.rows * sizeof(double));
    }
    return XH_OK;
}

static xh_status_t pack(const hyb_task_t *t)
{
    const xh_view_t columns = hyb_view(t->pack.columns);
    const xh_view_t packed = hyb_view(t->pack.packed);
    const int64_t *row;

    if (!find_rows(t->pack.rows, columns, &row))
        return XH_ERR_ARG;
    for (int64_t r = 0; r < packed.cols; r++)
        for (int64_t j = 0; j < packed.rows; j++)
            if (t->op == HYB_OP_GATHER_ROWS)
                *xh_at(packed, j, r) = *xh_at(columns, row[r], j);
            else
                *xh_at(columns, row[r], j) = *xh_at(packed, j, r);
    return XH_OK;
}

/* ---- algebra ------------------------------------------------------------ */

static xh_status_t gemm(const hyb_task_t *t)
{
    const hyb_gemm_t *p = &t->gemm;

    return hyb_emu_host->gemm(&(xh_gemm_t){p->trans_a, p->trans_b, p->alpha,
                                           p->beta, hyb_view(p->a),
                                           hyb_view(p->b), hyb_view(p->c)});
}

/* y := y - alpha x */
static void subtract(int64_t count, double alpha, const double *x, double *y)
{
    for (int64_t i = 0; i < count; i++)
        y[i] -= alpha * x[i];
}

/* Forward substitution: subtract each solved row from the rows below. */
static xh_status_t trsm(const hyb_task_t *t)
{
    xh_view_t l1 = hyb_view(t->trsm.l1), u = hyb_view(t->trsm.u);

    for (int64_t j = 0; j < u.cols; j++)
        for (int64_t k = 0; k + 1 < u.rows; k++)
            subtract(u.rows - k - 1, *xh_at(u, k, j), xh_at(l1, k + 1, k),
                     xh_at(u, k + 1, j));
    return XH_OK;
}

/* Compute y as a product: A x is summed first, and y is rounded once. */
static xh_status_t gemv(const hyb_task_t *t)
{
    return hyb_emu_host->gemm(
        &(xh_gemm_t){XH_NO_TRANS, XH_NO_TRANS, -1.0, 1.0, hyb_view(t->gemv.a),
                     hyb_view(t->gemv.x), hyb_view(t->gemv.y)});
}

/* ---- panels -------------------------------------------------------------- */

/* A NaN counts as infinite, so that all processes choose alike. */
static double key_of(double x)
{
    return isnan(x) ? INFINITY : fabs(x);
}

/* The row, from `first` on, with the largest element in column c; -1: none. */
static int64_t find_pivot(xh_view_t v, int64_t first, int64_t c)
{
    double most = -1.0;
    int64_t best = -1;

    for (int64_t i = first; i < v.rows; i++)
        if (key_of(*xh_at(v, i, c)) > most) {
            most = key_of(*xh_at(v, i, c));
            best = i;
        }
    return best;
}

static void exchange(xh_view_t v, int64_t row, int64_t other)
{
    for (int64_t j = 0; j < v.cols && other != row; j++) {
        double kept = *xh_at(v, row, j);

        *xh_at(v, row, j) = *xh_at(v, other, j);
        *xh_at(v, other, j) = kept;
    }
}

static void take_row(xh_view_t v, int64_t row, double *to)
{
    for (int64_t j = 0; j < v.cols && row >= 0; j++)
        to[j] = *xh_at(v, row, j);
}

static void put_row(const double *from, xh_view_t v, int64_t row)
{
    for (int64_t j = 0; j < v.cols && row >= 0; j++)
        *xh_at(v, row, j) = from[j];
}

/* Divide by the pivot; if it is tiny, element by element, as its inverse may
 * overflow. */
static void divide(int64_t count, double pivot, double *x)
{
    double inverse;

    if (pivot == 0.0)
        return;
    inverse = 1.0 / pivot;
    if (fabs(pivot) < DBL_MIN)
        for (int64_t i = 0; i < count; i++)
            x[i] /= pivot;
    else
        for (int64_t i = 0; i < count; i++)
            x[i] *= inverse;
}

/* Divide column c of rows `from` on by the pivot, row c of `top`, and update
 * columns c + 1 .. end - 1. */
static void eliminate(xh_view_t v, xh_view_t top, int64_t from, int64_t c,
                      int64_t end)
{
    int64_t below = v.rows - from;

    divide(below, *xh_at(top, c, c), xh_at(v, from, c));
    for (int64_t j = c + 1; j < end; j++)
        subtract(below, *xh_at(top, c, j), xh_at(v, from, c),
                 xh_at(v, from, j));
}

static xh_status_t panel_step(const hyb_task_t *t)
{
    const hyb_panel_step_t *step = &t->panel_step;
    const xh_view_t v = hyb_view(step->panel);
    void *list = hyb_view(step->pivots).data;
    int64_t end = step->first + step->count;

    for (int64_t c = step->first; c < end; c++) {
        int64_t row = find_pivot(v, c, c);

        ((int64_t *)list)[c] = row;
        exchange(v, c, row);
        eliminate(v, v, c + 1, c, end);
    }
    return XH_OK;
}

static xh_status_t panel_column(const hyb_task_t *t)
{
    const hyb_panel_column_t *p = &t->panel_column;
    const bool apart = p->top.rows > 0;
    const xh_view_t v = hyb_view(p->panel), top = apart ? hyb_view(p->top) : v;
    double *current = hyb_view(p->pivot).data, *best = current + v.cols;
    int64_t next = p->column + 1, from = apart ? 0 : next;

    if (p->column >= p->first) {
        if (best[1] >= (double)v.rows)
            return XH_ERR_ARG;
        put_row(current, v, (int64_t)best[1]);
        put_row(best + 2, top, p->column);
        eliminate(v, top, from, p->column, p->end);
    }
    if (next < p->end) {
        int64_t row = find_pivot(v, from, next);

        best[0] = row < 0 ? -1.0 : key_of(*xh_at(v, row, next));
        best[1] = (double)row;
        take_row(v, row, best + 2);
        take_row(v, apart ? -1 : next, current);
    }
    return XH_OK;
}

/* Propose the diagonal element as the pivot, for a dry device. */
static void propose_diagonal(const hyb_panel_column_t *p)
{
    int64_t cols = p->panel.cols, next = p->column + 1;
    double *best = hyb_view(p->pivot).data + cols;
    bool is_here = p->top.rows == 0 && next < p->end && next < p->panel.rows;

    best[0] = is_here ? 1.0 : -1.0;
    best[1] = is_here ? (double)next : -1.0;
}

/* ---- the random matrix -------------------------------------------------- */

static int64_t global_of(hyb_dealt_t d, int64_t i)
{
    int64_t local = d.first + i;

    return (local / d.nb * d.processes + d.process) * d.nb + local % d.nb;
}

static xh_status_t generate(const hyb_task_t *t)
{
    const hyb_generate_t *part = &t->generate;
    const hyb_dealt_t rows = part->rows;
    const xh_view_t to = hyb_view(part->block);
    const xh_jump_t over_others =
        xh_jump_power(xh_jump_step, (uint64_t)((rows.processes - 1) * rows.nb));

    for (int64_t j = 0; j < to.cols; j++) {
        int64_t entry =
            global_of(part->cols, j) * part->order + global_of(rows, 0);
        uint64_t x = xh_jump_apply(
            xh_jump_power(xh_jump_step, (uint64_t)entry + 1), part->seed);

        for (int64_t i = 0; i < to.rows; i++) {
            *xh_at(to, i, j) = xh_sequence_entry(x);
            x = xh_jump_apply(xh_jump_step, x);
            if ((rows.first + i + 1) % rows.nb == 0)
                x = xh_jump_apply(over_others, x);
        }
    }
    return XH_OK;
}

/* ---- checksums ---------------------------------------------------------- */

static xh_status_t checksum(const hyb_task_t *t)
{
    const xh_view_t of = hyb_view(t->checksum.of);
    const xh_view_t to = hyb_view(t->checksum.sums);
    uint64_t sums[2];

    for (int64_t j = 0; j < of.cols; j++) {
        xh_checksum(xh_at(of, 0, j), of.rows, sums);
        memcpy(xh_at(to, 0, j), sums, sizeof(sums));
    }
    return XH_OK;
}

/* ---- all operations ----------------------------------------------------- */

static const struct {
    xh_status_t (*run)(const hyb_task_t *task);
    size_t result; /* offset in a task of the result's block; 0 for copy_out */
} ops[HYB_OPS] = {
    [HYB_OP_COPY_IN] = {copy, offsetof(hyb_task_t, link.block)},
    [HYB_OP_COPY_OUT] = {copy, 0},
    [HYB_OP_COPY] = {copy, offsetof(hyb_task_t, copy.to)},
    [HYB_OP_GATHER_ROWS] = {pack, offsetof(hyb_task_t, pack.packed)},
    [HYB_OP_SCATTER_ROWS] = {pack, offsetof(hyb_task_t, pack.columns)},
    [HYB_OP_GEMM] = {gemm, offsetof(hyb_task_t, gemm.c)},
    [HYB_OP_SWAP_ROWS] = {swap_rows, offsetof(hyb_task_t, swap_rows.u)},
    [HYB_OP_TRSM] = {trsm, offsetof(hyb_task_t, trsm.u)},
    [HYB_OP_GEMV] = {gemv, offsetof(hyb_task_t, gemv.y)},
    [HYB_OP_GENERATE] = {generate, offsetof(hyb_task_t, generate.block)},
    [HYB_OP_CHECKSUM] = {checksum, offsetof(hyb_task_t, checksum.sums)},
    [HYB_OP_PANEL_STEP] = {panel_step, offsetof(hyb_task_t, panel_step.panel)},
    [HYB_OP_PANEL_COLUMN] = {panel_column,
                             offsetof(hyb_task_t, panel_column.pivot)},
};

static double elements(hyb_device_view_t b)
{
    return (double)b.rows * (double)b.cols;
}

/*
 * Convert memory traffic to flop. The engine's rate is that of products, but
 * work that only moves doubles runs at the memory's rate: a GPU does 10 to 20
 * flop in the time of one byte.
 */
static double flop_of_traffic(double doubles)
{
    const double flop_per_byte = 16.0;

    return flop_per_byte * (double)sizeof(double) * doubles;
}

bool hyb_emu_is_from_peer(const hyb_task_t *t)
{
    return t->op == HYB_OP_COPY &&
           t->copy.from.buffer->device != t->copy.to.buffer->device;
}

double hyb_emu_amount(const hyb_task_t *t)
{
    const hyb_row_swap_t *swap = &t->swap_rows;
    const hyb_device_view_t u = t->trsm.u;

    switch (t->op) {
    case HYB_OP_COPY_IN:
    case HYB_OP_COPY_OUT:
        return sizeof(double) * elements(t->link.block);
    case HYB_OP_COPY:
        return hyb_emu_is_from_peer(t)
                   ? sizeof(double) * elements(t->copy.to)
                   : flop_of_traffic(2 * elements(t->copy.to));
    case HYB_OP_GATHER_ROWS:
    case HYB_OP_SCATTER_ROWS:
        return flop_of_traffic(2 * elements(t->pack.packed));
    case HYB_OP_GEMM:
        return 2 * elements(t->gemm.c) * (double)hyb_gemm_depth(&t->gemm);
    case HYB_OP_SWAP_ROWS: /* U's rows are read once and written twice */
        return flop_of_traffic(
            (3 * (double)swap->u.rows + 2 * (double)swap->from.rows) *
            (double)swap->u.cols);
    case HYB_OP_TRSM:
        return fmax((double)u.rows * elements(u),
                    flop_of_traffic(2 * elements(u)));
    case HYB_OP_GEMV:
        return flop_of_traffic(elements(t->gemv.a));
    case HYB_OP_CHECKSUM:
        return flop_of_traffic(elements(t->checksum.of));
    case HYB_OP_PANEL_STEP:
        return elements(t->panel_step.panel) * (double)t->panel_step.count;
    case HYB_OP_PANEL_COLUMN:
        return elements(t->panel_column.panel);
    default:
        return flop_of_traffic(elements(t->generate.block));
    }
}

static xh_view_t result_of(const hyb_task_t *task)
{
    const char *block = (const char *)task + ops[task->op].result;

    return task->op == HYB_OP_COPY_OUT
               ? task->link.host
               : hyb_view(*(const hyb_device_view_t *)block);
}

/*
 * Flip the highest bit of the exponent of v's middle element, which makes it
 * very large, very small, infinite or NaN.
 */
static void flip(xh_view_t v)
{
    double *x = xh_at(v, v.rows / 2, v.cols / 2);
    uint64_t bits;

    memcpy(&bits, x, sizeof(bits));
    bits ^= UINT64_C(1) << 62;
    memcpy(x, &bits, sizeof(bits));
}

void hyb_emu_dry_run(const hyb_task_t *task)
{
    bool copies = task->op == HYB_OP_COPY_IN || task->op == HYB_OP_COPY_OUT;

    if (task->op == HYB_OP_PANEL_COLUMN)
        propose_diagonal(&task->panel_column);
    else if (copies && task->link.block.cols == 1)
        ops[task->op].run(task);
}

xh_status_t hyb_emu_work(const hyb_task_t *task, bool flips)
{
    xh_status_t status = ops[task->op].run(task);

    if (flips)
        flip(result_of(task));
    return status;
}
