/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_HOST_UPDATE_H
#define HYB_HOST_UPDATE_H

#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/plan/timing.h"

/* A random C that a team updates again and again, by chunks of columns. */
typedef struct hyb_host_update hyb_host_update_t;

typedef struct {
    int64_t m, n, k; /* C is m x n, L2 m x k, U k x n */
    int64_t chunk;   /* columns of all chunks; 0: as many as suit the kernel,
                        fewer at the end */
} hyb_update_shape_t;

/* What the team does to all columns. */
typedef enum {
    HYB_UPDATE_MULTIPLY, /* pack U, C := C - L2 U */
    HYB_UPDATE_PREPARE,  /* swap k rows with the k above C, solve these with
                            L1 = I, store them */
    HYB_UPDATE_COMPLETE, /* PREPARE, and C := C - L2 U */
    HYB_UPDATE_SWAP,     /* the swap alone */
    HYB_UPDATE_PACK,     /* copy the 2 k rows of a swap to where messages are
                            sent from */
    HYB_UPDATE_PASS      /* read and write one element of each line of C */
} hyb_update_part_t;

/* Errors: XH_ERR_MEMORY */
xh_status_t hyb_host_update_create(const hyb_kernel_t *kernel, hyb_team_t *team,
                                   hyb_update_shape_t shape,
                                   hyb_host_update_t **update_p);
void hyb_host_update_destroy(hyb_host_update_t *update); /* accepts NULL */

/* Use chunks of so many columns from now on, at most as many as before. */
void hyb_host_update_set_chunk(hyb_host_update_t *update, int64_t chunk);

/* Seconds of so many calls. */
hyb_seconds_t hyb_host_update_seconds(hyb_host_update_t *update,
                                      hyb_update_part_t part, int calls);

/* Bytes that a SWAP or a PASS reads and writes: the whole line of memory around
 * each element. */
double hyb_host_update_bytes(const hyb_host_update_t *update,
                             hyb_update_part_t part);

#endif
