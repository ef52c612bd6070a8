/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/unit/unit.h"
#include "base/cpu.h"
#include "hybrid/node/team.h"

/* A team of size threads on the cores that this process may use. */
static inline hyb_team_t *small_team(int size)
{
    enum { MOST_CORES = 64 };
    hyb_team_t *team = NULL;
    int cpus[MOST_CORES], count = xh_cpu_core_ids("", cpus, MOST_CORES);

    count = count < MOST_CORES ? count : MOST_CORES;
    assert_true(count > 0);
    assert_ok(hyb_team_create(cpus, count, size, &team));
    return team;
}
