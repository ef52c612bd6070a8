/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the members of the team spend their time on: sums for the tuner and for
 * the record of iterations, spans for the trace.
 */
typedef enum {
    HYB_PANEL,
    HYB_SWAP, /* rows on this process, and rows that came or leave */
    HYB_SOLVE,
    HYB_MULTIPLY,
    HYB_BROADCAST,    /* passing panels on */
    HYB_EXCHANGE,     /* packing rows, and passing messages on */
    HYB_WAIT_PANEL,   /* until a panel is factored here, or comes */
    HYB_WAIT_ROWS,    /* for rows of other processes */
    HYB_WAIT_COLUMNS, /* for another thread or a device */
    HYB_ACTIVITIES
} hyb_activity_t;

/*
 * What this process did until a moment, or between two moments.
 *
 * Paced products are large enough to show how fast a member multiplies, and
 * what holds it up. Time in which its thread was ready while another thread had
 * the core is kept apart, where the system tells it: 4 processes on 2 cores are
 * as fast as 2. The rest of the time that is not processor time is time in
 * which the thread was stopped. Where the system does not tell, only processor
 * time counts.
 */
typedef struct {
    double time;                   /* the moment, or the seconds between both */
    double flop;                   /* of the team's products */
    double team[HYB_ACTIVITIES];   /* s, the mean over all members */
    double leader[HYB_ACTIVITIES]; /* s */
    double paced_flop;             /* sum over members, like the next three */
    double paced_seconds; /* s of paced products, without waiting for a core */
    double paced_cpu;     /* processor s of paced products */
    double run_delay;     /* s that others had the core meanwhile */
    double devices_flop;  /* of the columns that devices got */
    /* Flop/s of all devices while they had columns, or 0. */
    double devices_rate;
    int64_t devices_columns; /* of one visitor */
} hyb_lap_t;

typedef struct hyb_worker hyb_worker_t; /* has the sums, see worker.h */

/* Begin `activity` of `iteration`. Activities nest: each second counts once,
 * for the innermost one. */
void hyb_timer_begin(hyb_worker_t *me, hyb_activity_t activity, int iteration);

/* End the activity begun last. Returns its seconds. */
double hyb_timer_end(hyb_worker_t *me);

/* Count a part of the activity as done. */
void hyb_timer_step(hyb_worker_t *me);

/* Begin and end an activity that is a product of `flop`. */
void hyb_timer_begin_product(hyb_worker_t *me, int iteration, double flop);
void hyb_timer_end_product(hyb_worker_t *me, double flop);

/* How many activities have members 0 .. members - 1 finished so far? */
uint64_t hyb_timer_steps(const hyb_worker_t *worker, int members);

/*
 * Does member 0 wait?
 *
 * panel_p  out  the panel that it waits for; negative if it waits for anything
 *               else
 */
bool hyb_timer_waits(const hyb_worker_t *worker, int *panel_p);

/*
 * Say what member 0 is doing, in less than `size` characters:
 * "iteration 3 of 40, in the panel: its factorization"
 */
void hyb_timer_where(const hyb_worker_t *worker, int iterations, char *text,
                     size_t size);

/* What have members 0 .. members - 1 done until now, without devices? Some may
 * be at work. */
hyb_lap_t hyb_timer_lap(const hyb_worker_t *worker, int members);

/* What was done between two moments; figures of devices are taken from `to`. */
hyb_lap_t hyb_lap_between(const hyb_lap_t *from, const hyb_lap_t *to);

/* Close the file that shows how long the thread waited for a core. */
void hyb_timer_close(hyb_worker_t *me);
