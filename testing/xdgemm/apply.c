/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/apply.h"

#include <math.h>

enum { ROWS = 512 }; /* whose sums stay in the first cache */

typedef struct {
    xh_view_t v;
    xh_trans_t op;
    const long double *x; /* of xdg_apply */
    long double *y;
    double *norms; /* of xdg_row_norms */
    int members;
} task_t;

/* A member's share of sums, and at most ROWS of them at once. */
typedef void (*share_fn_t)(const task_t *t, int64_t first, int64_t count);

static void for_share(const task_t *t, int member, share_fn_t fn)
{
    int64_t sums = t->op == XH_NO_TRANS ? t->v.rows : t->v.cols;
    int64_t end = sums * (member + 1) / t->members;

    for (int64_t i = sums * member / t->members; i < end; i += ROWS)
        fn(t, i, end - i < ROWS ? end - i : ROWS);
}

/* ---- products ----------------------------------------------------------- */

static void apply_rows(const task_t *t, int64_t first, int64_t count)
{
    long double *y = t->y + first;

    for (int64_t i = 0; i < count; i++)
        y[i] = 0.0L;
    for (int64_t j = 0; j < t->v.cols; j++) {
        const double *column = t->v.data + first + j * t->v.ld;

        for (int64_t i = 0; i < count; i++)
            y[i] += column[i] * t->x[j];
    }
}

static void apply_columns(const task_t *t, int64_t first, int64_t count)
{
    for (int64_t j = first; j < first + count; j++) {
        const double *column = t->v.data + j * t->v.ld;
        long double even = 0.0L, odd = 0.0L;
        int64_t i;

        for (i = 0; i + 1 < t->v.rows; i += 2) {
            even += column[i] * t->x[i];
            odd += column[i + 1] * t->x[i + 1];
        }
        if (i < t->v.rows)
            even += column[i] * t->x[i];
        t->y[j] = even + odd;
    }
}

static void apply_share(void *argument, int member)
{
    const task_t *t = argument;

    for_share(t, member, t->op == XH_NO_TRANS ? apply_rows : apply_columns);
}

void xdg_apply(hyb_team_t *team, xh_view_t v, xh_trans_t op,
               const long double *x, long double *y)
{
    task_t task = {
        .v = v, .op = op, .x = x, .y = y, .members = hyb_team_size(team)};

    hyb_team_run(team, apply_share, &task);
}

/* ---- norms -------------------------------------------------------------- */

static void add_squares(const task_t *t, int64_t first, int64_t count)
{
    double *norms = t->norms + first;

    for (int64_t i = 0; i < count; i++)
        norms[i] = 0.0;
    for (int64_t j = 0; j < t->v.cols; j++) {
        const double *column = t->v.data + first + j * t->v.ld;

        for (int64_t i = 0; i < count; i++)
            norms[i] += column[i] * column[i];
    }
    for (int64_t i = 0; i < count; i++)
        norms[i] = sqrt(norms[i]);
}

static void take_norms(const task_t *t, int64_t first, int64_t count)
{
    for (int64_t j = first; j < first + count; j++) {
        const double *column = t->v.data + j * t->v.ld;
        double sum = 0.0;

        for (int64_t i = 0; i < t->v.rows; i++)
            sum += column[i] * column[i];
        t->norms[j] = sqrt(sum);
    }
}

static void norms_share(void *argument, int member)
{
    const task_t *t = argument;

    for_share(t, member, t->op == XH_NO_TRANS ? add_squares : take_norms);
}

void xdg_row_norms(hyb_team_t *team, xh_view_t v, xh_trans_t op, double *norms)
{
    task_t task = {
        .v = v, .op = op, .norms = norms, .members = hyb_team_size(team)};

    hyb_team_run(team, norms_share, &task);
}
