/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/verify.h"

#include <stdio.h>
#include "base/log.h"
#include "testing/xdgemm/locate.h"

enum {
    SEED = 4,
    CULPRITS = 8 /* at most named of one product */
};

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

/* "emu:0", or "emu:0 or emu:1" */
static void name_suspects(const xdg_executors_t *executors,
                          const xdg_culprit_t *c, char *text, size_t size)
{
    size_t used = 0;

    snprintf(text, size, "nobody by itself");
    for (int i = 0; i < executors->count; i++)
        if (c->by[i] && used < size)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s",
                                 used > 0 ? " or " : "", executors->name[i]);
}

static void accuse(xdg_verifier_t *verifier, const char *name,
                   const xdg_culprit_t *c)
{
    char who[HYB_EXECUTORS * (XDG_NAME + 4)];

    name_suspects(verifier->executors, c, who, sizeof(who));
    if (c->executor >= 0)
        verifier->wrong_tiles[c->executor]++;
    else
        verifier->unsure = true;
    xh_log_error(
        "%s: wrong near C(%lld, %lld), computed by %s: rows %lld to "
        "%lld, columns %lld to %lld; off by %.3g where rounding "
        "explains %.3g",
        name, (long long)c->row, (long long)c->col, who, (long long)c->part.row,
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
