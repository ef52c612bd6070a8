/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/cgroup.h"
#include "base/pin.h"
#include "base/sysfile.h"

static pthread_once_t model_once = PTHREAD_ONCE_INIT;
static char model[256] = "unknown";

int64_t xh_cpu_l2_bytes(void)
{
    enum { USUAL = 512 * 1024 };
    long bytes = -1;

#ifdef _SC_LEVEL2_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    return bytes > 0 ? bytes : USUAL;
}

bool xh_cpu_has(xh_isa_t isa)
{
    return xh_fma_kernel(isa) != NULL;
}

xh_isa_t xh_cpu_isa(void)
{
    int isa = 0;

    while (isa < XH_ISA_PORTABLE && !xh_cpu_has((xh_isa_t)isa))
        isa++;
    return (xh_isa_t)isa;
}

const char *xh_cpu_isa_name(xh_isa_t isa)
{
#define NAME(CONSTANT, name) #name,
    static const char *const names[] = {XH_EACH_ISA(NAME)};
#undef NAME

    return names[isa];
}

static void read_model(void)
{
    xh_sysfile_value("", "proc/cpuinfo", "model name", model, sizeof(model));
}

const char *xh_cpu_model(void)
{
    pthread_once(&model_once, read_model);
    return model;
}

int xh_cpu_list(const char *list, int *numbers, int capacity)
{
    enum { MOST = 1 << 20 }; /* limit of numbers */
    int count = 0;

    while (isdigit((unsigned char)*list)) {
        char *end;
        long first = strtol(list, &end, 10);
        long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

        for (; first <= last && first < MOST; first++, count++)
            if (count < capacity)
                numbers[count] = (int)first;
        list = end + (*end == ',');
    }
    return count;
}

/* Read the list in a file below /sys/devices/system. Returns the count of its
 * numbers. */
static int read_list(const char *root, const char *file, int *numbers,
                     int capacity)
{
    char path[128], list[4096];
    int count;

    snprintf(path, sizeof(path), "sys/devices/system/%s", file);
    if (!xh_sysfile_line(root, path, list, sizeof(list)))
        return 0;
    count = xh_cpu_list(list, numbers, capacity);
    return count < capacity ? count : capacity;
}

/*
 * Is `cpu` the first processor of its group that is in `mask` (NULL: of all)?
 * Returns `unknown` if the system does not report the group.
 */
static bool leads(const char *root, int cpu, const char *group,
                  const xh_affinity_t *mask, bool unknown)
{
    enum { MOST = 1024 };
    char file[64];
    int members[MOST], count;

    snprintf(file, sizeof(file), "cpu/cpu%d/topology/%s", cpu, group);
    count = read_list(root, file, members, MOST);
    for (int i = 0; i < count; i++)
        if (mask == NULL || xh_affinity_has(mask, members[i]))
            return members[i] == cpu;
    return unknown;
}

static const char core[] = "thread_siblings_list";
static const char socket[] = "core_siblings_list";

int xh_cpu_core_ids(const char *root, int *ids, int capacity)
{
    xh_affinity_t mask;
    int cores = 0;

    if (xh_pin_save(&mask) != 0)
        return 0;
    for (int cpu = 0; cpu < XH_MOST_CPUS; cpu++)
        if (xh_affinity_has(&mask, cpu) &&
            leads(root, cpu, core, &mask, true)) {
            if (cores < capacity)
                ids[cores] = cpu;
            cores++;
        }
    return cores;
}

int xh_cpu_cores(const char *root)
{
    double cores = xh_cpu_core_ids(root, NULL, 0);

    return (int)fmax(1.0, fmin(cores, xh_cgroup_cpu_quota(root)));
}

xh_census_t xh_cpu_census(const char *root)
{
    int cpus[XH_MOST_CPUS];
    int count = read_list(root, "cpu/online", cpus, XH_MOST_CPUS);
    xh_census_t census = {.sockets = 0};

    for (int i = 0; i < count; i++) {
        census.cores += leads(root, cpus[i], core, NULL, false);
        census.sockets += leads(root, cpus[i], socket, NULL, false);
    }
    census.numa_nodes = read_list(root, "node/online", cpus, XH_MOST_CPUS);
    return census;
}
