/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 */
#include "hybrid/observe/watchdog.h"

#include <stdatomic.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "hybrid/lu/worker.h"
#include "testing/unit/capture.h"
#include "testing/unit/unit_mpi.h"

enum { MEMBERS = 2 };

static hyb_worker_t spent[MEMBERS];
static atomic_int heard; /* warnings of this case */

static void hear(xh_log_level_t level, const char *text)
{
    (void)level, (void)text;
    heard++;
}

/* However long that takes. */
static void wait_for_warnings(int count)
{
    while (heard < count)
        usleep(1000);
}

static uint64_t steps(const void *context)
{
    return hyb_timer_steps(context, MEMBERS);
}

static void where(const void *context, char *text, size_t size)
{
    hyb_timer_where(context, 40, text, size);
}

static void begin_to_listen(void)
{
    heard = 0;
    xh_log_identify("xhpl", 3, "node17");
    xh_log_listen(hear);
    capture_begin();
}

static void begin(hyb_watchdog_t *dog, double patience)
{
    *dog = (hyb_watchdog_t){.steps = steps, .where = where, .context = spent};
    begin_to_listen();
    hyb_watchdog_begin(dog, patience);
}

TEST(a_watch_of_no_seconds_is_none)
{
    hyb_watchdog_t dog;

    begin(&dog, 0.0);
    hyb_watchdog_end(&dog);
    assert_string_equal(capture_end(NULL), "");
}

TEST(a_stall_is_said_once_with_iteration_and_phase)
{
    hyb_watchdog_t dog;

    hyb_timer_begin(spent, HYB_WAIT_ROWS, 7);
    begin(&dog, 0.02);
    wait_for_warnings(1);
    usleep(100000);
    hyb_watchdog_end(&dog);
    assert_string_equal(
        capture_end(NULL),
        "xhpl: warning: rank 3 on node17: no progress for 0 s, iteration 7 of "
        "40, in the exchange: waiting for rows of other processes\n");
}

TEST(that_it_goes_on_is_said_too)
{
    hyb_watchdog_t dog;
    const char *text;

    hyb_timer_begin(spent, HYB_PANEL, 8);
    hyb_timer_begin(&spent[1], HYB_PANEL, 8);
    begin(&dog, 0.1);
    wait_for_warnings(1);
    hyb_timer_end(&spent[1]);
    wait_for_warnings(2);
    hyb_watchdog_end(&dog);
    text = capture_end(NULL);
    assert_in(text, "iteration 8 of 40, in the panel: ");
    assert_in(text, "xhpl: warning: rank 3 on node17: it goes on, "
                    "after ");
}

/* ---- phases outside the factorization ------------------------------------ */

static void begin_phase(hyb_phase_t *phase, const char *setting)
{
    assert_ok(xh_settings_load());
    assert_ok(xh_settings_assign(setting));
    begin_to_listen();
    hyb_phase_begin(phase, "in the verification", hyb_watchdog_patience());
}

TEST(a_phase_that_stands_still_is_named)
{
    hyb_phase_t phase;

    begin_phase(&phase, "watchdog=0.1");
    wait_for_warnings(1);
    hyb_phase_end(&phase);
    assert_in(capture_end(NULL),
              "xhpl: warning: rank 3 on node17: no progress for 0 "
              "s, in the verification\n");
}

/* A busy machine may stop this thread, and not the watch, for so long that it
 * warns. It does not do so each time. */
TEST(a_phase_that_goes_on_is_left_alone)
{
    bool silent = false;

    for (int tries = 0; tries < 5 && !silent; tries++) {
        hyb_phase_t phase;

        begin_phase(&phase, "watchdog=0.4");
        for (int i = 0; i < 20; i++) {
            usleep(40000);
            hyb_phase_step(&phase);
        }
        hyb_phase_end(&phase);
        silent = strstr(capture_end(NULL), "no progress") == NULL;
    }
    assert_true(silent);
}

TEST_MPI_MAIN()
