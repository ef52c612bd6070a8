/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_HEALTH_H
#define HYB_HEALTH_H

#include <mpi.h>
#include <stdbool.h>
#include "hybrid/lu/pace.h"
#include "hybrid/observe/verdict.h"
#include "hybrid/lu/timer.h"

/*
 * How each process does, while they factor: every process tells the first one
 * of the grid now and then, on its own, what it did so far. That one compares
 * them and says on stderr who is slow, or that all are, or messages. Nobody
 * waits for anybody. All calls are the leader's.
 */
typedef struct {
    double time;          /* s of the process's clock */
    double flop, seconds; /* of products of its team */
    double turns;   /* s that others had its threads' cores, beside these */
    double cpu;     /* of seconds: at work */
    double planned; /* flop/s of a thread; 0: nothing was predicted */
    double leader[HYB_ACTIVITIES]; /* s */
    double mhz, celsius;           /* NAN: not told */
    double column, rank;           /* of the grid; in the job */
    double last;                   /* not 0: it is done */
    char host[64];
} hyb_tidings_t;

struct hyb_peers;

typedef struct {
    bool wanted;
    MPI_Comm comm;
    int me, count; /* processes */
    int columns;
    double next, apart; /* when to tell; s between */
    double sense;       /* when to read sensors, which may be slow */
    hyb_tidings_t mine, sent;
    MPI_Request request; /* of sent */
    /* on the first process */
    struct hyb_peers *peers;
    bool *done; /* which processes have told their last */
} hyb_health_t;

/*
 * comm     in  the processes of the grid; one message at a time goes through it
 *              with a tag of its own; borrowed
 * column   in  of this process, of so many
 * planned  in  flop/s of a thread that was predicted; 0: nothing was
 */
typedef struct {
    MPI_Comm comm;
    int column, columns;
    double planned;
} hyb_health_place_t;

void hyb_health_begin(hyb_health_t *health, const hyb_health_place_t *place);

/* Time may have come to tell, or to listen. spent, pace: of each member. */
void hyb_health_turn(hyb_health_t *health, const hyb_timer_t *spent,
                     const hyb_pace_t *pace, int members);

/*
 * All is done here. The first process waits until it is so everywhere: else
 * what others told would lie about.
 */
void hyb_health_end(hyb_health_t *health);

#endif
