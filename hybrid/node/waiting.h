/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_WAITING_H
#define HYB_WAITING_H

#include <sched.h>

/*
 * One turn of a loop that waits for another thread or process: a short spin,
 * later the core is given to whoever else is ready, as processes may outnumber
 * cores. turns starts at 0.
 */
static inline void hyb_wait_turn(int *turns)
{
    enum { SPINS = 200 };

    if (*turns >= SPINS) {
        sched_yield();
        return;
    }
    ++*turns;
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

#endif
