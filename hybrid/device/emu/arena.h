/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_EMU_ARENA_H
#define HYB_EMU_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"
#include "base/view.h"

/*
 * The memory of an emulated device: one piece of address space, of which
 * parts are handed out first fit. Pages are backed when they are touched.
 * Not safe to call from several threads at once.
 */
typedef struct hyb_emu_block hyb_emu_block_t;

typedef struct {
    char *start;
    size_t size;
    size_t used;             /* bytes handed out */
    hyb_emu_block_t *blocks; /* handed out, by address */
} hyb_emu_arena_t;

/* Errors: XH_ERR_MEMORY  no address space of size bytes */
xh_status_t hyb_emu_arena_open(size_t size, hyb_emu_arena_t *arena_p);
void hyb_emu_arena_close(hyb_emu_arena_t *arena);

/*
 * Memory aligned to 256 bytes, as devices do.
 * Errors: XH_ERR_MEMORY  no gap of bytes bytes is left
 */
xh_status_t hyb_emu_arena_alloc(hyb_emu_arena_t *arena, size_t bytes,
                                void **memory_p);

/* Take memory back; false if it was not handed out. */
bool hyb_emu_arena_free(hyb_emu_arena_t *arena, const void *memory);

/* Does all of v lie inside one piece that is handed out? */
bool hyb_emu_arena_holds(const hyb_emu_arena_t *arena, xh_view_t v);

/* Does any of v lie inside the arena? */
bool hyb_emu_arena_meets(const hyb_emu_arena_t *arena, xh_view_t v);

#endif
