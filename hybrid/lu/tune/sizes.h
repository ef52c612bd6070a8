/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/integers.h"

/* Sizes of memory, in doubles: pure, for those who ask before a run. */

/* ---- what a device that computes columns takes, and pinned of the host
 * -------- */

/* Rows that a panel moves on this process, counted from its first one. */
enum {
    HYB_U_FROM,         /* those that become rows of U; P = 1: in U's order */
    HYB_DISPLACED_FROM, /* those displaced from the top, where that is here */
    HYB_DISPLACED_TO,   /* where displaced ones go, here */
    HYB_U_TO,           /* P > 1: rows of U by process that they come from */
    HYB_ROW_LISTS
};

enum {
    HYB_GUARD_PANELS = 48, /* whose sums are kept: more than it has, and than
                              are on their way */
    HYB_GUARD_MOMENTS = 4  /* at which a panel is summed up */
};

typedef struct {
    int64_t rows, columns, nb; /* of the columns that it holds */
    int64_t all;               /* columns of the process */
    int64_t wide;              /* columns of a group's panels */
    int nprow;                 /* P > 1: rows travel */
    int seats;                 /* of columns of the host that come */
    bool checked;              /* with check columns, beside these */
} hyb_extent_t;

/* All of it: at least one. */
int64_t hyb_sizes_doubles(const hyb_extent_t *e);
size_t hyb_sizes_host_doubles(const hyb_extent_t *e);

/* More blocks of nb columns, beside e's, for which there is room in so many
 * bytes. */
int64_t hyb_sizes_blocks(const hyb_extent_t *e, double bytes);

/* Of these: columns for whose rows of U there is room; each buffer of rows that
 * travel; a panel's place, beside L2; wide panels, beside theirs; a seat, for
 * so many columns; the guard. */
int64_t hyb_sizes_u_columns(const hyb_extent_t *e);
int64_t hyb_sizes_travel_doubles(const hyb_extent_t *e);
int64_t hyb_sizes_panel_doubles(int64_t nb);
int64_t hyb_sizes_wide_doubles(int64_t nb, int64_t wide);
size_t hyb_sizes_wide_host_doubles(int64_t nb, int64_t wide);
int64_t hyb_sizes_seat_doubles(const hyb_extent_t *e);
int64_t hyb_sizes_guard_doubles(const hyb_extent_t *e);
size_t hyb_sizes_guard_host_doubles(const hyb_extent_t *e);

/* ---- parcels of rows that travel, P > 1 ------------------------------------
 */

enum {
    HYB_PARCEL_SLOTS =
        6 /* parcels of wide panels that have room at the same time */
};

/* Columns of the first parcel for panels of nb: whole blocks. */
static inline int64_t hyb_parcel_columns(int64_t nb)
{
    enum { LEAST = 256 };

    return xh_whole_units(LEAST, nb);
}

/* Doubles of a slot, which has room for a block at least, for parcels of wide
 * panels of so many columns, where the process has so many; of all slots of one
 * buffer, on the host and on each device, those for L2's, too. 0 if no panel is
 * wide. */
int64_t hyb_parcel_slot(int64_t nb, int64_t wide, int64_t columns);
int64_t hyb_parcel_slots(int64_t nb, int64_t wide, int64_t columns);
