/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_GATE_H
#define HYB_GATE_H

#include <stdatomic.h>
#include "hybrid/node/core_budget.h"

/*
 * A number that threads wait for: they spin for a while if their crowd fits
 * its cores, then sleep until it changes. Zero-initialise, or hyb_gate_init.
 */
typedef struct {
    _Alignas(64) atomic_uint value; /* a cache line of its own */
    atomic_uint sleepers;
} hyb_gate_t;

void hyb_gate_init(hyb_gate_t *gate, unsigned value);

/*
 * Change the number and wake all who wait. What this thread wrote before is
 * seen by those who get the new value.
 */
void hyb_gate_set(hyb_gate_t *gate, unsigned value);

/*
 * Wait until the number differs from old.
 *
 * crowd    in  asked again and again while spinning
 * seconds  in  the longest time to spin
 */
void hyb_gate_wait(hyb_gate_t *gate, unsigned old,
                   const hyb_core_budget_t *crowd, double seconds);

#endif
