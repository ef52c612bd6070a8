/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/status.h"
#include "base/view.h"
#include "hybrid/device/rates.h"

/*
 * How C (m x n) := beta C + A (m x k) * B (k x n) is cut into tiles that pass
 * through a device, their order, and what the device keeps. The plan depends on
 * nothing but the request.
 *
 * C is cut into rows x cols tiles. A tile (i, j) needs A's strip of rows i and
 * B's strip of columns j, which cross the link in `chunks` pieces: number z has
 * k's indices from z depth on, at most `depth` of them. The device has room for
 * a_pieces pieces of A and b_pieces of B, where a new piece replaces the least
 * recently used one, and for c_slots tiles of C.
 *
 * Tiles are ordered by groups of `group` columns of tiles, and within a group
 * row by row; if group = 1, column by column.
 */
typedef struct {
    int64_t m, n, k; /* >= 1 */
    uint64_t memory; /* bytes on the device for all tiles and pieces */
    int64_t tile_rows, tile_cols; /* largest wanted, >= 1 */
    int c_slots;                  /* tiles in flight, >= 1 */
} hyb_tiling_request_t;

typedef struct {
    int64_t m, n, k;
    int64_t tile_rows, tile_cols; /* without the last of each kind */
    int64_t most_rows, most_cols; /* rows and columns of the largest tile */
    int64_t rows, cols;           /* tiles per column and per row of C */
    int64_t depth, chunks;        /* a piece of A: most_rows x depth */
    int64_t group;                /* in columns of tiles */
    int64_t a_pieces, b_pieces, c_slots;
} hyb_tiling_t;

typedef struct {
    int64_t index;    /* position in the order of tiles */
    int64_t row, col; /* the numbers of its strips of A and B */
    xh_rectangle_t part;
} hyb_tile_t;

/*
 * Two regimes:
 *
 *   whole depth   chunks = 1: B's strips of a group stay while A's pass by, so
 *                 B crosses once, A once a group; once if all of A's stay
 *   C-stationary  chunks > 1: a tile stays while pieces of its strips pass by,
 *                 double-buffered: A crosses `cols` times, B `rows` times
 *
 * If two whole strips of A and one of B fit, the tile has the wanted size.
 * Otherwise the plan is C-stationary, with the largest tile, at most the wanted
 * size, that leaves room for chunks a quarter as deep as the tile is long. A
 * last partial tile of less than half a tile is merged with its neighbour.
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

/* The tile at position `index`, 0 .. count - 1, of the order. */
hyb_tile_t hyb_tiling_tile(const hyb_tiling_t *tiling, int64_t index);

/* Bytes of all pieces and slots together, at most request->memory. */
uint64_t hyb_tiling_memory(const hyb_tiling_t *tiling);

/* ---- the size of a tile -------------------------------------------------- */

/*
 * A model of how long a product takes if square tiles flow through devices, and
 * the best tile size. Its functions depend on their arguments only.
 */
typedef struct {
    int64_t m, n, k; /* of the product */
    int executors;   /* number of equal devices that share the tiles, >= 1 */
    int slots;       /* tiles in flight per device, >= 1 */
} hyb_tile_model_t;

/*
 * Seconds with tiles of `size`. The stages of different tiles overlap, so the
 * slowest stage sets the pace; if too few tiles are in flight, a tile's whole
 * way does. Calls add to it, because queues wait for each other at the ends of
 * tiles. The first copy in, the last product and the last copy out overlap with
 * nothing, and the other devices wait for the one that ends last (Graham's
 * bound):
 *
 *     in = out = 8 size^2 / link     multiply = 2 size^2 k / rate(size, k)
 *     way = in + multiply + out + calls
 *     pace = max(in, multiply, out, way / slots) + calls
 *     (m n / (executors size^2) + 1 - 1 / executors) * pace + way
 *
 * `calls` is 50 us, for about fifteen calls per tile.
 *
 * rates  in  with at least one point. If the link's rate is unknown, the
 *            result is the time of all products and one more tile.
 */
double hyb_tile_model_seconds(const hyb_tile_model_t *model,
                              const hyb_rate_table_t *rates, int64_t size);

/*
 * The size in the table with the least seconds, the smaller one if two are
 * equal, but at most max(m, n). If the table has no point, `fallback`, with the
 * same limit.
 */
int64_t hyb_tile_model_best(const hyb_tile_model_t *model,
                            const hyb_rate_table_t *rates, int64_t fallback);
