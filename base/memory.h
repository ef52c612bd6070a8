/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_MEMORY_H
#define XH_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * Bytes that processes of this node can still take: the smaller of
 * MemAvailable and what the memory cgroups above this process leave (v1 and
 * v2, every level up to the root).
 * Errors: XH_ERR_IO  the system does not tell; *bytes_p is untouched
 */
xh_status_t xh_memory_available(uint64_t *bytes_p);

/* The same of a machine whose /proc and /sys lie below the folder root. */
xh_status_t xh_memory_available_below(const char *root, uint64_t *bytes_p);

/*
 * Bytes of zeroed memory that no page backs yet, page-aligned; from 4 MiB on
 * aligned to 2 MiB and on huge pages where the system offers them on request.
 * Released by xh_memory_free with the same bytes, which accepts NULL.
 * bytes 0 gives a valid pointer.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xh_memory_allocate(size_t bytes, void **memory_p);
void xh_memory_free(void *memory, size_t bytes);

/*
 * Have all pages of memory backed now, by the caller's node; contents stay.
 * Members of a team, each with a part of its own, are faster.
 *
 * part, parts  in  of the memory, 0 <= part < parts
 */
void xh_memory_touch(void *memory, size_t bytes, int part, int parts);

/*
 * Have the huge pages that lie wholly in memory backed by such, where the
 * system offers them on request. Before the first use, which they make faster.
 */
void xh_memory_prefer_huge(void *memory, size_t bytes);

#endif
