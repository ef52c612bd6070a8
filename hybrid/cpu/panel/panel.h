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
 * partial pivoting, recursive, in tiles. Each thread owns a run of whole
 * tiles; the pivot search of a column is fused with the update by the column
 * before; two barriers a column. Source: Linpack on Xeon Phi, IV.
 *
 * Rows are counted locally: those of the top first, where this process holds
 * them, then those of the body.
 */
typedef enum { HYB_LEFT, HYB_CROUT, HYB_RIGHT } hyb_panel_variant_t;

typedef struct {
    hyb_panel_variant_t base;      /* for at most base_cols columns */
    hyb_panel_variant_t recursion; /* above, in parts */
    int base_cols, parts;          /* NBMIN >= 1, NDIV >= 2 */
} hyb_panel_method_t;

/* What this process proposes as the pivot of a column, and what is agreed. */
typedef struct {
    double key;        /* in: magnitude of my candidate, INFINITY for a NaN, -1
                          where I have no row left */
    int64_t row;       /* in: its local row; out: what hyb_panel_t.pivot gets */
    bool mine;         /* in: true; out: the agreed pivot is my candidate */
    double *candidate; /* nb. in: its row of the panel; out: the pivot's */
    double *current;   /* nb. in: the top's row of this column, on the process
                          that holds the top; out: the same on all */
} hyb_pivot_t;

/*
 * Agree on a pivot with the processes that hold other rows; called by member
 * 0, once a column, in order.
 */
typedef void (*hyb_panel_agree_fn_t)(void *context, hyb_pivot_t *pivot);

/*
 * Told by member 0 that it begins with a part of at most base_cols columns, and
 * again that it has ended: what comes of the last pivot is done with the
 * columns behind the part.
 */
typedef void (*hyb_panel_leaf_fn_t)(void *context);

typedef struct {
    hyb_panel_method_t method;
    hyb_tiles_t body; /* in: my rows below the top; out: L2 */
    xh_view_t top;    /* in: the top's nb x nb rows where I hold them, else
                          rows is 0 */
    xh_view_t l1;     /* out: nb x nb, unit lower L and upper U */
    int64_t *pivot;   /* out: nb; local rows, or what agree said */
    int *zero_p;      /* out: 1 + the first column whose pivot is 0, or 0 */
    hyb_panel_agree_fn_t agree; /* NULL: all rows are here */
    hyb_panel_leaf_fn_t leaf;   /* NULL: nobody wants to know */
    void *context;              /* for both */
} hyb_panel_t;

/* Call at for each pivot c of columns begin .. end - 1, in order, while met[j]
 * is the number of pivots that column j has met when c is sought. The caller
 * sets met to 0 before. */
typedef void (*hyb_panel_pivot_fn_t)(void *context, int c);
void hyb_panel_replay(const hyb_panel_method_t *method, int begin, int end,
                      int *met, hyb_panel_pivot_fn_t at, void *context);

/* Scratch memory and barriers for panels of at most most_cols columns. */
typedef struct hyb_panel_scratch hyb_panel_scratch_t;

/* Its scratch memory for a team of members. */
size_t hyb_panel_scratch_doubles(const hyb_kernel_t *kernel, int most_cols,
                                 int members);

/* most_cols may be 0. Errors: XH_ERR_MEMORY */
xh_status_t hyb_panel_scratch_create(hyb_team_t *team,
                                     const hyb_kernel_t *kernel, int most_cols,
                                     hyb_panel_scratch_t **scratch_p);
void hyb_panel_scratch_destroy(hyb_panel_scratch_t *scratch); /* accepts NULL */

/*
 * Factor panel. Members 0 .. members - 1 of the team call this at the same
 * time with equal arguments; it returns in each when all is done.
 *
 * Row pivot[c] changed places with row c of the top, for c = 0 .. nb - 1 in
 * order. A zero pivot divides nothing. Ties: the first local row in current
 * order. What fills up the body's last tile is zero afterwards. The result does
 * not depend on members.
 *
 * Cost: m nb^2 flop for m rows.
 */
void hyb_panel_factor(hyb_panel_scratch_t *scratch, const hyb_panel_t *panel,
                      int member, int members);
