/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/pfact/pivot.h"
#include "hpl_solver.h"
#include "hybrid/cpu/update/run.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/node/units.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * This folder holds panels, from opening to receipt: who factors them, the
 * factorization by the team, the hand-over from a device, the broadcast, the
 * two forms of L2, and several panels as one wide panel.
 *
 * hyb_panels_create makes the panels in flight, their pages touched, from lu's
 * resources, grid, mat and range, after blocks have been dealt to homes.
 * Errors: XH_ERR_MEMORY; call hyb_panels_destroy all the same
 */
xh_status_t hyb_panels_create(hyb_lu_t *lu);
void hyb_panels_destroy(hyb_lu_t *lu);

/* Bytes that the panels take on a process of `shape`. */
uint64_t hyb_panels_bytes(const hyb_resources_t *resources,
                          const hpl_shape_t *shape);

/*
 * Give panel k its memory and, if another process column factors it, begin to
 * receive its broadcast. Called by the leader, when no iteration uses panel k -
 * 3 any more.
 */
void hyb_panel_open(hyb_lu_t *lu, int k);

/*
 * Factor panel k on its process column, once panel k - 1 has been applied to
 * its columns. All workers call this for the first panel, else the workers that
 * the step of iteration k - 1 names, at the same time. If a device factors the
 * panel, this gives it to the device, once the columns are queued there.
 */
void hyb_panel_factor_by(hyb_worker_t *me, int k);

/* Has the device factored panel k? Then this makes it known here. Called by the
 * leader. */
bool hyb_panel_take(hyb_lu_t *lu, int k);

/* Begin to broadcast panel k after it has been factored. Only the leader acts,
 * and only if no device is still factoring the panel. */
void hyb_panel_broadcast(hyb_worker_t *me, int k);

/* Advance all broadcasts, and take the panels that devices have factored. For
 * the poller; `lu` is a hyb_lu_t. */
void hyb_panel_poll(void *lu);

/* Have all broadcasts ended? */
bool hyb_panels_are_still(const hyb_lu_t *lu);

/* Has the panel whose memory panel k takes over been passed on? */
bool hyb_panel_is_free(const hyb_lu_t *lu, int k);

/* Advance panel k's broadcast. Is the panel known here? It may still have to be
 * passed on. Called by the leader. */
bool hyb_panel_advance(hyb_lu_t *lu, int k);

/* The host's receive_panel: pack L1, and list the row moves. */
void hyb_panel_receive(hyb_place_t *host, int k);

/*
 * Agree on a column's pivot; each process of the process column calls this.
 *
 * panel     in      gives the grid and the width
 * proposal  out     HPL_PROPOSAL_ROWS + 2 jb
 * pivot     in/out  in with its global row, and `mine` true
 */
void hyb_panel_agree(HPL_T_panel *panel, double *proposal,
                     const hpl_pivot_wait_t *wait, hyb_pivot_t *pivot);

/* ---- the two forms of L2 --------------------------------------------------
 *
 * A panel's message has L2 in the form in which it was factored: in tiles by
 * the team, in columns by a device. The team's kernel reads tiles; devices and
 * the BLAS library read columns. Where L2 is read in the other form, the
 * threads convert it. There is memory for the other form of two iterations, k
 * and k + 1, or of one.
 */

/* Piece i of the memory from which devices copy L2, to be pinned; NULL: there
 * is no piece i. */
double *hyb_l2_memory(hyb_lu_t *lu, int i, size_t *bytes_p);

/* Let L2 of `panel` be converted to the other form. Called by the leader. */
void hyb_l2_convert_begin(hyb_lu_panel_t *panel);

/*
 * Convert rows until none is left to take. Any number of threads may call this
 * at once; other threads may still be converting their last rows when it
 * returns.
 */
void hyb_l2_convert(hyb_lu_panel_t *panel);

/* Is all of L2 in its columns; in its tiles? */
bool hyb_l2_has_columns(const hyb_lu_panel_t *panel);
bool hyb_l2_has_tiles(const hyb_lu_panel_t *panel);
