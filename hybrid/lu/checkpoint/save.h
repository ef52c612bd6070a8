/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"
#include "hybrid/lu/state/step.h"

/*
 * A part of the local matrix, within one block column, that a checkpoint of
 * panel `first` holds as a piece: all rows, or of finished columns those of U.
 * Check columns are left out.
 */
typedef struct {
    int64_t column, columns; /* local */
    int64_t rows;            /* from the first one on */
} hyb_part_t;

/* Go on to the next part from the left; from all 0 to the first one. False:
 * there is none. */
bool hyb_part_next(const hyb_lu_t *lu, int first, hyb_part_t *part);

/* Its elements come from where they live, HYB_SAVE, or go there, HYB_RESTORE.
 */
void hyb_part_move(hyb_lu_t *lu, int first, const hyb_part_t *part, int way,
                   double *elements);

static inline int64_t hyb_part_count(const hyb_part_t *part)
{
    return part->rows * part->columns;
}

/* A piece, whose elements are any part's. */
size_t hyb_save_bytes(const hyb_lu_t *lu);

/*
 * Write this process's part of the checkpoint that header is of, and have it on
 * the disk, still without its name. While nothing moves, by the leader, which
 * polls between pieces. Returns its bytes; 0: it cannot be written, errno.
 *
 * buffer  in  hyb_save_bytes
 */
int64_t hyb_save(hyb_lu_t *lu, const hyb_store_t *store,
                 const hyb_header_t *header, hyb_piece_t *buffer,
                 hyb_phase_t *phase);
