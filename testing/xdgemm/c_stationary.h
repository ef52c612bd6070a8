/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_C_STATIONARY_H
#define XDG_C_STATIONARY_H

#include "hybrid/device/tiling.h"

/*
 * A way to cut a C of which all columns are ready, and of any depth. Two
 * regimes:
 *
 *   whole depth   chunks = 1: B's strips of a group stay while A's pass by, so
 *                 B crosses once, A once a group; once if all of A's stay
 *   C-stationary  chunks > 1: a tile stays while pieces of its strips pass by,
 *                 double-buffered: A crosses cols times, B rows times
 *
 * The tile is as wanted if whole strips then fit, two of A and one of B;
 * otherwise C-stationary, with the largest tile, no larger than wanted, that
 * leaves room for chunks a quarter as deep as the tile is long.
 *
 * Errors: as hyb_tiling_plan
 * Source: Herault, Robert, Bosilca, Dongarra: Generic matrix multiplication
 * for multi-GPU accelerated distributed-memory platforms, II and III.
 */
xh_status_t xdg_c_stationary(const hyb_tiling_request_t *request,
                             hyb_tiling_t *tiling_p);

enum { XDG_COVER = 5 };

/*
 * The parts of C that tiles first .. first + count - 1 make up, as few large
 * rectangles: at most 3 if count reaches to the last tile, or group is 1.
 * Returns how many of parts_p are set.
 */
int xdg_tiles_cover(const hyb_tiling_t *tiling, int64_t first, int64_t count,
                    xh_rectangle_t parts_p[XDG_COVER]);

/*
 * How many tiles, of those before end and the last of them first, have together
 * at most this share of C? The last ones of a row or column may be larger.
 *
 * end    in  0 .. count
 * share  in  0 to 1
 */
int64_t xdg_tiles_of(const hyb_tiling_t *tiling, int64_t end, double share);

#endif
