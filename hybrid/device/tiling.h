/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TILING_H
#define HYB_TILING_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "base/view.h"
#include "hybrid/device/rates.h"

/*
 * How C (m x n) := beta C + A (m x k) * B (k x n) is cut into tiles that pass
 * through a device, in which order, and what the device keeps meanwhile. A
 * pure plan: same request, same tiling.
 *
 * C is cut into rows x cols tiles. A tile (i, j) needs A's strip of rows i and
 * B's strip of columns j, which cross the link in `chunks` pieces: number z has
 * k's indices from z depth on, at most depth of them. The device has a_pieces
 * places for pieces of A, b_pieces for those of B, each replacing the least
 * recently used, and c_slots for C.
 *
 * Tiles go in groups of `group` columns of tiles; within a group row by row;
 * so with group = 1 column by column.
 */
typedef struct {
    int64_t m, n, k;              /* >= 1 */
    uint64_t memory;              /* bytes of the device for all of them */
    int64_t tile_rows, tile_cols; /* wanted, >= 1; taken smaller if need be */
    int c_slots;                  /* tiles in flight, >= 1 */
} hyb_tiling_request_t;

typedef struct {
    int64_t m, n, k;
    int64_t tile_rows, tile_cols; /* of all tiles but the last of each kind */
    int64_t most_rows, most_cols; /* of the largest tile */
    int64_t rows, cols;           /* tiles of a column, and of a row, of C */
    int64_t depth, chunks;        /* a piece of A: most_rows x depth */
    int64_t group;                /* columns of tiles */
    int64_t a_pieces, b_pieces, c_slots;
} hyb_tiling_t;

typedef struct {
    int64_t index;    /* in the order */
    int64_t row, col; /* its strip of A and its strip of B */
    xh_rectangle_t part;
} hyb_tile_t;

/*
 * Columns of tiles one after another, for a C whose columns become ready so,
 * with strips of whole depth: B crosses the link once, A once if all of it can
 * stay on the device, else once a column of tiles. The tiles are as wanted if
 * two strips of A and one of B then fit, else the largest for which they do. A
 * last partial tile of less than half a tile is merged with its neighbour.
 *
 * Errors: XH_ERR_ARG     a number below the range above, or no int64_t holds
 *                        the number of tiles
 *         XH_ERR_MEMORY  tiles of one element do not fit; not logged
 */
xh_status_t hyb_tiling_plan(const hyb_tiling_request_t *request,
                            hyb_tiling_t *tiling_p);

/* Tiles in all. */
int64_t hyb_tiling_count(const hyb_tiling_t *tiling);

/* The tile at place index, 0 .. count - 1, of the order. */
hyb_tile_t hyb_tiling_tile(const hyb_tiling_t *tiling, int64_t index);

/* Bytes of all pieces and slots together, at most those of the request. */
uint64_t hyb_tiling_memory(const hyb_tiling_t *tiling);

/* ---- what other ways to cut are made of ---------------------------------- */

/*
 * The request's numbers, and its tiles, into tiling_p; no pieces yet.
 * Errors: XH_ERR_ARG  as above, of the request
 */
xh_status_t hyb_tiling_begin(const hyb_tiling_request_t *request,
                             hyb_tiling_t *tiling_p);

/* Doubles that c_slots tiles leave of memory bytes; may be negative. */
double hyb_tiling_left(const hyb_tiling_t *tiling, uint64_t memory);

/* Pieces of whole depth: all of A's strips if they fit, else as many of B's as
 * fit, in equal groups. False: not even two of A's and one of B's fit. */
bool hyb_tiling_keep_strips(hyb_tiling_t *tiling, uint64_t memory);

/* The next smaller tile, by an eighth of its longer side; false: there is none.
 */
bool hyb_tiling_shrink(hyb_tiling_t *tiling);

/* A size, <= most, that cuts extent evenly, or nearly so but aligned. */
int64_t hyb_tiling_even(int64_t extent, int64_t most);

/* ---- the size of a tile -------------------------------------------------- */

/*
 * How long a product takes with square tiles of some size that flow through
 * devices, and the best size. Pure functions.
 */
typedef struct {
    int64_t m, n, k; /* of the product */
    int executors;   /* equal devices that share its tiles, >= 1 */
    int slots;       /* tiles in flight on each, >= 1 */
} hyb_tile_model_t;

/*
 * Seconds with tiles of size. The stages of a tile work at the same time on
 * different tiles, so that the slowest of them sets the pace; so does a tile's
 * whole way if too few are in flight. The calls come on top: queues wait for
 * each other at the ends of tiles. The first copy in, the last product and the
 * last copy out are hidden under nothing, and others wait for the device that
 * ends last (Graham's bound):
 *
 *     in = out = 8 size^2 / link     multiply = 2 size^2 k / rate(size, k)
 *     way = in + multiply + out + calls
 *     pace = max(in, multiply, out, way / slots) + calls
 *     (m n / (executors size^2) + 1 - 1 / executors) * pace + way
 *
 * calls are 50 us, for some fifteen of them.
 *
 * rates  in  with at least one point. Is the link's rate not known, one
 *            product of a tile comes on top of all of them, and no more.
 */
double hyb_tile_model_seconds(const hyb_tile_model_t *model,
                              const hyb_rate_table_t *rates, int64_t size);

/*
 * The size of the table that is soonest done, of equal ones the smallest, cut
 * to max(m, n). Without any point: fallback, cut likewise.
 */
int64_t hyb_tile_model_best(const hyb_tile_model_t *model,
                            const hyb_rate_table_t *rates, int64_t fallback);

#endif
