/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/device/device.h"

/*
 * Rates measured on a device for square tiles of several sizes and depths: C's
 * tile is size x size, A's is size x depth. Smaller sizes and depths are
 * measured first, so unknown rates are at the ends of rows, and unknown rows at
 * the end of the table. The table also holds the rate of the device's link.
 * Plain data.
 */
enum {
    HYB_RATE_SIZES = 5,  /* sizes are 512 << s */
    HYB_RATE_DEPTHS = 4, /* depths are 256 << d */
    HYB_RATE_TEXT = 1024 /* bytes of the longest file, its end included */
};

typedef struct {
    double link_rate; /* bytes/s each way for pinned memory, with copies both
                         ways at once; 0: unknown */
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
 * flop/s for tiles of rows x cols and k = depth; 0 if the table is empty. The
 * rate is interpolated over the logarithms of size and depth; outside the table
 * the nearest point counts. A tile that is not square counts as the square tile
 * with as many flop per element of A and B, which has the size 2 rows cols /
 * (rows + cols).
 */
double hyb_rate_table_rate(const hyb_rate_table_t *table, int64_t rows,
                           int64_t cols, int64_t depth);

/*
 * Get the table of the device's model: stored by an earlier run, or else
 * measured, which takes about three seconds. A table is stored and reused only
 * if it is complete for the memory that is free now.
 */
xh_status_t hyb_device_rates(hyb_device_t *device, hyb_rate_table_t *table_p);

/*
 * Measure the link's rate with copies both ways at once, and the device's rates
 * on operands in its memory, for tiles of several sizes and depths: from the
 * smallest up, until about `seconds` have passed or a point needs more than an
 * eighth of `memory`. The time of the first product, which loads libraries, is
 * not counted. If all points were measured, the rates are scaled to the rate
 * that the device sustains: it multiplies for `seconds`, and is then measured
 * for as long again. A device that takes longer than `patience` for one product
 * counts as failed. Operands are random matrices if the device can generate
 * them, else uninitialized memory, which may multiply faster.
 *
 * memory   in   free bytes of the device
 * table_p  out  empty if not even one point could be measured
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 */
xh_status_t hyb_device_rates_measure(hyb_device_t *device, uint64_t memory,
                                     double seconds, double patience,
                                     hyb_rate_table_t *table_p);

/* Does `table` have the link's rate and all points that fit in an eighth of
 * `memory`? A table is incomplete if no point fits. */
bool hyb_device_rates_complete(const hyb_rate_table_t *table, uint64_t memory);

/* ---- files: rate_file.c -------------------------------------------------- */

/* Load the model's table. Returns false if there is no file, or, after a
 * message at level info, if the file is not a complete table of this model. */
bool hyb_rate_table_load(const char *model, hyb_rate_table_t *table_p);

/* Write or remove the model's file; errors are those of hyb_cache_store. */
xh_status_t hyb_rate_table_save(const char *model,
                                const hyb_rate_table_t *table);
void hyb_rate_table_forget(const char *model);
