/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TUNE_H
#define HYB_TUNE_H

#include "hybrid/lu/tuner/split.h"
#include "hybrid/lu/tuner/ratio.h"
#include "hybrid/lu/lap.h"
#include "hybrid/lu/share.h"
#include "hybrid/lu/tuner/choice.h"
#include "hybrid/lu/tuner/regroup.h"

/*
 * The tuner: it decides what each iteration does, from what the ones before
 * took. The decisions themselves are pure functions in tuner/; here they get
 * this run's numbers. The look-ahead mode is agreed on by all processes;
 * threads and shares are each process's own. All calls are the leader's.
 */
typedef struct {
    hyb_choice_t mode;     /* of look-ahead */
    hyb_regroup_t regroup; /* threads of a panel */
    hyb_split_t split;     /* between team and devices: the policy ... */
    hyb_ratio_t ratio;     /* ... and what was learnt */
    double balanced[HYB_IN_FLIGHT]; /* share that would have been best */
    double used[HYB_IN_FLIGHT];     /* share that the devices got, or NAN */
    hyb_lap_t lap[HYB_IN_FLIGHT];
    /* of the last iterations, 0: unknown */
    double thread_rate;       /* flop/s of one thread */
    double exchange_seconds;  /* swaps and solves, by all workers */
    double broadcast_seconds; /* of the leader */
    hyb_share_work_t devices;
    double devices_flop; /* of all iterations so far */
    double ended;        /* when the last iteration learnt from was over */
    int shared;          /* iterations whose devices were learnt from */
} hyb_tuner_t;

/* Errors: XH_ERR_INPUT  the setting split makes no sense: said */
xh_status_t hyb_tune_begin(hyb_lu_t *lu);

/* Iteration k is about to open: what those before it took is noted, learnt,
 * and told to the observer. */
void hyb_tune_measure(hyb_lu_t *lu, int k);

/* Decide iteration k, whose panel is known. */
void hyb_tune_step(hyb_lu_t *lu, int k, hyb_step_t *step_p);

/*
 * The first of blocks that is the team's where the devices get share of their
 * columns. What is rounded to whole blocks falls to the devices, as the team
 * can take tiles from these; a share that the user fixed is rounded to the
 * nearest. b alone, behind their blocks, is not worth reading L2 for.
 */
int64_t hyb_tune_division(const hyb_ledger_t *ledger, hyb_blocks_t blocks,
                          double share, bool is_fixed);

/* Is what was last measured known to all processes? Then they decide alike.
 * Without waiting. */
bool hyb_tune_is_ready(hyb_lu_t *lu);

/* The last iteration is over for the leader; and complete. */
void hyb_tune_close(hyb_lu_t *lu);
void hyb_tune_end(hyb_lu_t *lu);

/* Panel k took threads so many seconds. */
void hyb_tune_panel(hyb_lu_t *lu, int k, int threads, double seconds);

#endif
