/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PACE_H
#define HYB_PACE_H

#include <stdatomic.h>

/*
 * How fast one member of the team multiplies, and what holds it up. Time in
 * which its thread was ready and others had the core is kept apart, where the
 * system tells it: 4 processes on 2 cores are as fast as 2. What remains beside
 * the processor's time is time in which the thread was stopped. Where the
 * system does not tell, only the processor's time counts.
 */
typedef struct {
    _Alignas(64) _Atomic double flop; /* of products that count */
    _Atomic double seconds;           /* that these took, but for turns */
    _Atomic double cpu;               /* of these: at work */
    _Atomic double turns;             /* s that others had the core meanwhile */
    int schedstat; /* the system's account of the thread; below 0: none */
} hyb_pace_t;

/* a moment: s of the clock, of the processor, and of others' turns */
typedef struct {
    double time, cpu, turns;
} hyb_pace_mark_t;

/* All zero is a pace that was not begun; the member itself begins it. */
void hyb_pace_begin(hyb_pace_t *pace);
void hyb_pace_end(hyb_pace_t *pace);

/* The member begins to multiply, with so many flop. */
hyb_pace_mark_t hyb_pace_mark(const hyb_pace_t *pace, double flop);

/*
 * It has multiplied since mark. Products that are too small to show its speed
 * do not count, and cost nothing.
 */
void hyb_pace_add(hyb_pace_t *pace, hyb_pace_mark_t mark, double flop);

#endif
