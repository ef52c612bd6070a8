/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PEERS_H
#define HYB_PEERS_H

#include "hybrid/lu/timer.h"

/* What a process did so far. */
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
} hyb_report_t;

/*
 * The reports of all processes of late, as the first one keeps them, and what
 * it says of them.
 */
typedef struct hyb_peers hyb_peers_t;

/* NULL: no memory. */
hyb_peers_t *hyb_peers_create(int count, int columns);
void hyb_peers_destroy(hyb_peers_t *peers); /* accepts NULL */

/* Keep a copy of the report of a process of the grid. */
void hyb_peers_hear(hyb_peers_t *peers, int process,
                    const hyb_report_t *report);

/*
 * Judge what was heard, and say the verdict once it has held for a while and
 * is another than what was said last: at most every ten seconds.
 */
void hyb_peers_judge(hyb_peers_t *peers, double now);

#endif
