/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/checksum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "base/product.h"
#include "testing/xdgemm/problem.h"

enum {
    VECTORS = 2,
    ROWS = 512 /* their sums stay in the L1 cache */
};

/* ---- sums over rows or columns ------------------------------------------ */

typedef struct { /* sums over the rows of op(V), by all members of a team */
    xh_view_t v;
    xh_trans_t op;
    const long double *x;
    long double *y;
    int members;
} task_t;

/* What element a of column j adds to its row's sum. */
static inline long double term(const task_t *t, double a, int64_t j)
{
    return t->x != NULL ? a * t->x[j] : (long double)a * a;
}

/* y[first .. first + count - 1] of V, count at most ROWS. */
static void sum_rows(const task_t *t, int64_t first, int64_t count)
{
    long double *y = t->y + first;

    for (int64_t i = 0; i < count; i++)
        y[i] = 0.0L;
    for (int64_t j = 0; j < t->v.cols; j++) {
        const double *column = t->v.data + first + j * t->v.ld;

        for (int64_t i = 0; i < count; i++)
            y[i] += term(t, column[i], j);
    }
}

/* The same of V^T. */
static void sum_columns(const task_t *t, int64_t first, int64_t count)
{
    for (int64_t j = first; j < first + count; j++) {
        const double *column = t->v.data + j * t->v.ld;
        long double even = 0.0L, odd = 0.0L;
        int64_t i;

        for (i = 0; i + 1 < t->v.rows; i += 2) {
            even += term(t, column[i], i);
            odd += term(t, column[i + 1], i + 1);
        }
        if (i < t->v.rows)
            even += term(t, column[i], i);
        t->y[j] = even + odd;
    }
}

static void sum_share(void *argument, int member)
{
    const task_t *t = argument;
    bool plain = t->op == XH_NO_TRANS;
    int64_t sums = plain ? t->v.rows : t->v.cols;
    int64_t end = sums * (member + 1) / t->members;

    for (int64_t i = sums * member / t->members; i < end; i += ROWS)
        (plain ? sum_rows : sum_columns)(t, i, end - i < ROWS ? end - i : ROWS);
}

/*
 * y := op(V) x in extended precision; with x NULL, y[i] becomes the sum of the
 * squares of row i of op(V).
 */
static void apply(hyb_team_t *team, xh_view_t v, xh_trans_t op,
                  const long double *x, long double *y)
{
    task_t task = {v, op, x, y, hyb_team_size(team)};

    hyb_team_run(team, sum_share, &task);
}

/* y[i] := factor times the 2-norm of row i of op(V), of `rows`. */
static void row_norms(hyb_team_t *team, xh_view_t v, xh_trans_t op,
                      long double factor, long double *y, int64_t rows)
{
    apply(team, v, op, NULL, y);
    for (int64_t i = 0; i < rows; i++)
        y[i] = factor * sqrtl(y[i]);
}

/* ---- one side ----------------------------------------------------------- */

typedef struct { /* C x, or C^T z */
    int64_t terms, sums;
    xh_trans_t op;           /* of C: which of the two */
    long double *x;          /* VECTORS of terms, one behind the other */
    long double *product;    /* VECTORS of sums: op(A) op(B) x */
    long double *start;      /* beta C0 x */
    long double *scale;      /* sums: |op(A)_i| |op(B)|_F */
    long double *start_norm; /* |beta| |(C0)_i| */
} side_t;

struct xdg_checksum {
    double rounding; /* the first factor of the bound */
    side_t side[2];  /* rows, columns */
};

static xh_status_t side_allocate(side_t *s, int64_t sums, int64_t terms)
{
    size_t all = (size_t)(VECTORS * terms + 2 * (VECTORS + 1) * sums);

    s->sums = sums;
    s->terms = terms;
    s->x = calloc(all, sizeof(*s->x));
    if (s->x == NULL)
        return XH_ERR_MEMORY;
    s->product = s->x + VECTORS * terms;
    s->start = s->product + VECTORS * sums;
    s->scale = s->start + VECTORS * sums;
    s->start_norm = s->scale + sums;
    return XH_OK;
}

static void draw_signs(side_t *s, uint64_t seed)
{
    xdg_random_t random = {XDG_UNIFORM, seed};

    for (int64_t v = 0; v < VECTORS; v++)
        for (int64_t j = 0; j < s->terms; j++)
            s->x[v * s->terms + j] =
                xdg_random_element(&random, j, v) < 0.0 ? -1.0L : 1.0L;
}

/* The columns' side of a product is the rows' side of its transpose,
   C^T := beta C^T + alpha op(B)^T op(A)^T; C stays as it is stored. */
static xh_gemm_t transposed(const xh_gemm_t *p)
{
    xh_gemm_t t = *p;

    t.a = p->b;
    t.trans_a = p->trans_b == XH_TRANS ? XH_NO_TRANS : XH_TRANS;
    t.b = p->a;
    t.trans_b = p->trans_a == XH_TRANS ? XH_NO_TRANS : XH_TRANS;
    return t;
}

/* product, and its scale */
static xh_status_t take_product(side_t *s, hyb_team_t *team, const xh_gemm_t *p)
{
    int64_t k = xh_gemm_depth(p);
    long double *inner = calloc((size_t)k, sizeof(*inner)), whole = 0.0L;

    if (inner == NULL)
        return XH_ERR_MEMORY;
    for (int v = 0; v < VECTORS; v++) {
        apply(team, p->b, p->trans_b, s->x + v * s->terms, inner);
        apply(team, p->a, p->trans_a, inner, s->product + v * s->sums);
    }
    apply(team, p->b, p->trans_b, NULL, inner);
    for (int64_t i = 0; i < k; i++)
        whole += inner[i];
    row_norms(team, p->a, p->trans_a, sqrtl(whole), s->scale, s->sums);
    free(inner);
    return XH_OK;
}

static void take_start(side_t *s, hyb_team_t *team, const xh_gemm_t *p)
{
    if (p->beta == 0.0)
        return;
    for (int v = 0; v < VECTORS; v++)
        apply(team, p->c, s->op, s->x + v * s->terms, s->start + v * s->sums);
    for (int64_t i = 0; i < VECTORS * s->sums; i++)
        s->start[i] *= p->beta;
    row_norms(team, p->c, s->op, fabs(p->beta), s->start_norm, s->sums);
}

/* op  in  of C */
static xh_status_t side_take(side_t *s, xh_trans_t op, hyb_team_t *team,
                             const xh_gemm_t *p, uint64_t seed)
{
    int64_t sums = op == XH_NO_TRANS ? p->c.rows : p->c.cols;
    int64_t terms = op == XH_NO_TRANS ? p->c.cols : p->c.rows;

    XH_TRY(side_allocate(s, sums, terms));
    s->op = op;
    draw_signs(s, seed);
    take_start(s, team, p);
    return take_product(s, team, p);
}

static double rounding_factor(const xh_gemm_t *p)
{
    double k = (double)xh_gemm_depth(p);
    double terms = k + (double)p->c.rows + (double)p->c.cols;

    return 16.0 *
           (sqrt(k + 2.0) * DBL_EPSILON + sqrt(terms) * (double)LDBL_EPSILON);
}

xh_status_t xdg_checksum_create(hyb_team_t *team, const xh_gemm_t *product,
                                uint64_t seed, xdg_checksum_t **checksum_p)
{
    xdg_checksum_t *checksum = calloc(1, sizeof(*checksum));
    xh_gemm_t other = transposed(product);
    xh_status_t status;

    if (checksum == NULL)
        return XH_ERR_MEMORY;
    checksum->rounding = rounding_factor(product);
    status = side_take(&checksum->side[0], XH_NO_TRANS, team, product, seed);
    if (status == XH_OK)
        status =
            side_take(&checksum->side[1], XH_TRANS, team, &other, seed + 1);
    if (status == XH_OK)
        *checksum_p = checksum;
    else
        xdg_checksum_destroy(checksum);
    return status;
}

void xdg_checksum_destroy(xdg_checksum_t *checksum)
{
    if (checksum == NULL)
        return;
    free(checksum->side[0].x);
    free(checksum->side[1].x);
    free(checksum);
}

/* ---- checking ----------------------------------------------------------- */

typedef struct {   /* what is wrong with a side */
    bool *wrong;   /* each sum */
    int64_t index; /* of the one furthest beyond its bound, -1: none */
    double excess, error, bound;
} finding_t;

/* Is this sum wrong? A NaN is. */
static void judge(finding_t *f, int64_t index, double error, double bound)
{
    double excess = isfinite(error) ? error / fmax(bound, DBL_MIN) : INFINITY;

    if (error <= bound)
        return;
    f->wrong[index] = true;
    if (f->index < 0 || excess > f->excess) {
        f->index = index;
        f->excess = excess;
        f->error = error;
        f->bound = bound;
    }
}

static xh_status_t check_side(const side_t *s, double rounding,
                              hyb_team_t *team, xh_view_t c, double alpha,
                              finding_t *found)
{
    long double *got = calloc((size_t)s->sums, sizeof(*got));

    if (got == NULL)
        return XH_ERR_MEMORY;
    for (int v = 0; v < VECTORS; v++) {
        const long double *product = s->product + v * s->sums;
        const long double *start = s->start + v * s->sums;

        apply(team, c, s->op, s->x + v * s->terms, got);
        for (int64_t i = 0; i < s->sums; i++)
            judge(found, i,
                  (double)fabsl(got[i] - start[i] - alpha * product[i]),
                  rounding *
                      (double)(fabs(alpha) * s->scale[i] + s->start_norm[i]));
    }
    free(got);
    return XH_OK;
}

xh_status_t xdg_checksum_check(const xdg_checksum_t *checksum, hyb_team_t *team,
                               xh_view_t c, double alpha,
                               xdg_verdict_t *verdict_p)
{
    bool *wrong = calloc((size_t)(c.rows + c.cols), sizeof(*wrong));
    finding_t found[] = {{wrong, .index = -1},
                         {wrong != NULL ? wrong + c.rows : NULL, .index = -1}};
    const finding_t *first;
    xh_status_t status = wrong != NULL ? XH_OK : XH_ERR_MEMORY;

    for (int i = 0; i < 2 && status == XH_OK; i++)
        status = check_side(&checksum->side[i], checksum->rounding, team, c,
                            alpha, &found[i]);
    if (status != XH_OK) {
        free(wrong);
        return status;
    }
    first = found[0].index >= 0 ? &found[0] : &found[1];
    *verdict_p = (xdg_verdict_t){.right = first->index < 0,
                                 .row = found[0].wrong,
                                 .col = found[1].wrong,
                                 .worst_row = found[0].index,
                                 .worst_col = found[1].index,
                                 .error = first->error,
                                 .bound = first->bound};
    return XH_OK;
}
