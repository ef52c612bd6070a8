/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "base/product.h"

enum {
    VECTORS = 2,
    ROWS = 512 /* their sums stay in the L1 cache */
};

/* ---- sums over rows or columns ------------------------------------------ */

typedef struct { /* sums over the rows of op(V), computed by all members of a
                    team */
    xh_view_t v;
    xh_trans_t op;
    const long double *x;
    long double *y;
    int members;
} task_t;

/* The contribution of element a in column j to the sum of its row. */
static inline long double term(const task_t *t, double a, int64_t j)
{
    return t->x != NULL ? a * t->x[j] : (long double)a * a;
}

/* Compute y[first .. first + count - 1] for V; count <= ROWS. */
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

/* Compute y[first .. first + count - 1] for V^T. */
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

/* ---- one side ----------------------------------------------------------- */

typedef struct { /* the checksums C x, or C^T z */
    int64_t terms, sums;
    xh_trans_t op;         /* operation on C, which selects one of the two */
    long double *x;        /* VECTORS of terms, one after the other */
    long double *expected; /* VECTORS of sums */
    long double *bound;    /* sums: largest rounding error */
    long double *found;    /* the current result */
} side_t;

struct xdg_checksum {
    side_t side[2]; /* rows, columns */
};

static xh_status_t side_allocate(side_t *s, xh_trans_t op, const xh_view_t *c)
{
    s->op = op;
    s->sums = op == XH_NO_TRANS ? c->rows : c->cols;
    s->terms = op == XH_NO_TRANS ? c->cols : c->rows;
    s->x = calloc((size_t)(VECTORS * s->terms + (VECTORS + 2) * s->sums),
                  sizeof(*s->x));
    if (s->x == NULL)
        return XH_ERR_MEMORY;
    s->expected = s->x + VECTORS * s->terms;
    s->bound = s->expected + VECTORS * s->sums;
    s->found = s->bound + s->sums;
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

/* The column checksums of a product are the row checksums of its transpose, C^T
 * := beta C^T + alpha op(B)^T op(A)^T; C stays as it is stored. */
static xh_gemm_t transposed(const xh_gemm_t *p)
{
    xh_gemm_t t = *p;

    t.a = p->b;
    t.trans_a = p->trans_b == XH_TRANS ? XH_NO_TRANS : XH_TRANS;
    t.b = p->a;
    t.trans_b = p->trans_a == XH_TRANS ? XH_NO_TRANS : XH_TRANS;
    return t;
}

/* Add factor * op(V) inner to `expected`, for vector number v. */
static void expect(side_t *s, int64_t v, long double factor)
{
    for (int64_t i = 0; i < s->sums; i++)
        s->expected[v * s->sums + i] += factor * s->found[i];
}

/* Add factor * (2-norms of the rows of op(V)) to `bound`. */
static void widen(side_t *s, hyb_team_t *team, xh_view_t v, xh_trans_t op,
                  long double factor)
{
    apply(team, v, op, NULL, s->found);
    for (int64_t i = 0; i < s->sums; i++)
        s->bound[i] += factor * sqrtl(s->found[i]);
}

static double rounding_factor(const xh_gemm_t *p)
{
    double k = (double)xh_gemm_depth(p);
    double terms = k + (double)p->c.rows + (double)p->c.cols;

    return 16.0 *
           (sqrt(k + 2.0) * DBL_EPSILON + sqrt(terms) * (double)LDBL_EPSILON);
}

/* op  in  of C */
static xh_status_t side_open(side_t *s, xh_trans_t op, hyb_team_t *team,
                             const xh_gemm_t *p, uint64_t seed)
{
    int64_t k = xh_gemm_depth(p);
    long double rounding = rounding_factor(p), whole = 0.0L, *inner;

    XH_TRY(side_allocate(s, op, &p->c));
    inner = calloc((size_t)k, sizeof(*inner));
    if (inner == NULL)
        return XH_ERR_MEMORY;
    draw_signs(s, seed);
    for (int v = 0; v < VECTORS; v++) {
        apply(team, p->b, p->trans_b, s->x + v * s->terms, inner);
        apply(team, p->a, p->trans_a, inner, s->found);
        expect(s, v, p->alpha);
        if (p->beta != 0.0) {
            apply(team, p->c, op, s->x + v * s->terms, s->found);
            expect(s, v, p->beta);
        }
    }
    apply(team, p->b, p->trans_b, NULL, inner);
    for (int64_t i = 0; i < k; i++)
        whole += inner[i];
    free(inner);
    widen(s, team, p->a, p->trans_a, rounding * fabs(p->alpha) * sqrtl(whole));
    if (p->beta != 0.0)
        widen(s, team, p->c, op, rounding * fabs(p->beta));
    return XH_OK;
}

xh_status_t xdg_checksum_create(hyb_team_t *team, const xh_gemm_t *product,
                                uint64_t seed, xdg_checksum_t **checksum_p)
{
    xdg_checksum_t *checksum = calloc(1, sizeof(*checksum));
    xh_gemm_t other = transposed(product);
    xh_status_t status;

    if (checksum == NULL)
        return XH_ERR_MEMORY;
    status = side_open(&checksum->side[0], XH_NO_TRANS, team, product, seed);
    if (status == XH_OK)
        status =
            side_open(&checksum->side[1], XH_TRANS, team, &other, seed + 1);
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

/* Mark sum number index as wrong if error exceeds bound, or is NaN. */
static void judge(xdg_errors_t *w, int64_t index, double error, double bound)
{
    double excess = isfinite(error) ? error / fmax(bound, DBL_MIN) : INFINITY;

    if (error <= bound)
        return;
    w->is_wrong[index] = true;
    if (w->worst < 0 || excess > w->excess) {
        w->worst = index;
        w->excess = excess;
        w->error = error;
        w->bound = bound;
    }
}

static void check_side(const side_t *s, hyb_team_t *team, xh_view_t c,
                       xdg_errors_t *wrong)
{
    for (int v = 0; v < VECTORS; v++) {
        const long double *expected = s->expected + v * s->sums;

        apply(team, c, s->op, s->x + v * s->terms, s->found);
        for (int64_t i = 0; i < s->sums; i++)
            judge(wrong, i, (double)fabsl(s->found[i] - expected[i]),
                  (double)s->bound[i]);
    }
}

xh_status_t xdg_checksum_check(const xdg_checksum_t *checksum, hyb_team_t *team,
                               xh_view_t c, xdg_verdict_t *verdict_p)
{
    bool *wrong = calloc((size_t)(c.rows + c.cols), sizeof(*wrong));
    xdg_verdict_t v = {.rows = {.is_wrong = wrong, .worst = -1},
                       .cols = {.worst = -1}};

    if (wrong == NULL)
        return XH_ERR_MEMORY;
    v.cols.is_wrong = wrong + c.rows;
    check_side(&checksum->side[0], team, c, &v.rows);
    check_side(&checksum->side[1], team, c, &v.cols);
    v.right = v.rows.worst < 0 && v.cols.worst < 0;
    *verdict_p = v;
    return XH_OK;
}

/* ---- row sums in double precision -----------------------------------------
 */

/* +1 or -1, times 1 to 2: so no two errors of a row cancel for sure. */
static long double factor_of(const xdg_random_t *random, int64_t j)
{
    double x = 2.0 * xdg_random_element(random, j, 0);

    return x < 0.0 ? x - 1.0 : x + 1.0;
}

/* Set x, expected and bound; inner and sums are scratch. */
static void fill_row_check(xdg_row_check_t *check, hyb_team_t *team,
                           const xh_gemm_t *p, uint64_t seed,
                           long double *inner, long double *x,
                           long double *sums)
{
    const xdg_random_t random = {XDG_UNIFORM, seed};
    int64_t k = xh_gemm_depth(p);
    double rounding = 32.0 * DBL_EPSILON *
                      (sqrt((double)k + 2.0) + sqrt((double)check->cols + 2.0));
    long double whole = 0.0L;

    for (int64_t j = 0; j < check->cols; j++)
        check->x[j] = (double)(x[j] = (double)factor_of(&random, j));
    apply(team, p->b, p->trans_b, x, inner);
    apply(team, p->a, p->trans_a, inner, sums);
    for (int64_t i = 0; i < check->rows; i++)
        check->expected[i] = (double)sums[i];
    apply(team, p->b, p->trans_b, NULL, inner);
    for (int64_t i = 0; i < k; i++)
        whole += inner[i];
    apply(team, p->a, p->trans_a, NULL, sums);
    for (int64_t i = 0; i < check->rows; i++)
        check->bound[i] = rounding * (double)sqrtl(whole * sums[i]);
}

xh_status_t xdg_row_check_create(hyb_team_t *team, const xh_gemm_t *product,
                                 uint64_t seed, xdg_row_check_t *check_p)
{
    const int64_t m = product->c.rows, n = product->c.cols;
    const int64_t k = xh_gemm_depth(product);
    xdg_row_check_t check = {.rows = m, .cols = n};
    long double *scratch = calloc((size_t)(k + n + m), sizeof(*scratch));

    check.x = calloc((size_t)(n + 2 * m), sizeof(*check.x));
    if (scratch == NULL || check.x == NULL) {
        free(scratch);
        free(check.x);
        return XH_ERR_MEMORY;
    }
    check.expected = check.x + n;
    check.bound = check.expected + m;
    fill_row_check(&check, team, product, seed, scratch, scratch + k,
                   scratch + k + n);
    free(scratch);
    *check_p = check;
    return XH_OK;
}

void xdg_row_check_free(xdg_row_check_t *check)
{
    free(check->x);
    *check = (xdg_row_check_t){.rows = 0};
}

xdg_wrong_rows_t xdg_row_check_judge(const xdg_row_check_t *check,
                                     const double *residual)
{
    xdg_wrong_rows_t w = {.count = 0};

    for (int64_t i = 0; i < check->rows; i++) {
        double error = fabs(residual[i]);

        if (error <= check->bound[i])
            continue;
        if (!isnan(w.error) && !(error <= w.error)) {
            w.worst = i;
            w.error = error;
            w.bound = check->bound[i];
        }
        w.first = w.count++ == 0 ? i : w.first;
        w.last = i;
    }
    return w;
}
