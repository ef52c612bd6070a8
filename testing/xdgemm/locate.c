/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/locate.h"

#include "base/memory.h"
#include "base/product.h"

enum { SEED = 1000 }; /* other vectors than those of the whole */

static bool any(const bool *flag, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        if (flag[i])
            return true;
    return false;
}

/* An error in it would show in its rows and columns. */
static bool is_suspicious(const xdg_verdict_t *v, xh_rectangle_t part)
{
    return any(v->row, part.row, part.rows) && any(v->col, part.col, part.cols);
}

/* Check part of the result against what c0, of its size, makes of it. */
static xh_status_t check_against(hyb_team_t *team, const xdg_suspect_t *s,
                                 xh_rectangle_t part, double *c0,
                                 xdg_verdict_t *verdict_p)
{
    xh_gemm_t p = xh_gemm_part(s->product, part);
    xh_view_t result = p.c;
    xdg_checksum_t *checksum;
    xh_status_t status;

    p.c = (xh_view_t){c0, part.rows, part.cols, part.rows};
    xdg_fill(team, s->start, part.row, part.col, p.c);
    status = xdg_checksum_create(team, &p, SEED, &checksum);
    if (status != XH_OK)
        return status;
    status = xdg_checksum_check(checksum, team, result, p.alpha, verdict_p);
    xdg_checksum_destroy(checksum);
    return status;
}

static xh_status_t check_part(hyb_team_t *team, const xdg_suspect_t *s,
                              xh_rectangle_t part, xdg_verdict_t *verdict_p)
{
    size_t bytes = (size_t)part.rows * (size_t)part.cols * sizeof(double);
    void *c0;
    xh_status_t status = xh_memory_allocate(bytes, &c0);

    if (status != XH_OK)
        return status;
    status = check_against(team, s, part, c0, verdict_p);
    xh_memory_free(c0, bytes);
    return status;
}

static bool meet(xh_rectangle_t a, xh_rectangle_t b)
{
    return a.row < b.row + b.rows && b.row < a.row + a.rows &&
           a.col < b.col + b.cols && b.col < a.col + a.cols;
}

static int64_t tiles_of(const hyb_report_t *report)
{
    return report->owner == NULL ? 0 : hyb_tiling_count(&report->tiling);
}

/* Let all who computed something of part in a product be suspected. */
static void add_owners(const hyb_report_t *report, xh_rectangle_t part,
                       bool *by)
{
    int64_t tiles = tiles_of(report);

    if (tiles == 0)
        by[0] = true;
    for (int64_t i = 0; i < tiles; i++)
        if (report->owner[i] >= 0 &&
            meet(part, hyb_tiling_tile(&report->tiling, i).part))
            by[report->owner[i]] = true;
}

/* The only one of by; -1 if there is not exactly one. */
static int only(const bool *by)
{
    int found = -1;

    for (int i = 0; i < HYB_EXECUTORS; i++) {
        if (by[i] && found >= 0)
            return -1;
        if (by[i])
            found = i;
    }
    return found;
}

static void suspect_owners(const xdg_suspect_t *s, xdg_culprit_t *culprit)
{
    for (int i = 0; i < s->reports; i++)
        add_owners(&s->report[i], culprit->part, culprit->by);
    culprit->executor = only(culprit->by);
}

static xdg_culprit_t culprit(xh_rectangle_t part, const xdg_verdict_t *v)
{
    return (xdg_culprit_t){
        .part = part,
        .executor = -1,
        .row = v->worst_row < 0 ? -1 : part.row + v->worst_row,
        .col = v->worst_col < 0 ? -1 : part.col + v->worst_col,
        .error = v->error,
        .bound = v->bound,
    };
}

/* All of C, where no tile is to blame by itself. */
static xdg_culprit_t whole(const xdg_suspect_t *s, bool cut)
{
    const xh_view_t *c = &s->product->c;
    xdg_culprit_t all =
        culprit((xh_rectangle_t){0, c->rows, 0, c->cols}, s->verdict);

    if (!cut)
        suspect_owners(s, &all);
    return all;
}

/* The first product that was cut; the last one if none was. */
static const hyb_report_t *cut_report(const xdg_suspect_t *s)
{
    int i = 0;

    while (i + 1 < s->reports && tiles_of(&s->report[i]) == 0)
        i++;
    return &s->report[i];
}

xh_status_t xdg_locate(hyb_team_t *team, const xdg_suspect_t *suspect,
                       xdg_culprit_t *culprits_p, int capacity, int *count_p)
{
    const hyb_report_t *report = cut_report(suspect);
    int64_t tiles = tiles_of(report);
    int count = 0;

    for (int64_t i = 0; i < tiles; i++) {
        xh_rectangle_t part = hyb_tiling_tile(&report->tiling, i).part;
        xdg_verdict_t v;
        xh_status_t status;

        if (!is_suspicious(suspect->verdict, part))
            continue;
        status = check_part(team, suspect, part, &v);
        if (status != XH_OK)
            return status;
        if (!v.right && count++ < capacity) {
            culprits_p[count - 1] = culprit(part, &v);
            suspect_owners(suspect, &culprits_p[count - 1]);
        }
        xdg_verdict_release(&v);
    }
    if (count == 0)
        culprits_p[count++] = whole(suspect, tiles > 0);
    *count_p = count;
    return XH_OK;
}
