/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/node/gate.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"

enum { LOOKS = 64 }; /* between two readings of the clock */

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static long futex(atomic_uint *word, int operation, unsigned value)
{
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

void hyb_gate_init(hyb_gate_t *gate, unsigned value)
{
    atomic_init(&gate->value, value);
    atomic_init(&gate->sleepers, 0);
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
static bool spin(hyb_gate_t *gate, unsigned old, const hyb_core_budget_t *crowd,
                 double seconds)
{
    double end = 0;
    int look;

    while (hyb_core_budget_fits(crowd)) {
        for (look = 0; look < LOOKS; look++) {
            if (has_changed(gate, old))
                return true;
            pause_briefly();
        }
        if (end == 0)
            end = xh_clock_wall() + seconds;
        else if (xh_clock_wall() > end)
            break;
    }
    return false;
}

void hyb_gate_wait(hyb_gate_t *gate, unsigned old,
                   const hyb_core_budget_t *crowd, double seconds)
{
    if (has_changed(gate, old) || spin(gate, old, crowd, seconds))
        return;
    atomic_fetch_add(&gate->sleepers, 1);
    while (atomic_load(&gate->value) == old)
        futex(&gate->value, FUTEX_WAIT_PRIVATE, old);
    atomic_fetch_sub(&gate->sleepers, 1);
}
