/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/host_panel.h"

#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "hybrid/cpu/update/pack.h"

enum { LINE = 8 }; /* doubles */

struct hyb_host_panel {
    hyb_team_t *team;
    int members; /* of it, that factor */
    hyb_panel_engine_t *engine;
    hyb_panel_t panel;
    xh_view_t columns; /* what it is loaded from: the top, then the body */
    int64_t *pivot;
    int zero;
    hyb_scratch_t memory;
};

typedef hyb_host_panel_t panel_t;

static xh_status_t allocate(panel_t *x, const hyb_kernel_t *kernel, int64_t m,
                            int nb)
{
    int64_t square = xh_whole_units((int64_t)nb * nb, LINE);
    int64_t body =
        xh_whole_units(hyb_pack_size(m - nb, nb, kernel->rows), LINE);
    int64_t ld = xh_whole_units(m, LINE) | LINE; /* as the solver's */
    double *at;

    x->pivot = calloc((size_t)nb, sizeof(*x->pivot));
    if (x->pivot == NULL ||
        hyb_scratch_create(x->team, ld * nb + body + 2 * square, &x->memory) !=
            XH_OK)
        return XH_ERR_MEMORY;
    x->columns = (xh_view_t){x->memory.data, m, nb, ld};
    at = x->memory.data + ld * nb;
    x->panel = (hyb_panel_t){
        .method = {HYB_CROUT, HYB_RIGHT, .base_cols = 8, .parts = 2},
        .body = {at, m - nb, nb, kernel->rows},
        .top = {at + body, nb, nb, nb},
        .l1 = {at + body + square, nb, nb, nb},
        .pivot = x->pivot,
        .zero_p = &x->zero};
    return hyb_panel_engine_create(x->team, kernel, nb, &x->engine);
}

xh_status_t hyb_host_panel_create(const hyb_kernel_t *kernel, hyb_team_t *team,
                                  int64_t m, int nb, hyb_host_panel_t **panel_p)
{
    panel_t *x = calloc(1, sizeof(*x));

    if (x == NULL)
        return XH_ERR_MEMORY;
    x->team = team;
    if (allocate(x, kernel, m, nb) != XH_OK) {
        hyb_host_panel_destroy(x);
        return XH_ERR_MEMORY;
    }
    *panel_p = x;
    return XH_OK;
}

void hyb_host_panel_destroy(hyb_host_panel_t *x)
{
    if (x == NULL)
        return;
    hyb_panel_engine_destroy(x->engine);
    hyb_scratch_free(&x->memory);
    free(x->pivot);
    free(x);
}

void hyb_host_panel_share(hyb_host_panel_t *x, hyb_panel_agree_fn_t agree,
                          void *context, bool has_top)
{
    x->panel.agree = agree;
    x->panel.context = context;
    x->panel.top.rows = has_top ? x->panel.top.cols : 0;
}

void hyb_host_panel_load(hyb_host_panel_t *x)
{
    xh_view_t v = x->columns;
    const hyb_tiles_t *body = &x->panel.body;

    hyb_pack(xh_view_part(v, v.cols, 0, body->rows, v.cols), XH_NO_TRANS, 1.0,
             body->height, body->data);
    for (int64_t j = 0; j < v.cols; j++)
        memcpy(x->panel.top.data + j * v.cols, v.data + j * v.ld,
               (size_t)v.cols * sizeof(double));
}

static void factor_share(void *context, int member)
{
    panel_t *x = context;

    if (member < x->members)
        hyb_panel_factor(x->engine, &x->panel, member, x->members);
}

void hyb_host_panel_factor(hyb_host_panel_t *x, int members)
{
    x->members = members;
    hyb_team_run(x->team, factor_share, x);
}

static void load(void *context)
{
    hyb_host_panel_load(context);
}

static void factor(void *context)
{
    panel_t *x = context;

    hyb_host_panel_factor(x, x->members);
}

hyb_seconds_t hyb_host_panel_load_seconds(hyb_host_panel_t *x, int calls)
{
    return hyb_time_runs(NULL, load, x, calls);
}

hyb_seconds_t hyb_host_panel_seconds(hyb_host_panel_t *x, int members,
                                     int calls)
{
    x->members = members;
    return hyb_time_runs(load, factor, x, calls);
}
