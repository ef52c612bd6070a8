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
 * The writer's thread gives, the leader sends and receives.
 */
typedef struct hyb_copies hyb_copies_t;

typedef enum {
    HYB_COPY_FINAL, /* bytes of that file, at an offset */
    HYB_COPY_PART,  /* of the checkpoint that is being written */
    HYB_COPY_WHOLE, /* it is: it gets its name */
    HYB_COPY_GIVEN_UP,
    HYB_COPY_CLOSE /* nothing follows */
} hyb_copy_kind_t;

typedef struct {
    int64_t kind, first, offset, bytes;
} hyb_copy_t;

/*
 * piece  in  bytes that are given at a time, at most, by any process
 *
 * disks outlives it. Collective. Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_copies_create(const hyb_disks_t *disks, MPI_Comm comm,
                              int64_t piece, hyb_copies_t **copies_p);
void hyb_copies_destroy(hyb_copies_t *copies);

/* Returns when data may be changed. The writer's thread. Accepts NULL. */
void hyb_copies_give(hyb_copies_t *copies, hyb_copy_t what, const void *data);

/* The rest is the leader's. */

void hyb_copies_poll(hyb_copies_t *copies);

/* A checkpoint begins: have all copies that come here ended; are they whole? */
void hyb_copies_begin(hyb_copies_t *copies);
bool hyb_copies_have_ended(const hyb_copies_t *copies);
bool hyb_copies_are_whole(const hyb_copies_t *copies);

/* Remove copies here of all checkpoints but these. */
void hyb_copies_keep(const hyb_copies_t *copies, const int *first, int count);

/* What is under way is given up; until all who send have said so. */
void hyb_copies_close(hyb_copies_t *copies);

#endif
