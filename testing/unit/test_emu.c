/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include "testing/unit/emu_fixture.h"

enum {
    ORDER = 40, /* of the largest matrix here */
    MIB = 1 << 20
};

static hyb_device_t *device;
static hyb_queue_t *queue;

static int close_device(void **state)
{
    (void)state;
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    device = NULL;
    queue = NULL;
    return 0;
}

static void open_device(const char *setting)
{
    device = emu_open(0, setting, NULL);
    queue = emu_queue(device);
}

/* ---- describing ------------------------------------------------------ */

static void it_describes_what_the_settings_say(void **state)
{
    hyb_device_info_t info;

    (void)state;
    device = emu_open(3, "emu_memory=7", "emu_link=2.5", "emu_rate=50",
                      "emu_dry=on", NULL);
    assert_int_equal(hyb_device_describe(device, &info), XH_OK);
    assert_string_equal(info.name, "emulated device");
    assert_string_equal(info.backend, "emu");
    assert_string_equal(info.pci_address, "");
    assert_int_equal(info.index, 3);
    assert_int_equal(info.memory, 7 * MIB);
    assert_int_equal(info.memory_free, info.memory);
    assert_true(info.link_rate == 2.5e9 && info.gemm_rate == 50e9);
    assert_true(info.models_time);
}

static void its_sensors_tell_nothing(void **state)
{
    hyb_device_sensors_t sensors;

    (void)state;
    open_device("emu_dry=off");
    assert_int_equal(hyb_device_sensors(device, &sensors), XH_OK);
    assert_true(isnan(sensors.temperature) && isnan(sensors.clock) &&
                isnan(sensors.power));
}

/* ---- queues and events ----------------------------------------------- */

static void closing_finishes_what_is_queued(void **state)
{
    static double from[ORDER * ORDER], to[ORDER * ORDER];
    hyb_view_t matrix;
    int i;

    (void)state;
    for (i = 0; i < ORDER * ORDER; i++)
        from[i] = i + 0.5;
    open_device("emu_link=0.01"); /* 1.3 ms a copy */
    matrix = emu_matrix(device, ORDER, ORDER);
    assert_int_equal(hyb_queue_copy_in(queue,
                                       (hyb_view_t){from, ORDER, ORDER, ORDER},
                                       matrix),
                     XH_OK);
    assert_int_equal(hyb_queue_copy_out(queue, matrix,
                                        (hyb_view_t){to, ORDER, ORDER, ORDER}),
                     XH_OK);
    hyb_queue_destroy(queue);
    queue = NULL;
    hyb_device_close(device);
    device = NULL;
    assert_memory_equal(from, to, sizeof(from));
}

static void queues_come_and_go(void **state)
{
    enum { ROUNDS = 200 };
    static double x;
    hyb_view_t matrix;
    hyb_queue_t *other;
    int i;

    (void)state;
    open_device("emu_memory=1");
    matrix = emu_matrix(device, 1, 1);
    for (i = 0; i < ROUNDS; i++) {
        other = emu_queue(device);
        assert_int_equal(
            hyb_queue_copy_out(other, matrix, (hyb_view_t){&x, 1, 1, 1}),
            XH_OK);
        assert_int_equal(emu_finish(device, other), XH_OK);
        hyb_queue_destroy(other);
    }
}

static void an_event_never_recorded_has_passed(void **state)
{
    hyb_event_t *event;
    double seconds;
    bool done = false;

    (void)state;
    open_device("emu_memory=1");
    event = emu_event(device);
    assert_int_equal(hyb_event_wait(event, 0, &done), XH_OK);
    assert_true(done);
    assert_int_equal(hyb_queue_wait(queue, event), XH_OK);
    capture_begin();
    assert_int_equal(hyb_event_elapsed(event, event, &seconds), XH_ERR_ARG);
    capture_end(NULL);
    hyb_event_destroy(event);
    assert_int_equal(emu_finish(device, queue), XH_OK);
}

/* ---- threads --------------------------------------------------------- */

enum { WORKERS = 4, COPIES = 50 };

static void *copy_to_and_fro(void *argument)
{
    double x[16], y[16];
    hyb_queue_t *own = emu_queue(device);
    hyb_view_t matrix = emu_matrix(device, 4, 4);
    int i, round, wrong = 0;

    for (round = 0; round < COPIES; round++) {
        for (i = 0; i < 16; i++)
            x[i] = *(int *)argument + round + i;
        hyb_queue_copy_in(own, (hyb_view_t){x, 4, 4, 4}, matrix);
        hyb_queue_copy_out(own, matrix, (hyb_view_t){y, 4, 4, 4});
        wrong += emu_finish(device, own) != XH_OK;
        wrong += memcmp(x, y, sizeof(x)) != 0;
    }
    hyb_queue_destroy(own);
    hyb_device_free(device, matrix.data);
    *(int *)argument = wrong;
    return NULL;
}

static void several_threads_use_one_device(void **state)
{
    pthread_t threads[WORKERS];
    int number[WORKERS];
    uint64_t in, out;
    int i;

    (void)state;
    open_device("emu_memory=1");
    for (i = 0; i < WORKERS; i++) {
        number[i] = 1000 * i;
        assert_int_equal(
            pthread_create(&threads[i], NULL, copy_to_and_fro, &number[i]), 0);
    }
    for (i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(number[i], 0);
    }
    hyb_device_traffic(device, &in, &out);
    assert_int_equal(in, WORKERS * COPIES * 16 * sizeof(double));
    assert_int_equal(out, in);
}

/* Threads of this process that may run on cpu and nowhere else. */
static int threads_bound_to(int cpu)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    cpu_set_t set;
    int bound = 0;

    assert_non_null(tasks);
    while ((task = readdir(tasks)) != NULL)
        if (task->d_name[0] != '.' &&
            sched_getaffinity(atoi(task->d_name), sizeof(set), &set) == 0)
            bound += CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
    closedir(tasks);
    return bound;
}

static hyb_device_t *open_on(int cpu)
{
    const hyb_backend_t *backend;
    hyb_device_t *result = NULL;

    assert_int_equal(hyb_backend_load("emu", &backend), XH_OK);
    assert_int_equal(
        hyb_device_open((hyb_device_choice_t){backend, 0}, &cpu, 1, &result),
        XH_OK);
    return result;
}

static void threads_stay_on_the_given_cores(void **state)
{
    int cpu = sched_getcpu();
    hyb_queue_t *other;

    (void)state;
    device = open_on(cpu);
    queue = emu_queue(device);
    other = emu_queue(device);
    assert_int_equal(emu_finish(device, queue), XH_OK);
    assert_int_equal(emu_finish(device, other), XH_OK);
    assert_true(threads_bound_to(cpu) >= 2);
    hyb_queue_destroy(other);
}

static void a_core_that_is_not_there_fails_the_device(void **state)
{
    hyb_queue_t *none = NULL;

    (void)state;
    device = open_on(1 << 20);
    capture_begin();
    assert_int_equal(hyb_queue_create(device, &none), XH_ERR_DEVICE);
    capture_end(NULL);
    assert_null(none);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(it_describes_what_the_settings_say,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(its_sensors_tell_nothing,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(closing_finishes_what_is_queued,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(queues_come_and_go, emu_default_settings,
                                    close_device),
    cmocka_unit_test_setup_teardown(an_event_never_recorded_has_passed,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(several_threads_use_one_device,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(threads_stay_on_the_given_cores,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_core_that_is_not_there_fails_the_device,
                                    emu_default_settings, close_device),
};
UNIT_MAIN(cases)
