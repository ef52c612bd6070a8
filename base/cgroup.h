/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_CGROUP_H
#define XH_CGROUP_H

#include <stdint.h>

/*
 * What the control groups of this process grant, version 1 and 2, the least
 * of every level from its own group up to the root that it can see.
 *
 * root  in  where /proc and /sys are: "", or a folder with another machine's
 */

/*
 * Bytes below the memory limits; pages of files that were not used lately
 * count as free. UINT64_MAX where nothing limits.
 */
uint64_t xh_cgroup_memory_left(const char *root);

/* Processors' worth of time; HUGE_VAL where nothing limits. */
double xh_cgroup_cpu_quota(const char *root);

#endif
