/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/host_update.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "hybrid/cpu/update/chunk.h"
#include "hybrid/cpu/update/pack.h"

enum { LEAST_CHUNK = 32, LINE = 8 /* doubles */, PAGE = 512 };

struct hyb_host_update {
    hyb_update_shape_t shape;
    hyb_update_part_t part;
    hyb_team_t *team;
    hyb_factors_t factors;
    xh_view_t columns; /* the k rows of the top, then those of C */
    xh_view_t u, c;
    hyb_swap_t swap;
    int *rows;      /* 3 k: its lists */
    double *packed; /* a chunk's rows, of each member */
    int64_t stride; /* between members */
    int64_t widest; /* chunk */
    _Atomic int64_t next;
    hyb_scratch_t memory;
};

typedef hyb_host_update_t update_t;

/* ---- memory -------------------------------------------------------------- */

static xh_status_t allocate(update_t *x)
{
    const hyb_kernel_t *kernel = x->factors.kernel;
    int64_t m = x->shape.m, n = x->shape.n, k = x->shape.k;
    int64_t ld = xh_whole_units(m + k, LINE) | LINE; /* as the solver's */
    int64_t l1 = xh_whole_units(hyb_pack_size(k, k, kernel->rows), LINE);
    int64_t l2 = xh_whole_units(hyb_pack_size(m, k, kernel->rows), LINE);
    int64_t rows =
        xh_larger(hyb_chunk_u_size(kernel, k, x->widest), 2 * k * x->widest);
    int64_t members = hyb_team_size(x->team), doubles;

    x->stride = xh_whole_units(rows, PAGE);
    doubles = ld * n + members * x->stride + l1 + l2 + k * n;
    if (hyb_scratch_create(x->team, doubles, &x->memory) != XH_OK)
        return XH_ERR_MEMORY;
    x->columns = (xh_view_t){x->memory.data, m + k, n, ld};
    x->c = xh_view_part(x->columns, k, 0, m, n);
    x->packed = x->memory.data + ld * n;
    x->factors.l1 =
        (hyb_tiles_t){x->packed + members * x->stride, k, k, kernel->rows};
    memset(x->factors.l1.data, 0, sizeof(double) * (size_t)l1);
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

xh_status_t hyb_host_update_create(const hyb_kernel_t *kernel, hyb_team_t *team,
                                   hyb_update_shape_t shape,
                                   hyb_host_update_t **update_p)
{
    update_t *x = calloc(1, sizeof(*x));

    if (x == NULL)
        return XH_ERR_MEMORY;
    x->shape = shape;
    x->team = team;
    x->factors.kernel = kernel;
    x->widest = shape.chunk > 0 ? shape.chunk : hyb_chunk_cols(kernel, shape.k);
    if (allocate(x) != XH_OK || choose_rows(x) != XH_OK) {
        hyb_host_update_destroy(x);
        return XH_ERR_MEMORY;
    }
    *update_p = x;
    return XH_OK;
}

void hyb_host_update_destroy(hyb_host_update_t *update)
{
    if (update == NULL)
        return;
    hyb_scratch_free(&update->memory);
    free(update->rows);
    free(update);
}

/* ---- what is done to a chunk --------------------------------------------- */

static void pack_rows(const update_t *x, xh_view_t chunk, double *packed)
{
    for (int64_t j = 0; j < chunk.cols; j++) {
        const double *column = chunk.data + j * chunk.ld;

        for (int64_t i = 0; i < x->shape.k; i++) {
            *packed++ = column[x->swap.source[i]];
            *packed++ = column[i];
        }
    }
}

static void pass_through(xh_view_t c)
{
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t i = 0; i < c.rows; i += LINE)
            c.data[i + j * c.ld] = -c.data[i + j * c.ld];
}

static void swap_and_solve(const update_t *x, xh_view_t chunk, double *u)
{
    xh_view_t top = xh_view_part(chunk, 0, 0, x->shape.k, chunk.cols);

    hyb_chunk_swap(x->factors.kernel, &x->swap, chunk, u);
    hyb_chunk_solve(&x->factors, chunk.cols, u);
    hyb_chunk_store(&x->factors, u, top);
}

static void work_on(const update_t *x, int64_t from, int64_t cols, double *u)
{
    xh_view_t chunk = xh_view_part(x->columns, 0, from, x->columns.rows, cols);
    xh_view_t c = xh_view_part(x->c, 0, from, x->c.rows, cols);

    switch (x->part) {
    case HYB_UPDATE_MULTIPLY:
        hyb_pack(xh_view_part(x->u, 0, from, x->shape.k, cols), XH_TRANS, -1.0,
                 x->factors.kernel->cols, u);
        hyb_chunk_multiply(&x->factors, 0, u, c, NULL);
        break;
    case HYB_UPDATE_PREPARE:
        swap_and_solve(x, chunk, u);
        break;
    case HYB_UPDATE_COMPLETE:
        swap_and_solve(x, chunk, u);
        hyb_chunk_multiply(&x->factors, 0, u, c, NULL);
        break;
    case HYB_UPDATE_SWAP:
        hyb_chunk_swap(x->factors.kernel, &x->swap, chunk, u);
        break;
    case HYB_UPDATE_PACK:
        pack_rows(x, chunk, u);
        break;
    case HYB_UPDATE_PASS:
        pass_through(c);
        break;
    }
}

/* ---- all chunks ---------------------------------------------------------- */

/* Columns of the next chunk; few at the end, so that all end together. */
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

static void run_share(void *context, int member)
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
    hyb_team_run(x->team, run_share, x);
}

void hyb_host_update_set_chunk(hyb_host_update_t *update, int64_t chunk)
{
    update->shape.chunk = update->widest = chunk;
}

hyb_seconds_t hyb_host_update_seconds(hyb_host_update_t *update,
                                      hyb_update_part_t part, int calls)
{
    update->part = part;
    return hyb_time_runs(NULL, run, update, calls);
}

double hyb_host_update_bytes(const hyb_host_update_t *update,
                             hyb_update_part_t part)
{
    const hyb_update_shape_t *shape = &update->shape;
    double lines = part == HYB_UPDATE_SWAP ? (double)update->swap.displaced
                                           : (double)xh_units(shape->m, LINE);

    return 2.0 * LINE * sizeof(double) * lines * (double)shape->n;
}
