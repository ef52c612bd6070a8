/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGNMENT = 256 };

struct hyb_emu_block {
    size_t offset, size;
    hyb_emu_block_t *next;
};

xh_status_t hyb_emu_arena_open(size_t size, hyb_emu_arena_t *arena_p)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (start == MAP_FAILED)
        return XH_ERR_MEMORY;
#ifdef MADV_HUGEPAGE
    madvise(start, size, MADV_HUGEPAGE);
#endif
    *arena_p = (hyb_emu_arena_t){.start = start, .size = size};
    return XH_OK;
}

void hyb_emu_arena_close(hyb_emu_arena_t *arena)
{
    while (arena->blocks != NULL) {
        hyb_emu_block_t *block = arena->blocks;

        arena->blocks = block->next;
        free(block);
    }
    munmap(arena->start, arena->size);
}

static size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The first link with a gap of size bytes before it; *offset_p is its start. */
static hyb_emu_block_t **find_gap(hyb_emu_arena_t *arena, size_t size,
                                  size_t *offset_p)
{
    hyb_emu_block_t **link = &arena->blocks;
    size_t offset = 0;

    while (*link != NULL && (*link)->offset - offset < size) {
        offset = (*link)->offset + (*link)->size;
        link = &(*link)->next;
    }
    if (*link == NULL && arena->size - offset < size)
        return NULL;
    *offset_p = offset;
    return link;
}

xh_status_t hyb_emu_arena_alloc(hyb_emu_arena_t *arena, size_t bytes,
                                void **memory_p)
{
    hyb_emu_block_t *block, **link;
    size_t offset;

    if (bytes > arena->size)
        return XH_ERR_MEMORY;
    link = find_gap(arena, rounded(bytes), &offset);
    block = link != NULL ? malloc(sizeof(*block)) : NULL;
    if (block == NULL)
        return XH_ERR_MEMORY;
    *block = (hyb_emu_block_t){offset, rounded(bytes), *link};
    *link = block;
    arena->used += block->size;
    *memory_p = arena->start + offset;
    return XH_OK;
}

bool hyb_emu_arena_free(hyb_emu_arena_t *arena, const void *memory)
{
    hyb_emu_block_t **link = &arena->blocks;
    hyb_emu_block_t *block;

    while (*link != NULL && arena->start + (*link)->offset != memory)
        link = &(*link)->next;
    if (*link == NULL)
        return false;
    block = *link;
    *link = block->next;
    arena->used -= block->size;
    free(block);
    return true;
}

/* Do the elements of v, from offset on, end within size bytes? */
static bool fits(xh_view_t v, size_t offset, size_t size)
{
    size_t elements = (size - offset) / sizeof(double);

    if (v.rows == 0 || v.cols == 0)
        return true;
    return (size_t)v.rows <= elements &&
           (size_t)(v.cols - 1) <= (elements - (size_t)v.rows) / (size_t)v.ld;
}

/* Where v begins, from the arena's start; false outside the arena. */
static bool offset_in(const hyb_emu_arena_t *arena, xh_view_t v,
                      size_t *offset_p)
{
    *offset_p = (size_t)((uintptr_t)v.data - (uintptr_t)arena->start);
    return *offset_p < arena->size;
}

bool hyb_emu_arena_holds(const hyb_emu_arena_t *arena, xh_view_t v)
{
    const hyb_emu_block_t *block = arena->blocks;
    size_t offset;

    if (v.rows == 0 || v.cols == 0)
        return true;
    if (!offset_in(arena, v, &offset))
        return false;
    while (block != NULL && offset >= block->offset + block->size)
        block = block->next;
    return block != NULL && offset >= block->offset &&
           fits(v, offset, block->offset + block->size);
}

bool hyb_emu_arena_meets(const hyb_emu_arena_t *arena, xh_view_t v)
{
    uintptr_t before = (uintptr_t)arena->start - (uintptr_t)v.data;
    size_t offset;

    if (v.rows == 0 || v.cols == 0)
        return false;
    return offset_in(arena, v, &offset) ||
           ((uintptr_t)v.data < (uintptr_t)arena->start && !fits(v, 0, before));
}
