/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/node/gate.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"
#include "hybrid/node/wait.h"

enum { LOOKS = 64 }; /* between two readings of the clock */

static long futex(atomic_uint *word, int operation, unsigned value)
{
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/*
 * Sleepers are counted before they look at the value a last time, and here the
 * value changes before they are counted: in the single order of these four
 * operations either they see the change or are seen themselves.
 */
void hyb_gate_set(hyb_gate_t *gate, unsigned value)
{
    atomic_store(&gate->value, value);
    if (atomic_load(&gate->sleepers) > 0)
        futex(&gate->value, FUTEX_WAKE_PRIVATE, INT_MAX);
}

static bool has_changed(hyb_gate_t *gate, unsigned old)
{
    return atomic_load_explicit(&gate->value, memory_order_acquire) != old;
}

/* True if the number changed meanwhile. */
static bool spin(hyb_gate_t *gate, unsigned old,
                 const hyb_core_budget_t *budget, double seconds)
{
    double end = 0;

    while (atomic_load_explicit(&budget->threads, memory_order_relaxed) <=
           budget->cores) {
        for (int look = 0; look < LOOKS; look++) {
            if (has_changed(gate, old))
                return true;
            hyb_wait_pause();
        }
        if (end == 0)
            end = xh_clock_wall() + seconds;
        else if (xh_clock_wall() > end)
            break;
    }
    return false;
}

void hyb_gate_wait(hyb_gate_t *gate, unsigned old,
                   const hyb_core_budget_t *budget, double seconds)
{
    if (has_changed(gate, old) || spin(gate, old, budget, seconds))
        return;
    atomic_fetch_add(&gate->sleepers, 1);
    while (atomic_load(&gate->value) == old)
        futex(&gate->value, FUTEX_WAIT_PRIVATE, old);
    atomic_fetch_sub(&gate->sleepers, 1);
}
