/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TILES_H
#define HYB_TILES_H

#include <stdint.h>

/*
 * A matrix in tiles of height rows, each stored column by column without gaps,
 * the last filled up: what hyb_pack writes and a kernel reads as A. A panel is
 * kept so from its factorization on, so L2 needs no packing.
 */
typedef struct {
    double *data; /* 64-byte aligned, hyb_pack_size(rows, cols, height) */
    int64_t rows, cols;
    int height; /* of a tile: the kernel's rows */
} hyb_tiles_t;

/* Element (i, j); the rest of its tile's column follows it. */
static inline double *hyb_tiles_at(const hyb_tiles_t *t, int64_t i, int64_t j)
{
    return t->data + i / t->height * t->height * t->cols + j * t->height +
           i % t->height;
}

#endif
