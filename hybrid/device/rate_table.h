/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_RATE_TABLE_H
#define HYB_RATE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * What a device reaches with square tiles of some sizes and depths, as
 * measured; between the points it is interpolated over the logarithms of size
 * and depth, outside the nearest point counts. And what its link brings, and a
 * host thread. Plain data.
 */
enum {
    HYB_RATE_POINTS = 64, /* most that a table holds */
    HYB_RATE_TEXT = 4096  /* bytes of the longest text, with its end */
};

typedef struct {
    int64_t size, depth; /* C's tile is size x size, A's size x depth */
    double rate;         /* flop/s */
} hyb_rate_point_t;

typedef struct {
    double link_rate;   /* bytes/s each way of pinned memory, in both at once;
                           0: unknown */
    double commit_rate; /* bytes/s that one host thread copies to C; 0: unknown
                         */
    int count;
    hyb_rate_point_t point[HYB_RATE_POINTS]; /* by depth, then by size */
} hyb_rate_table_t;

/*
 * Put a point in, in place of one with the same size and depth.
 * Errors: XH_ERR_ARG  a number that is not positive and finite, or table full
 */
xh_status_t hyb_rate_table_set(hyb_rate_table_t *table, int64_t size,
                               int64_t depth, double rate);

/*
 * flop/s of tiles rows x cols, depth deep; 0 from an empty table. A tile that
 * is not square counts as the square one with as many flop for each element of
 * A and B: of size 2 rows cols / (rows + cols).
 */
double hyb_rate_table_rate(const hyb_rate_table_t *table, int64_t rows,
                           int64_t cols, int64_t depth);

/* Is there a point of exactly this size and depth? */
bool hyb_rate_table_has(const hyb_rate_table_t *table, int64_t size,
                        int64_t depth);

/*
 * The table as text, a header with the device's model and a line a point, and
 * back. Parse refuses text of other form, of another model or cut short.
 *
 * Errors: XH_ERR_ARG    print: the text is longer than size
 *         XH_ERR_INPUT  parse: not this model's table; not logged
 */
xh_status_t hyb_rate_table_print(const hyb_rate_table_t *table,
                                 const char *model, char *text_p, size_t size);
xh_status_t hyb_rate_table_parse(const char *text, const char *model,
                                 hyb_rate_table_t *table_p);

#endif
