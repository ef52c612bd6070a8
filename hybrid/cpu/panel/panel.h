/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/node/team.h"
#include "base/view.h"

/*
 * The factorization of a panel of nb columns by some threads of a team, with
 * partial pivoting, recursively, in tiles. Each thread owns a run of whole
 * tiles. The pivot search of a column is fused with the update by the column
 * before. There are two barriers per column.
 *
 * Rows are counted locally: first the rows of the top, if this process holds
 * them, then the rows of the body.
 *
 * Source: Linpack on Xeon Phi, IV.
 */
typedef enum { HYB_LEFT, HYB_CROUT, HYB_RIGHT } hyb_panel_variant_t;

typedef struct {
    hyb_panel_variant_t base;      /* for at most base_cols columns */
    hyb_panel_variant_t recursion; /* for more columns, in parts */
    int base_cols, parts;          /* NBMIN >= 1, NDIV >= 2 */
} hyb_panel_method_t;

/* This process's proposal for the pivot of a column, and the agreed pivot. */
typedef struct {
    double key;  /* in: magnitude of this process's candidate, INFINITY for a
                    NaN, -1 if no row is left */
    int64_t row; /* in: the candidate's local row; out: the row stored in
                    hyb_panel_t.pivot */
    bool mine;   /* in: true; out: is the agreed pivot this process's? */
    double *candidate; /* nb elements. in: the candidate's row of the panel;
                          out: the pivot's row */
    /* nb elements. in: the top's row of this column, on the process that holds
     * the top; out: the same row on all processes. */
    double *current;
} hyb_pivot_t;

/*
 * Agree on a pivot with the processes that hold other rows. Member 0 calls this
 * function once per column, in order.
 */
typedef void (*hyb_panel_agree_fn_t)(void *context, hyb_pivot_t *pivot);

/*
 * Member 0 calls this function when it begins a part of at most base_cols
 * columns, and again at the part's end. The update by the last pivot is then
 * done together with the columns after the part.
 */
typedef void (*hyb_panel_leaf_fn_t)(void *context);

typedef struct {
    hyb_panel_method_t method;
    hyb_tiles_t body; /* in: rows of this process below the top; out: L2 */
    xh_view_t top;    /* in: nb x nb rows of the top if this process holds them;
                         else `rows` is 0 */
    xh_view_t l1;     /* out: nb x nb, unit lower L and upper U */
    int64_t *pivot;   /* out: nb local rows, or rows from `agree` */
    int *zero_p;      /* out: 1 + the first column with pivot 0, or 0 */
    hyb_panel_agree_fn_t agree; /* NULL: this process has all rows */
    hyb_panel_leaf_fn_t leaf;   /* may be NULL */
    void *context;              /* for both functions */
} hyb_panel_t;

/*
 * Call `at` for each pivot c of columns begin .. end - 1, in order. During the
 * call, applied[j] is the number of pivots applied to column j before the
 * search for pivot c. The caller sets `applied` to 0 before.
 */
typedef void (*hyb_panel_pivot_fn_t)(void *context, int c);
void hyb_panel_replay(const hyb_panel_method_t *method, int begin, int end,
                      int *applied, hyb_panel_pivot_fn_t at, void *context);

/* Scratch memory and barriers to factor panels of at most most_cols columns. */
typedef struct hyb_panel_scratch hyb_panel_scratch_t;

/* Number of doubles of scratch memory for a team of `members`. */
size_t hyb_panel_scratch_doubles(const hyb_kernel_t *kernel, int most_cols,
                                 int members);

/* Create scratch memory; most_cols may be 0.
 * Errors: XH_ERR_MEMORY */
xh_status_t hyb_panel_scratch_create(hyb_team_t *team,
                                     const hyb_kernel_t *kernel, int most_cols,
                                     hyb_panel_scratch_t **scratch_p);
void hyb_panel_scratch_destroy(hyb_panel_scratch_t *scratch); /* accepts NULL */

/*
 * Factor `panel`. Members 0 .. members - 1 of the team call this at the same
 * time with equal arguments; each call returns when the panel is factored.
 *
 * Row pivot[c] was exchanged with row c of the top, for c = 0 .. nb - 1 in
 * order. Nothing is divided by a zero pivot. Ties go to the first local row in
 * current order. The rows that pad the body's last tile are zero afterwards.
 * The result does not depend on `members`.
 *
 * Cost: m nb^2 flop for m rows.
 */
void hyb_panel_factor(hyb_panel_scratch_t *scratch, const hyb_panel_t *panel,
                      int member, int members);
