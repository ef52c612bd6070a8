/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/integers.h"

/* Sizes of memory, in doubles. The functions are pure, so they can be called
 * before a run. */

/* ---- what a device that computes columns takes, and pinned of the host
 * -------- */

/* Lists of the rows that a panel moves on this process; numbers count from its
 * first row. */
enum {
    HYB_U_FROM,         /* rows that become rows of U; P = 1: in U's order */
    HYB_DISPLACED_FROM, /* rows displaced from the top, if the top is here */
    HYB_DISPLACED_TO,   /* local places of displaced rows */
    HYB_U_TO, /* P > 1: places of rows of U, ordered by source process */
    HYB_ROW_LISTS
};

enum {
    HYB_GUARD_PANELS = 48, /* panels whose sums are kept: more than a device has
                              or has under way */
    HYB_GUARD_MOMENTS = 4  /* moments at which a panel is summed */
};

typedef struct {
    int64_t rows, columns, nb; /* of the columns that the device holds */
    int64_t all;               /* columns of the process */
    int64_t wide;              /* columns per group of panels */
    int nprow;                 /* P; if P > 1, rows travel */
    int seats;                 /* number of seats for guests or visitors */
    bool checked;              /* are there check columns, besides `columns`? */
} hyb_extent_t;

/* Doubles of a device's whole memory, and of its pinned host memory; at least
 * one. */
int64_t hyb_sizes_doubles(const hyb_extent_t *e);
size_t hyb_sizes_host_doubles(const hyb_extent_t *e);

/* Number of blocks of nb columns that fit in `bytes`, in addition to e's
 * columns. */
int64_t hyb_sizes_blocks(const hyb_extent_t *e, double bytes);

/*
 * Parts of the sizes above: columns of the memory for U; each buffer of
 * travelling rows; a panel without L2; wide panels without L2; a seat.
 */
int64_t hyb_sizes_u_columns(const hyb_extent_t *e);
int64_t hyb_sizes_travel_doubles(const hyb_extent_t *e);
int64_t hyb_sizes_panel_doubles(int64_t nb);
int64_t hyb_sizes_wide_doubles(int64_t nb, int64_t wide);
size_t hyb_sizes_wide_host_doubles(int64_t nb, int64_t wide);
int64_t hyb_sizes_seat_doubles(const hyb_extent_t *e);

/* ---- parcels of rows (P > 1) ------------------------------------
 */

enum {
    HYB_PARCEL_SLOTS =
        6 /* parcels of wide panels with memory at the same time */
};

/* Columns in the first parcel for panels of width nb, in whole blocks. */
static inline int64_t hyb_parcel_columns(int64_t nb)
{
    enum { LEAST = 256 };

    return xh_whole_units(LEAST, nb);
}

/*
 * slot: doubles of a slot for a parcel of wide panels of `wide` columns, for at
 * least one block, on a process with `columns` columns. slots: doubles of all
 * slots of a buffer, on the host and on each device, L2's included. Both are 0
 * if no panel is wide.
 */
int64_t hyb_parcel_slot(int64_t nb, int64_t wide, int64_t columns);
int64_t hyb_parcel_slots(int64_t nb, int64_t wide, int64_t columns);
