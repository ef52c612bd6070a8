/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/plan.h"

#include <math.h>
#include "hybrid/lu/devices.h"

/* ---- columns -------------------------------------------------------------
 */

/* Columns of panel k + 1 that are here, from first on. */
static int64_t next_columns(const hyb_lu_t *lu, int k, int64_t first)
{
    int64_t nb = lu->columns.nb;

    if (!hyb_lu_owns(lu, k + 1))
        return 0;
    return Mmin(nb, lu->columns.count - first);
}

static void deal_columns(hyb_lu_t *lu, hyb_plan_t *plan)
{
    int64_t first = hyb_lu_panel(lu, plan->k)->hpl->jj;
    int64_t count = lu->columns.count - first;
    int64_t next = next_columns(lu, plan->k, first), ours, theirs = 0;
    bool apart = plan->mode != HYB_LOOKAHEAD_PIPELINE;

    plan->next_is_theirs = hyb_devices_are_quicker(lu, plan->k, next);
    ours = plan->next_is_theirs ? 0 : next;
    hyb_deal_begin(&plan->prepare, &lu->columns,
                   (hyb_run_t){first, apart ? count : 0}, lu->chunk);
    hyb_deal_begin(
        &plan->next, &lu->columns, (hyb_run_t){first, next},
        hyb_lu_narrow(lu->kernel, lu->columns.nb, lu->multiplier, lu->members));
    if (lu->devices != NULL)
        theirs = hyb_devices_plan(
            lu, plan->k, (hyb_run_t){first + ours, count - ours}, next - ours);
    hyb_deal_begin(&plan->rest, &lu->columns,
                   (hyb_run_t){first + ours + theirs, count - ours - theirs},
                   lu->chunk);
}

/* ---- the panel -----------------------------------------------------------
 */

/* Seconds from the start of the iteration until panel k + 1 can begin. */
static double before_panel(const hyb_lu_t *lu, const hyb_plan_t *plan)
{
    const HPL_T_panel *h = lu->panel[plan->k % HYB_IN_FLIGHT].hpl;
    bool theirs = plan->next_is_theirs;
    int64_t next = plan->next.to - plan->next.from;
    double columns = (double)(theirs ? hyb_devices_tile_columns(lu) : next);
    double rate = theirs ? hyb_devices_rate(lu) : lu->members * lu->thread_rate;
    double exchange = lu->exchange_seconds;

    if (plan->mode == HYB_LOOKAHEAD_PIPELINE)
        exchange *= fmin(1.0, columns / h->nq);
    return exchange + (rate > 0.0 ? 2.0 * h->mp * columns * h->jb / rate : 0.0);
}

/* Members that factor panel k + 1 while others update. */
static int panel_threads(hyb_lu_t *lu, const hyb_plan_t *plan)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, plan->k)->hpl;
    hyb_regroup_facts_t facts = {.threads = lu->members,
                                 .rows = h->mp,
                                 .cols = h->nq,
                                 .nb = h->jb,
                                 .thread_rate = lu->thread_rate,
                                 .device_rate = hyb_devices_rate(lu),
                                 .broadcast = lu->broadcast_seconds};

    if (plan->mode == HYB_LOOKAHEAD_NONE || lu->members == 1)
        return lu->members;
    facts.before = before_panel(lu, plan);
    return hyb_panel_threads(&lu->regroup, &facts);
}

void hyb_plan_columns(hyb_lu_t *lu, hyb_plan_t *plan)
{
    deal_columns(lu, plan);
    plan->panel_threads = panel_threads(lu, plan);
}
