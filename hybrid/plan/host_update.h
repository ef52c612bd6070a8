/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHOST_UPDATE_H
#define XHOST_UPDATE_H

#include "base/status.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/node/team.h"
#include "base/view.h"

typedef struct {
    int64_t m, n, k; /* C is m x n, L2 m x k, U k x n */
    int64_t chunk;   /* columns of all chunks; 0: as the solver takes,
                        narrower at the end */
} xhost_shape_t;

/* What all members of a team do to the columns of C, by chunks. */
typedef enum {
    XHOST_MULTIPLY, /* pack U, C := C - L2 U */
    XHOST_PREPARE, /* swap k rows with the k above C, solve them with an L1 that
                      is unity, store them */
    XHOST_COMPLETE, /* the latter, and C := C - L2 U */
    XHOST_SWAP,     /* the swap alone */
    XHOST_PASS      /* read and write one element of each line of C */
} xhost_work_t;

typedef struct xhost_update xhost_update_t;

/* Errors: XH_ERR_MEMORY */
xh_status_t xhost_update_create(const hyb_kernel_t *kernel, hyb_team_t *team,
                                xhost_shape_t shape, xhost_update_t **update_p);
void xhost_update_destroy(xhost_update_t *update); /* accepts NULL */

/* Median of the seconds of so many calls, 1 <= calls <= 16. */
double xhost_update_seconds(xhost_update_t *update, xhost_work_t work,
                            int calls);

/* From now on chunks of so many columns, at most as many as before. */
void xhost_update_set_chunk(xhost_update_t *update, int64_t chunk);

/*
 * The columns that XHOST_PREPARE swaps, the k rows of the top above C's, and
 * which k rows of them go there.
 */
xh_view_t xhost_update_columns(const xhost_update_t *update,
                               const int **source_p);

/*
 * Flop/s of C := C - L2 U by all members of team: as in the solver, members
 * take chunks of columns, L2 lies in tiles, and each chunk's part of U is
 * packed when its turn comes. The best of three calls, as a ceiling is the best
 * of some.
 *
 * rate_p  out  NaN if elements of C that were looked at are wrong: said
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhost_update_rate(const hyb_kernel_t *kernel, hyb_team_t *team,
                              xhost_shape_t shape, double *rate_p);

/*
 * Bytes/s of memory that come and go while all members swap k rows of C
 * (XHOST_SWAP), a line in each column for an element, or pass through C from
 * line to line (XHOST_PASS): what memory gives at best. The best of three
 * calls.
 *
 * rate_p  out  NaN if rows are not where they belong: said
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhost_memory_rate(const hyb_kernel_t *kernel, hyb_team_t *team,
                              xhost_shape_t shape, xhost_work_t work,
                              double *rate_p);

#endif
