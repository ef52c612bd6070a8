/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TUNE_H
#define HYB_TUNE_H

#include <mpi.h>
#include "hpl_solver.h"
#include "hybrid/device/machine.h"
#include "hybrid/lu/step.h"
#include "hybrid/lu/timer.h"
#include "hybrid/lu/tuner/engines.h"
#include "hybrid/lu/tuner/home.h"
#include "hybrid/lu/tuner/lookahead.h"
#include "hybrid/lu/tuner/regroup.h"
#include "hybrid/lu/tuner/split.h"

/*
 * The tuner: it decides what each iteration does, from what the ones before
 * took. The decisions themselves are pure functions in tuner/; here they get
 * this run's numbers. The look-ahead mode is agreed on by all processes: what
 * an iteration took is reduced while others run, and learnt everywhere before
 * the next one opens. Threads and shares are each process's own. All calls are
 * the leader's.
 */
typedef struct {
    hyb_lookahead_chooser_t chooser;
    hyb_lookahead_iteration_t measured; /* that is being reduced, */
    MPI_Request request;                /* by this */
    hyb_regroup_t team;                 /* of the last iterations */
    double exchange_seconds; /* swaps and solves, by all workers: the last's */
    hyb_split_t split;       /* of updates without a panel of the team, ... */
    hyb_split_t panel_split; /* and of those with one */
    struct hyb_took {
        double used;          /* share that the devices got, or NAN */
        double balanced;      /* share that would have been best */
        hyb_lap_t opened;     /* all until the iteration opened */
        hyb_lap_t lap;        /* and in it, once it is closed */
        double panel_seconds; /* of panel k + 1, here */
    } took[HYB_IN_FLIGHT];    /* by iteration k at k % HYB_IN_FLIGHT */
    struct {
        hyb_engines_t known; /* who factors panels on devices: */
        MPI_Request request; /* what the last one took is reduced */
        int last;
        bool by_device;
        double seconds;
    } engine;
    struct {                                      /* all of them */
        double rate;                              /* flop/s; 0: unknown */
        int64_t columns;                          /* of their tiles */
        double flop;                              /* of all iterations so far */
        hpl_device_work_t did[HYB_EXECUTORS - 1]; /* each */
        double up, down; /* bytes of their links before it began */
    } devices;
    double ended; /* when the last iteration learnt from was over */
    int shared;   /* iterations whose devices were learnt from */
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

/* Does the device factor panel k, whose columns it has here? */
bool hyb_tune_gives_to_device(hyb_lu_t *lu, int k);

/* Panel k took threads so many seconds; 0 threads: it took a device. */
void hyb_tune_panel(hyb_lu_t *lu, int k, int threads, double seconds);

#endif
