/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cgroup.h"
#include "base/log.h"
#include "base/sysfile.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE (2 * HUGE_PAGE) /* below, aligning would waste too much */

xh_status_t xh_memory_available(const char *root, uint64_t *bytes_p)
{
    char value[64];
    uint64_t kib;

    if (!xh_sysfile_value(root, "proc/meminfo", "MemAvailable", value,
                          sizeof(value)) ||
        sscanf(value, "%" SCNu64, &kib) != 1) {
        xh_log_error("%s/proc/meminfo does not tell MemAvailable", root);
        return XH_ERR_IO;
    }
    *bytes_p = xh_cgroup_memory_left(root);
    if (*bytes_p > kib << 10)
        *bytes_p = kib << 10;
    return XH_OK;
}

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

/* What the address sanitizer watches behind each allocation. */
#ifdef __SANITIZE_ADDRESS__
enum { GUARD = 1 << 20 };
#else
enum { GUARD = 0 };
#endif

/* Forbid to touch what is behind bytes of memory, or allow it again. */
static void guard(char *memory, size_t bytes, bool forbidden)
{
#ifdef __SANITIZE_ADDRESS__
    size_t behind = whole_pages(bytes) + GUARD - bytes;

    if (forbidden)
        ASAN_POISON_MEMORY_REGION(memory + bytes, behind);
    else
        ASAN_UNPOISON_MEMORY_REGION(memory + bytes, behind);
#else
    (void)memory;
    (void)bytes;
    (void)forbidden;
#endif
}

static void *map(size_t length, int more_flags)
{
    return mmap(NULL, length + GUARD, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
}

void xh_memory_prefer_huge(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    size_t before = (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE;

    if (bytes >= before + HUGE_PAGE)
        madvise((char *)memory + before,
                (bytes - before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

/* Map more than needed, then unmap the ends. */
static void *map_aligned(size_t length)
{
    char *start = map(length + HUGE_PAGE, 0);
    size_t before, behind;

    if (start == MAP_FAILED)
        return MAP_FAILED;
    before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    behind = HUGE_PAGE - before;
    if (before > 0)
        munmap(start, before);
    if (behind > 0)
        munmap(start + before + length + GUARD, behind);
    xh_memory_prefer_huge(start + before, length);
    return start + before;
}

static xh_status_t give(void *memory, size_t bytes, void **memory_p)
{
    if (memory == MAP_FAILED) {
        xh_log_error("cannot allocate %.1f MiB", (double)bytes / 0x1p20);
        return XH_ERR_MEMORY;
    }
    guard(memory, bytes, true);
    *memory_p = memory;
    return XH_OK;
}

xh_status_t xh_memory_allocate(size_t bytes, void **memory_p)
{
    void *memory = MAP_FAILED;

    if (bytes < SIZE_MAX - LARGE)
        memory = bytes < LARGE ? map(whole_pages(bytes), 0)
                               : map_aligned(whole_pages(bytes));
    return give(memory, bytes, memory_p);
}

xh_status_t xh_memory_reserve(size_t bytes, void **memory_p)
{
    void *memory = bytes < SIZE_MAX - LARGE
                       ? map(whole_pages(bytes), MAP_NORESERVE)
                       : MAP_FAILED;

#ifdef MADV_NOHUGEPAGE
    if (memory != MAP_FAILED)
        madvise(memory, whole_pages(bytes), MADV_NOHUGEPAGE);
#endif
    return give(memory, bytes, memory_p);
}

void xh_memory_free(void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    guard(memory, bytes, false);
    munmap(memory, whole_pages(bytes) + GUARD);
}

void xh_memory_touch(void *memory, size_t bytes, int part, int parts)
{
    enum { PAGE = 4096 }; /* the least there is */
    volatile char *byte = memory;
    size_t share = (bytes / PAGE / (size_t)parts + 1) * PAGE;
    size_t from = (size_t)part * share;

    for (size_t at = from; at < bytes && at < from + share; at += PAGE)
        byte[at] = byte[at];
    if (from < bytes && bytes <= from + share)
        byte[bytes - 1] = byte[bytes - 1];
}
