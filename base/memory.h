/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * Bytes that processes of this node can still allocate: the smaller of
 * MemAvailable and what the memory cgroups of this process leave (v1 and v2,
 * every level up to the root). Without MemAvailable, MemFree and Cached are
 * used.
 *
 * root  in  where /proc and /sys are: "", or a folder with another machine's
 * Errors: XH_ERR_IO  unknown; *bytes_p is untouched
 */
xh_status_t xh_memory_available(const char *root, uint64_t *bytes_p);

/*
 * Bytes that the limits on this process's address space and data (ulimit -v and
 * -d) leave; UINT64_MAX if there is no limit.
 *
 * name_p  out  "ulimit -v" of the limit that leaves least, "" without one; may
 *              be NULL
 */
uint64_t xh_memory_limit_left(const char **name_p);

/*
 * Can `bytes` be allocated at once? They are freed again.
 *
 * what  in  "the BLAS library needs them", for the message
 * Errors: XH_ERR_MEMORY  said, with the limit of this process, if there is one
 */
xh_status_t xh_memory_try(size_t bytes, const char *what);

/*
 * Allocate zeroed memory, page-aligned and not yet backed by pages; from 4 MiB
 * on aligned to 2 MiB, with huge pages where the system offers them on request.
 * 0 bytes give a valid pointer. Released by xh_memory_free with the same bytes,
 * which accepts NULL.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xh_memory_allocate(size_t bytes, void **memory_p);

/*
 * Allocate memory of which only a little will be used, so it may exceed the
 * machine's. Small pages back what is written.
 */
xh_status_t xh_memory_reserve(size_t bytes, void **memory_p);

void xh_memory_free(void *memory, size_t bytes);

/*
 * Back part number `part` of `parts` of memory by pages now, on the caller's
 * NUMA node; contents stay. Threads with a part each are faster than one.
 */
void xh_memory_touch(void *memory, size_t bytes, int part, int parts);

/*
 * Use huge pages for memory, as far as they fit, if the system offers them on
 * request. Call this before the first use, which they speed up.
 */
void xh_memory_prefer_huge(void *memory, size_t bytes);
