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

/* What threads share of the panels in flight: the narrow ones, and the groups
 * that they become. */

enum { HYB_L2_COPIES = 2 }; /* copies of L2: of iterations k and k + 1 */

/* What factors the panels in flight, and their memory beside the messages:
 * whole pages each. */
typedef struct {
    hyb_panel_scratch_t *scratch;
    int64_t *pivots; /* nb */
    double *proposal, *others_proposal;
    double *l1[HYB_IN_FLIGHT];
    bool shares_l2; /* all panels' L2 use one memory. So where Q = 1 and devices
                       compute all columns: the next panel's come down only
                       after L2 has gone up */
    double *tiles;  /* of L2, then; else messages have it */
    double *columns[HYB_L2_COPIES]; /* of L2, where someone reads it so */
    size_t columns_doubles;         /* of one */
    double *memory;
    size_t bytes;
} hyb_panel_workspace_t;

/* The panels whose L2 has memory in columns. */
static inline int hyb_l2_copies(const hyb_panel_workspace_t *workspace)
{
    return workspace->shares_l2 ? 1 : HYB_L2_COPIES;
}

/*
 * The life of panel k: opened on all processes; on its process column loaded
 * from its home into tiles and factored by some workers together, or factored
 * by the device that is its home, and taken from there; broadcast along each
 * process row as it is, in tiles; known everywhere.
 */
typedef struct {
    HPL_T_panel *hpl;      /* place, message, pivots, broadcast */
    hyb_factors_t factors; /* L1 and L2 for the update */
    double *seal;          /* sums of the message's bits; see guard/seal.h: */
    hyb_units_t sealing;   /* of L2, to be summed up */
    _Atomic uint64_t seal_bits;
    atomic_bool has_nan; /* ... and L2 has a NaN or infinity */
    enum { SEAL_CAME, SEAL_KEPT, SEAL_GIVEN_UP } kept; /* the leader's */
    hyb_swap_t swap;           /* where all rows are here; else source is */
    int *moves;                /* the memory of swap's lists */
    int zero;                  /* 1 + first column without pivot, or 0 */
    _Atomic int loaded;        /* workers that have copied their part in */
    hyb_panel_method_t method; /* how it is factored; the leader's, as: */
    bool by_device;            /* its home factors it */
    bool queued;               /* the device is at it */
    bool factored;             /* known here */
    int threads;       /* that factored it here; 0: a device did, or nobody; */
    double seconds;    /* so long; 0: nobody did */
    bool travels;      /* its broadcast is under way */
    xh_view_t columns; /* L2 in columns, where someone reads it so */
    hyb_units_t units; /* of rows of these, to be copied */
    hyb_panel_workspace_t *workspace; /* what factors all; the panels' own */
} hyb_lu_panel_t;

/*
 * Panels of a group as one: its rows move by one permutation. While a group
 * grows its first panels are one up to the one that has come last.
 */
typedef struct {
    HPL_T_panel panel[HYB_WIDE_SLOTS]; /* as hyb_groups_slot counts them */
    double *rows;                      /* memory of their DPIV */
    double info;                       /* their DINFO */
} hyb_wide_t;
