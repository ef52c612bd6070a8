/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PARTS_H
#define HYB_PARTS_H

#include "hybrid/lu/lu.h"

/*
 * The parts of the local matrix that a checkpoint of panel `first` holds, each
 * within one block column: of columns that are finished U alone, of all others
 * all rows. Check columns are left out.
 */
typedef struct {
    int64_t column, columns; /* local */
    int64_t rows;            /* from the first one on */
} hyb_part_t;

/* Elements of any part, at most. */
int64_t hyb_part_most(const hyb_lu_t *lu);

/* Go on to the next part, in the order of columns; from all 0 to the first
 * one. False: there is none. */
bool hyb_part_next(const hyb_lu_t *lu, int first, hyb_part_t *part);

/* Its elements come from where they live, HYB_SAVE, or go there,
 * HYB_RESTORE. */
void hyb_part_move(const hyb_lu_t *lu, int first, const hyb_part_t *part,
                   int way, double *elements);

#endif
