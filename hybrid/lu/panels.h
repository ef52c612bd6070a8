/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PANELS_H
#define HYB_PANELS_H

#include "hpl/pfact/pivot.h"
#include "hybrid/lu/lu.h"
#include "hybrid/cpu/panel.h"

/*
 * The life of panel k: opened on all processes; on its process column loaded
 * from the matrix into tiles and factored by some members together; broadcast
 * along each process row as it is, in tiles; known everywhere.
 */

/* Doubles of panel k's message on this process. */
size_t hyb_panels_doubles(const hpl_shape_t *shape, int k, int height);

/* Its place and memory. The leader; no iteration uses panel k - 3 any more. */
void hyb_panels_open(hyb_lu_t *lu, int k);

/*
 * Load and factor; on its process column, by members 0 .. members - 1 at the
 * same time, once the panel's columns have met panel k - 1.
 */
void hyb_panels_factor(hyb_lu_t *lu, int k, int member, int members);

/*
 * Agree on a column's pivot with the other processes of the process column, of
 * which each calls this.
 *
 * panel     in      its grid and its width
 * proposal  out     HPL_PROPOSAL_ROWS + 2 jb
 * pivot     in/out  in with its global row, and mine: true
 */
void hyb_panels_agree(HPL_T_panel *panel, double *proposal,
                      const hpl_pivot_wait_t *wait, hyb_pivot_t *pivot);

/* Begin to broadcast it, or to receive it. The leader, once. */
void hyb_panels_broadcast(hyb_lu_t *lu, int k);

/* Advance its broadcast; true once panel k is here. The leader. */
bool hyb_panels_arrived(hyb_lu_t *lu, int k);

/* Make ready what the update needs of a panel that is here. The leader. */
void hyb_panels_prepare(hyb_lu_t *lu, int k);

#endif
