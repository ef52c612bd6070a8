/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/view.h"

/*
 * An operand of a product laid out for the kernel: tiles of `height` rows, each
 * stored column by column without gaps; the last tile is padded with zeros. A's
 * rows and the columns of B (as rows of B^T) are packed in the same way. A
 * panel is stored in this layout from its factorization on, so L2 needs no
 * packing.
 */
typedef struct {
    double *data; /* 64-byte aligned, hyb_pack_size(rows, cols, height) */
    int64_t rows, cols;
    int height; /* rows per tile: the kernel's rows */
} hyb_tiles_t;

/* Address of element (i, j); the next elements of the tile's column follow it.
 */
static inline double *hyb_tiles_at(const hyb_tiles_t *t, int64_t i, int64_t j)
{
    return t->data + i / t->height * t->height * t->cols + j * t->height +
           i % t->height;
}

/* Number of doubles of a rows x depth matrix in tiles of `height`. */
int64_t hyb_pack_size(int64_t rows, int64_t depth, int height);

/*
 * packed := scale * S, with S = op(v): v itself or its transpose.
 *
 * packed  out  hyb_pack_size(rows of S, columns of S, height)
 */
void hyb_pack(xh_view_t v, xh_trans_t op, double scale, int height,
              double *packed);
