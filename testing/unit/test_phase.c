/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 */
#include "hybrid/observe/phase.h"

#include <string.h>
#include <time.h>
#include "base/log.h"
#include "base/settings.h"
#include "testing/unit/capture.h"
#include "testing/unit/unit_mpi.h"

static void rest(double seconds)
{
    struct timespec t = {.tv_nsec = (long)(1e9 * seconds)};

    nanosleep(&t, NULL);
}

static void begin(hyb_phase_t *phase, const char *setting)
{
    assert_int_equal(xh_settings_load(), XH_OK);
    assert_int_equal(xh_settings_assign(setting), XH_OK);
    xh_log_identify("xhpl", 3, "node17");
    capture_begin();
    hyb_phase_begin(phase, "in the verification");
}

static void a_phase_that_stands_still_is_named(void **state)
{
    hyb_phase_t phase;

    (void)state;
    begin(&phase, "watchdog=0.1");
    rest(0.6);
    hyb_phase_end(&phase);
    assert_non_null(strstr(capture_end(NULL),
                           "xhpl: warning: rank 3 on node17: no progress for 0 "
                           "s, in the verification\n"));
}

static void a_phase_that_goes_on_is_left_alone(void **state)
{
    hyb_phase_t phase;
    int i;

    (void)state;
    begin(&phase, "watchdog=0.4");
    for (i = 0; i < 20; i++) {
        rest(0.04);
        hyb_phase_step(&phase);
    }
    hyb_phase_end(&phase);
    assert_null(strstr(capture_end(NULL), "no progress"));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(a_phase_that_stands_still_is_named),
    cmocka_unit_test(a_phase_that_goes_on_is_left_alone),
};

UNIT_MPI_MAIN(cases)
