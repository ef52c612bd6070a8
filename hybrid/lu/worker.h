/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_WORKER_H
#define HYB_WORKER_H

#include <stdatomic.h>
#include "base/status.h"
#include "hybrid/lu/ledger.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/pace.h"
#include "hybrid/lu/step.h"
#include "hybrid/lu/timer.h"

/*
 * One thread of the team in a factorization. Member 0 leads: it alone calls
 * MPI, opens iterations, and polls; otherwise it works like all others.
 */
typedef struct {
    _Alignas(64) hyb_lu_t *lu;
    int member;
    double *u;             /* packed rows of U of the run it is at */
    _Atomic int iteration; /* it has left all iterations before this one */
} hyb_worker_t;

typedef struct {
    int count;
    hyb_worker_t *worker; /* by member, as the next two */
    hyb_timer_t *timer;
    hyb_pace_t *pace;
    int64_t run_columns; /* of a run, at most */
    double *u;           /* of all workers */
    size_t bytes;        /* of u */
} hyb_workers_t;

/* Needs lu's means and mat. Errors: XH_ERR_MEMORY; destroy then all the same */
xh_status_t hyb_workers_create(hyb_lu_t *lu);
void hyb_workers_destroy(hyb_workers_t *workers);

/* Bytes of u for a matrix of n and panels of nb. */
size_t hyb_workers_bytes(const hyb_means_t *means, int n, int nb);

/* Have all iterations before k been left by all? */
bool hyb_workers_have_left(const hyb_workers_t *workers, int k);

/* Something to wait for. */
typedef struct {
    bool (*is_so)(void *awaited); /* gets this structure */
    hyb_lu_t *lu;                 /* this and k: set by the wait */
    int k;
    hyb_blocks_t blocks;
    int64_t stage;
} hyb_awaited_t;

/* How a worker spends its wait besides polling and packing rows. */
typedef enum {
    HYB_HELPS,      /* it computes tiles that streams can spare */
    HYB_HELPS_SHORT /* only tiles that a failed device gave back: others wait
                       for this worker */
} hyb_patience_t;

/* One turn of a short wait by a hyb_worker_t; for hyb_wait_until. */
bool hyb_worker_turn(void *worker);

/* Wait, as activity of iteration k; nothing is counted if it is so at once. */
void hyb_worker_wait(hyb_worker_t *me, hyb_activity_t activity, int k,
                     hyb_patience_t patience, hyb_awaited_t *awaited);

/* Wait until the columns of blocks have reached stage. */
void hyb_worker_wait_columns(hyb_worker_t *me, int k, hyb_patience_t patience,
                             hyb_blocks_t blocks, int64_t stage);

#endif
