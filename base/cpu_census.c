/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu_census.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/cpu_list.h"
#include "base/sysfile.h"

enum { MOST = 8192, MOST_SOCKETS = 1024, TEXT = 4096 };

/* How many numbers a file's list has, the first of them in numbers. */
static int read_list(const char *root, const char *file, int *numbers,
                     int capacity)
{
    char list[TEXT];
    int count;

    if (!xh_sysfile_line(root, file, list, sizeof(list)))
        return 0;
    count = xh_cpu_list(list, numbers, capacity);
    return count < capacity ? count : capacity;
}

/* Is cpu the first hardware thread of its core? */
static bool leads_core(const char *root, int cpu)
{
    char file[128];
    int first;

    snprintf(file, sizeof(file),
             "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    return read_list(root, file, &first, 1) == 1 && first == cpu;
}

/* Add cpu's socket to those seen, if it is known and new. */
static void see_socket(const char *root, int cpu, int64_t *seen, int *count)
{
    char file[128];
    int64_t socket;

    snprintf(file, sizeof(file),
             "sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
    if (!xh_sysfile_number(root, file, &socket))
        return;
    for (int i = 0; i < *count; i++)
        if (seen[i] == socket)
            return;
    if (*count < MOST_SOCKETS)
        seen[(*count)++] = socket;
}

xh_census_t xh_cpu_census(const char *root)
{
    int cpus[MOST];
    int count = read_list(root, "sys/devices/system/cpu/online", cpus, MOST);
    int64_t seen[MOST_SOCKETS];
    xh_census_t census = {.sockets = 0};

    for (int i = 0; i < count; i++) {
        census.cores += leads_core(root, cpus[i]);
        see_socket(root, cpus[i], seen, &census.sockets);
    }
    census.numa_nodes =
        read_list(root, "sys/devices/system/node/online", cpus, MOST);
    return census;
}
