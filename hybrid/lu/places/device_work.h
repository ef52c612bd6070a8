/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"
#include "hybrid/lu/tune/sizes.h"

/*
 * What a device does in its queues with columns that live there: panels are
 * applied to them, and a panel is factored. The solver queues it, and
 * hybrid/plan/ times it.
 */

/* A panel on the device, or a wide panel, and where it stands on this
 * process. */
typedef struct {
    int64_t first, rows; /* its first row, and its number of rows */
    int64_t jb, top;     /* columns; top rows that are here: jb or 0, or some of
                            a wide panel's: */
    /* One of `members` panels is here, from number `member` on. */
    int member, members;
    int64_t nb;           /* columns of each panel of a wide one; else jb */
    hyb_device_view_t l1; /* its diagonal blocks may be inverses, */
    bool has_inverses;    /* for products */
    uint32_t no_inverse;  /* of a wide one: bit i: panel i has none */
    hyb_device_view_t l2; /* in the matrix, or in */
    hyb_device_view_t received_l2; /* room for an L2 that comes up */
    hyb_device_view_t lists;       /* room for all lists, one behind another: */
    hyb_device_view_t list[HYB_ROW_LISTS]; /* a column of int64_t each */
    hyb_event_t *ready;                    /* all of it has come up */
    /* Rows of earlier panels of its group have followed it. */
    hyb_event_t *followed;
} hyb_place_panel_t;

/* Columns to which a panel is applied together, from the process's first row
 * on. */
typedef struct {
    hyb_queue_t *queue;
    hyb_device_view_t columns;
    hyb_device_view_t u;     /* jb x columns: rows on their way to the top */
    hyb_device_view_t aside; /* P > 1: U, where the top is on another process */
} hyb_place_part_t;

/* ---- device_update.c: a panel is applied to columns -----------------------
 *
 * Queue for `part`, one after another: swap rows, P = 1; solve U; update C.
 */
xh_status_t hyb_place_swap(const hyb_place_panel_t *panel,
                           const hyb_place_part_t *part);
xh_status_t hyb_place_solve(const hyb_place_panel_t *panel,
                            const hyb_place_part_t *part);
xh_status_t hyb_place_update(const hyb_place_panel_t *panel,
                             const hyb_place_part_t *part);

/* Queue all three. */
xh_status_t hyb_place_apply_panel(const hyb_place_panel_t *panel,
                                  const hyb_place_part_t *part);

/* Where rows of U go that other processes sent, before U is solved. */
hyb_device_view_t hyb_place_u_that_comes(const hyb_place_panel_t *panel,
                                         const hyb_place_part_t *part);

/* Where is U once it is solved? */
hyb_device_view_t hyb_place_u(const hyb_place_panel_t *panel,
                              const hyb_place_part_t *part);

/* flop of the update. */
double hyb_place_flop(const hyb_place_panel_t *panel,
                      const hyb_place_part_t *part);

/* ---- device_factor.c ----------------------------------------------------- */

/*
 * Queue the factorization of a panel by halves, down to steps; after the left
 * half the right half is updated.
 *
 * panel   in,out  as operations.h describes it, with its columns first to
 *                 end - 1; `pivot` only with `agree`
 * pivots  out     a list, as a step has it; only without `agree`
 * agree   in      NULL: all rows are here. Else it queues, for `column`, that
 *                 what all agree on replaces what `pivot` proposes
 *
 * Errors: errors of panel_step, panel_column, trsm, gemm and agree
 */
xh_status_t
hyb_place_factor(hyb_queue_t *queue, const hyb_panel_column_t *panel,
                 hyb_device_view_t pivots,
                 xh_status_t (*agree)(void *context, int64_t column),
                 void *context);
