/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_ELIMINATE_H
#define HYB_ELIMINATE_H

#include <stdint.h>
#include "hybrid/cpu/kernel.h"

/*
 * What happens to the rows of a panel between two pivots, compiled for each
 * instruction set: the last pivot divides its column, the columns behind it
 * are updated, and the next pivot is searched in the first of these, all while
 * a tile is in the first cache.
 */
typedef struct {
    int64_t depth; /* columns of L, the last still to be multiplied by scale */
    double scale;
    int64_t cols;    /* columns updated, next to those of L; 0: none */
    const double *b; /* - U, depth x cols, packed as the kernel's B */
    hyb_kernel_fn_t multiply;
} hyb_elimination_t;

typedef struct {
    double key;  /* magnitude, INFINITY for a NaN; -1: there is no row */
    int64_t row; /* the first of those with this key */
} hyb_candidate_t;

typedef struct {
    int rows, cols; /* those of its kernel */

    /*
     * L := L diag(1, .., 1, scale), C := C + L * B in count tiles.
     *
     * first   in,out  the first tile's first column of L
     * stride  in      doubles between tiles
     *
     * Returns the largest element of C's first column, its row counted from
     * the first tile; where cols is 0, nothing of use.
     */
    hyb_candidate_t (*eliminate)(const hyb_elimination_t *e, double *first,
                                 int64_t stride, int64_t count);

    /*
     * Row i of b -= l(i, 0 .. i - 1) * the rows above, for i = from ..
     * depth - 1 in order.
     *
     * l  in      depth x depth by rows, ld doubles apart
     * b  in,out  depth rows of cols doubles
     */
    void (*substitute)(const double *l, int64_t ld, int64_t from, int64_t depth,
                       double *b);
} hyb_eliminate_t;

/* What belongs to a kernel of the instruction set; NULL where none does. */
const hyb_eliminate_t *hyb_eliminate_find(xh_isa_t isa);

/* Those that exist on some architectures only; NULL on others. */
extern const hyb_eliminate_t *const hyb_eliminate_avx512;
extern const hyb_eliminate_t *const hyb_eliminate_avx2;
extern const hyb_eliminate_t *const hyb_eliminate_portable;

#endif
