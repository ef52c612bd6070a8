/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/verify.h"

#include <stdio.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/product.h"
#include "base/text.h"

enum {
    SEED = 4,            /* of the checksum vectors */
    SEED_OF_PART = 1000, /* of those that check a part alone */
    CULPRITS = 8         /* at most this many of a product are reported */
};

/* ---- which tiles are wrong ----------------------------------------------- */

static bool any(const bool *flag, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        if (flag[i])
            return true;
    return false;
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
    status = xdg_checksum_create(team, &p, SEED_OF_PART, &checksum);
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

        /* an error in it shows in its rows and in its columns */
        if (!any(suspect->verdict->row, part.row, part.rows) ||
            !any(suspect->verdict->col, part.col, part.cols))
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

/* ---- the verifier -------------------------------------------------------- */

static xh_status_t say_no_memory(xh_status_t status)
{
    if (status == XH_ERR_MEMORY)
        xh_log_error("no memory for checksum vectors");
    return status;
}

xh_status_t xdg_verifier_open(hyb_machine_t *node,
                              const xdg_executors_t *executors,
                              const xdg_problem_t *problem,
                              xdg_verifier_t *verifier_p)
{
    *verifier_p = (xdg_verifier_t){
        .executors = executors, .node = node, .problem = problem};
    return say_no_memory(xdg_checksum_create(hyb_machine_team(node),
                                             &problem->product, SEED,
                                             &verifier_p->checksum));
}

void xdg_verifier_close(xdg_verifier_t *verifier)
{
    xdg_checksum_destroy(verifier->checksum);
    verifier->checksum = NULL;
}

static void accuse(xdg_verifier_t *verifier, const char *name,
                   const xdg_culprit_t *c)
{
    char who[HYB_EXECUTORS * (XDG_NAME + 4)] = ""; /* "emu:0 or emu:1" */

    for (int i = 0; i < verifier->executors->count; i++)
        if (c->by[i])
            xh_text_append(who, sizeof(who), "%s%s", who[0] ? " or " : "",
                           verifier->executors->name[i]);
    if (c->executor >= 0)
        verifier->wrong_tiles[c->executor]++;
    else
        verifier->unsure = true;
    xh_log_error(
        "%s: wrong near C(%lld, %lld), computed by %s: rows %lld to "
        "%lld, columns %lld to %lld; off by %.3g where rounding "
        "explains %.3g",
        name, (long long)c->row, (long long)c->col,
        who[0] ? who : "nobody by itself", (long long)c->part.row,
        (long long)(c->part.row + c->part.rows - 1), (long long)c->part.col,
        (long long)(c->part.col + c->part.cols - 1), c->error, c->bound);
}

static xh_status_t accuse_all(xdg_verifier_t *verifier, const char *name,
                              const xdg_suspect_t *suspect)
{
    xdg_culprit_t culprit[CULPRITS];
    int count;
    xh_status_t status = xdg_locate(hyb_machine_team(verifier->node), suspect,
                                    culprit, CULPRITS, &count);

    if (status != XH_OK)
        return status;
    for (int i = 0; i < count && i < CULPRITS; i++)
        accuse(verifier, name, &culprit[i]);
    if (count > CULPRITS)
        xh_log_error("%s: %d more wrong tiles", name, count - CULPRITS);
    return XH_OK;
}

xh_status_t xdg_verify(xdg_verifier_t *verifier, const char *name,
                       const hyb_report_t *report, int reports, double alpha)
{
    const xdg_problem_t *problem = verifier->problem;
    xh_gemm_t product = problem->product;
    xdg_verdict_t verdict;
    xdg_suspect_t suspect = {&product, &problem->start, report, reports,
                             &verdict};
    xh_status_t status =
        xdg_checksum_check(verifier->checksum, hyb_machine_team(verifier->node),
                           product.c, alpha, &verdict);

    if (status != XH_OK)
        return say_no_memory(status);
    product.alpha = alpha;
    verifier->checked += reports;
    if (!verdict.right) {
        verifier->wrong++;
        status = say_no_memory(accuse_all(verifier, name, &suspect));
    }
    xdg_verdict_release(&verdict);
    return status;
}
