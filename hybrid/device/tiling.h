/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/status.h"
#include "base/view.h"
#include "hybrid/device/rates.h"

/*
 * How C (m x n) := beta C + A (m x k) * B (k x n) is cut into tiles that pass
 * through a device, in which order, and what the device keeps meanwhile. The
 * plan is pure: same request, same tiling.
 *
 * C is cut into rows x cols tiles. A tile (i, j) needs A's strip of rows i and
 * B's strip of columns j, which cross the link in `chunks` pieces: number z has
 * k's indices from z depth on, at most `depth` of them. The device has room for
 * a_pieces pieces of A and b_pieces of B, where a new piece replaces the least
 * recently used one, and for c_slots tiles of C.
 *
 * Tiles go in groups of `group` columns of tiles, and within a group row by
 * row; so with group = 1 column by column.
 */
typedef struct {
    int64_t m, n, k; /* >= 1 */
    uint64_t memory; /* bytes of the device for all tiles and pieces */
    int64_t tile_rows, tile_cols; /* wanted, >= 1; smaller if need be */
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
    int64_t index;    /* place in the order */
    int64_t row, col; /* the numbers of its strip of A and its strip of B */
    xh_rectangle_t part;
} hyb_tile_t;

/*
 * Two regimes:
 *
 *   whole depth   chunks = 1: B's strips of a group stay while A's pass by, so
 *                 B crosses once, A once a group; once if all of A's stay
 *   C-stationary  chunks > 1: a tile stays while pieces of its strips pass by,
 *                 double-buffered: A crosses cols times, B rows times
 *
 * The tile is as wanted if whole strips then fit, two of A and one of B;
 * otherwise C-stationary, with the largest tile, no larger than wanted, that
 * leaves room for chunks a quarter as deep as the tile is long. A last partial
 * tile of less than half a tile is merged with its neighbour.
 *
 * Errors: XH_ERR_ARG     a number below the range above, or no int64_t holds
 *                        the number of tiles
 *         XH_ERR_MEMORY  tiles of one element do not fit; not logged
 * Source: Herault, Robert, Bosilca, Dongarra: Generic matrix multiplication
 * for multi-GPU accelerated distributed-memory platforms, II and III.
 */
xh_status_t hyb_tiling_plan(const hyb_tiling_request_t *request,
                            hyb_tiling_t *tiling_p);

/* The number of tiles. */
int64_t hyb_tiling_count(const hyb_tiling_t *tiling);

/* The tile at place `index`, 0 .. count - 1, of the order. */
hyb_tile_t hyb_tiling_tile(const hyb_tiling_t *tiling, int64_t index);

/* Bytes of all pieces and slots together, at most the request's memory. */
uint64_t hyb_tiling_memory(const hyb_tiling_t *tiling);

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
 * The size of the table with the least seconds; of equal sizes the smallest;
 * cut to max(m, n). If the table has no point, `fallback`, also cut.
 */
int64_t hyb_tile_model_best(const hyb_tile_model_t *model,
                            const hyb_rate_table_t *rates, int64_t fallback);
