/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/product_return.h"

#include <dirent.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/cpu.h"
#include "testing/unit/emu_fixture.h"

/* The clock stands still, so that a dry device's times are its model's. */
static double standing_clock(void *context)
{
    (void)context;
    return 0.0;
}

static const hyb_return_trial_t small = {
    .tile = 16, .slots = 3, .memory = 1 << 20, .patience = 60.0};

static bool pays(const char *link, const char *rate)
{
    bool result = false;
    hyb_device_t *device;

    xh_clock_install(standing_clock, NULL);
    device = emu_open(0, "emu_dry=on", link, rate, NULL);
    assert_int_equal(hyb_product_return_pays(device, &small, &result), XH_OK);
    hyb_device_close(device);
    xh_clock_install(NULL, NULL);
    return result;
}

static void it_pays_where_the_link_is_slow(void **state)
{
    (void)state;
    assert_true(pays("emu_link=1", "emu_rate=1000"));
    assert_true(pays("emu_link=100", "emu_rate=100000"));
}

static void it_does_not_where_products_are_slow(void **state)
{
    (void)state;
    assert_false(pays("emu_link=1", "emu_rate=0.1"));
    assert_false(pays("emu_link=100", "emu_rate=10"));
}

static void it_does_not_without_a_difference(void **state)
{
    (void)state;
    assert_false(pays("emu_link=0", "emu_rate=0"));
}

/* What comes out depends on the machine. */
static void it_is_tried_with_any_memory(void **state)
{
    hyb_return_trial_t trial = small;
    hyb_device_t *device = emu_open(0, "emu_memory=1", NULL);
    bool result;

    (void)state;
    trial.tile = 4;
    for (trial.memory = 1 << 7; trial.memory <= 1 << 19; trial.memory *= 2)
        assert_int_equal(hyb_product_return_pays(device, &trial, &result),
                         XH_OK);
    hyb_device_close(device);
}

/* ---- threads --------------------------------------------------------------
 */

static const hyb_backend_t *emu; /* that counting_gemm asks */
static int most_threads;

static int threads_now(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = -2;

    assert_non_null(tasks);
    while (readdir(tasks) != NULL)
        count++;
    closedir(tasks);
    return count;
}

static xh_status_t counting_gemm(void *state, void *queue,
                                 const hyb_gemm_t *product)
{
    int threads = threads_now();

    most_threads = threads > most_threads ? threads : most_threads;
    return emu->gemm(state, queue, product);
}

/* A thread that was joined may still be listed, for as long as it takes it to
 * get a core. */
static void await_threads(int count)
{
    enum { MILLISECONDS = 10000 };

    for (int i = 0; i < MILLISECONDS && threads_now() > count; i++)
        usleep(1000);
}

/* The most threads that there are during a trial with so many copiers. */
static int threads_of_trial(int copiers)
{
    int before = threads_now();
    hyb_return_trial_t trial = small;
    hyb_backend_t counting;
    hyb_device_t *device;
    int cpus[4];
    bool result;

    assert_in_range(xh_cpu_core_ids("", cpus, 1), 1, INT64_MAX);
    cpus[1] = cpus[2] = cpus[3] = cpus[0];
    trial.cpus = cpus;
    trial.cpu_count = copiers;
    assert_int_equal(hyb_backend_load("emu", &emu), XH_OK);
    counting = *emu;
    counting.gemm = counting_gemm;
    assert_int_equal(
        hyb_device_open((hyb_device_choice_t){&counting, 0}, NULL, 0, &device),
        XH_OK);
    most_threads = 0;
    assert_int_equal(hyb_product_return_pays(device, &trial, &result), XH_OK);
    hyb_device_close(device);
    await_threads(before);
    return most_threads;
}

static void it_is_tried_with_the_streams_threads(void **state)
{
    int alone = threads_of_trial(1);

    (void)state;
    assert_int_equal(threads_of_trial(0), alone);
    assert_int_equal(threads_of_trial(2), alone + 1);
    assert_int_equal(threads_of_trial(4), alone + 3);
}

/* ---- failures -------------------------------------------------------------
 */

/* Nothing is said of what pays. */
static xh_status_t lose(const char *fault, hyb_return_trial_t trial,
                        bool *failed_p)
{
    bool result[2] = {false, true};
    hyb_device_t *device;
    xh_status_t status;

    capture_begin();
    device = emu_open(0, "emu_memory=1", fault, NULL);
    status = hyb_product_return_pays(device, &trial, &result[1]);
    *failed_p = hyb_device_failed(device);
    hyb_device_close(device);
    capture_end(NULL);
    assert_true(result[1]);
    return status;
}

static void a_device_that_fails_in_it_is_failed(void **state)
{
    static const char *const faults[] = {
        "emu_fault=fail@alloc:1", "emu_fault=fail@gemm:5",
        "emu_fault=fail@copy_out:30", "emu_fault=stall@copy_in:3"};
    hyb_return_trial_t hasty = small;
    bool failed;
    size_t i;

    (void)state;
    hasty.patience = 0.1;
    for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        assert_int_equal(lose(faults[i], hasty, &failed), XH_ERR_DEVICE);
        assert_true(failed);
    }
}

static void a_device_without_memory_for_it_works_on(void **state)
{
    static const char *const faults[] = {"emu_fault=oom@alloc:1",
                                         "emu_fault=oom@copy_in:9",
                                         "emu_fault=oom@gemm:20"};
    bool failed;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        assert_int_equal(lose(faults[i], small, &failed), XH_ERR_MEMORY);
        assert_false(failed);
    }
}

#define WITH_DEFAULTS(test) cmocka_unit_test_setup(test, emu_default_settings)

static const struct CMUnitTest cases[] = {
    WITH_DEFAULTS(it_pays_where_the_link_is_slow),
    WITH_DEFAULTS(it_does_not_where_products_are_slow),
    WITH_DEFAULTS(it_does_not_without_a_difference),
    WITH_DEFAULTS(it_is_tried_with_any_memory),
    WITH_DEFAULTS(it_is_tried_with_the_streams_threads),
    WITH_DEFAULTS(a_device_that_fails_in_it_is_failed),
    WITH_DEFAULTS(a_device_without_memory_for_it_works_on),
};

UNIT_MAIN(cases)
