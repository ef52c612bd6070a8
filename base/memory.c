/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/cgroup.h"
#include "base/log.h"
#include "base/sysfile.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE (2 * HUGE_PAGE) /* for less, aligning would waste too much */

/* Read a line of /proc/meminfo, in KiB. */
static bool meminfo(const char *root, const char *name, uint64_t *kib_p)
{
    char value[64];

    return xh_sysfile_value(root, "proc/meminfo", name, value, sizeof(value)) &&
           sscanf(value, "%" SCNu64, kib_p) == 1;
}

xh_status_t xh_memory_available(const char *root, uint64_t *bytes_p)
{
    uint64_t left = xh_cgroup_memory_left(root), kib, cached;

    if (!meminfo(root, "MemAvailable", &kib)) { /* before Linux 3.14; WSL 1 */
        if (meminfo(root, "MemFree", &kib))
            kib += meminfo(root, "Cached", &cached) ? cached : 0;
        else if (left < UINT64_MAX)
            kib = UINT64_MAX >> 10;
        else {
            xh_log_warning("%s/proc/meminfo does not tell how much memory is "
                           "available: memory is not checked",
                           root);
            return XH_ERR_IO;
        }
    }
    *bytes_p = left < kib << 10 ? left : kib << 10;
    return XH_OK;
}

/* ---- limits of this process ---------------------------------------------- */

enum { STATM_FIELDS = 6 }; /* fields up to the last one used, data */

uint64_t xh_memory_limit_left(const char **name_p)
{
    static const struct {
        int resource;
        const char *name;
        int field; /* number of the field of statm that counts its pages */
    } limits[] = {{RLIMIT_AS, "ulimit -v", 0}, {RLIMIT_DATA, "ulimit -d", 5}};
    uint64_t least = UINT64_MAX, page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t pages[STATM_FIELDS] = {0};
    struct rlimit limit;
    char line[160];
    int count = 0;

    if (name_p != NULL)
        *name_p = "";
    if (!xh_sysfile_line("/proc/self", "statm", line, sizeof(line)))
        line[0] = '\0';
    for (char *at = line, *end; *at != '\0' && count < STATM_FIELDS; at = end)
        pages[count++] = strtoull(at, &end, 10);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        uint64_t used = pages[limits[i].field] * page, left;

        if (getrlimit(limits[i].resource, &limit) != 0 ||
            limit.rlim_cur == RLIM_INFINITY)
            continue;
        left = limit.rlim_cur > used ? limit.rlim_cur - used : 0;
        if (left >= least)
            continue;
        least = left;
        if (name_p != NULL)
            *name_p = limits[i].name;
    }
    return least;
}

/* Write "; ulimit -v leaves 12 MiB to this process", or "" if there is no
 * limit. */
static const char *limit_in_words(char text[80])
{
    const char *name;
    uint64_t left = xh_memory_limit_left(&name);

    text[0] = '\0';
    if (left < UINT64_MAX)
        snprintf(text, 80, "; %s leaves %.1f MiB to this process: raise it",
                 name, (double)left / 0x1p20);
    return text;
}

static size_t whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

/* Bytes after each allocation that the address sanitizer watches. */
#ifdef __SANITIZE_ADDRESS__
enum { GUARD = 1 << 20 };
#else
enum { GUARD = 0 };
#endif

/* Forbid, or allow again, access to the bytes after an allocation. */
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

/* Map more than needed, then unmap both ends. */
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
    char limit[80];

    if (memory == MAP_FAILED) {
        xh_log_error("cannot allocate %.1f MiB%s", (double)bytes / 0x1p20,
                     limit_in_words(limit));
        return XH_ERR_MEMORY;
    }
    guard(memory, bytes, true);
    *memory_p = memory;
    return XH_OK;
}

xh_status_t xh_memory_try(size_t bytes, const char *what)
{
    void *memory = map(whole_pages(bytes), 0);
    char limit[80];

    if (memory == MAP_FAILED) {
        xh_log_error("cannot allocate %.0f MiB, and %s%s",
                     (double)bytes / 0x1p20, what, limit_in_words(limit));
        return XH_ERR_MEMORY;
    }
    munmap(memory, whole_pages(bytes) + GUARD);
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
    enum { PAGE = 4096 }; /* the smallest page size */
    volatile char *byte = memory;
    size_t share = (bytes / PAGE / (size_t)parts + 1) * PAGE;
    size_t from = (size_t)part * share;

    for (size_t at = from; at < bytes && at < from + share; at += PAGE)
        byte[at] = byte[at];
    if (from < bytes && bytes <= from + share)
        byte[bytes - 1] = byte[bytes - 1];
}
