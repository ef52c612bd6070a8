/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/watchdog.h"

#include <time.h>
#include "base/clock.h"
#include "base/log.h"
#include "hybrid/lu/timer.h"
#include "testing/unit/capture.h"
#include "testing/unit/unit.h"

enum { MEMBERS = 2 };

static hyb_timer_t spent[MEMBERS];

static void rest(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(1e9 * seconds)};

    nanosleep(&t, NULL);
}

static uint64_t steps(const void *context)
{
    return hyb_timer_steps(context, MEMBERS);
}

static void where(const void *context, char *text, size_t size)
{
    hyb_timer_where(context, 40, text, size);
}

static void begin(hyb_watchdog_t *dog, double patience)
{
    hyb_watched_t watched = {.steps = steps, .where = where, .context = spent};

    xh_log_identify("xhpl", 3, "node17");
    capture_begin();
    hyb_watchdog_begin(dog, &watched, patience);
}

static void who_moves_is_left_alone(void **state)
{
    hyb_watchdog_t dog;

    (void)state;
    begin(&dog, 60.0);
    hyb_timer_end(spent, 1, HYB_MULTIPLY, 7, xh_clock_now());
    hyb_watchdog_end(&dog);
    assert_string_equal(capture_end(NULL), "");
}

static void a_watch_of_no_seconds_is_none(void **state)
{
    hyb_watchdog_t dog;

    (void)state;
    begin(&dog, 0.0);
    hyb_watchdog_end(&dog);
    assert_string_equal(capture_end(NULL), "");
}

static void a_stall_is_said_once_with_iteration_and_phase(void **state)
{
    hyb_watchdog_t dog;

    (void)state;
    hyb_timer_begin(spent, 0, HYB_WAIT_ROWS, 7);
    begin(&dog, 0.02);
    rest(0.5);
    hyb_watchdog_end(&dog);
    assert_string_equal(
        capture_end(NULL),
        "xhpl: warning: rank 3 on node17: no progress for 0 s, iteration 7 of "
        "40, in the exchange: waiting for rows of other processes\n");
}

static void that_it_goes_on_is_said_too(void **state)
{
    hyb_watchdog_t dog;
    const char *text;

    (void)state;
    hyb_timer_begin(spent, 0, HYB_PANEL, 8);
    begin(&dog, 0.1);
    rest(0.6);
    hyb_timer_end(spent, 1, HYB_PANEL, 8, xh_clock_now());
    rest(0.09);
    hyb_watchdog_end(&dog);
    text = capture_end(NULL);
    assert_non_null(strstr(text, "iteration 8 of 40, in the panel: "));
    assert_non_null(strstr(text, "xhpl: warning: rank 3 on node17: it goes on, "
                                 "after "));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(who_moves_is_left_alone),
    cmocka_unit_test(a_watch_of_no_seconds_is_none),
    cmocka_unit_test(a_stall_is_said_once_with_iteration_and_phase),
    cmocka_unit_test(that_it_goes_on_is_said_too),
};

UNIT_MAIN(cases)
