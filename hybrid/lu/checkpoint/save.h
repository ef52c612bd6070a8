/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"
#include "hybrid/lu/state/step.h"

/*
 * A part of the local matrix, within one block column, that a checkpoint of
 * panel `first` holds as a piece: all rows, or only rows of U in finished
 * columns. Check columns are left out.
 */
typedef struct {
    int64_t column, columns; /* local numbers */
    int64_t rows;            /* number of rows, from row 0 on */
} hyb_part_t;

/* Advance `part` to the next part to the right; from all 0, to the first part.
 * Was there one? */
bool hyb_part_next(const hyb_lu_t *lu, int first, hyb_part_t *part);

/* Copy the part's elements from their home (HYB_SAVE) or to it (HYB_RESTORE).
 */
void hyb_part_move(hyb_lu_t *lu, int first, const hyb_part_t *part, int way,
                   double *elements);

static inline int64_t hyb_part_count(const hyb_part_t *part)
{
    return part->rows * part->columns;
}

/* Return the bytes of a piece that has room for any part's elements, on a
 * process with `rows` local rows. */
size_t hyb_save_bytes(int64_t rows);

/*
 * Write this process's part of the checkpoint with `header`, and flush it to
 * the disk, still without its name. Called by the leader, which polls between
 * pieces, while nothing else moves. Returns the bytes written; 0: it cannot be
 * written, and errno says why.
 *
 * buffer  in  hyb_save_bytes
 */
int64_t hyb_save(hyb_lu_t *lu, const hyb_store_t *store,
                 const hyb_header_t *header, hyb_piece_t *buffer,
                 hyb_phase_t *phase);
