/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 2; 1 more */
/* What is measured for a plan with devices, without, and with some that fail.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include <sched.h>
#include <time.h>
#include "hybrid/lu/solver/solver.h"
#include "hybrid/plan/measure.h"
#include "testing/ptest/processes.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/lu/solver_fixture.h"

/* A process that waits for another one leaves it the cores. */
int sched_yield(void)
{
    return nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

/*
 * Measure with a solver that is open, and close it. Returns rates that have a
 * curve of devices exactly if they are there.
 */
static hyb_model_rates_t measured(bool devices_are_there)
{
    const hyb_measurement_t what = {.widths = 2,
                                    .width = {16, 32},
                                    .seconds = 0.01,
                                    .bytes = 1e7,
                                    .threads_per_core = 1.0,
                                    .column_step = 1};
    hyb_model_rates_t rates;

    assert_ok(hyb_measure(hyb_solver_resources(), &what, &rates));
    solver_close();
    assert_int_equal(rates.widths, 2);
    for (int i = 0; i < rates.widths; i++) {
        const hyb_model_width_t *width = &rates.width[i];
        const hyb_model_curve_t *curve = &width->devices;

        assert_true(width->update.count >= 2);
        assert_int_equal(curve->count,
                         devices_are_there ? width->update.count : 0);
        assert_int_equal(width->narrow.count, width->update.count);
        for (int j = 0; j < curve->count; j++)
            assert_true(curve->seconds[j] > 0.0 && isfinite(curve->seconds[j]));
        assert_true(width->transfer.count >= width->resident.count);
        for (int j = 0; j < width->resident.count; j++)
            assert_true(width->resident.seconds[j] > 0.0 &&
                        width->transfer.seconds[j] > 0.0 &&
                        width->subtract.seconds[j] > 0.0);
    }
    return rates;
}

TEST(devices_have_a_curve_of_their_own)
{
    hyb_model_rates_t rates;

    solver_open_with_devices(1, "threads=1 emu_rate=20 kernel=portable");
    assert_false(measured(true).has_fixed_share);
    solver_open_with_devices(
        2, "threads=2 emu_rate=20 split=fixed:0.75 kernel=portable");
    rates = measured(true);
    assert_true(rates.has_fixed_share && rates.share == 0.75);
}

/* Their products are as quick as they, or as the links, let them be: 20
 * Gflop/s, or those of 0.5 GB/s. */
TEST(a_column_comes_and_goes_by_the_link)
{
    static const struct {
        const char *settings;
        double rate; /* with panels of 32 */
    } of[] = {{"threads=1 kernel=portable emu_rate=20", 20e9},
              {"threads=1 kernel=portable emu_rate=20 emu_link=0.5", 4e9},
              {"threads=1 kernel=portable emu_rate=20 emu_link=50", 20e9}};

    for (int devices = 1; devices <= 2; devices++)
        for (size_t i = 0; i < COUNT_OF(of); i++) {
            hyb_model_curve_t curve;

            solver_open_with_devices(devices, of[i].settings);
            curve = measured(true).width[1].devices;
            for (int j = 0; j < curve.count; j++) {
                double flop = 2.0 * curve.rows[j] * 32;

                assert_float_equal(flop / curve.seconds[j],
                                   devices * of[i].rate, 1.0);
            }
        }
}

/* Where columns may live there, their work on these is measured, too. */
TEST(columns_on_devices_have_a_curve_where_they_may_live_there)
{
    static const struct {
        const char *settings;
        bool known, there;
    } of[] = {{"home=device threads=1 kernel=portable", false, true},
              {"home=auto emu_rate=1e3 threads=1 kernel=portable", true, true},
              {"home=auto threads=1 kernel=portable", false, false},
              {"home=host emu_rate=1e3 threads=1 kernel=portable", true, true},
              {"home=host visit=product emu_rate=1e3 threads=1 kernel=portable",
               true, false}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        solver_open_with_devices(2, of[i].settings);
        assert_int_equal(measured(of[i].known).width[1].resident.count >= 2,
                         of[i].there);
    }
}

TEST(columns_on_a_device_that_fails_do_not_count)
{
    char settings[96];

    snprintf(settings, sizeof(settings),
             "home=device threads=1 emu_rate=1e3 kernel=portable "
             "emu_fault=%d:fail@swap_rows:3",
             xhpl_rank(MPI_COMM_WORLD));
    solver_open_with_devices(2, settings);
    unheard(assert_int_equal(measured(true).width[0].resident.count, 0));
}

TEST(without_devices_there_is_none)
{
    solver_open("threads=1 kernel=portable");
    measured(false);
}

TEST(where_a_process_has_none_none_counts)
{
    solver_open_with_devices(xhpl_rank(MPI_COMM_WORLD) == 0,
                             "threads=1 emu_rate=1e3 kernel=portable");
    measured(xhpl_size(MPI_COMM_WORLD) == 1);
}

TEST(devices_of_unknown_rate_are_left_out_which_is_said)
{
    const char *said;

    solver_open_with_devices(1, "threads=1 kernel=portable");
    said = heard(measured(false));
    if (xhpl_rank(MPI_COMM_WORLD) == 0)
        assert_in(said, "the rate of a device is unknown");
    else
        assert_string_equal(said, "");
}
