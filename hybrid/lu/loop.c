/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/loop.h"

#include "hybrid/lu/iteration.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/update.h"

/* Panel k by workers 0 .. members - 1, of which the leader broadcasts it. */
static void factor_and_broadcast(hyb_worker_t *me, int k, int members)
{
    hyb_panel_factor_by(me, k, members);
    if (me->member == 0)
        hyb_panel_broadcast(me->lu, k);
}

void hyb_loop(void *context, int member)
{
    hyb_lu_t *lu = context;
    hyb_worker_t *me = &lu->workers.worker[member];
    const hyb_step_t *step;
    int k;

    hyb_pace_begin(&lu->workers.pace[member]);
    if (hyb_lu_owns(lu, 0))
        factor_and_broadcast(me, 0, lu->workers.count);
    for (k = 0; k < lu->panels; k++) {
        step = hyb_iteration_open(me, k); /* panel k is here */
        hyb_update_next(me, step); /* swap, solve, multiply: its columns */
        if (hyb_factors_next(me, step)) {
            hyb_update_wait_next(me, step);
            factor_and_broadcast(me, k + 1, step->panel_threads);
        }
        hyb_update_rest(me, step); /* swap, solve, multiply: the others */
    }
    hyb_update_leave(me, k - 1);
    hyb_iteration_drain(me);
}
