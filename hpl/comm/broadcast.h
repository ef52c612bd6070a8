/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_BROADCAST_H
#define HPL_BROADCAST_H

#include "hpl_types.h"
#include "hpl/comm/schedule.h"

/* what is broadcast, and among whom */
typedef struct {
    double *data;
    size_t count; /* doubles */
    int root, me; /* ranks in the schedule's communicator */
    int nprocs;
} hpl_broadcast_t;

/*
 * Add my part of the broadcast of b along topology to s: on root data is read,
 * elsewhere it is written. The rank after root, which factors next, receives it
 * first, but in plain blong, where all end together.
 *
 * ring (1ring, 2ring)  each passes the whole vector on; two rings halve the
 *                      way to the last
 * long (blong)         spread and roll: every process sends about 2 count
 *                      doubles in all, however many processes there are
 * M (modified)         the rank after root passes nothing on: it is busy
 * Cost: root sends at most 3 count (rings) or 2 count (long; 3 with M) doubles.
 */
void hpl_broadcast_plan(hpl_schedule_t *s, const hpl_broadcast_t *b,
                        HPL_T_TOP topology);

#endif
