/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_WAIT_H
#define HYB_WAIT_H

#include <stdbool.h>

/*
 * The one way to wait, and the one list of what has to be kept moving
 * meanwhile. No other loop spins.
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

/* For the body of a spinning loop: the core's other thread gets on. */
static inline void hyb_wait_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* Does one useful thing, if there is one; returns whether it did. */
typedef bool (*hyb_turn_fn_t)(void *context);

/*
 * Return once is_so(subject). Until then call turn(context), and if there was
 * nothing to do spin: briefly, then the core is given to any thread that is
 * ready, as processes may outnumber cores.
 */
void hyb_wait_until(bool (*is_so)(void *subject), void *subject,
                    hyb_turn_fn_t turn, void *context);

/* One turn of spinning; turns starts at 0. For loops of other libraries. */
void hyb_wait_turn(int *turns);

#endif
