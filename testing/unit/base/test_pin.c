/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#define _GNU_SOURCE
#include "base/pin.h"

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
    int count = 0;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            cpus[count++] = cpu;
    return count;
}

TEST(a_thread_stays_where_it_is_put)
{
    int cpus[CPU_SETSIZE], count = list_cpus(cpus);
    cpu_set_t before = current(), now;
    xh_affinity_t saved;

    assert_int_equal(xh_pin_save(&saved), 0);
    assert_int_equal(xh_pin_thread(&cpus[count - 1], 1), 0);
    now = current();
    assert_int_equal(CPU_COUNT(&now), 1);
    assert_true(CPU_ISSET(cpus[count - 1], &now));
    assert_int_equal(xh_pin_restore(&saved), 0);
    now = current();
    assert_true(CPU_EQUAL(&now, &before));
    assert_int_equal(xh_pin_thread(cpus, count), 0);
    now = current();
    assert_true(CPU_EQUAL(&now, &before));
}

static void *look(void *set)
{
    *(cpu_set_t *)set = current();
    return NULL;
}

TEST(threads_start_where_their_attributes_say)
{
    int cpus[CPU_SETSIZE], last = list_cpus(cpus) - 1;
    pthread_attr_t attributes;
    cpu_set_t seen;
    pthread_t thread;

    pthread_attr_init(&attributes);
    assert_int_equal(xh_pin_attributes(&attributes, &cpus[last], 1), 0);
    assert_int_equal(pthread_create(&thread, &attributes, look, &seen), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    assert_int_equal(CPU_COUNT(&seen), 1);
    assert_true(CPU_ISSET(cpus[last], &seen));
}

/* As does no list. */
TEST(numbers_that_no_processor_has_leave_a_thread_as_it_is)
{
    static const int bad[] = {-1, XH_MOST_CPUS, XH_MOST_CPUS - 1};
    cpu_set_t before = current(), now;

    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(xh_pin_thread(&bad[i], 1), EINVAL);
    assert_int_equal(xh_pin_thread(NULL, 0), 0);
    now = current();
    assert_true(CPU_EQUAL(&now, &before));
}
