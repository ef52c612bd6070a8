/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/step.h"

/*
 * Checkpoints of the factorization. Process 0 decides by its clock; all learn
 * it before the same iteration opens, which ends the loop's range. While
 * nothing moves each process writes its columns, and the loop begins anew with
 * the next panel, as after a restart. A checkpoint counts once all have written
 * it; the one before it stays, too.
 */

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
 * mine  in  this process has some
 */
void hyb_checkpoint_clear(MPI_Comm comm, bool mine);

/* The matrix is that of seed. Was it restarted from a checkpoint? Then it is
 * here; of another seed it ends the job. */
bool hyb_checkpoint_resumes(hyb_lu_t *lu, int seed);

/* The rest does nothing without checkpoints; the leader. */

/* The clock runs. */
void hyb_checkpoint_begin(hyb_lu_t *lu);

/* Advance the vote; true once it is known what all decide when iteration k
 * opens. Without waiting. */
bool hyb_checkpoint_advance(hyb_lu_t *lu, int k);

/* Iteration k is about to open; the last one of the range, if a checkpoint is
 * due. */
void hyb_checkpoint_open(hyb_lu_t *lu, int k);

/* The range is over, and nothing moves. Was that for a checkpoint? Then it is
 * written, or cannot be, which is said, and the range is the rest. */
bool hyb_checkpoint_pause(hyb_lu_t *lu);

/* Behind the message of what ends the run: that a restart can go on, or "".
 * Static text; any thread. */
const char *hyb_checkpoint_advice(void);

/* What was written, and what it was restarted from; false: neither. */
bool hyb_checkpoint_report(const hyb_lu_t *lu, hpl_checkpoints_t *report_p);
