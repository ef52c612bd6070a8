/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a device that computes columns takes of its memory and, pinned, of the
 * host's, in doubles: pure, for those who ask before a run. */

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
int64_t hyb_device_doubles(const hyb_extent_t *e);
size_t hyb_device_host_doubles(const hyb_extent_t *e);

/* More blocks of nb columns, beside e's, for which there is room in so many
 * bytes. */
int64_t hyb_device_blocks(const hyb_extent_t *e, double bytes);

/* Of these: columns for whose rows of U there is room; each buffer of rows that
 * travel; a panel's place, beside L2; wide panels, beside theirs; a seat, for
 * so many columns; the guard. */
int64_t hyb_device_u_columns(const hyb_extent_t *e);
int64_t hyb_device_travel_doubles(const hyb_extent_t *e);
int64_t hyb_device_panel_doubles(int64_t nb);
int64_t hyb_device_wide_doubles(int64_t nb, int64_t wide);
size_t hyb_device_wide_host_doubles(int64_t nb, int64_t wide);
int64_t hyb_device_seat_doubles(const hyb_extent_t *e);
int64_t hyb_device_guard_doubles(const hyb_extent_t *e);
size_t hyb_device_guard_host_doubles(const hyb_extent_t *e);
