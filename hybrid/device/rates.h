/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/device/device.h"

/*
 * Rates that a device reaches with square tiles of some sizes and depths, as
 * measured: C's tile is size x size, A's size x depth. Smaller and flatter
 * tiles are measured first, so unknown rates are at the end of a row, and
 * unknown rows at the end of the table. The table also has the rate of the
 * device's link. Plain data.
 */
enum {
    HYB_RATE_SIZES = 5,  /* sizes are 512 << s */
    HYB_RATE_DEPTHS = 4, /* depths are 256 << d */
    HYB_RATE_TEXT = 1024 /* bytes of the longest file, its end included */
};

typedef struct {
    double link_rate; /* bytes/s each way of pinned memory, both ways at once;
                         0: unknown */
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
 * flop/s of tiles rows x cols of this depth; 0 from an empty table. The rate is
 * interpolated over the logarithms of size and depth; outside the table the
 * nearest point counts. A tile that is not square counts as the square tile
 * with as many flop for each element of A and B: of size 2 rows cols / (rows +
 * cols).
 */
double hyb_rate_table_rate(const hyb_rate_table_t *table, int64_t rows,
                           int64_t cols, int64_t depth);

/*
 * The table of the device's model: as kept from an earlier run, else measured,
 * in about three seconds. Only a complete table, for the memory that is free
 * now, is kept and used again.
 */
xh_status_t hyb_device_rates(hyb_device_t *device, hyb_rate_table_t *table_p);

/*
 * Measure the rate of the device's link, both ways at once, and of the device
 * on operands that are there already, for tiles of several sizes and depths:
 * from the smallest up, until about `seconds` have passed or an eighth of
 * `memory` is too little. The time of the first product, which loads libraries,
 * is not counted. If there was time for all, the rates are scaled to what the
 * device sustains: after `seconds` of products, measured for as long again. A
 * device that takes longer than `patience` for one product is given up.
 * Operands have the values of a random matrix if the device generates them,
 * else whatever memory holds, which may be faster.
 *
 * memory   in   bytes of the device that are free
 * table_p  out  empty if not even one point could be measured
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 */
xh_status_t hyb_device_rates_measure(hyb_device_t *device, uint64_t memory,
                                     double seconds, double patience,
                                     hyb_rate_table_t *table_p);

/* Has `table` a link's rate and all points for which an eighth of `memory` has
 * room? If there is no such point, it is incomplete. */
bool hyb_device_rates_complete(const hyb_rate_table_t *table, uint64_t memory);

/* ---- kept from run to run: rate_file.c ----------------------------------- */

/* Load the model's table. Returns false if there is no file; or if the file is
 * not this model's table, whole, which information says. */
bool hyb_rate_table_load(const char *model, hyb_rate_table_t *table_p);

/* Write the model's file, or remove it; errors as in hyb_cache_store. */
xh_status_t hyb_rate_table_save(const char *model,
                                const hyb_rate_table_t *table);
void hyb_rate_table_forget(const char *model);
