/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/state/step.h"

/*
 * Checkpoints of the factorization. Process 0 decides by its clock when one is
 * due. All processes learn the decision before the same iteration opens, which
 * then ends the loop's range. While nothing moves, each process writes its
 * columns; then the loop begins again with the next panel, as after a restart.
 * A checkpoint counts once all processes have written it; the previous one is
 * kept, too.
 */

typedef struct hyb_checkpoint hyb_checkpoint_t;

/*
 * Create lu->checkpoint as the settings ask; collective. Call it before the
 * matrix is generated.
 * Errors: XH_ERR_INPUT   logged: the folder cannot be written, or holds
 *                        checkpoints that this run does not restart from
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_checkpoint_create(hyb_lu_t *lu);
void hyb_checkpoint_destroy(hyb_checkpoint_t *checkpoint);

/*
 * Remove the checkpoints of a run whose results are saved. If the run is killed
 * during the removal, a restart finds either all of them or a mark that the run
 * had ended. Collective over comm.
 *
 * mine  in  does this process have checkpoints to remove?
 */
void hyb_checkpoint_clear(MPI_Comm comm, bool mine);

/* Without checkpoints, which is NULL, the functions below do nothing. The
 * leader calls them. */

/* Was the matrix restored from a checkpoint, so that it need not be generated?
 * Ends the job if that checkpoint's seed is not `seed`. */
bool hyb_checkpoint_resumes(hyb_checkpoint_t *checkpoint, int seed);

/* Start the clock of the factorization. */
void hyb_checkpoint_begin(hyb_checkpoint_t *checkpoint);

/* Advance the vote without waiting. Is the decision known that applies when
 * iteration k opens? */
bool hyb_checkpoint_advance(hyb_checkpoint_t *checkpoint, int k);

/* Call this before iteration k opens: start a vote, or, if a checkpoint is due,
 * end the range with the group of panel k. */
void hyb_checkpoint_open(hyb_lu_t *lu, int k);

/* Call this when the range is over and nothing moves. Did the range end for a
 * checkpoint? Then write the checkpoint, or log why it cannot be written, and
 * set the range to the remaining panels. */
bool hyb_checkpoint_pause(hyb_lu_t *lu);

/* Return what to append to a message that ends the run: that a restart can
 * continue from a checkpoint, or "". Static text; any thread may call it. */
const char *hyb_checkpoint_advice(void);

/* Report which checkpoints were written, and from which one the run restarted.
 * False if the run neither writes nor reads checkpoints. */
bool hyb_checkpoint_report(const hyb_checkpoint_t *checkpoint,
                           hpl_checkpoints_t *report_p);
