/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CORE_BUDGET_H
#define HYB_CORE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include "hybrid/node/team.h"

/*
 * The threads that want to run on a set of cores. Who waits may spin only
 * while each of them has a core of its own: otherwise it holds up those it
 * waits for.
 */
typedef struct {
    atomic_int threads;
    int cores;
} hyb_core_budget_t;

static inline bool hyb_core_budget_fits(const hyb_core_budget_t *crowd)
{
    return atomic_load_explicit(&crowd->threads, memory_order_relaxed) <=
           crowd->cores;
}

/* The team and its helpers on the team's cores; lives as long as team. */
const hyb_core_budget_t *hyb_team_core_budget(const hyb_team_t *team);

#endif
