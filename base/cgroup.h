/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * The limits of this process's control groups, version 1 and 2: the least of
 * every level from its own group up to the root that it can see.
 *
 * root  in  where /proc and /sys are: "", or a folder with another machine's
 */

/*
 * Bytes left below the memory limits; inactive pages of files count as free.
 * UINT64_MAX without a limit.
 */
uint64_t xh_cgroup_memory_left(const char *root);

/* CPU quota in processors; HUGE_VAL without a limit. */
double xh_cgroup_cpu_quota(const char *root);
