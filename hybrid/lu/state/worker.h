/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include "base/status.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * One thread of the team in a factorization. Member 0 is the leader: it alone
 * calls MPI, opens iterations, and polls; otherwise it works like all others.
 */
struct hyb_worker {
    _Alignas(64) hyb_lu_t *lu;
    int member;
    bool is_urgent;        /* others wait for it: it does not help devices */
    double *u;             /* packed rows of U of its current run */
    _Atomic int iteration; /* it has left all iterations before this one */

    /* What the worker spends its time on. Only the worker writes this; any
     * thread may read it. */
    _Atomic double flop, seconds[HYB_ACTIVITIES];
    _Atomic double paced_flop, paced_seconds, paced_cpu,
        run_delay;          /* as in hyb_lap_t */
    _Atomic unsigned steps; /* activities that it has finished */
    _Atomic int doing;      /* iteration * HYB_ACTIVITIES + activity */
    _Atomic int awaits;     /* `doing` + 1 while it waits, else 0 */
    int depth; /* number of nested activities, the outermost first: */
    struct {
        /* When it began; seconds of activities nested in it. */
        double began, inside;
        int outer; /* `doing` before it */
    } nested[4];
    double cpu_before, run_delay_before; /* when its current product began */
    int schedstat; /* the system's account of the thread; negative: none */
};

/* Create lu->worker, by member, from lu's resources and mat.
 * Errors: XH_ERR_MEMORY; call hyb_workers_destroy all the same */
xh_status_t hyb_workers_create(hyb_lu_t *lu);
void hyb_workers_destroy(hyb_lu_t *lu);

/* Bytes of all workers' `u` for a matrix of order n and panels of width nb. */
size_t hyb_workers_bytes(const hyb_resources_t *resources, int n, int nb);

/* Have all members but the leader left all iterations before k? */
bool hyb_workers_have_left(const hyb_lu_t *lu, int k);

/* Start or stop the timer HPL_TIMING_... of HPL 2.3, which times the leader. */
void hyb_worker_toggle(const hyb_worker_t *me, int timer);

/* Poll between parts of longer work: the leader polls, as others wait for what
 * it receives; others assist it. `worker` is a hyb_worker_t. */
void hyb_worker_poll(void *worker);

/* Take one turn of waiting: poll, and help. Was there anything to help with? */
bool hyb_worker_turn(void *worker);

/* Wait until is_so(lu, k), or is_so(context), as `activity` of iteration k. If
 * it is so at once, no activity is counted. */
void hyb_worker_wait(hyb_worker_t *me, hyb_activity_t activity, int k,
                     bool (*is_so)(hyb_lu_t *lu, int k));
void hyb_worker_wait_for(hyb_worker_t *me, hyb_activity_t activity, int k,
                         bool (*is_so)(void *context), void *context);

/* Wait until is_so(lu, k) within the current activity. */
void hyb_worker_wait_within(hyb_worker_t *me, int k,
                            bool (*is_so)(hyb_lu_t *lu, int k));
