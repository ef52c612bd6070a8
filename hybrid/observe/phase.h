/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PHASE_H
#define HYB_PHASE_H

#include <stdatomic.h>
#include "hybrid/observe/watchdog.h"

/* Work beside the factorization, which a watchdog watches. */
typedef struct {
    const char *doing;      /* "generating the matrix" */
    _Atomic uint64_t steps; /* that were finished */
    hyb_watchdog_t dog;
} hyb_phase_t;

/* It begins; doing outlives it. Order: the thread that calls MPI. */
void hyb_phase_begin(hyb_phase_t *phase, const char *doing);

/* Some of it is done. Any thread. */
void hyb_phase_step(hyb_phase_t *phase);

void hyb_phase_end(hyb_phase_t *phase);

#endif
