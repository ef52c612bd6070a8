/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 */
#include "hybrid/observe/watchdog.h"

#include <stdatomic.h>
#include <unistd.h>
#include "base/log.h"
#include "hybrid/observe/hang/hang.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit_mpi.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"

enum { MEMBERS = 2 };

static hyb_worker_t spent[MEMBERS];

static uint64_t steps(const void *context)
{
    return hyb_timer_steps(context, MEMBERS);
}

static void describe(const void *context, char *text, size_t size)
{
    hyb_timer_where(context, 40, text, size);
}

static const hyb_watchdog_t watchdog = {
    .steps = steps, .describe = describe, .context = spent};

/* What this process does, half a second later. */
static hyb_state_t later(void)
{
    hyb_state_t found;

    hyb_watchdog_state(0.5, &found);
    return found;
}

TEST(time_counts_until_something_is_finished)
{
    hyb_timer_begin(spent, HYB_WAIT_ROWS, 7);
    hyb_watchdog_begin(&watchdog);
    assert_true(later().stall == 0.0);
    assert_true(later().stall == 0.5);
    assert_string_equal(later().position,
                        "iteration 7 of 40, in the exchange: "
                        "waiting for rows of other processes");
    assert_int_equal(later().kind, HYB_STATE_WORKING);
    hyb_timer_end(spent);
    assert_true(later().stall == 0.0);
    hyb_watchdog_end(&watchdog);
}

TEST(the_phase_that_began_last_counts)
{
    hyb_phase_t outer, inner, never = {.name = NULL};

    hyb_phase_begin(&outer, "in the verification");
    hyb_phase_begin(&inner, "in the self-test");
    later();
    hyb_phase_step(&outer);
    assert_true(later().stall == 0.5);
    assert_string_equal(later().position, "in the self-test");
    hyb_phase_step(&inner);
    assert_true(later().stall == 0.0);
    hyb_phase_end(&inner);
    assert_string_equal(later().position, "in the verification");
    hyb_phase_end(&never);
    hyb_phase_end(&outer);
    assert_string_equal(later().position, "between two phases");
    assert_int_equal(later().kind, HYB_STATE_BETWEEN);
}

/* ---- a process alone ----------------------------------------------------- */

static atomic_int heard_so_far; /* warnings of this case */

static void hear(xh_log_level_t level, const char *text)
{
    (void)level, (void)text;
    heard_so_far++;
}

/* However long that takes. */
static void wait_for_warnings(int count)
{
    while (heard_so_far < count)
        usleep(1000);
}

TEST(a_process_alone_says_once_that_it_stands_still_and_that_it_goes_on)
{
    hyb_phase_t phase;
    const char *text;

    xh_log_identify("xhpl", 3, "node17");
    xh_log_listen(hear);
    capture_begin();
    hyb_phase_begin(&phase, "starting");
    hyb_hang_open_alone(3, 0.1);
    wait_for_warnings(1);
    usleep(200000);
    hyb_phase_step(&phase);
    wait_for_warnings(2);
    hyb_hang_close();
    hyb_phase_end(&phase);
    text = capture_end(NULL);
    assert_in(text, "xhpl: warning: rank 3 on node17: no progress for ");
    assert_in(text, " s, starting\nxhpl: warning: rank 3 on node17: "
                    "the job makes progress again, after ");
}

TEST(a_patience_of_no_seconds_is_no_watch)
{
    hyb_phase_t phase;

    capture_begin();
    hyb_phase_begin(&phase, "starting");
    hyb_hang_open_alone(0, 0.0);
    usleep(50000);
    hyb_hang_close();
    hyb_phase_end(&phase);
    assert_string_equal(capture_end(NULL), "");
}
