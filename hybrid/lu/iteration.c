/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/iteration.h"

#include "hybrid/lu/lu.h"
#include "hybrid/lu/place.h"
#include "hybrid/lu/share.h"

/* Is iteration k complete here, and does nobody use what it needed? */
static bool is_complete(hyb_lu_t *lu, int k)
{
    return k < 0 || (hyb_workers_have_left(&lu->workers, k + 1) &&
                     hyb_ledger_reached(&lu->ledger, hyb_lu_trailing(lu, k),
                                        hyb_stage(k + 1)) &&
                     hyb_share_has_left(lu, k));
}

/* Has panel k - 2 come up to the devices? Panel k takes its memory; a process
 * without columns behind panel k - 2 waits for it only here. */
static bool can_receive(hyb_lu_t *lu, int k)
{
    for (int i = 1; i < lu->homes.places; i++)
        if (!lu->homes.place[i]->ops->can_receive(lu->homes.place[i], k))
            return false;
    return true;
}

/* Is panel k here, have the exchanges of iteration k - 1 ended, and is nobody
 * at iteration k - HYB_IN_FLIGHT any more, whose place k takes? */
static bool can_open(void *context)
{
    const hyb_awaited_t *awaited = context;
    hyb_lu_t *lu = awaited->lu;

    return hyb_panel_is_here(lu, awaited->k) &&
           hyb_exchange_is_over(&lu->exchange) &&
           is_complete(lu, awaited->k - HYB_IN_FLIGHT + 1) &&
           can_receive(lu, awaited->k) && hyb_tune_is_ready(lu);
}

static void open_iteration(hyb_lu_t *lu, int k)
{
    hyb_tune_measure(lu, k);
    for (int i = 0; i < lu->homes.places; i++)
        lu->homes.place[i]->ops->receive_panel(lu->homes.place[i], k);
    hyb_panel_open(lu, k + 1);
    hyb_tune_step(lu, k, hyb_lu_step(lu, k));
    hyb_share_open(lu, hyb_lu_step(lu, k));
    if (lu->grid->nprow > 1)
        hyb_exchange_open(lu, hyb_lu_step(lu, k));
    atomic_store_explicit(&lu->open, k + 1, memory_order_release);
}

void hyb_iteration_open_early(hyb_worker_t *me, int k)
{
    hyb_awaited_t awaited = {.lu = me->lu, .k = k};

    if (me->member == 0 && k < me->lu->panels && !hyb_lu_is_open(me->lu, k) &&
        can_open(&awaited))
        open_iteration(me->lu, k);
}

static bool is_open(void *context)
{
    const hyb_awaited_t *awaited = context;

    return hyb_lu_is_open(awaited->lu, awaited->k);
}

const hyb_step_t *hyb_iteration_open(hyb_worker_t *me, int k)
{
    hyb_lu_t *lu = me->lu;

    if (!hyb_lu_is_open(lu, k)) {
        hyb_worker_wait(
            me, HYB_WAIT_PANEL, k, HYB_HELPS,
            &(hyb_awaited_t){.is_so = me->member == 0 ? can_open : is_open});
        if (me->member == 0)
            open_iteration(lu, k);
    }
    return hyb_lu_step(lu, k);
}

/* Does nothing move any more, here or towards here, after the last panel? */
static bool is_at_rest(void *context)
{
    const hyb_awaited_t *awaited = context;
    hyb_lu_t *lu = awaited->lu;

    return hyb_exchange_is_over(&lu->exchange) && hyb_panels_are_still(lu) &&
           hyb_tune_is_ready(lu) &&
           hyb_ledger_reached(&lu->ledger, hyb_lu_trailing(lu, awaited->k),
                              hyb_stage(awaited->k + 1)) &&
           hyb_share_has_left(lu, awaited->k);
}

void hyb_iteration_drain(hyb_worker_t *me)
{
    if (me->member > 0)
        return;
    hyb_tune_close(me->lu);
    hyb_worker_wait(me, HYB_WAIT_PANEL, me->lu->panels - 1, HYB_HELPS,
                    &(hyb_awaited_t){.is_so = is_at_rest});
    hyb_tune_end(me->lu);
}
