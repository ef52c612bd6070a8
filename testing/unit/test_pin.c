/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/node/pin.h"

#include <errno.h>
#include <sched.h>
#include "testing/unit/unit.h"

static cpu_set_t current(void)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
    return set;
}

/* The processors of this process; returns how many. */
static int list_cpus(int cpus[CPU_SETSIZE])
{
    cpu_set_t set = current();
    int cpu, count = 0;

    for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            cpus[count++] = cpu;
    return count;
}

static void a_thread_stays_where_it_is_put(void **state)
{
    int cpus[CPU_SETSIZE], count = list_cpus(cpus);
    cpu_set_t before = current(), now;
    hyb_affinity_t saved;

    (void)state;
    assert_int_equal(hyb_pin_save(&saved), 0);
    assert_int_equal(hyb_pin_thread(&cpus[count - 1], 1), 0);
    now = current();
    assert_int_equal(CPU_COUNT(&now), 1);
    assert_true(CPU_ISSET(cpus[count - 1], &now));
    assert_int_equal(hyb_pin_restore(&saved), 0);
    now = current();
    assert_true(CPU_EQUAL(&now, &before));
    assert_int_equal(hyb_pin_thread(cpus, count), 0);
    now = current();
    assert_true(CPU_EQUAL(&now, &before));
}

static void *look(void *set)
{
    *(cpu_set_t *)set = current();
    return NULL;
}

static void threads_start_where_their_attributes_say(void **state)
{
    int cpus[CPU_SETSIZE], last = list_cpus(cpus) - 1;
    pthread_attr_t attributes;
    cpu_set_t seen;
    pthread_t thread;

    (void)state;
    pthread_attr_init(&attributes);
    assert_int_equal(hyb_pin_attributes(&attributes, &cpus[last], 1), 0);
    assert_int_equal(pthread_create(&thread, &attributes, look, &seen), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    assert_int_equal(CPU_COUNT(&seen), 1);
    assert_true(CPU_ISSET(cpus[last], &seen));
}

static void no_list_leaves_a_thread_as_it_is(void **state)
{
    cpu_set_t before = current(), now;

    (void)state;
    assert_int_equal(hyb_pin_thread(NULL, 0), 0);
    now = current();
    assert_true(CPU_EQUAL(&now, &before));
}

static void numbers_that_no_processor_has_are_refused(void **state)
{
    static const int bad[] = {-1, HYB_MOST_CPUS, HYB_MOST_CPUS - 1};
    cpu_set_t before = current(), now;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(hyb_pin_thread(&bad[i], 1), EINVAL);
    now = current();
    assert_true(CPU_EQUAL(&now, &before));
}

static void processors_are_counted_once(void **state)
{
    static const int cpus[] = {3, 0, 3, HYB_MOST_CPUS - 1, 0, 64};

    (void)state;
    assert_int_equal(hyb_pin_count(cpus, 6), 4);
    assert_int_equal(hyb_pin_count(cpus, 1), 1);
    assert_int_equal(hyb_pin_count(NULL, 0), 0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(a_thread_stays_where_it_is_put),
    cmocka_unit_test(threads_start_where_their_attributes_say),
    cmocka_unit_test(no_list_leaves_a_thread_as_it_is),
    cmocka_unit_test(numbers_that_no_processor_has_are_refused),
    cmocka_unit_test(processors_are_counted_once),
};

UNIT_MAIN(cases)
