/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TILE_MODEL_H
#define HYB_TILE_MODEL_H

#include <stdbool.h>
#include "hybrid/device/rate_table.h"

/*
 * How long a product takes with square tiles of some size that flow through
 * devices, and the best size. Pure functions.
 */
typedef struct {
    int64_t m, n, k;    /* of the product */
    int executors;      /* equal devices that share its tiles, >= 1 */
    int slots;          /* tiles in flight on each, >= 1 */
    double commit_rate; /* bytes/s with which the host writes the tiles of one
                           device into C; 0: it does not */
    bool reads_c;       /* C's tiles go in, too */
} hyb_tile_model_t;

/*
 * Seconds with tiles of size. The stages of a tile work at the same time on
 * different tiles, so that the slowest of them sets the pace; so does a tile's
 * whole way if too few are in flight. The calls come on top: queues wait for
 * each other at the ends of tiles. The first copy in, and the last product,
 * copy out and commit are hidden under nothing, and others wait for the device
 * that ends last (Graham's bound):
 *
 *     in = 8 size^2 / link      multiply = 2 size^2 k / rate(size, k)
 *     out = 8 size^2 / link     commit = 8 size^2 / commit_rate
 *     way = in + multiply + out + commit + calls
 *     pace = max(in, multiply, out, commit, way / slots) + calls
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
