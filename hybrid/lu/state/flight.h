/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/view.h"
#include "hpl.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/cpu/update/run.h"
#include "hybrid/node/units.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/step.h"

/* What threads share about the panels in flight: single panels, and the wide
 * panels that groups form. */

/* Copies of L2 in its other form: for iterations k and k + 1. */
enum { HYB_L2_COPIES = 2 };

/* What factors the panels in flight, and their memory apart from the messages.
 * Each part is whole pages. */
typedef struct {
    hyb_panel_scratch_t *scratch;
    int64_t *pivots; /* nb */
    double *proposal, *others_proposal;
    double *l1[HYB_IN_FLIGHT];
    bool shares_l2; /* L2 of all panels uses the same memory. This is so
                       where Q = 1 and devices compute all columns: the next
                       panel's columns come down only after L2 has gone up */
    double *tiles;  /* L2 in tiles, if `shares_l2`; else the messages hold it */
    /* L2 in the form that the message does not have, if anything here reads
     * columns; in columns, if `shares_l2`. */
    double *copy[HYB_L2_COPIES];
    size_t copy_doubles; /* of one copy */
    double *memory;
    size_t bytes;
} hyb_panel_workspace_t;

/* How many panels have memory for L2 in its other form? */
static inline int hyb_l2_copies(const hyb_panel_workspace_t *workspace)
{
    return workspace->shares_l2 ? 1 : HYB_L2_COPIES;
}

/* What stands behind L2 in a panel's message: sums of its bits, which
 * guard/seal.h explains, and whether L2 is in columns. The rest of the cache
 * line is unused. */
enum { HYB_SEAL_OF_L2, HYB_SEAL_OF_REST, HYB_SEAL_FORM, HYB_SEAL_DOUBLES = 8 };

/*
 * The life of panel k: all processes open it. One process column factors it:
 * some workers load it together from its home into tiles, or the device that is
 * its home factors it and hands it over in columns. The message is broadcast
 * along each process row. Then the panel is known everywhere.
 */
typedef struct {
    HPL_T_panel *hpl;      /* position, message, pivots, broadcast */
    hyb_factors_t factors; /* L1 and L2 for the update */
    bool in_columns;       /* the message has L2 in columns, not in tiles */
    bool in_tiles; /* L2 is in tiles here, or is being converted to tiles */
    double *seal;  /* HYB_SEAL_DOUBLES of the message, behind L2 */
    hyb_units_t sealing; /* parts of L2 whose bits are still to be summed */
    _Atomic uint64_t seal_bits;
    atomic_bool has_nan; /* L2 has a NaN or infinity; set while it is sealed */
    enum { SEAL_CAME, SEAL_KEPT, SEAL_GIVEN_UP } kept; /* the leader's */
    hyb_swap_t swap; /* row moves, where all rows are here; else only its source
                        is set */
    int *moves;      /* memory of the lists in `swap` */
    int zero;        /* 1 + first column without pivot, or 0 */
    _Atomic int loaded; /* workers that have copied their part into tiles */
    /* How it is factored; the leader's, like the next three: */
    hyb_panel_method_t method;
    bool by_device; /* its home factors it */
    bool queued;    /* the device has been given the factorization */
    bool factored;  /* the panel is factored, and known here */
    int threads;    /* threads that factored it here; 0: a device did, or nobody
                       here */
    /* How long factoring took here; 0: nobody here factored it. */
    double seconds;
    bool travels;      /* its broadcast is under way */
    xh_view_t columns; /* L2 in columns, where anyone reads it so */
    hyb_units_t units; /* units of rows of L2 still to be converted */
    hyb_panel_workspace_t *workspace; /* shared by all panels */
} hyb_lu_panel_t;

/*
 * Panels of a group as one wide panel: one permutation moves its rows. While a
 * group grows, its panels up to the newest one form a wide panel, too.
 */
typedef struct {
    HPL_T_panel panel[HYB_WIDE_SLOTS]; /* by hyb_groups_slot */
    double *rows;                      /* memory of their DPIV */
    double info;                       /* their DINFO points here */
} hyb_wide_t;
