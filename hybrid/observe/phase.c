/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/phase.h"

#include <stdio.h>

static uint64_t steps(const void *context)
{
    const hyb_phase_t *phase = context;

    return atomic_load(&phase->steps);
}

static void where(const void *context, char *text, size_t size)
{
    const hyb_phase_t *phase = context;

    snprintf(text, size, "%s", phase->doing);
}

void hyb_phase_begin(hyb_phase_t *phase, const char *doing)
{
    hyb_watched_t watched = {.steps = steps, .where = where, .context = phase};

    phase->doing = doing;
    atomic_init(&phase->steps, 0);
    hyb_watchdog_begin(&phase->dog, &watched, hyb_watchdog_patience());
}

void hyb_phase_step(hyb_phase_t *phase)
{
    atomic_fetch_add(&phase->steps, 1);
}

void hyb_phase_end(hyb_phase_t *phase)
{
    hyb_watchdog_end(&phase->dog);
}
