/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_RATE_TABLE_H
#define HYB_RATE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * What a device reaches with square tiles of some sizes and depths, as
 * measured: C's tile is size x size, A's size x depth. Smaller and flatter ones
 * are measured first, so that a row of the table ends with what is not known,
 * and so do the rows. And what its link brings, and a host thread. Plain data.
 */
enum {
    HYB_RATE_SIZES = 5,   /* of 512 << s */
    HYB_RATE_DEPTHS = 4,  /* of 256 << d */
    HYB_RATE_TEXT = 1024, /* bytes of the longest file, with an end */
    HYB_RATE_PATH = 4096  /* of the longest path, likewise */
};

typedef struct {
    double link_rate;   /* bytes/s each way of pinned memory, in both at once;
                           0: unknown */
    double commit_rate; /* bytes/s that one host thread copies to C; 0: unknown
                         */
    double rate[HYB_RATE_DEPTHS][HYB_RATE_SIZES]; /* flop/s; 0: unknown */
} hyb_rate_table_t;

static inline int64_t hyb_rate_size(int s)
{
    return (int64_t)512 << s;
}

static inline int64_t hyb_rate_depth(int d)
{
    return (int64_t)256 << d;
}

/*
 * flop/s of tiles rows x cols, depth deep; 0 from an empty table. It is
 * interpolated over the logarithms of size and depth; outside the nearest point
 * counts. A tile that is not square counts as the square one with as many flop
 * for each element of A and B: of size 2 rows cols / (rows + cols).
 */
double hyb_rate_table_rate(const hyb_rate_table_t *table, int64_t rows,
                           int64_t cols, int64_t depth);

/* ---- kept from run to run ------------------------------------------------ */

/*
 * The file of a device model's table into path_p, of HYB_RATE_PATH bytes:
 * $XDG_CACHE_HOME/xhpl/<model>.tiles, or below ~/.cache if that is not set.
 * Characters of model other than letters, digits, '-' and '.' become '_'.
 * Errors: XH_ERR_INPUT  neither variable gives a folder, or it is too long;
 *                       not logged
 */
xh_status_t hyb_rate_table_path(const char *model, char *path_p);

/*
 * Read model's table. Errors leave it to the caller to measure again:
 * XH_ERR_INPUT  no folder, or the file is not this model's table, whole: the
 *               latter is said as information
 * XH_ERR_IO     there is no file, or it cannot be read; not logged
 */
xh_status_t hyb_rate_table_load(const char *model, hyb_rate_table_t *table_p);

/*
 * Write model's file, with its folders, so that a reader at any time finds the
 * old or the new one, whole. The run goes on without: failures are said as
 * information.
 * Errors: XH_ERR_INPUT  no folder
 *         XH_ERR_ARG    more than HYB_RATE_TEXT bytes
 *         XH_ERR_IO
 */
xh_status_t hyb_rate_table_save(const char *model,
                                const hyb_rate_table_t *table);

#endif
