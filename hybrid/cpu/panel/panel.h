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
 * The factorization of a panel, nb columns, by some threads of a team: with
 * partial pivoting, recursive, in tiles. Each thread owns a run of whole tiles.
 * The pivot search of a column is fused with the update by the column before.
 * There are two barriers per column.
 *
 * Rows are counted locally: first the rows of the top, where this process holds
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

/* What this process proposes as the pivot of a column, and what is agreed
 * on. */
typedef struct {
    double key;  /* in: magnitude of this process's candidate, INFINITY for a
                    NaN, -1 if it has no row left */
    int64_t row; /* in: the candidate's local row; out: the row that
                    hyb_panel_t.pivot gets */
    bool mine;   /* in: true; out: the agreed pivot is this process's */
    double *candidate; /* nb. in: the candidate's row of the panel; out: the
                          pivot's row */
    /* nb. in: the top's row of this column, on the process that holds the top;
     * out: the same row on all processes. */
    double *current;
} hyb_pivot_t;

/*
 * Agree on a pivot with the processes that hold other rows. Member 0 calls
 * this, once per column, in order.
 */
typedef void (*hyb_panel_agree_fn_t)(void *context, hyb_pivot_t *pivot);

/*
 * Member 0 calls this when it begins a part of at most base_cols columns, and
 * again when the part has ended. The last pivot's update is then done together
 * with the columns behind the part.
 */
typedef void (*hyb_panel_leaf_fn_t)(void *context);

typedef struct {
    hyb_panel_method_t method;
    hyb_tiles_t body; /* in: rows of this process below the top; out: L2 */
    xh_view_t top;    /* in: the top's nb x nb rows, if this process holds them;
                         else `rows` is 0 */
    xh_view_t l1;     /* out: nb x nb, unit lower L and upper U */
    int64_t *pivot;   /* out: nb; local rows, or what `agree` said */
    int *zero_p;      /* out: 1 + the first column whose pivot is 0, or 0 */
    hyb_panel_agree_fn_t agree; /* NULL: all rows are here */
    hyb_panel_leaf_fn_t leaf;   /* NULL: not called */
    void *context;              /* for both */
} hyb_panel_t;

/*
 * Call `at` for each pivot c of columns begin .. end - 1, in order; meanwhile
 * applied[j] is the number of pivots that have been applied to column j when
 * pivot c is sought. The caller sets `applied` to 0 before.
 */
typedef void (*hyb_panel_pivot_fn_t)(void *context, int c);
void hyb_panel_replay(const hyb_panel_method_t *method, int begin, int end,
                      int *applied, hyb_panel_pivot_fn_t at, void *context);

/* Scratch memory and barriers for panels of at most most_cols columns. */
typedef struct hyb_panel_scratch hyb_panel_scratch_t;

/* Doubles of scratch memory for a team of `members`. */
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
 * time with equal arguments; each call returns when all is done.
 *
 * Row pivot[c] changed places with row c of the top, for c = 0 .. nb - 1 in
 * order. A zero pivot divides nothing. If candidates are equal, the first local
 * row in current order counts. The rows that fill up the body's last tile are
 * zero afterwards. The result does not depend on `members`.
 *
 * Cost: m nb^2 flop for m rows.
 */
void hyb_panel_factor(hyb_panel_scratch_t *scratch, const hyb_panel_t *panel,
                      int member, int members);
