/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"
#include "hybrid/lu/tune/sizes.h"

/*
 * Work that a device does on its own columns: apply panels to them, and factor
 * a panel. The solver queues this work, and hybrid/plan/ times it.
 */

/* A panel, or a wide panel, on the device, and its position on this process. */
typedef struct {
    int64_t first, rows; /* first row, and number of rows */
    int64_t jb, top; /* columns, and top rows on this process: jb, 0, or part of
                        jb for a wide panel */
    /* One of `members` panels, number `member`, is here. */
    int member, members;
    int64_t nb;           /* columns of each panel in a wide panel; else jb */
    hyb_device_view_t l1; /* diagonal blocks may be inverted */
    bool has_inverses;    /* so that a solve is a product */
    uint32_t no_inverse;  /* bit i: panel i of a wide panel has none */
    hyb_device_view_t l2; /* in the matrix, or in received_l2 */
    hyb_device_view_t received_l2; /* memory for an L2 that is copied up */
    hyb_device_view_t lists;       /* memory for all lists, one after another */
    hyb_device_view_t list[HYB_ROW_LISTS]; /* each a column of int64_t */
    hyb_event_t *ready;                    /* everything has been copied up */
    /* Rows of earlier panels in the group have been permuted for this panel. */
    hyb_event_t *followed;
} hyb_place_panel_t;

/* Columns to which a panel is applied at once, from the process's first row on.
 */
typedef struct {
    hyb_queue_t *queue;
    hyb_device_view_t columns;
    hyb_device_view_t u; /* jb x columns: rows of U before they are solved */
    hyb_device_view_t aside; /* P > 1: U if another process has the top */
} hyb_place_part_t;

/*
 * device_update.c: queue products that make L1^-1 of `l1`, a panel's L1 that
 * hyb_l1_invert has prepared. Cost: 3 products per diagonal block
 */
xh_status_t hyb_place_join_inverses(hyb_queue_t *queue, hyb_device_view_t l1);

/* ---- device_update.c: apply a panel to columns -----------------------
 *
 * Queue for `part`, one after another: swap rows, P = 1; solve U; update C.
 */
xh_status_t hyb_place_swap(const hyb_place_panel_t *panel,
                           const hyb_place_part_t *part);
xh_status_t hyb_place_solve(const hyb_place_panel_t *panel,
                            const hyb_place_part_t *part);
xh_status_t hyb_place_update(const hyb_place_panel_t *panel,
                             const hyb_place_part_t *part);

/* Queue all three operations. */
xh_status_t hyb_place_apply_panel(const hyb_place_panel_t *panel,
                                  const hyb_place_part_t *part);

/* Where rows of U from other processes go before U is solved. */
hyb_device_view_t hyb_place_u_that_comes(const hyb_place_panel_t *panel,
                                         const hyb_place_part_t *part);

/* Where U is stored once it is solved. */
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
 * panel   in,out  as in operations.h, columns first .. end - 1; `pivot` only
 *                 with `agree`
 * pivots  out     a list, as a step has it; only without `agree`
 * agree   in      NULL: this process has all rows. Else agree() queues, for
 *                 `column`, that the agreed pivot replaces the proposal in
 *                 `pivot`
 *
 * Errors: errors of panel_step, panel_column, trsm, gemm and agree
 */
xh_status_t
hyb_place_factor(hyb_queue_t *queue, const hyb_panel_column_t *panel,
                 hyb_device_view_t pivots,
                 xh_status_t (*agree)(void *context, int64_t column),
                 void *context);
