/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"
#include "hybrid/lu/tune/sizes.h"

/*
 * What a device does with columns that live there, in its queues: they meet a
 * panel, and a panel is factored. The solver's work, which planning times, too.
 */

/* A panel there, or a wide one of several, and where it stands on this
 * process. */
typedef struct {
    int64_t first, rows; /* its first row, and how many it has */
    int64_t jb, top;     /* columns; top rows that are here: jb or 0, or some of
                            a wide one's: */
    int member, members; /* every so many panels, from which on */
    int64_t nb;          /* columns of each panel of a wide one; else jb */
    hyb_block_t l1;      /* whose diagonal blocks may be inverses, */
    bool has_inverses;   /* for products */
    uint32_t without;    /* a wide one's: bit i: panel i of it has none */
    hyb_block_t l2;      /* in the matrix, or in: */
    hyb_block_t came;    /* room for one that comes up */
    hyb_block_t lists;   /* room for these, one behind the other: */
    hyb_block_t list[HYB_ROW_LISTS]; /* a column of int64_t each */
    hyb_event_t *ready;              /* all of it has come up */
    hyb_event_t *followed; /* rows of earlier panels have, in its group */
} hyb_place_panel_t;

/* Columns that meet a panel together, from the process's first row on. */
typedef struct {
    hyb_queue_t *queue;
    hyb_block_t columns;
    hyb_block_t u;     /* jb x the same: rows on their way to the top */
    hyb_block_t aside; /* P > 1: U, where the top is on another process */
} hyb_place_part_t;

/* ---- device_update.c: columns meet a panel --------------------------------
 *
 * Queued for part, one after the other: rows are swapped, P = 1; U is solved; C
 * is updated.
 */
xh_status_t hyb_place_swap(const hyb_place_panel_t *panel,
                           const hyb_place_part_t *part);
xh_status_t hyb_place_solve(const hyb_place_panel_t *panel,
                            const hyb_place_part_t *part);
xh_status_t hyb_place_update(const hyb_place_panel_t *panel,
                             const hyb_place_part_t *part);

/* All three. */
xh_status_t hyb_place_meet(const hyb_place_panel_t *panel,
                           const hyb_place_part_t *part);

/* Where rows of U go that other processes sent, before U is solved. */
hyb_block_t hyb_place_u_that_comes(const hyb_place_panel_t *panel,
                                   const hyb_place_part_t *part);

/* Where U is once it is solved. */
hyb_block_t hyb_place_u(const hyb_place_panel_t *panel,
                        const hyb_place_part_t *part);

/* flop of the update. */
double hyb_place_flop(const hyb_place_panel_t *panel,
                      const hyb_place_part_t *part);

/* ---- device_factor.c ----------------------------------------------------- */

/*
 * Queue the factorization of a panel: by halves, each followed by its update of
 * the other, down to steps.
 *
 * panel   in,out  as operations.h describes it, with its columns first to
 *                 end - 1; pivot only where agree is given
 * pivots  out     a list, as a step has it; only without agree
 * agree   in      NULL: all rows are here. Else it queues, for column, that
 *                 what pivot proposes becomes what all agree on
 *
 * Errors: those of panel_step, panel_column, trsm, gemm and agree
 */
xh_status_t hyb_place_factor(
    hyb_queue_t *queue, const hyb_panel_column_t *panel, hyb_block_t pivots,
    xh_status_t (*agree)(void *context, int64_t column), void *context);
