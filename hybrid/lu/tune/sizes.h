/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/integers.h"

/* Sizes of memory, in doubles. Pure functions, for callers before a run. */

/* ---- what a device that computes columns takes, and pinned of the host
 * -------- */

/* Lists of rows that a panel moves on this process, counted from its first
 * row. */
enum {
    HYB_U_FROM,         /* rows that become rows of U; P = 1: in U's order */
    HYB_DISPLACED_FROM, /* rows displaced from the top, if that is here */
    HYB_DISPLACED_TO,   /* where displaced rows go, here */
    HYB_U_TO, /* P > 1: rows of U by the process that they come from */
    HYB_ROW_LISTS
};

enum {
    HYB_GUARD_PANELS = 48, /* panels whose sums are kept: more than a device has
                              or has under way */
    HYB_GUARD_MOMENTS = 4  /* moments at which a panel is summed up */
};

typedef struct {
    int64_t rows, columns, nb; /* of the columns that it holds */
    int64_t all;               /* columns of the process */
    int64_t wide;              /* columns of a group's panels */
    int nprow;                 /* P; if P > 1, rows travel */
    int seats;                 /* for guests or visitors */
    bool checked;              /* there are check columns, besides `columns` */
} hyb_extent_t;

/* Doubles of all the memory of a device, and of its pinned host memory: at
 * least one. */
int64_t hyb_sizes_doubles(const hyb_extent_t *e);
size_t hyb_sizes_host_doubles(const hyb_extent_t *e);

/* How many blocks of nb columns more than e's fit in `bytes`? */
int64_t hyb_sizes_blocks(const hyb_extent_t *e, double bytes);

/*
 * Parts of the sizes above: columns for whose rows of U there is room; each
 * buffer of travelling rows; a panel, without L2; wide panels, without L2; a
 * seat; the guard.
 */
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
        6 /* parcels of wide panels that have memory at the same time */
};

/* Columns of the first parcel for panels of width nb: whole blocks. */
static inline int64_t hyb_parcel_columns(int64_t nb)
{
    enum { LEAST = 256 };

    return xh_whole_units(LEAST, nb);
}

/*
 * Doubles of a slot for a parcel of wide panels of `wide` columns, at least one
 * block, on a process with `columns` columns; then doubles of all slots of one
 * buffer, on the host and on each device, L2's included. 0 if no panel is wide.
 */
int64_t hyb_parcel_slot(int64_t nb, int64_t wide, int64_t columns);
int64_t hyb_parcel_slots(int64_t nb, int64_t wide, int64_t columns);
