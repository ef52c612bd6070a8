/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/node/wait.h"

#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"

void hyb_poller_add(hyb_poller_t *poller, hyb_poll_fn_t poll, void *context)
{
    assert(poller->count < HYB_POLLED_MOST);
    poller->poll[poller->count] = poll;
    poller->context[poller->count++] = context;
}

void hyb_poller_poll(hyb_poller_t *poller)
{
    if (poller->polls)
        return;
    poller->polls = true;
    for (int i = 0; i < poller->count; i++)
        poller->poll[i](poller->context[i]);
    poller->polls = false;
}

/* The core's other thread gets on. */
static void rest(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* ---- waiting ------------------------------------------------------------- */

enum { SPINS = 200 }; /* before the core is given away */

/* Sleep for about that long: without the first call the system adds 50 us. */
static void nap(double seconds)
{
    static _Thread_local bool is_exact;

    if (!is_exact)
        prctl(PR_SET_TIMERSLACK, 1000UL);
    is_exact = true;
    xh_clock_sleep(seconds);
}

/* Give the core away: for a nap, of at most `most` seconds, that delays the end
 * of a wait of so many seconds little, or, if that is not worth its cost, to
 * threads that are ready. */
static void give_way(double waited, double most)
{
    static const double part = 1.0 / 16.0, least = 20e-6;
    double seconds = part * waited < most ? part * waited : most;

    if (seconds >= least)
        nap(seconds);
    else
        sched_yield();
}

static void wait_until(bool (*is_so)(void *subject), void *subject,
                       hyb_turn_fn_t turn, void *context, double longest_nap)
{
    double since = 0.0;
    int spins = 0;

    while (!is_so(subject)) {
        if (turn != NULL && turn(context)) {
            spins = 0;
        } else if (spins++ < SPINS) {
            rest();
            since = 0.0;
        } else {
            since = since == 0.0 ? xh_clock_wall() : since;
            give_way(xh_clock_wall() - since, longest_nap);
        }
    }
}

void hyb_wait_until(bool (*is_so)(void *subject), void *subject,
                    hyb_turn_fn_t turn, void *context)
{
    wait_until(is_so, subject, turn, context, 100e-6);
}

void hyb_wait_long_until(bool (*is_so)(void *subject), void *subject,
                         hyb_turn_fn_t turn, void *context)
{
    wait_until(is_so, subject, turn, context, 1e-3);
}

/* ---- waiting for the team ------------------------------------------------ */

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

enum { LOOKS = 64 }; /* between two readings of the clock */

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
            rest();
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
