/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 2 */
/* What is measured for a plan with devices, without, and with some that fail.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hybrid/lu/solver/solver.h"
#include "hybrid/plan/measure.h"
#include "testing/unit/capture.h"
#include "testing/unit/driver_fixture.h"
#include "testing/unit/small_system.h"

static int rank_here(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* Of a solver that is open, which is closed. */
static hyb_model_rates_t measure(void)
{
    const hyb_measurement_t what = {.widths = 2,
                                    .width = {16, 32},
                                    .seconds = 0.01,
                                    .bytes = 1e6,
                                    .column_step = 1};
    hyb_model_rates_t rates;

    assert_ok(hyb_measure(hyb_driver_means(), &what, &rates));
    driver_close();
    return rates;
}

static void assert_devices(const hyb_model_rates_t *rates, bool are_there)
{
    assert_int_equal(rates->widths, 2);
    for (int i = 0; i < rates->widths; i++) {
        const hyb_model_width_t *width = &rates->width[i];
        const hyb_model_curve_t *curve = &width->devices;

        assert_true(width->update.count >= 2);
        assert_int_equal(curve->count, are_there ? width->update.count : 0);
        assert_int_equal(width->narrow.count, width->update.count);
        for (int j = 0; j < curve->count; j++)
            assert_true(curve->seconds[j] > 0.0 && isfinite(curve->seconds[j]));
        assert_true(!are_there || width->tile >= 16);
    }
}

TEST(devices_have_a_curve_of_their_own)
{
    hyb_model_rates_t rates;

    driver_open_with_devices(1, "threads=1 tile=64 kernel=portable");
    rates = measure();
    assert_devices(&rates, true);
    assert_false(rates.fixed);
    driver_open_with_devices(2, "threads=2 split=fixed:0.75 kernel=portable");
    rates = measure();
    assert_devices(&rates, true);
    assert_true(rates.fixed && rates.share == 0.75);
}

TEST(without_devices_there_is_none)
{
    hyb_model_rates_t rates;

    driver_open("threads=1 kernel=portable");
    rates = measure();
    assert_devices(&rates, false);
}

TEST(where_a_process_has_none_none_counts)
{
    hyb_model_rates_t rates;

    driver_open_with_devices(rank_here() == 0, "threads=1 kernel=portable");
    rates = measure();
    assert_devices(&rates, small_processes() == 1);
}

/* The first of two, which are dealt in turn, or the only one. */
TEST(devices_that_fail_are_not_counted)
{
    char settings[96];
    hyb_model_rates_t rates;

    for (int devices = 1; devices <= 2; devices++) {
        snprintf(settings, sizeof(settings),
                 "threads=1 tile=64 kernel=portable emu_fault=%d:fail@gemm:3",
                 rank_here());
        driver_open_with_devices(devices, settings);
        capture_begin();
        rates = measure();
        assert_non_null(strstr(capture_end(NULL), "is dropped"));
        assert_devices(&rates, devices == 2);
    }
}

TEST_MPI_MAIN()
