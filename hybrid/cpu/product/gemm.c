/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/cpu/product/gemm.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "base/memory.h"
#include "base/product.h"
#include "hybrid/cpu/trial/trial.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/update/run.h"
#include "hybrid/cpu/update/pack.h"

enum {
    MOST_ROWS = 24 * 1024, /* rows of A that a team packs at a time */
    /* Rows of A that a lone thread packs at a time, to fit in its cache. */
    LONE_ROWS = 2 * 1024,
    RUN_COLS = 192,  /* columns that a thread takes at a time */
    LEAST_COLS = 48, /* fewest columns that a thread takes */
    PACK_STRIPS = 16 /* strips of A that a thread packs at a time */
};

struct hyb_host_gemm {
    hyb_team_t *team;
    const hyb_kernel_t *kernel;
    hyb_barrier_t *barrier;
    double *a; /* packed A, shared */
    double *b; /* packed parts of B, one per thread */
    size_t a_bytes, b_bytes;
    size_t b_stride; /* doubles between the parts of two threads */
};

/* One pass: rows of C from `row` on, updated with `depth` columns of op(A) from
 * `inner` on. */
typedef struct {
    hyb_host_gemm_t *gemm;
    const xh_gemm_t *product;
    int64_t row, rows, inner, depth;
    double beta; /* factor of C in this pass */
    _Atomic int64_t next_strip, next_col;
} pass_t;

static void pack_a(pass_t *pass)
{
    const xh_gemm_t *p = pass->product;
    int height = pass->gemm->kernel->rows;
    int64_t step = (int64_t)PACK_STRIPS * height, i, rows;

    while ((i = atomic_fetch_add(&pass->next_strip, step)) < pass->rows) {
        rows = xh_smaller(step, pass->rows - i);
        hyb_pack(xh_view_op_part(p->a, p->trans_a, pass->row + i, pass->inner,
                                 rows, pass->depth),
                 p->trans_a, 1.0, height, pass->gemm->a + i * pass->depth);
    }
}

/* Pack columns j .. j + cols - 1 of op(B), as the rows of its transpose. */
static void pack_b(const pass_t *pass, int64_t j, int64_t cols, double *packed)
{
    const xh_gemm_t *p = pass->product;

    hyb_pack(
        xh_view_op_part(p->b, p->trans_b, pass->inner, j, pass->depth, cols),
        p->trans_b == XH_NO_TRANS ? XH_TRANS : XH_NO_TRANS, p->alpha,
        pass->gemm->kernel->cols, packed);
}

static void scale(xh_view_t c, double beta)
{
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t i = 0; i < c.rows; i++)
            c.data[i + j * c.ld] =
                beta == 0.0 ? 0.0 : beta * c.data[i + j * c.ld];
}

/* Take the next columns. Runs get narrower towards the end, so that all threads
 * end together. */
static int64_t take_cols(pass_t *pass, int64_t *first_p)
{
    int64_t cols = pass->product->c.cols, first, width;
    int64_t threads = hyb_team_size(pass->gemm->team);

    first = atomic_load(&pass->next_col);
    do {
        width = (cols - first) / threads;
        width = xh_larger(LEAST_COLS, xh_smaller(width, RUN_COLS));
        width = xh_whole_units(width, HYB_KERNEL_MOST_COLS);
        width = xh_smaller(width, cols - first);
    } while (width > 0 && !atomic_compare_exchange_weak(&pass->next_col, &first,
                                                        first + width));
    *first_p = first;
    return width;
}

static void run_member(void *argument, int member)
{
    pass_t *pass = argument;
    double *packed = pass->gemm->b + (size_t)member * pass->gemm->b_stride;
    int64_t first, width;
    const hyb_kernel_t *kernel = pass->gemm->kernel;
    hyb_factors_t factors = {
        .kernel = kernel,
        .l2 = {pass->gemm->a, pass->rows, pass->depth, kernel->rows}};
    xh_view_t c;

    pack_a(pass);
    hyb_barrier_wait(pass->gemm->barrier);
    while ((width = take_cols(pass, &first)) > 0) {
        c = xh_view_part(pass->product->c, pass->row, first, pass->rows, width);
        if (pass->beta != 1.0)
            scale(c, pass->beta);
        pack_b(pass, first, width, packed);
        hyb_run_multiply(&factors, packed, c, NULL);
    }
}

static xh_status_t reserve(double **memory_p, size_t *bytes_p, size_t bytes)
{
    void *memory;

    if (bytes <= *bytes_p)
        return XH_OK;
    XH_TRY(xh_memory_allocate(bytes, &memory));
    xh_memory_free(*memory_p, *bytes_p);
    *memory_p = memory;
    *bytes_p = bytes;
    return XH_OK;
}

static xh_status_t reserve_packed(hyb_host_gemm_t *gemm, int64_t rows,
                                  int64_t depth)
{
    size_t threads = (size_t)hyb_team_size(gemm->team);
    size_t a = (size_t)hyb_pack_size(rows, depth, gemm->kernel->rows);

    gemm->b_stride = (size_t)xh_whole_units(
        hyb_pack_size(RUN_COLS, depth, gemm->kernel->cols), 512);
    XH_TRY(reserve(&gemm->a, &gemm->a_bytes, a * sizeof(double)));
    return reserve(&gemm->b, &gemm->b_bytes,
                   threads * gemm->b_stride * sizeof(double));
}

static int64_t most_rows(const hyb_host_gemm_t *gemm)
{
    return hyb_team_size(gemm->team) > 1 ? MOST_ROWS : LONE_ROWS;
}

/* Update all of C with `depth` columns of op(A) from `inner` on. */
static void run_depth(hyb_host_gemm_t *gemm, const xh_gemm_t *product,
                      int64_t inner, int64_t depth)
{
    int64_t m = product->c.rows, most = most_rows(gemm);

    for (int64_t row = 0; row < m; row += most) {
        pass_t pass = {.gemm = gemm,
                       .product = product,
                       .row = row,
                       .rows = xh_smaller(most, m - row),
                       .inner = inner,
                       .depth = depth,
                       .beta = inner == 0 ? product->beta : 1.0};

        hyb_team_run(gemm->team, run_member, &pass);
    }
}

/* A product that the threads compute in parts by the BLAS library. */
typedef struct {
    const xh_gemm_t *product;
    int threads;
    _Atomic int status; /* of the last thread that failed, or XH_OK */
} shared_call_t;

static void call_blas(void *argument, int member)
{
    shared_call_t *call = argument;
    const xh_gemm_t *p = call->product;
    int64_t n = p->c.cols, k = xh_gemm_depth(p);
    int64_t first = n * member / call->threads;
    int64_t cols = n * (member + 1) / call->threads - first;
    xh_gemm_t mine = *p;
    xh_status_t status;

    if (cols == 0)
        return;
    mine.b = xh_view_op_part(p->b, p->trans_b, 0, first, k, cols);
    mine.c = xh_view_part(p->c, 0, first, p->c.rows, cols);
    status = hyb_blas_gemm(&mine);
    if (status != XH_OK)
        atomic_store(&call->status, (int)status);
}

xh_status_t hyb_host_gemm(hyb_host_gemm_t *gemm, const xh_gemm_t *product)
{
    int64_t k = xh_gemm_depth(product), depth;

    if (!xh_gemm_conforms(product))
        return XH_ERR_ARG;
    if (product->alpha == 0.0 || k == 0) {
        scale(product->c, product->beta);
        return XH_OK;
    }
    if (gemm->kernel == NULL) {
        shared_call_t call = {.product = product,
                              .threads = hyb_team_size(gemm->team),
                              .status = XH_OK};

        hyb_team_run(gemm->team, call_blas, &call);
        return (xh_status_t)call.status;
    }
    depth = xh_units(k, xh_units(k, HYB_KERNEL_DEPTH));
    XH_TRY(reserve_packed(gemm, xh_smaller(most_rows(gemm), product->c.rows),
                          depth));
    for (int64_t inner = 0; inner < k; inner += depth)
        run_depth(gemm, product, inner, xh_smaller(depth, k - inner));
    return XH_OK;
}

xh_status_t hyb_host_gemm_create(hyb_team_t *team, const hyb_kernel_t *kernel,
                                 hyb_host_gemm_t **gemm_p)
{
    hyb_host_gemm_t *gemm;
    xh_status_t status;

    if (kernel == NULL && !hyb_blas_present())
        return XH_ERR_ARG;
    gemm = calloc(1, sizeof(*gemm));
    if (gemm == NULL)
        return XH_ERR_MEMORY;
    gemm->team = team;
    gemm->kernel = kernel;
    status = hyb_barrier_create(team, hyb_team_size(team), &gemm->barrier);
    if (status != XH_OK) {
        free(gemm);
        return status;
    }
    *gemm_p = gemm;
    return XH_OK;
}

void hyb_host_gemm_destroy(hyb_host_gemm_t *gemm)
{
    if (gemm == NULL)
        return;
    xh_memory_free(gemm->a, gemm->a_bytes);
    xh_memory_free(gemm->b, gemm->b_bytes);
    hyb_barrier_destroy(gemm->barrier);
    free(gemm);
}

/* ---- by the calling thread ---------------------------------------------- */

/* Each thread keeps a DGEMM whose team is the thread itself. */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key_error;

static void end_alone(void *memory)
{
    hyb_host_gemm_t *gemm = memory;
    hyb_team_t *team = gemm->team;

    hyb_host_gemm_destroy(gemm);
    hyb_team_destroy(team);
}

static void create_key(void)
{
    key_error = pthread_key_create(&key, end_alone);
}

static xh_status_t begin_alone(hyb_host_gemm_t **gemm_p)
{
    const hyb_kernel_t *kernel;
    const int cpu = sched_getcpu();
    hyb_team_t *team;
    xh_status_t status;

    XH_TRY(hyb_kernel_of_setting(&kernel));
    XH_TRY(hyb_team_create(&cpu, 1, 1, &team));
    status = hyb_host_gemm_create(team, kernel, gemm_p);
    if (status != XH_OK) {
        hyb_team_destroy(team);
        return status;
    }
    if (pthread_setspecific(key, *gemm_p) == 0)
        return XH_OK;
    end_alone(*gemm_p);
    return XH_ERR_MEMORY;
}

xh_status_t hyb_gemm_alone(const xh_gemm_t *product)
{
    hyb_host_gemm_t *gemm;

    pthread_once(&once, create_key);
    if (key_error != 0)
        return XH_ERR_MEMORY;
    gemm = pthread_getspecific(key);
    if (gemm == NULL)
        XH_TRY(begin_alone(&gemm));
    return hyb_host_gemm(gemm, product);
}
