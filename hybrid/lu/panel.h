/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_LU_PANEL_H
#define HYB_LU_PANEL_H

#include "hpl/pfact/pivot.h"
#include "hpl_solver.h"
#include "hybrid/cpu/update/chunk.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/lu/l2_columns.h"
#include "hybrid/lu/worker.h"

/*
 * The life of panel k: opened on all processes; on its process column loaded
 * from its home into tiles and factored by some workers together; broadcast
 * along each process row as it is, in tiles; known everywhere.
 */
typedef struct {
    HPL_T_panel *hpl;      /* place, message, pivots, broadcast */
    hyb_factors_t factors; /* L1 and L2 for the update */
    hyb_swap_t swap;       /* where all rows are here; else source is */
    int *moves;            /* the memory of swap's lists */
    int zero;              /* 1 + first column without pivot, or 0 */
    _Atomic int loaded;    /* workers that have copied their part in */
    bool travels;          /* its broadcast is under way; the leader's */
} hyb_lu_panel_t;

/* Those in flight, and what factors them. */
typedef struct {
    hyb_lu_panel_t ring[HYB_IN_FLIGHT];
    hyb_panel_engine_t *engine;
    double *top; /* nb x nb: the top of the panel being factored */
    double *proposal, *others_proposal;
    int64_t *pivots; /* nb */
    int factored;    /* the last panel that was factored here */
    hyb_l2_columns_t
        *l2;        /* L2 in columns, for who cannot read tiles; or NULL */
    double *memory; /* of L1, top and proposals */
    size_t bytes;
} hyb_panels_t;

/* Needs lu's means, grid, mat, panels. Errors: XH_ERR_MEMORY; destroy then all
 * the same */
xh_status_t hyb_panels_create(hyb_lu_t *lu);
void hyb_panels_destroy(hyb_panels_t *panels);

/* Bytes of both and of the panels in flight, on a process of shape. */
uint64_t hyb_panels_bytes(const hyb_means_t *means, const hpl_shape_t *shape);

/* Doubles of panel k's message on this process. */
size_t hyb_panel_doubles(const hpl_shape_t *shape, int k, int height);

/* Its place and memory, and where another process factors it the beginning of
 * its broadcast. The leader; no iteration uses panel k - 3 any more. */
void hyb_panel_open(hyb_lu_t *lu, int k);

/*
 * Factor panel k; on its process column, by workers 0 .. members - 1 at the
 * same time, once the panel's columns have met panel k - 1.
 */
void hyb_panel_factor_by(hyb_worker_t *me, int k, int members);

/* Begin to broadcast it. The leader, after factoring. */
void hyb_panel_broadcast(hyb_lu_t *lu, int k);

/* Advance all broadcasts; lu. For the poller. */
void hyb_panel_poll(void *lu);

/* Does no panel travel any more? */
bool hyb_panels_are_still(const hyb_lu_t *lu);

/* Is panel k known here? Its broadcast advances. The leader. */
bool hyb_panel_is_here(hyb_lu_t *lu, int k);

/* Make ready what the host needs of a panel that is here: L1 packed, the row
 * moves as lists. The leader. */
void hyb_panel_receive(hyb_lu_t *lu, int k);

/*
 * Agree on a column's pivot with the other processes of the process column, of
 * which each calls this.
 *
 * panel     in      its grid and its width
 * proposal  out     HPL_PROPOSAL_ROWS + 2 jb
 * pivot     in/out  in with its global row, and mine: true
 */
void hyb_panel_agree(HPL_T_panel *panel, double *proposal,
                     const hpl_pivot_wait_t *wait, hyb_pivot_t *pivot);

#endif
