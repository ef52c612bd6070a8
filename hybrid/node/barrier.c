/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/team.h"

#include <stdatomic.h>
#include <stdlib.h>
#include "base/log.h"
#include "hybrid/node/core_budget.h"
#include "hybrid/node/gate.h"

/* Longer waits are for something else than members: leave the core alone. */
static const double longest_spin = 1e-3;

struct hyb_barrier {
    hyb_gate_t passed; /* how often all have met */
    _Alignas(64) atomic_int missing;
    int members;
    const hyb_core_budget_t *crowd;
};

xh_status_t hyb_barrier_create(hyb_team_t *team, int members,
                               hyb_barrier_t **barrier_p)
{
    hyb_barrier_t *barrier;

    if (members < 1 || members > hyb_team_size(team)) {
        xh_log_error("a barrier of %d in a team of %d", members,
                     hyb_team_size(team));
        return XH_ERR_ARG;
    }
    barrier = aligned_alloc(_Alignof(hyb_barrier_t), sizeof(*barrier));
    if (barrier == NULL) {
        xh_log_error("cannot allocate a barrier");
        return XH_ERR_MEMORY;
    }
    hyb_gate_init(&barrier->passed, 0);
    atomic_init(&barrier->missing, members);
    barrier->members = members;
    barrier->crowd = hyb_team_core_budget(team);
    *barrier_p = barrier;
    return XH_OK;
}

void hyb_barrier_destroy(hyb_barrier_t *barrier)
{
    free(barrier);
}

void hyb_barrier_wait(hyb_barrier_t *barrier)
{
    /* Stays as it is until this member has arrived too. */
    unsigned round =
        atomic_load_explicit(&barrier->passed.value, memory_order_relaxed);

    if (atomic_fetch_sub_explicit(&barrier->missing, 1, memory_order_acq_rel) >
        1) {
        hyb_gate_wait(&barrier->passed, round, barrier->crowd, longest_spin);
        return;
    }
    atomic_store_explicit(&barrier->missing, barrier->members,
                          memory_order_relaxed);
    hyb_gate_set(&barrier->passed, round + 1);
}
