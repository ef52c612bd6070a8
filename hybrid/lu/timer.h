/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TIMER_H
#define HYB_TIMER_H

#include <stdatomic.h>
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
    HYB_HELP,         /* multiplying tiles of the devices' columns */
    HYB_BROADCAST,    /* of panels: moving it on */
    HYB_EXCHANGE,     /* of rows: packing them, and moving messages on */
    HYB_WAIT_PANEL,   /* to be factored here, or to come */
    HYB_WAIT_ROWS,    /* of other processes */
    HYB_WAIT_COLUMNS, /* for the iteration before, or a device */
    HYB_ACTIVITIES
} hyb_activity_t;

/* One member's. Written by itself, read by any. */
typedef struct {
    _Alignas(64) _Atomic double flop; /* of products */
    _Atomic double seconds[HYB_ACTIVITIES];
    _Atomic unsigned steps; /* activities that it has finished; tiles */
    _Atomic int doing;      /* iteration * HYB_ACTIVITIES + activity */
    double inside;          /* seconds spent within what it is doing; its own */
} hyb_timer_t;

/* All members' together, at one moment. */
typedef struct {
    double flop, seconds[HYB_ACTIVITIES];
} hyb_timer_sum_t;

/* member begins activity of iteration. */
void hyb_timer_begin(hyb_timer_t *spent, int member, hyb_activity_t activity,
                     int iteration);

/*
 * member did activity of iteration from started until now, but for what it did
 * within. Returns now, in seconds of xh_clock_now.
 */
double hyb_timer_end(hyb_timer_t *spent, int member, hyb_activity_t activity,
                     int iteration, double started);

/* An activity within another one, whose seconds these are not. */
typedef struct {
    hyb_activity_t activity;
    int iteration;
    double started;
    double inside; /* what the outer one had within it by then */
    int outer;     /* what doing was */
} hyb_timer_mark_t;

/* member begins such an activity ... */
hyb_timer_mark_t hyb_timer_enter(hyb_timer_t *spent, int member,
                                 hyb_activity_t activity, int iteration);

/* ... and has done it, and is at the outer one again. */
void hyb_timer_leave(hyb_timer_t *spent, int member, hyb_timer_mark_t mark);

void hyb_timer_flop(hyb_timer_t *spent, int member, double flop);

/* The activities that members 0 .. members - 1 have finished so far. */
uint64_t hyb_timer_steps(const hyb_timer_t *spent, int members);

/*
 * What member 0 is doing, less than size characters:
 * "iteration 3 of 40, in the panel: its factorization"
 */
void hyb_timer_where(const hyb_timer_t *spent, int iterations, char *text,
                     size_t size);

/* The sum over members 0 .. members - 1; some may be at work. */
hyb_timer_sum_t hyb_timer_sum(const hyb_timer_t *spent, int members);

#endif
