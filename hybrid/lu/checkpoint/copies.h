/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_COPIES_H
#define HYB_COPIES_H

#include <stdbool.h>
#include <stdint.h>
#include "hpl_types.h"
#include "hybrid/lu/checkpoint/disks.h"

/*
 * Copies of checkpoints while they are written: each process sends what it
 * writes to its partner as well, whose own thread writes it to another disk.
 * The writer's thread gives, the leader sends and receives. NULL, which all
 * functions accept: there is one disk.
 */
struct hyb_copies;

/*
 * comm   in  all processes; of copies and collective calls alone
 * piece  in  bytes that are given at a time, at most, by any process
 *
 * disks and comm outlive it. Collective. Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_copies_create(const hyb_disks_t *disks, MPI_Comm comm,
                              int64_t piece, struct hyb_copies **copies_p);
void hyb_copies_destroy(struct hyb_copies *copies);

/* Bytes of the final file at offset, or of the checkpoint that is being
 * written. Returns when data may be changed. The writer's thread. */
void hyb_copies_give(struct hyb_copies *copies, bool is_final, int64_t offset,
                     const void *data, size_t bytes);

/* The checkpoint is whole: its copies get their names; or it is given up.
 * Likewise. */
void hyb_copies_end(struct hyb_copies *copies, bool is_whole);

/* The rest is the leader's. */

/* Send and receive what is there; copies. For the poller. */
void hyb_copies_poll(void *copies);

/* The checkpoint of panel `first` begins: have all copies that come here ended;
 * are they whole? */
void hyb_copies_begin(struct hyb_copies *copies, int first);
bool hyb_copies_have_ended(const struct hyb_copies *copies);
bool hyb_copies_are_whole(const struct hyb_copies *copies);

/* Remove copies here of that checkpoint, or of all but these. */
void hyb_copies_remove(const struct hyb_copies *copies, int first);
void hyb_copies_keep(const struct hyb_copies *copies, const int *first,
                     int count);

/* What is under way is given up; until all who send have said so. */
void hyb_copies_close(struct hyb_copies *copies);

#endif
