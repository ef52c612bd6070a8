/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * The limits of this process's control groups, versions 1 and 2: the lowest
 * limit of all levels from its own group up to the visible root.
 *
 * root  in  folder of /proc and /sys: "", or a copy of another machine's
 */

/*
 * Bytes left below the memory limits; inactive pages of files count as free.
 * UINT64_MAX if there is no limit.
 */
uint64_t xh_cgroup_memory_left(const char *root);

/* CPU quota in processors; HUGE_VAL if there is no limit. */
double xh_cgroup_cpu_quota(const char *root);
