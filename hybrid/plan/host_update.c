/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/host_update.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "base/integers.h"
#include "base/log.h"
#include "base/memory.h"
#include "hybrid/cpu/update/chunk.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/plan/host_timing.h"

enum { CALLS = 3, LEAST_CHUNK = 32, SAMPLES = 200, LINE = 8 };

/* Where the matrices begin in xhost_value's rows. */
enum { OF_C = 0, OF_L2 = 1 << 28, OF_U = 1 << 29, OF_TOP = 3 << 28 };

struct xhost_update {
    xhost_shape_t shape;
    xhost_work_t work;
    hyb_team_t *team;
    hyb_factors_t factors;
    xh_view_t columns; /* the top's rows, then C's */
    xh_view_t u, c;
    hyb_swap_t swap;
    int *rows;      /* 3 k: its lists */
    double *packed; /* a chunk's U, of each member */
    int64_t stride; /* between members */
    int64_t widest; /* chunk */
    _Atomic int64_t next;

    double *memory; /* all else */
    size_t bytes;
};

typedef xhost_update_t update_t;

/* ---- memory -------------------------------------------------------------- */

static xh_status_t allocate(update_t *x)
{
    const hyb_kernel_t *kernel = x->factors.kernel;
    int64_t m = x->shape.m, n = x->shape.n, k = x->shape.k;
    int64_t ld = xh_whole_units(m + k, 8) | 8; /* as the solver's: odd lines */
    int64_t l1 = xh_whole_units(hyb_pack_size(k, k, kernel->rows), 8);
    int64_t l2 = xh_whole_units(hyb_pack_size(m, k, kernel->rows), 8);
    int64_t u = xh_whole_units(k * n, 8), packed;
    void *memory;

    x->stride = xh_whole_units(hyb_chunk_u_size(kernel, k, x->widest), 512);
    packed = x->stride * hyb_team_size(x->team);
    x->bytes = sizeof(double) * (size_t)(ld * n + l1 + l2 + u + packed);
    if (xh_memory_allocate(x->bytes, &memory) != XH_OK)
        return XH_ERR_MEMORY;
    x->memory = memory;
    x->columns = (xh_view_t){x->memory, m + k, n, ld};
    x->c = xh_view_part(x->columns, k, 0, m, n);
    x->packed = x->memory + ld * n;
    x->factors.l1 = (hyb_tiles_t){x->packed + packed, k, k, kernel->rows};
    x->factors.l2 = (hyb_tiles_t){x->factors.l1.data + l1, m, k, kernel->rows};
    x->u = (xh_view_t){x->factors.l2.data + l2, k, n, k};
    return XH_OK;
}

/* All rows of the top change places with rows of C, far from each other. */
static xh_status_t choose_rows(update_t *x)
{
    int64_t m = x->shape.m, k = x->shape.k, apart = m > k ? m / k : 1, i;
    int displaced = (int)xh_smaller(m, k);

    x->rows = calloc((size_t)(3 * k), sizeof(*x->rows));
    if (x->rows == NULL)
        return XH_ERR_MEMORY;
    for (i = 0; i < k; i++) {
        x->rows[i] = (int)(i < displaced ? k + i * apart : i);
        x->rows[k + i] = (int)i;
        x->rows[2 * k + i] = x->rows[i];
    }
    x->swap =
        (hyb_swap_t){(int)k, x->rows, displaced, x->rows + k, x->rows + 2 * k};
    return XH_OK;
}

static void fill(void *context, int member)
{
    update_t *x = context;
    const hyb_tiles_t *l2 = &x->factors.l2;
    int64_t members = hyb_team_size(x->team), i, j;

    xhost_fill(x->c, OF_C, member, members);
    xhost_fill(xh_view_part(x->columns, 0, 0, x->shape.k, x->shape.n), OF_TOP,
               member, members);
    xhost_fill(x->u, OF_U, member, members);
    for (j = member; j < l2->cols; j += members)
        for (i = 0; i < l2->rows; i++)
            *hyb_tiles_at(l2, i, j) = xhost_value(OF_L2 + i, j);
}

/* ---- computing ----------------------------------------------------------- */

/* Columns of a chunk where so many are left: few at last, so that all end
 * together. */
static int64_t width(const update_t *x, int64_t left)
{
    int64_t share = left / (2 * hyb_team_size(x->team));

    return x->shape.chunk > 0 || share >= x->widest
               ? x->widest
               : xh_whole_units(share + 1, LEAST_CHUNK);
}

static int64_t take(update_t *x, int64_t *cols_p)
{
    int64_t from = atomic_load(&x->next), cols;

    do {
        cols = xh_smaller(width(x, x->shape.n - from), x->shape.n - from);
    } while (!atomic_compare_exchange_weak(&x->next, &from, from + cols));
    *cols_p = cols;
    return from;
}

/* The chunk's part of U, packed: from U, or by the swap, and the solution. */
static void prepare(const update_t *x, int64_t from, int64_t cols, double *u)
{
    int64_t k = x->shape.k;
    xh_view_t chunk = xh_view_part(x->columns, 0, from, x->columns.rows, cols);

    if (x->work == XHOST_MULTIPLY) {
        hyb_pack(xh_view_part(x->u, 0, from, k, cols), XH_TRANS, -1.0,
                 x->factors.kernel->cols, u);
        return;
    }
    hyb_chunk_swap(x->factors.kernel, &x->swap, chunk, u);
    if (x->work == XHOST_SWAP)
        return;
    hyb_chunk_solve(&x->factors, cols, u);
    hyb_chunk_store(&x->factors, u, xh_view_part(chunk, 0, 0, k, cols));
}

/* Read and write an element of each line. */
static void pass(xh_view_t c)
{
    int64_t i, j;

    for (j = 0; j < c.cols; j++)
        for (i = 0; i < c.rows; i += LINE)
            c.data[i + j * c.ld] = -c.data[i + j * c.ld];
}

static void work_on(const update_t *x, int64_t from, int64_t cols, double *u)
{
    xh_view_t c = xh_view_part(x->c, 0, from, x->c.rows, cols);

    if (x->work == XHOST_PASS) {
        pass(c);
        return;
    }
    prepare(x, from, cols, u);
    if (x->work == XHOST_MULTIPLY || x->work == XHOST_COMPLETE)
        hyb_chunk_multiply(&x->factors, 0, u, c, NULL);
}

static void compute(void *context, int member)
{
    update_t *x = context;
    int64_t from, cols;

    for (from = take(x, &cols); cols > 0; from = take(x, &cols))
        work_on(x, from, cols, x->packed + member * x->stride);
}

static void run(void *context)
{
    update_t *x = context;

    atomic_store(&x->next, 0);
    hyb_team_run(x->team, compute, x);
}

xh_status_t xhost_update_create(const hyb_kernel_t *kernel, hyb_team_t *team,
                                xhost_shape_t shape, xhost_update_t **update_p)
{
    update_t *x = calloc(1, sizeof(*x));

    if (x == NULL)
        return XH_ERR_MEMORY;
    x->shape = shape;
    x->team = team;
    x->factors.kernel = kernel;
    x->widest = shape.chunk > 0 ? shape.chunk : hyb_chunk_cols(kernel, shape.k);
    if (allocate(x) != XH_OK || choose_rows(x) != XH_OK) {
        xhost_update_destroy(x);
        return XH_ERR_MEMORY;
    }
    hyb_team_run(team, fill, x);
    *update_p = x;
    return XH_OK;
}

void xhost_update_destroy(xhost_update_t *update)
{
    if (update == NULL)
        return;
    xh_memory_free(update->memory, update->bytes);
    free(update->rows);
    free(update);
}

double xhost_update_seconds(xhost_update_t *update, xhost_work_t work,
                            int calls)
{
    const xhost_timed_t timed = {NULL, run, update};

    update->work = work;
    return xhost_median_seconds(&timed, calls);
}

void xhost_update_set_chunk(xhost_update_t *update, int64_t chunk)
{
    update->shape.chunk = update->widest = chunk;
}

xh_view_t xhost_update_columns(const xhost_update_t *update,
                               const int **source_p)
{
    *source_p = update->swap.source;
    return update->columns;
}

/* ---- checking ------------------------------------------------------------ */

/* By how much an element is not what CALLS updates should have made of it. */
static double error_at(const update_t *x, int64_t i, int64_t j)
{
    double want = xhost_value(OF_C + i, j), product = 0.0;
    int64_t k;

    for (k = 0; k < x->shape.k; k++)
        product += xhost_value(OF_L2 + i, k) * xhost_value(OF_U + k, j);
    want -= CALLS * product;
    return fabs(x->c.data[i + j * x->c.ld] - want);
}

/* Some of all elements, in all parts of C, and its last one. */
static int wrong_elements(const update_t *x)
{
    const double most = 1e-14 * CALLS * (double)(x->shape.k + 1);
    int64_t m = x->shape.m, n = x->shape.n, s;
    int wrong = !(error_at(x, m - 1, n - 1) <= most);

    for (s = 0; s < SAMPLES; s++)
        wrong += !(error_at(x, s * 7919 % m, s * 104729 % n) <= most);
    return wrong;
}

xh_status_t xhost_update_rate(const hyb_kernel_t *kernel, hyb_team_t *team,
                              xhost_shape_t shape, double *rate_p)
{
    double flop = 2.0 * (double)shape.m * (double)shape.n * (double)shape.k;
    update_t *x;
    int wrong;

    if (xhost_update_create(kernel, team, shape, &x) != XH_OK)
        return XH_ERR_MEMORY;
    x->work = XHOST_MULTIPLY;
    *rate_p = flop / xhost_least_seconds(&(xhost_timed_t){NULL, run, x}, CALLS);
    wrong = wrong_elements(x);
    if (wrong > 0) {
        xh_log_error("%d of %d elements of C are wrong", wrong, SAMPLES + 1);
        *rate_p = NAN;
    }
    xhost_update_destroy(x);
    return XH_OK;
}

/* ---- memory's share ------------------------------------------------------ */

/* Lines of memory that a call reads and writes. */
static double lines(const update_t *x)
{
    double rows = x->work == XHOST_SWAP
                      ? x->swap.displaced
                      : (double)((x->shape.m + LINE - 1) / LINE);

    return rows * (double)x->shape.n;
}

/* Does a row of C hold what stood above it? */
static bool is_swapped(const update_t *x, int row)
{
    const double *top = x->columns.data + row;
    const double *here = x->columns.data + x->swap.source[row];
    int64_t j;

    for (j = 0; j < x->shape.n; j++)
        if (here[j * x->columns.ld] != top[j * x->columns.ld])
            return false;
    return true;
}

xh_status_t xhost_memory_rate(const hyb_kernel_t *kernel, hyb_team_t *team,
                              xhost_shape_t shape, xhost_work_t work,
                              double *rate_p)
{
    const double there_and_back = 2 * LINE * sizeof(double);
    update_t *x;
    int row;

    if (xhost_update_create(kernel, team, shape, &x) != XH_OK)
        return XH_ERR_MEMORY;
    x->work = work;
    *rate_p = there_and_back * lines(x) /
              xhost_least_seconds(&(xhost_timed_t){NULL, run, x}, CALLS);
    for (row = 0; work == XHOST_SWAP && row < x->swap.displaced; row++)
        if (!is_swapped(x, row)) {
            xh_log_error("row %d was not swapped", row);
            *rate_p = NAN;
        }
    xhost_update_destroy(x);
    return XH_OK;
}
