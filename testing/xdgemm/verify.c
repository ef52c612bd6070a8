/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/verify.h"

#include <stdlib.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/product.h"
#include "base/text.h"

enum {
    SEED = 4,            /* of the checksum vectors */
    SEED_OF_TILE = 1000, /* of the checksum vectors of a tile */
    REPORTED_MOST = 8    /* most wrong tiles reported per check */
};

typedef struct { /* a wrong product */
    xdg_verifier_t *verifier;
    const char *name;
    const xh_gemm_t *product;
    const hyb_report_t *report;
} failure_t;

static hyb_team_t *team_of(const xdg_verifier_t *verifier)
{
    return hyb_machine_team(verifier->gemm->machine);
}

/* ---- whose is it --------------------------------------------------------- */

static int64_t tiles_of(const hyb_report_t *report)
{
    return report->owner == NULL ? 0 : hyb_tiling_count(&report->tiling);
}

/* Index in C; -1: none. */
static long long position(int64_t first, int64_t worst)
{
    return worst < 0 ? -1 : first + worst;
}

/* Report that part is wrong, and that `owner` computed it, who is negative if
 * several did; count its wrong tile. */
static void report_wrong(const failure_t *c, xh_rectangle_t part, int owner,
                         const xdg_verdict_t *v)
{
    const xdg_executors_t *executors = &c->verifier->gemm->executors;
    const xdg_errors_t *w = v->rows.worst >= 0 ? &v->rows : &v->cols;

    if (owner >= 0)
        c->verifier->wrong_tiles[owner]++;
    xh_log_error("%s: wrong near C(%lld, %lld), computed by %s: rows %lld to "
                 "%lld, columns %lld to %lld; off by %.3g where rounding "
                 "explains %.3g",
                 c->name, position(part.row, v->rows.worst),
                 position(part.col, v->cols.worst),
                 owner >= 0 ? executors->name[owner] : "nobody by itself",
                 (long long)part.row, (long long)(part.row + part.rows - 1),
                 (long long)part.col, (long long)(part.col + part.cols - 1),
                 w->error, w->bound);
}

/* ---- which tiles are wrong ------------------------------------------------
 */

static bool any(const bool *flag, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        if (flag[i])
            return true;
    return false;
}

/* Check part of the result with checksums of its own. */
static xh_status_t check_tile(const failure_t *c, xh_rectangle_t part,
                              xdg_verdict_t *verdict_p)
{
    hyb_team_t *team = team_of(c->verifier);
    xh_gemm_t p = xh_gemm_part(c->product, part);
    size_t bytes = (size_t)part.rows * (size_t)part.cols * sizeof(double);
    xh_view_t result = p.c;
    xdg_checksum_t *checksum = NULL;
    void *start;
    xh_status_t status;

    XH_TRY(xh_memory_allocate(bytes, &start));
    p.c = (xh_view_t){start, part.rows, part.cols, part.rows};
    xdg_fill(team, &c->verifier->problem->start, part.row, part.col, p.c);
    status = xdg_checksum_create(team, &p, SEED_OF_TILE, &checksum);
    if (status == XH_OK)
        status = xdg_checksum_check(checksum, team, result, verdict_p);
    xdg_checksum_destroy(checksum);
    xh_memory_free(start, bytes);
    return status;
}

/* Report all wrong tiles; if no tile is wrong by itself, report all of C. */
static xh_status_t find_wrong_tiles(const failure_t *c,
                                    const xdg_verdict_t *verdict)
{
    const xh_view_t *all = &c->product->c;
    const xh_rectangle_t whole = {0, all->rows, 0, all->cols};
    int64_t tiles = tiles_of(c->report);
    int count = 0;

    for (int64_t i = 0; i < tiles; i++) {
        xh_rectangle_t part = hyb_tiling_tile(&c->report->tiling, i).part;
        xdg_verdict_t v;

        /* an error in part shows in its rows and in its columns */
        if (!any(verdict->rows.is_wrong, part.row, part.rows) ||
            !any(verdict->cols.is_wrong, part.col, part.cols))
            continue;
        XH_TRY(check_tile(c, part, &v));
        if (!v.right && count++ < REPORTED_MOST)
            report_wrong(c, part, c->report->owner[i], &v);
        free(v.rows.is_wrong);
    }
    if (count > REPORTED_MOST)
        xh_log_error("%s: %d more wrong tiles", c->name, count - REPORTED_MOST);
    if (count == 0)
        report_wrong(c, whole, tiles == 0 ? 0 : -1, verdict);
    return XH_OK;
}

/* ---- the verifier -------------------------------------------------------- */

static xh_status_t report_no_memory(xh_status_t status)
{
    if (status == XH_ERR_MEMORY)
        xh_log_error("no memory for checksum vectors");
    return status;
}

xh_status_t xdg_verifier_open(const xdg_gemm_t *gemm,
                              const xdg_problem_t *problem,
                              xdg_verifier_t *verifier_p)
{
    *verifier_p = (xdg_verifier_t){.gemm = gemm, .problem = problem};
    return report_no_memory(xdg_checksum_create(
        team_of(verifier_p), &problem->product, SEED, &verifier_p->checksum));
}

void xdg_verifier_close(xdg_verifier_t *verifier)
{
    xdg_checksum_destroy(verifier->checksum);
    verifier->checksum = NULL;
}

xh_status_t xdg_verify(xdg_verifier_t *verifier, const char *name,
                       const hyb_report_t *report)
{
    failure_t c = {verifier, name, &verifier->problem->product, report};
    xdg_verdict_t verdict;
    xh_status_t status = xdg_checksum_check(
        verifier->checksum, team_of(verifier), c.product->c, &verdict);

    if (status != XH_OK)
        return report_no_memory(status);
    verifier->checked++;
    if (!verdict.right) {
        verifier->wrong++;
        status = report_no_memory(find_wrong_tiles(&c, &verdict));
    }
    free(verdict.rows.is_wrong);
    return status;
}
