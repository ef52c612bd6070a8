/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the members of the team spend their time on: sums for the choices and
 * for the record of iterations, spans for the trace.
 */
typedef enum {
    HYB_PANEL,
    HYB_SWAP, /* rows on this process, and those that came and go */
    HYB_SOLVE,
    HYB_MULTIPLY,
    HYB_BROADCAST,    /* of panels: moving it on */
    HYB_EXCHANGE,     /* of rows: packing them, and moving messages on */
    HYB_WAIT_PANEL,   /* to be factored here, or to come */
    HYB_WAIT_ROWS,    /* of other processes */
    HYB_WAIT_COLUMNS, /* for the iteration before, or a device */
    HYB_ACTIVITIES
} hyb_activity_t;

/*
 * What this process did until a moment, or between two moments.
 *
 * Paced products are large enough to show how fast a member multiplies, and
 * what holds it up. Time in which its thread was ready and others had the core
 * is kept apart, where the system tells it: 4 processes on 2 cores are as fast
 * as 2. What remains beside the processor's time is time in which the thread
 * was stopped. Where the system does not tell, only the processor's time
 * counts.
 */
typedef struct {
    double time;                   /* the moment, or the s between both */
    double flop;                   /* of the team's products */
    double team[HYB_ACTIVITIES];   /* s, the mean of all members */
    double leader[HYB_ACTIVITIES]; /* s */
    double paced_flop;             /* sums over members, as the next three */
    double paced_seconds;          /* that these took, but for turns */
    double paced_cpu;              /* of these: at work */
    double run_delay;              /* s that others had the core meanwhile */
    double devices_flop;           /* of the columns that devices got */
    double devices_rate;     /* flop/s of all while they had columns, or 0 */
    int64_t devices_columns; /* of one visitor */
} hyb_lap_t;

typedef struct hyb_worker hyb_worker_t; /* it has the sums, see worker.h */

/* It begins activity of iteration, which may be within another one: each second
 * counts once, for the innermost. */
void hyb_timer_begin(hyb_worker_t *me, hyb_activity_t activity, int iteration);

/* It has done what it began last. Returns the seconds since then. */
double hyb_timer_end(hyb_worker_t *me);

/* Part of it is done. */
void hyb_timer_step(hyb_worker_t *me);

/* The same around a product of so many flop. */
void hyb_timer_begin_product(hyb_worker_t *me, int iteration, double flop);
void hyb_timer_end_product(hyb_worker_t *me, double flop);

/* The activities that members 0 .. members - 1 have finished so far. */
uint64_t hyb_timer_steps(const hyb_worker_t *worker, int members);

/* Does member 0 wait? panel_p: the panel that it waits for; below 0: for
 * something else. */
bool hyb_timer_waits(const hyb_worker_t *worker, int *panel_p);

/*
 * What member 0 is doing, less than size characters:
 * "iteration 3 of 40, in the panel: its factorization"
 */
void hyb_timer_where(const hyb_worker_t *worker, int iterations, char *text,
                     size_t size);

/* What members 0 .. members - 1 did until now, without devices; some may be at
 * work. */
hyb_lap_t hyb_timer_lap(const hyb_worker_t *worker, int members);

/* What was done between two moments; devices as in the second. */
hyb_lap_t hyb_lap_between(const hyb_lap_t *from, const hyb_lap_t *to);

/* Close what the sums were measured with. */
void hyb_timer_close(hyb_worker_t *me);
