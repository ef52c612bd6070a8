/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

/*
 * The one place where threads wait, and the one list of what has to be kept
 * moving meanwhile. No other loop spins.
 */

/* ---- what is polled ------------------------------------------------------ */

enum { HYB_POLLED_MOST = 8 };

/* Advances something as far as it goes now. It neither waits nor polls. */
typedef void (*hyb_poll_fn_t)(void *context);

/* Functions that one thread calls in turn, in the order of registration. */
typedef struct {
    int count;
    bool polls; /* one of them is running */
    hyb_poll_fn_t poll[HYB_POLLED_MOST];
    void *context[HYB_POLLED_MOST];
} hyb_poller_t;

/* Register one more; at most HYB_POLLED_MOST. */
void hyb_poller_add(hyb_poller_t *poller, hyb_poll_fn_t poll, void *context);

/* Call each once. A call from within one of them does nothing. */
void hyb_poller_poll(hyb_poller_t *poller);

/* ---- waiting ------------------------------------------------------------- */

/* Does one useful thing, if there is one; returns whether it did. */
typedef bool (*hyb_turn_fn_t)(void *context);

/*
 * Return once is_so(subject). Until then call turn(context), and if there was
 * nothing to do spin: briefly, then the core is given to any thread that is
 * ready, as processes may outnumber cores. A wait of more than 0.3 ms takes
 * naps of up to 100 us, which save energy and delay its end by at most a
 * sixteenth. turn may be NULL.
 */
void hyb_wait_until(bool (*is_so)(void *subject), void *subject,
                    hyb_turn_fn_t turn, void *context);

/* As hyb_wait_until, with naps of up to 1 ms, for a thread on which neither
 * messages nor devices depend. */
void hyb_wait_long_until(bool (*is_so)(void *subject), void *subject,
                         hyb_turn_fn_t turn, void *context);

/* ---- waiting for the team ------------------------------------------------ */

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

/* Change the number and wake all who wait. What this thread wrote before is
 * seen by those who get the new value. */
void hyb_gate_set(hyb_gate_t *gate, unsigned value);

/* Wait until the number differs from old; spin for so many seconds at most. */
void hyb_gate_wait(hyb_gate_t *gate, unsigned old,
                   const hyb_core_budget_t *budget, double seconds);
