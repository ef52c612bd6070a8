/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_cpus.h"

#include <stddef.h>
#include "base/cpu.h"
#include "base/cpu_list.h"

enum { BITS = 8 };

bool xhpl_cpus_have(const xhpl_cpus_t *cpus, int cpu)
{
    return (cpus->bits[cpu / BITS] >> cpu % BITS & 1) != 0;
}

static void add(xhpl_cpus_t *cpus, int cpu)
{
    cpus->bits[cpu / BITS] |= (unsigned char)(1 << cpu % BITS);
}

int xhpl_cpus_count(const xhpl_cpus_t *cpus)
{
    int count = 0;

    for (int cpu = 0; cpu < XHPL_CPUS; cpu++)
        count += xhpl_cpus_have(cpus, cpu);
    return count;
}

xhpl_cpus_t xhpl_cpus_of(const char *list)
{
    xhpl_cpus_t cpus = {{0}};
    int number[XHPL_CPUS];
    int count = list != NULL ? xh_cpu_list(list, number, XHPL_CPUS)
                             : xh_cpu_core_ids("", number, XHPL_CPUS);

    for (int i = 0; i < count && i < XHPL_CPUS; i++)
        if (number[i] < XHPL_CPUS)
            add(&cpus, number[i]);
    return cpus;
}
