/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/wait.h"

#include <sched.h>
#include <time.h>
#include "base/clock.h"
#include "testing/unit/unit.h"

/* A poller, and who was called. */
typedef struct {
    hyb_poller_t poller;
    char called[32];
} polled_t;

static void call(polled_t *p, const char *name)
{
    assert_true(strlen(p->called) + 1 < sizeof(p->called));
    strcat(p->called, name);
}

static void first(void *context)
{
    call(context, "1");
}

static void second(void *context)
{
    call(context, "2");
}

/* What it calls waits, say, and so polls. */
static void nested(void *context)
{
    polled_t *p = context;

    call(p, "(");
    hyb_poller_poll(&p->poller);
    call(p, ")");
}

TEST(polled_in_the_order_of_registration)
{
    polled_t p = {.called = ""};

    hyb_poller_poll(&p.poller);
    assert_string_equal(p.called, "");
    hyb_poller_add(&p.poller, second, &p);
    hyb_poller_add(&p.poller, first, &p);
    hyb_poller_poll(&p.poller);
    hyb_poller_poll(&p.poller);
    assert_string_equal(p.called, "2121");
}

TEST(who_is_polled_does_not_poll)
{
    polled_t p = {.called = ""};

    hyb_poller_add(&p.poller, first, &p);
    hyb_poller_add(&p.poller, nested, &p);
    hyb_poller_add(&p.poller, second, &p);
    hyb_poller_poll(&p.poller);
    hyb_poller_poll(&p.poller);
    assert_string_equal(p.called, "1()21()2");
}

/* ---- waiting ------------------------------------------------------------- */

/* What is waited for comes after some looks; until then turns find work to do
 * (`busy`) or none. */
typedef struct {
    int looks, turns;
    bool busy;
} wait_t;

static bool is_so(void *subject)
{
    wait_t *w = subject;

    return w->looks-- <= 0;
}

static bool turn(void *context)
{
    wait_t *w = context;

    w->turns++;
    return w->busy;
}

TEST(a_wait_takes_turns_until_it_is_so)
{
    wait_t over = {0, 0, false}, idle = {1000, 0, false}, busy = {9, 0, true};

    hyb_wait_until(is_so, &over, turn, &over);
    hyb_wait_until(is_so, &idle, turn, &idle);
    hyb_wait_until(is_so, &busy, turn, &busy);
    assert_int_equal(over.turns, 0);
    assert_int_equal(idle.turns, 1000);
    assert_int_equal(busy.turns, 9);
}

/* In place of the C library's; threads of libraries may call them, too. */
static _Thread_local int yields;
static _Thread_local double time_now, slept, longest;

int sched_yield(void)
{
    yields++;
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    double seconds = 1e-9 * (double)time->tv_nsec;

    (void)left;
    time_now += seconds;
    slept += seconds;
    longest = seconds > longest ? seconds : longest;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = xh_clock_timespec(time_now);
    return 0;
}

/* A turn without anything to do, which takes 1 us. */
static bool idle_turn(void *context)
{
    time_now += 1e-6;
    return turn(context);
}

TEST(a_short_wait_spins_and_a_longer_one_gives_the_core_away)
{
    wait_t brief = {100, 0, false}, longer = {500, 0, false};

    yields = 0;
    hyb_wait_until(is_so, &brief, idle_turn, &brief);
    assert_int_equal(yields, 0);
    hyb_wait_until(is_so, &longer, idle_turn, &longer);
    assert_in_range(yields, 250, 300);
    assert_float_equal(slept, 0.0, 0.0);
}

TEST(naps_grow_with_a_wait_and_stay_short)
{
    wait_t wait = {1000, 0, false}, long_wait = {10000, 0, false};

    time_now = slept = longest = 0.0;
    hyb_wait_until(is_so, &wait, idle_turn, &wait);
    assert_in_range(1e6 * longest, 20, 1e6 * time_now / 16.0);
    hyb_wait_until(is_so, &long_wait, idle_turn, &long_wait);
    assert_in_range(1e6 * longest, 90, 100);
    assert_in_range(100.0 * slept / time_now, 90, 100);
    long_wait = (wait_t){10000, 0, false};
    hyb_wait_long_until(is_so, &long_wait, idle_turn, &long_wait);
    assert_in_range(1e6 * longest, 900, 1000);
}
