/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include "base/status.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * One thread of the team in a factorization. Member 0 leads: it alone calls
 * MPI, opens iterations, and polls; otherwise it works like all others.
 */
struct hyb_worker {
    _Alignas(64) hyb_lu_t *lu;
    int member;
    bool is_urgent;        /* others wait for it: it helps no devices */
    double *u;             /* packed rows of U of the run it is at */
    _Atomic int iteration; /* it has left all iterations before this one */

    /* What it spends its time on; it alone writes, any may read. */
    _Atomic double flop, seconds[HYB_ACTIVITIES];
    _Atomic double paced_flop, paced_seconds, paced_cpu,
        run_delay;          /* as in a lap */
    _Atomic unsigned steps; /* activities that it has finished */
    _Atomic int doing;      /* iteration * HYB_ACTIVITIES + activity */
    _Atomic int awaits;     /* likewise, 1 more, while it waits; else 0 */
    int depth;              /* of what it is at, from the outermost in: */
    struct {
        double began, inside; /* when; seconds spent on what was within */
        int outer;            /* what doing was */
    } nested[4];
    double cpu_before, turns_before; /* the product it is at */
    int schedstat; /* the system's account of the thread; below 0: none */
};

/* lu->worker, by member. Needs lu's resources and mat. Errors: XH_ERR_MEMORY;
 * destroy then all the same */
xh_status_t hyb_workers_create(hyb_lu_t *lu);
void hyb_workers_destroy(hyb_lu_t *lu);

/* Bytes of their u for a matrix of n and panels of nb. */
size_t hyb_workers_bytes(const hyb_resources_t *resources, int n, int nb);

/* Have all iterations before k been left by all? */
bool hyb_workers_have_left(const hyb_lu_t *lu, int k);

/* Start or stop one of upstream's timers, HPL_TIMING_..., which time the
 * leader.
 */
void hyb_worker_toggle(const hyb_worker_t *me, int timer);

/* The leader polls, as others wait for what it receives; others assist it. A
 * hyb_worker_t; between parts of longer work. */
void hyb_worker_poll(void *worker);

/* One turn of waiting: the same, and help. Was there something to help with? */
bool hyb_worker_turn(void *worker);

/* Wait until is_so(lu, k), or is_so(context), as activity of iteration k;
 * nothing is counted if it is so at once. */
void hyb_worker_wait(hyb_worker_t *me, hyb_activity_t activity, int k,
                     bool (*is_so)(hyb_lu_t *lu, int k));
void hyb_worker_wait_for(hyb_worker_t *me, hyb_activity_t activity, int k,
                         bool (*is_so)(void *context), void *context);

/* The same within an activity. */
void hyb_worker_wait_within(hyb_worker_t *me, int k,
                            bool (*is_so)(hyb_lu_t *lu, int k));
