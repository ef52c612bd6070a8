/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/loop/loop.h"

#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/worker.h"

void hyb_loop(void *context, int member)
{
    hyb_lu_t *lu = context;
    hyb_worker_t *me = &lu->worker[member];
    const hyb_step_t *step;
    const int first = lu->range.first;
    int k;

    if (hyb_lu_owns(lu, first)) {
        hyb_panel_factor_by(me, first);
        hyb_panel_broadcast(me, first);
    }
    for (k = first; k < hyb_lu_end(lu); k++) {
        step = hyb_iteration_open(me, k); /* panel k is here */
        hyb_update_next(me, step); /* swap, solve, multiply: its columns */
        if (hyb_factors_next(me, step)) {
            hyb_update_wait_next(me, step);
            hyb_panel_factor_by(me, k + 1);
            hyb_panel_broadcast(me, k + 1);
        }
        /* Swap, solve, multiply: the remaining columns. */
        hyb_update_rest(me, step);
    }
    hyb_update_leave(me, k - 1);
    hyb_iteration_drain(me);
}
