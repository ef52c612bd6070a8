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

/* The panels in flight, backed by pages. Needs lu's resources, grid, mat,
 * range, and blocks that have been dealt to homes. Errors: XH_ERR_MEMORY;
 * destroy then all the same */
xh_status_t hyb_panels_create(hyb_lu_t *lu);
void hyb_panels_destroy(hyb_lu_t *lu);

/* Bytes that they take on a process of shape. */
uint64_t hyb_panels_bytes(const hyb_resources_t *resources,
                          const hpl_shape_t *shape);

/* Its place and memory, and where another process factors it the beginning of
 * its broadcast. The leader; no iteration uses panel k - 3 any more. */
void hyb_panel_open(hyb_lu_t *lu, int k);

/*
 * Factor panel k; on its process column, by all workers for the first panel,
 * else by those of iteration k - 1's step at the same time, once the panel's
 * columns have met panel k - 1. Or, once the device that they live on has them
 * queued so far, give it to this device.
 */
void hyb_panel_factor_by(hyb_worker_t *me, int k);

/* Has the device factored panel k? Then it is known here. The leader. */
bool hyb_panel_take(hyb_lu_t *lu, int k);

/* Begin to broadcast it, by the leader, after factoring, unless a device is at
 * it; others do nothing. */
void hyb_panel_broadcast(hyb_worker_t *me, int k);

/* Advance all broadcasts, and take what devices have factored; lu. For the
 * poller. */
void hyb_panel_poll(void *lu);

/* Does no panel travel any more? */
bool hyb_panels_are_still(const hyb_lu_t *lu);

/* Has the panel that has panel k's place been passed on? */
bool hyb_panel_is_free(const hyb_lu_t *lu, int k);

/* Advance panel k's broadcast; true once the panel is known here. It may have
 * to be passed on still. The leader. */
bool hyb_panel_advance(hyb_lu_t *lu, int k);

/* The host's receive_panel: L1 packed, the row moves as lists. */
void hyb_panel_receive(hyb_place_t *host, int k);

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

/* ---- L2 in columns -------------------------------------------------------
 *
 * For devices and the BLAS library, which cannot read tiles. There is memory
 * for those of two iterations, k and k + 1, or of one.
 */

/* All of its memory, in one piece, to be pinned. */
double *hyb_l2_columns_memory(hyb_lu_t *lu, size_t *bytes_p);

/* It is to be copied. The leader. */
void hyb_l2_columns_begin(hyb_lu_panel_t *panel);

/*
 * Copy rows until none is left to take; any number
 * of threads at once. Others may be at work on the last ones still.
 */
void hyb_l2_columns_fill(hyb_lu_panel_t *panel);

/* Is all of its L2 in its place? */
bool hyb_l2_columns_complete(const hyb_lu_panel_t *panel);
