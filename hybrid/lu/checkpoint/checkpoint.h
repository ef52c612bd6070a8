/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CHECKPOINT_H
#define HYB_CHECKPOINT_H

#include "base/view.h"
#include "hpl_solver.h"
#include "hybrid/lu/factor.h"

/*
 * Checkpoints while the factorization runs. Process 0 decides by its clock;
 * what it decides, and what all have done, is summed up over all processes
 * while iterations run, so that they know it before the same iteration opens.
 * A checkpoint counts once all have written it; then each removes what is older
 * than the last two.
 */

/* Are checkpoints asked for, which cannot be where columns are guests of
 * devices? With home=device that is an error, which is said. Collective. */
bool hyb_checkpoint_refuses(const hyb_lu_t *lu);

/*
 * lu->checkpoint, as settings say; collective. lu is as it begins, after a
 * restart or not.
 * Errors: XH_ERR_INPUT   said: the folder cannot be written, or holds
 *                        checkpoints that nobody restarts from
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_checkpoint_create(hyb_lu_t *lu);
void hyb_checkpoint_destroy(hyb_lu_t *lu);

/*
 * The results of a run are where they are kept: its checkpoints go. A restart
 * of a run that is killed meanwhile finds all of them, or a mark that it had
 * ended. Collective over comm.
 *
 * row, column  in  this process's place in the grid that wrote; below 0: none
 */
void hyb_checkpoint_clear(MPI_Comm comm, int row, int column);

/* The matrix is that of seed. Was it restarted from a checkpoint? Then it is
 * here; of another seed it ends the job. */
bool hyb_checkpoint_resumes(hyb_lu_t *lu, int seed);

/* The rest does nothing without checkpoints; the leader. */

/* The clock runs. */
void hyb_checkpoint_begin(hyb_lu_t *lu);

/* Advance the vote; true once it is known what all decide when iteration k
 * opens. Without waiting. */
bool hyb_checkpoint_advance(hyb_lu_t *lu, int k);

/* Iteration k, whose panel is here, is about to open. */
void hyb_checkpoint_open(hyb_lu_t *lu, int k);

/* The rows x columns of panel k's top here, before they are factored. */
void hyb_checkpoint_keep_top(hyb_lu_t *lu, int k, xh_view_t top);

/* May a device factor panel k where it stands? It is not to be saved, or has
 * been. */
bool hyb_checkpoint_lets_factor(hyb_lu_t *lu, int k);

/* Behind the message of what ends the run: that a restart can go on, or "".
 * Static text; any thread. */
const char *hyb_checkpoint_advice(const hyb_lu_t *lu);

/* The last iteration is complete. */
void hyb_checkpoint_end(hyb_lu_t *lu);

/* What was written, and what it was restarted from; false: neither. */
bool hyb_checkpoint_report(const hyb_lu_t *lu, hpl_checkpoints_t *report_p);

#endif
