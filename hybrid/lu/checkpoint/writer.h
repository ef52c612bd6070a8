/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_WRITER_H
#define HYB_WRITER_H

#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/copies.h"
#include "hybrid/lu/checkpoint/store.h"
#include "hybrid/lu/lu.h"

/*
 * A thread that writes this process's part of checkpoints, and calls no MPI.
 * The ledger holds the block columns that it has still to write; it lets each
 * go on once its bytes are with the system.
 */
struct hyb_writer;

/*
 * store   in  its folder outlives the writer
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_writer_create(hyb_lu_t *lu, const hyb_store_t *store,
                              double bandwidth, struct hyb_copies *copies,
                              struct hyb_writer **writer_p);

/* The run begins, or goes on, by this process's own clock as if it had begun
 * at zero. Before, no signs of life are written. */
void hyb_writer_set_zero(struct hyb_writer *writer, double zero);

/* What is being written is given up and removed. Accepts NULL. */
void hyb_writer_destroy(struct hyb_writer *writer);

/*
 * Hold the columns that are to be written, and write them; it was not busy.
 * None has passed its boundary yet. The leader.
 *
 * header      in  of the checkpoint; final_bytes: of the final file count so
 *                 far
 * final_from  in  U above this panel is in these
 */
void hyb_writer_begin(struct hyb_writer *writer, const hyb_header_t *header,
                      int final_from);

/* Is the last one over, with the copies that come here? Either it is whole, on
 * the disk; or it failed, which is said: then there is none, and nothing is
 * held. */
bool hyb_writer_has_ended(const struct hyb_writer *writer);
bool hyb_writer_is_whole(const struct hyb_writer *writer);

/* What is being written is given up and removed; it then writes no more. */
void hyb_writer_give_up(struct hyb_writer *writer);

/* Of the last one that is done. */
int64_t hyb_writer_bytes(const struct hyb_writer *writer);
int64_t hyb_writer_final_bytes(const struct hyb_writer *writer);

/* The top rows of panel k, before they are factored. The leader. */
void hyb_writer_keep_top(struct hyb_writer *writer, int k, xh_view_t top);

/* Panel k is about to be factored where its columns stand. Is it no panel that
 * a restart begins with, or have these been saved? */
bool hyb_writer_has_saved_first(struct hyb_writer *writer, int k);

#endif
