/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TILING_H
#define HYB_TILING_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "base/view.h"

/*
 * How C (m x n) := beta C + A (m x k) * B (k x n) is cut into tiles that pass
 * through a device, in which order, and what the device keeps meanwhile. A
 * pure plan: same request, same tiling.
 *
 * C is cut into rows x cols tiles. A tile (i, j) needs A's strip of rows i and
 * B's strip of columns j, which cross the link in `chunks` pieces, at most
 * depth deep. The device has a_pieces buffers for pieces of A, b_pieces for
 * those of B, each replacing the least recently used, and c_slots for C.
 *
 * Tiles go in groups of `group` columns of tiles; within a group row by row;
 * so with group = 1 column by column. Two regimes:
 *
 *   whole depth   chunks = 1: B's strips of a group stay while A's pass by, so
 *                 B crosses once, A once a group; once if all of A's stay
 *   C-stationary  chunks > 1: a tile stays while pieces of its strips pass by,
 *                 double-buffered: A crosses cols times, B rows times
 *
 * Source: Herault, Robert, Bosilca, Dongarra: Generic matrix multiplication
 * for multi-GPU accelerated distributed-memory platforms, II and III.
 */
typedef struct {
    int64_t m, n, k;              /* >= 1 */
    uint64_t memory;              /* bytes of the device for all buffers */
    int64_t tile_rows, tile_cols; /* wanted, >= 1; taken smaller if need be */
    int c_slots;                  /* depth of the pipeline, >= 1 */
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
    int64_t row, col; /* of the tile: its strip of A and its strip of B */
    xh_rectangle_t part;
} hyb_tile_t;

typedef struct { /* bytes over the link, one device doing all tiles in order */
    uint64_t a_in, b_in, c_in, c_out;
} hyb_traffic_t;

enum { HYB_TILING_COVER = 5 };

/*
 * The tiling with the wanted tile if whole strips then fit, two of A and one
 * of B; otherwise C-stationary, with the largest tile, no larger than wanted,
 * that leaves room for chunks a quarter as deep as the tile is long. A last
 * partial tile of less than half a tile is merged with its neighbour.
 *
 * Errors: XH_ERR_ARG     a number below the range above, or no int64_t holds
 *                        the number of tiles
 *         XH_ERR_MEMORY  tiles of one element do not fit; not logged
 */
xh_status_t hyb_tiling_plan(const hyb_tiling_request_t *request,
                            hyb_tiling_t *tiling_p);

/*
 * The same with group 1, for a C whose columns become ready one after another:
 * where not all of A stays, it crosses once a column of tiles.
 */
xh_status_t hyb_tiling_plan_by_columns(const hyb_tiling_request_t *request,
                                       hyb_tiling_t *tiling_p);

/* Tiles in all. */
int64_t hyb_tiling_count(const hyb_tiling_t *tiling);

/* The tile at place index, 0 .. count - 1, of the order. */
hyb_tile_t hyb_tiling_tile(const hyb_tiling_t *tiling, int64_t index);

/* Chunk z, 0 .. chunks - 1, of k: its first index and its depth. */
void hyb_tiling_chunk(const hyb_tiling_t *tiling, int64_t z, int64_t *first_p,
                      int64_t *depth_p);

/*
 * The parts of C that tiles first .. first + count - 1 make up, as few large
 * rectangles: at most 3 if count reaches to the last tile, or group is 1.
 * Returns how many of parts_p are set.
 */
int hyb_tiling_cover(const hyb_tiling_t *tiling, int64_t first, int64_t count,
                     xh_rectangle_t parts_p[HYB_TILING_COVER]);

/*
 * How many tiles, of those before end and the last of them first, have together
 * at most this share of C? The last ones of a row or column may be larger.
 *
 * end    in  0 .. count
 * share  in  0 to 1
 */
int64_t hyb_tiling_tiles_of(const hyb_tiling_t *tiling, int64_t end,
                            double share);

/* Bytes of all buffers together, at most those of the request. */
uint64_t hyb_tiling_memory(const hyb_tiling_t *tiling);

/* reads_c  in  false where beta is 0 */
hyb_traffic_t hyb_tiling_traffic(const hyb_tiling_t *tiling, bool reads_c);

#endif
