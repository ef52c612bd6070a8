/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_GATE_H
#define HYB_GATE_H

#include <stdatomic.h>

/*
 * The threads that want to run on a set of cores. Who waits may spin only
 * while each of them has a core of its own: otherwise it holds up those it
 * waits for.
 */
typedef struct {
    atomic_int threads;
    int cores;
} hyb_core_budget_t;

/*
 * A number, 0 at first, that threads wait for: they spin for a while if the
 * cores suffice for all, then sleep until it changes.
 */
typedef struct {
    _Alignas(64) atomic_uint value; /* a cache line of its own */
    atomic_uint sleepers;
} hyb_gate_t;

/*
 * Change the number and wake all who wait. What this thread wrote before is
 * seen by those who get the new value.
 */
void hyb_gate_set(hyb_gate_t *gate, unsigned value);

/*
 * Wait until the number differs from old.
 *
 * budget   in  asked again and again while spinning
 * seconds  in  the longest time to spin
 */
void hyb_gate_wait(hyb_gate_t *gate, unsigned old,
                   const hyb_core_budget_t *budget, double seconds);

#endif
