/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/trust/trust.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/arithmetic.h"
#include "base/blas_library.h"
#include "base/integers.h"
#include "base/memory.h"
#include "hpl/trust/trust.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/update/run.h"

enum { TEXT = 256, SWEEP_COLS = 37, ENTRIES = 500 };

/* What all threads share. */
typedef struct {
    const hyb_means_t *means;
    hyb_trust_t *trust;
    hyb_factors_t factors;
    char multiplies[TEXT]; /* "C - L2 U by the kernel avx2" */
    _Atomic int no_memory;
} host_t;

/* A thread with memory of its own. */
typedef struct {
    const host_t *host;
    char where[HPL_TRUST_WHERE];
    double *packed;    /* U for the kernel */
    xh_view_t u, c;    /* likewise k x n and m x n */
    xh_view_t factors; /* as the panel */
} thread_t;

static bool is_right(const thread_t *t, xh_view_t found, xh_view_t expected,
                     const char *what)
{
    return xh_exact_is_right(&t->host->trust->checks, found, expected, what,
                             t->where);
}

/* It is named as "L1^-1 U by the kernel avx2". */
static bool kernel_is_right(const thread_t *t, xh_view_t found,
                            xh_view_t expected, const char *what)
{
    char text[TEXT];

    snprintf(text, TEXT, "%s by the kernel %s", what,
             t->host->means->kernel->name);
    return is_right(t, found, expected, text);
}

/* The same of count numbers. */
static bool are_right(const thread_t *t, int64_t count, double *found,
                      double *expected, const char *what)
{
    return kernel_is_right(t, (xh_view_t){found, count, 1, count},
                           (xh_view_t){expected, count, 1, count}, what);
}

/* ---- the update ---------------------------------------------------------- */

static void multiply(const thread_t *t, xh_view_t u, xh_view_t c)
{
    xh_gemm_t product = {
        .alpha = -1.0, .beta = 1.0, .a = t->host->trust->l2, .b = u, .c = c};

    if (t->host->means->by_blas)
        hyb_blas_gemm(&product);
    else
        hyb_run_multiply(&t->host->factors, t->packed, c, NULL);
}

/* As a run of cols columns meets a panel. */
static void update(const thread_t *t, int64_t cols)
{
    const hyb_trust_t *of = t->host->trust;
    const hyb_factors_t *factors = &t->host->factors;
    xh_view_t u = xh_view_part(t->u, 0, 0, of->k, cols);
    xh_view_t c = xh_view_part(t->c, 0, 0, of->m, cols);

    hyb_pack(xh_view_part(of->top, 0, 0, of->k, cols), XH_TRANS, 1.0,
             factors->kernel->cols, t->packed);
    hyb_run_solve(factors, cols, t->packed);
    hyb_run_store(factors, t->packed, u);
    kernel_is_right(t, u, xh_view_part(of->u, 0, 0, of->k, cols), "L1^-1 U");
    xh_exact_copy(xh_view_part(of->c, 0, 0, of->m, cols), c);
    multiply(t, u, c);
    is_right(t, c, xh_view_part(of->result, 0, 0, of->m, cols),
             t->host->multiplies);
}

/* ---- a panel ------------------------------------------------------------- */

static xh_status_t prepare_panel(const thread_t *t,
                                 hyb_panel_scratch_t **scratch,
                                 hyb_team_t **alone, hyb_tiles_t *body)
{
    const hyb_kernel_t *kernel = t->host->means->kernel;
    const int cpu[] = {0}; /* a team of one pins nothing */
    int64_t rows = t->factors.rows, cols = t->factors.cols;
    void *memory;

    XH_TRY(hyb_team_create(cpu, 1, 1, alone));
    XH_TRY(hyb_panel_scratch_create(*alone, kernel, (int)cols, scratch));
    *body = (hyb_tiles_t){NULL, rows - cols, cols, kernel->rows};
    XH_TRY(xh_memory_allocate(
        (size_t)hyb_pack_size(body->rows, cols, body->height) * sizeof(double),
        &memory));
    body->data = memory;
    return XH_OK;
}

/* L1 and L2 of the panel, as columns. */
static void join(const thread_t *t, const hyb_panel_t *panel)
{
    int64_t cols = t->factors.cols;

    xh_exact_copy(panel->l1, xh_view_part(t->factors, 0, 0, cols, cols));
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < panel->body.rows; i++)
            t->factors.data[cols + i + j * t->factors.ld] =
                *hyb_tiles_at(&panel->body, i, j);
}

static bool pivots_are_right(const thread_t *t, const int64_t *pivots,
                             int64_t count)
{
    for (int64_t c = 0; c < count; c++) {
        double found = (double)pivots[c];
        double expected = (double)t->host->trust->pivots[c];

        if (!are_right(t, 1, &found, &expected, "a pivot"))
            return false;
    }
    return true;
}

static void factor(const thread_t *t, hyb_panel_scratch_t *scratch,
                   const hyb_tiles_t *body)
{
    const hyb_trust_t *of = t->host->trust;
    int64_t cols = of->panel.cols, pivots[cols];
    double *top = t->c.data; /* scratch: at least cols x cols, see below */
    int zero = 0;
    hyb_panel_t panel = {.method = {HYB_RIGHT, HYB_CROUT, 8, 2},
                         .body = *body,
                         .top = {top, cols, cols, cols},
                         .l1 = {top + cols * cols, cols, cols, cols},
                         .pivot = pivots,
                         .zero_p = &zero};

    xh_exact_copy(xh_view_part(of->panel, 0, 0, cols, cols), panel.top);
    hyb_pack(xh_view_part(of->panel, cols, 0, body->rows, cols), XH_NO_TRANS,
             1.0, body->height, body->data);
    hyb_panel_factor(scratch, &panel, 0, 1);
    join(t, &panel);
    if (pivots_are_right(t, pivots, cols))
        kernel_is_right(t, t->factors, of->factors, "the factors of a panel");
}

static xh_status_t factor_panel(const thread_t *t)
{
    hyb_panel_scratch_t *scratch = NULL;
    hyb_team_t *alone = NULL;
    hyb_tiles_t body = {.data = NULL};
    xh_status_t status = prepare_panel(t, &scratch, &alone, &body);

    if (status == XH_OK)
        factor(t, scratch, &body);
    if (body.data != NULL)
        xh_memory_free(body.data, (size_t)hyb_pack_size(body.rows, body.cols,
                                                        body.height) *
                                      sizeof(double));
    hyb_panel_scratch_destroy(scratch);
    hyb_team_destroy(alone);
    return status;
}

/* ---- generation, residual ------------------------------------------------ */

static void generate(const thread_t *t)
{
    const uint64_t seed = 100;
    xh_lanes_t lanes = xh_lanes();
    double found[ENTRIES], expected[ENTRIES];
    uint64_t x = seed;

    t->host->means->kernel->generate(&lanes, seed, ENTRIES, found);
    for (int i = 0; i < ENTRIES; i++) {
        expected[i] = 0.5 - (double)x * 0x1p-64;
        x = xh_jump_apply(xh_jump_step, x);
    }
    are_right(t, ENTRIES, found, expected, "entries of the random matrix");
}

/* r - A x and sums of |A|, one column below the other. */
static void sweep(const thread_t *t)
{
    xh_view_t a = t->host->trust->c;
    int64_t m = a.rows, n = xh_smaller(a.cols, SWEEP_COLS);
    double x[SWEEP_COLS], found[3 * (m + n)], expected[3 * (m + n)];
    hyb_sweep_t of = {a.data, m, n, a.ld, x};
    hyb_sums_t sums = {found + 2 * m, found + 3 * m};

    for (int64_t i = 0; i < 3 * (m + n); i++)
        found[i] = expected[i] = (double)i;
    for (int64_t j = 0; j < n; j++) {
        x[j] = (double)(j % 5 - 2);
        for (int64_t i = 0; i < m; i++) {
            double entry = a.data[i + j * a.ld];

            expected[i] -= entry * x[j];
            expected[m + i] -= entry * x[j];
            expected[2 * m + i] += fabs(entry);
            expected[3 * m + j] += fabs(entry);
        }
    }
    t->host->means->kernel->subtract(&of, found);
    t->host->means->kernel->subtract_and_sum(&of, found + m, &sums);
    are_right(t, 3 * (m + n), found, expected, "r - A x, and sums");
}

/* ---- a thread ------------------------------------------------------------ */

static void check(const thread_t *t)
{
    const hyb_means_t *means = t->host->means;
    const hyb_trust_t *of = t->host->trust;
    int64_t run = hyb_means_run_columns(means, of->k);
    int64_t narrow = hyb_means_narrow_columns(means, of->k);

    xh_arithmetic_is_right(&t->host->trust->checks, t->where);
    update(t, xh_smaller(of->n, run));
    update(t, xh_smaller(of->n, narrow));
    update(t, 1);
    generate(t);
    sweep(t);
}

static void check_thread(void *host, int member)
{
    host_t *h = host;
    const hyb_trust_t *of = h->trust;
    int64_t cols = of->panel.cols;
    int64_t packed = hyb_run_u_size(h->means->kernel, of->k, of->n);
    int64_t c = xh_larger(of->m * of->n, 2 * cols * cols);
    size_t bytes =
        (size_t)(packed + of->k * of->n + c + of->panel.rows * cols) *
        sizeof(double);
    thread_t t = {.host = h};
    void *memory;

    (void)member;
    if (xh_memory_allocate(bytes, &memory) != XH_OK) {
        atomic_store(&h->no_memory, 1);
        return;
    }
    hpl_trust_core(t.where);
    t.packed = memory;
    t.u = (xh_view_t){t.packed + packed, of->k, of->n, of->k};
    t.c = (xh_view_t){t.u.data + of->k * of->n, of->m, of->n, of->m};
    t.factors = (xh_view_t){t.c.data + c, of->panel.rows, cols, of->panel.rows};
    check(&t);
    if (factor_panel(&t) != XH_OK)
        atomic_store(&h->no_memory, 1);
    xh_memory_free(memory, bytes);
}

/* ---- all threads --------------------------------------------------------- */

static void name_product(host_t *h)
{
    xh_blas_library_t library = xh_blas_library_identify();

    if (h->means->by_blas)
        snprintf(h->multiplies, TEXT, "C - L2 U by DGEMM of %s %s, kernel %s",
                 library.name, library.version, library.kernel);
    else
        snprintf(h->multiplies, TEXT, "C - L2 U by the kernel %s",
                 h->means->kernel->name);
}

xh_status_t hyb_trust_host(const hyb_means_t *means, hyb_trust_t *trust)
{
    const hyb_kernel_t *kernel = means->kernel;
    host_t h = {.means = means, .trust = trust};
    int64_t l1 = hyb_pack_size(trust->k, trust->k, kernel->rows);
    int64_t l2 = hyb_pack_size(trust->m, trust->k, kernel->rows);
    size_t bytes = (size_t)(xh_whole_units(l1, 8) + l2) * sizeof(double);
    void *memory;

    XH_TRY(xh_memory_allocate(bytes, &memory));
    h.factors =
        (hyb_factors_t){.kernel = kernel,
                        .l1 = {memory, trust->k, trust->k, kernel->rows},
                        .l2 = {(double *)memory + xh_whole_units(l1, 8),
                               trust->m, trust->k, kernel->rows}};
    hyb_factors_pack_l1(trust->l1, &h.factors.l1);
    hyb_pack(trust->l2, XH_NO_TRANS, 1.0, kernel->rows, h.factors.l2.data);
    name_product(&h);
    hyb_team_run(means->team, check_thread, &h);
    xh_memory_free(memory, bytes);
    return atomic_load(&h.no_memory) ? XH_ERR_MEMORY : XH_OK;
}
