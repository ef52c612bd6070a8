/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/host_panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "base/log.h"
#include "base/memory.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/plan/host_timing.h"

enum { CALLS = 9, SAMPLES = 500 };

struct xhost_panel {
    hyb_team_t *team;
    int members; /* of it, that factor */
    hyb_panel_engine_t *engine;
    hyb_panel_t panel;
    xh_view_t columns; /* what it is made of: the top, and the rows below */
    int zero;

    double *memory; /* all of it */
    size_t bytes;
    int64_t *row; /* m: where each row of P A was in A */
};

typedef xhost_panel_t bench_t;

/* ---- memory -------------------------------------------------------------- */

static xh_status_t allocate(bench_t *x, const hyb_kernel_t *kernel, int64_t m,
                            int nb)
{
    int64_t square = xh_whole_units((int64_t)nb * nb, 8);
    int64_t body = xh_whole_units(hyb_pack_size(m - nb, nb, kernel->rows), 8);
    int64_t ld = xh_whole_units(m, 8) | 8; /* as the solver's: odd lines */
    void *memory;
    double *at;

    x->bytes = sizeof(double) * (size_t)(ld * nb + body + 2 * square);
    x->row = calloc((size_t)(m + nb), sizeof(*x->row));
    if (x->row == NULL)
        xh_log_error("no memory for %lld pivots", (long long)(m + nb));
    if (x->row == NULL || xh_memory_allocate(x->bytes, &memory) != XH_OK)
        return XH_ERR_MEMORY;
    x->memory = at = memory;
    x->columns = (xh_view_t){at, m, nb, ld};
    at += ld * nb;
    x->panel = (hyb_panel_t){
        .method = {HYB_CROUT, HYB_RIGHT, .base_cols = 8, .parts = 2},
        .body = {at, m - nb, nb, kernel->rows},
        .top = {at + body, nb, nb, nb},
        .l1 = {at + body + square, nb, nb, nb},
        .pivot = x->row + m,
        .zero_p = &x->zero};
    return XH_OK;
}

/* ---- computing ----------------------------------------------------------- */

/* As the solver copies a panel's columns. */
static void load(void *context)
{
    bench_t *x = context;
    xh_view_t v = x->columns;
    const hyb_tiles_t *body = &x->panel.body;
    double *top = x->panel.top.data;

    hyb_pack(xh_view_part(v, v.cols, 0, body->rows, v.cols), XH_NO_TRANS, 1.0,
             body->height, body->data);
    for (int64_t j = 0; j < v.cols; j++)
        memcpy(top + j * v.cols, v.data + j * v.ld,
               (size_t)v.cols * sizeof(double));
}

static void factor(void *context, int member)
{
    bench_t *x = context;

    if (member < x->members)
        hyb_panel_factor(x->engine, &x->panel, member, x->members);
}

static void run(void *context)
{
    bench_t *x = context;

    hyb_team_run(x->team, factor, x);
}

xh_status_t xhost_panel_create(const hyb_kernel_t *kernel, hyb_team_t *team,
                               int64_t m, int nb, xhost_panel_t **panel_p)
{
    bench_t *x = calloc(1, sizeof(*x));
    xh_status_t status;

    if (x == NULL)
        return XH_ERR_MEMORY;
    x->team = team;
    status = allocate(x, kernel, m, nb);
    if (status == XH_OK)
        status = hyb_panel_engine_create(team, kernel, nb, &x->engine);
    if (status != XH_OK) {
        xhost_panel_destroy(x);
        return status;
    }
    xhost_fill(x->columns, 0, 0, 1);
    *panel_p = x;
    return XH_OK;
}

void xhost_panel_destroy(xhost_panel_t *panel)
{
    if (panel == NULL)
        return;
    hyb_panel_engine_destroy(panel->engine);
    xh_memory_free(panel->memory, panel->bytes);
    free(panel->row);
    free(panel);
}

void xhost_panel_share(xhost_panel_t *panel, const xhost_panel_others_t *others)
{
    bool has_top = others == NULL || others->has_top;

    panel->panel.agree = others != NULL ? others->agree : NULL;
    panel->panel.context = others != NULL ? others->context : NULL;
    panel->panel.top.rows = has_top ? panel->panel.top.cols : 0;
}

void xhost_panel_load(xhost_panel_t *panel)
{
    load(panel);
}

void xhost_panel_factor(xhost_panel_t *panel, int members)
{
    panel->members = members;
    run(panel);
}

double xhost_panel_seconds(xhost_panel_t *panel, int members, int calls)
{
    const xhost_timed_t timed = {load, run, panel};

    panel->members = members;
    return xhost_median_seconds(&timed, calls);
}

double xhost_panel_load_seconds(xhost_panel_t *panel, int calls)
{
    const xhost_timed_t timed = {NULL, load, panel};

    return xhost_median_seconds(&timed, calls);
}

/* ---- checking ------------------------------------------------------------ */

static void follow_pivots(bench_t *x)
{
    int64_t m = x->panel.top.rows + x->panel.body.rows, i, c, kept;

    for (i = 0; i < m; i++)
        x->row[i] = i;
    for (c = 0; c < x->panel.top.cols; c++) {
        kept = x->row[c];
        x->row[c] = x->row[x->panel.pivot[c]];
        x->row[x->panel.pivot[c]] = kept;
    }
}

static double l_at(const bench_t *x, int64_t i, int64_t j)
{
    int64_t nb = x->panel.top.rows;

    if (i >= nb)
        return *hyb_tiles_at(&x->panel.body, i - nb, j);
    if (i == j)
        return 1.0;
    return i > j ? x->panel.l1.data[i + j * nb] : 0.0;
}

/* The largest element of row i of P A - L U; NaN counts as large. */
static double row_error(const bench_t *x, int64_t i)
{
    int64_t nb = x->panel.top.rows, j, k;
    double most = 0.0, difference;

    for (j = 0; j < nb; j++) {
        difference = xhost_value(x->row[i], j);
        for (k = 0; k <= j; k++)
            difference -= l_at(x, i, k) * x->panel.l1.data[k + j * nb];
        if (!(fabs(difference) <= most))
            most = isnan(difference) ? HUGE_VAL : fabs(difference);
    }
    return most;
}

static int wrong_rows(bench_t *x)
{
    int64_t m = x->panel.top.rows + x->panel.body.rows, s;
    double most = 1e-12 * (double)x->panel.top.rows;
    int wrong = row_error(x, m - 1) > most;

    for (s = 0; s < SAMPLES; s++)
        wrong += row_error(x, s * 7919 % m) > most;
    return wrong;
}

xh_status_t xhost_panel_rate(const hyb_kernel_t *kernel, hyb_team_t *team,
                             int64_t m, int nb, double *rate_p)
{
    double flop = nb * (double)nb * ((double)m - nb / 3.0);
    bench_t *x;
    xh_status_t status = xhost_panel_create(kernel, team, m, nb, &x);
    int wrong;

    if (status != XH_OK)
        return status;
    x->members = hyb_team_size(team);
    *rate_p = flop / xhost_least_seconds(&(xhost_timed_t){load, run, x}, CALLS);
    follow_pivots(x);
    wrong = wrong_rows(x);
    if (wrong > 0) {
        xh_log_error("%d of %d rows of P A - L U are not 0", wrong,
                     SAMPLES + 1);
        *rate_p = NAN;
    }
    xhost_panel_destroy(x);
    return status;
}
