/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_HEALTH_H
#define HYB_HEALTH_H

#include <mpi.h>
#include <stdbool.h>
#include "hybrid/lu/observer.h"
#include "hybrid/observe/peers.h"

/*
 * How each process does, while they factor: every process reports to the first
 * one of the grid now and then, on its own. That one compares them and says on
 * stderr who is slow, or that all are, or messages. Nobody waits for anybody.
 * All calls are the leader's.
 */
typedef struct {
    bool wanted;
    const hyb_observed_t *run;
    MPI_Comm comm; /* the grid's: a tag of its own, one message at a time */
    int me, count; /* processes */
    double next, apart; /* when to report; s between */
    double sense;       /* when to read sensors, which may be slow */
    hyb_report_t mine, sent;
    MPI_Request request; /* of sent */
    /* on the first process */
    hyb_peers_t *peers;
    bool *done; /* which processes have sent their last */
} hyb_health_t;

/*
 * run      in  lives until the end
 * planned  in  flop/s of a thread that was predicted; 0: nothing was
 */
void hyb_health_begin(hyb_health_t *health, const hyb_observed_t *run,
                      double planned);

/* Time may have come to report, or to listen. */
void hyb_health_turn(hyb_health_t *health);

/*
 * All is done here. The first process waits until it is so everywhere: else
 * what others sent would lie about.
 */
void hyb_health_end(hyb_health_t *health);

#endif
