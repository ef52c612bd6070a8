/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hpl/trust/trust.h"

#include <sched.h>
#include <stdio.h>
#include "base/blas_library.h"
#include "base/integers.h"
#include "hpl.h"
#include "hpl/blas/matrix.h"

enum { ROWS = 240, COLS = 64, DEPTH = 512 };

/* C - L2 U with U = L1^-1 B, and a triangular system. */
typedef struct {
    xh_exact_t *checks;
    int m, n, k;
    char where[192];
    double *l1, *l2, *u, *b, *c, *updated; /* without gaps */
    double *stored, *solved, *product;     /* scratch, as wide as any */
} problem_t;

static xh_view_t view(double *data, int64_t rows, int64_t cols)
{
    return (xh_view_t){data, rows, cols, rows};
}

static void fill(problem_t *p)
{
    int bits = xh_exact_bits(p->k);
    xh_view_t l1 = view(p->l1, p->k, p->k), l2 = view(p->l2, p->m, p->k);
    xh_view_t u = view(p->u, p->k, p->n), c = view(p->updated, p->m, p->n);

    xh_exact_lower(l1, 1);
    xh_exact_integers(l2, bits, 2);
    xh_exact_integers(u, bits, 3);
    xh_exact_integers(c, bits, 4);
    xh_exact_copy(c, view(p->c, p->m, p->n));
    xh_exact_multiply(1.0, l1, u, view(p->b, p->k, p->n));
    xh_exact_multiply(-1.0, l2, u, c);
}

/* The rows x cols matrix in the wanted form, in memory. */
static hpl_matrix_t in_form(enum HPL_TRANS form, int rows, int cols,
                            double *data, double *memory)
{
    hpl_matrix_t plain = {data, rows, HplNoTrans};
    hpl_matrix_t other = {memory, form == HplNoTrans ? rows : cols, form};

    hpl_matrix_copy(rows, cols, plain, other);
    return other;
}

/* Is what is stored in some form what was expected? */
static void compare(problem_t *p, int rows, int cols, hpl_matrix_t found,
                    double *expected, int ld, const char *what)
{
    hpl_matrix_t plain = {p->stored, rows, HplNoTrans};

    hpl_matrix_copy(rows, cols, found, plain);
    xh_exact_is_right(p->checks, view(p->stored, rows, cols),
                      (xh_view_t){expected, rows, cols, ld}, what, p->where);
}

static void solve(problem_t *p, enum HPL_TRANS form, int n)
{
    hpl_matrix_t l1 = in_form(form, p->k, p->k, p->l1, p->stored);
    hpl_matrix_t b = in_form(form, p->k, n, p->b, p->solved);

    hpl_matrix_trsm_unit_lower(p->k, n, l1, b);
    compare(p, p->k, n, b, p->u, p->k,
            n > 1 ? "L1^-1 U by DTRSM" : "L1^-1 U by DTRSV");
}

static void multiply(problem_t *p, enum HPL_TRANS form, int m, int n)
{
    hpl_matrix_t l2 = {p->l2, p->m, HplNoTrans};
    hpl_matrix_t u = in_form(form, p->k, n, p->u, p->solved);
    hpl_matrix_t c = {p->product, p->m, HplNoTrans};

    HPL_dlacpy(p->m, n, p->c, p->m, p->product, p->m);
    hpl_matrix_gemm(m, n, p->k, l2, u, c);
    compare(p, m, n, c, p->updated, p->m,
            m > 1 && n > 1 ? "C - L2 U by DGEMM" : "C - L2 U by DGEMV");
}

/* One column of L2 times one row of U. */
static void multiply_by_row(problem_t *p)
{
    hpl_matrix_t l2 = {p->l2, p->m, HplNoTrans}, u = {p->u, p->k, HplNoTrans};
    hpl_matrix_t c = {p->product, p->m, HplNoTrans};
    double *expected = p->solved;

    HPL_dlacpy(p->m, p->n, p->c, p->m, p->product, p->m);
    HPL_dlacpy(p->m, p->n, p->c, p->m, expected, p->m);
    xh_exact_multiply(-1.0, view(p->l2, p->m, 1),
                      (xh_view_t){p->u, 1, p->n, p->k},
                      view(expected, p->m, p->n));
    hpl_matrix_gemm(p->m, p->n, 1, l2, u, c);
    compare(p, p->m, p->n, c, expected, p->m, "C - l u by DGER");
}

static void solve_upper(problem_t *p)
{
    double *upper = p->product, *x = p->solved;
    xh_view_t u = view(upper, p->k, p->k);

    xh_exact_upper(u, 5);
    for (int i = 0; i < p->k; i++)
        x[i] = 0.0;
    xh_exact_multiply(1.0, u, view(p->u, p->k, 1), view(x, p->k, 1));
    HPL_dtrsv(HplColumnMajor, HplUpper, HplNoTrans, HplNonUnit, p->k, upper,
              p->k, x, 1);
    compare(p, p->k, 1, (hpl_matrix_t){x, p->k, HplNoTrans}, p->u, p->k,
            "U^-1 y by DTRSV");
}

/* The pivot of a column, which is copied and divided. */
static void find_and_scale(problem_t *p)
{
    double *x = p->product, *halves = p->solved, found, expected;

    HPL_dcopy(p->m, p->l2, 1, x, 1);
    x[p->m / 2] = 0x1p30;
    found = HPL_idamax(p->m, x, 1);
    expected = p->m / 2; /* NOLINT: a row */
    xh_exact_is_right(p->checks, view(&found, 1, 1), view(&expected, 1, 1),
                      "the pivot of a column by IDAMAX", p->where);
    for (int i = 0; i < p->m; i++)
        halves[i] = 0.5 * x[i];
    HPL_dscal(p->m, 0.5, x, 1);
    compare(p, p->m, 1, (hpl_matrix_t){x, p->m, HplNoTrans}, halves, p->m,
            "a column, scaled by DSCAL");
}

static void check(problem_t *p)
{
    static const enum HPL_TRANS forms[] = {HplNoTrans, HplTrans};

    for (int f = 0; f < 2; f++) {
        solve(p, forms[f], p->n);
        solve(p, forms[f], 1);
        multiply(p, forms[f], p->m, p->n);
    }
    multiply(p, HplNoTrans, p->m, 1);
    multiply(p, HplNoTrans, 1, p->n);
    multiply_by_row(p);
    solve_upper(p);
    find_and_scale(p);
}

void hpl_trust_core(char where[HPL_TRUST_WHERE])
{
    snprintf(where, HPL_TRUST_WHERE, "core %d", sched_getcpu());
}

static void name_library(char *text, size_t size)
{
    xh_blas_library_t library = xh_blas_library_identify();
    char core[HPL_TRUST_WHERE];

    hpl_trust_core(core);
    snprintf(text, size, "%s %s, kernel %s, on %s", library.name,
             library.version, library.kernel, core);
}

void hpl_trust_blas(xh_exact_t *checks, int64_t rows, int64_t nb)
{
    problem_t p = {.checks = checks,
                   .m = (int)Mmax(2, Mmin(rows, ROWS)),
                   .n = (int)Mmax(2, Mmin(nb, COLS)),
                   .k = (int)Mmax(2, Mmin(nb, DEPTH))};
    size_t m = (size_t)p.m, n = (size_t)p.n, k = (size_t)p.k;
    size_t widest = Mmax(m, k) * Mmax(Mmax(n, k), m);
    double *memory =
        calloc(k * k + m * k + 2 * (k + m) * n + 3 * widest, sizeof(*memory));

    if (memory == NULL)
        HPL_pabort(__LINE__, "hpl_trust_blas", "out of memory");
    p.l1 = memory;
    p.l2 = p.l1 + k * k;
    p.u = p.l2 + m * k;
    p.b = p.u + k * n;
    p.c = p.b + k * n;
    p.updated = p.c + m * n;
    p.stored = p.updated + m * n;
    p.solved = p.stored + widest;
    p.product = p.solved + widest;
    name_library(p.where, sizeof(p.where));
    fill(&p);
    check(&p);
    free(memory);
}
