/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/cpu.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/cgroup.h"
#include "base/cpu_list.h"
#include "base/fma.h"
#include "base/sysfile.h"

enum { MOST_CPUS = 1 << 20 };

typedef struct { /* numbers of the processors that may be used */
    cpu_set_t *set;
    size_t bytes;
    int most; /* numbers are below */
} mask_t;

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

/* The system refuses a set that is smaller than its own. */
static bool open_mask(mask_t *mask_p)
{
    int most;

    for (most = CPU_SETSIZE; most <= MOST_CPUS; most *= 2) {
        size_t bytes = CPU_ALLOC_SIZE(most);
        cpu_set_t *set = CPU_ALLOC(most);

        if (set == NULL)
            return false;
        if (sched_getaffinity(0, bytes, set) == 0) {
            *mask_p = (mask_t){.set = set, .bytes = bytes, .most = most};
            return true;
        }
        CPU_FREE(set);
        if (errno != EINVAL)
            return false;
    }
    return false;
}

/* The first hardware thread of cpu's core that is in the mask. */
static int first_sibling(const char *root, int cpu, const mask_t *mask)
{
    enum { MOST = 1024 }; /* hardware threads of a core */
    char file[128], list[4096];
    int siblings[MOST], count, i;

    snprintf(file, sizeof(file),
             "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    if (!xh_sysfile_line(root, file, list, sizeof(list)))
        return cpu;
    count = xh_cpu_list(list, siblings, MOST);
    for (i = 0; i < count && i < MOST; i++)
        if (siblings[i] < cpu &&
            CPU_ISSET_S((size_t)siblings[i], mask->bytes, mask->set))
            return siblings[i];
    return cpu;
}

int xh_cpu_core_ids(const char *root, int *ids, int capacity)
{
    mask_t mask;
    int cores = 0;
    int cpu;

    if (!open_mask(&mask))
        return 0;
    for (cpu = 0; cpu < mask.most; cpu++) {
        if (!CPU_ISSET_S((size_t)cpu, mask.bytes, mask.set) ||
            first_sibling(root, cpu, &mask) != cpu)
            continue;
        if (cores < capacity)
            ids[cores] = cpu;
        cores++;
    }
    CPU_FREE(mask.set);
    return cores;
}

int xh_cpu_cores_below(const char *root)
{
    double cores = xh_cpu_core_ids(root, NULL, 0);

    return (int)fmax(1.0, fmin(cores, xh_cgroup_cpu_quota(root)));
}

int xh_cpu_cores(void)
{
    return xh_cpu_cores_below("");
}
