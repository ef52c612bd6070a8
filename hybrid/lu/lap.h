/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_LAP_H
#define HYB_LAP_H

#include "hybrid/lu/observer.h"
#include "hybrid/lu/step.h"
#include "hybrid/lu/timer.h"

/*
 * What one iteration took on this process, as the leader measures it: from the
 * moment it opens until the next one does.
 */
typedef struct {
    double opened;
    hyb_timer_sum_t before;               /* of all workers, by then */
    double leader_before[HYB_ACTIVITIES]; /* and of the leader */
    double panel_seconds;                 /* of panel k + 1, here */
    double seconds;                       /* of all, once it is closed */
    hyb_timer_sum_t team;                 /* in it, summed over workers */
    double leader[HYB_ACTIVITIES];
} hyb_lap_t;

/* The iteration opens, and is over for the leader. */
void hyb_lap_open(hyb_lap_t *lap, const hyb_lu_t *lu);
void hyb_lap_close(hyb_lap_t *lap, const hyb_lu_t *lu);

/* flop/s of the team while it updates; 0: it did not. */
double hyb_lap_team_rate(const hyb_lap_t *lap, int members);

/* Seconds of the team's life that swaps and solves took, and rows. */
double hyb_lap_exchange_seconds(const hyb_lap_t *lap, int members);

/* The row of iteration k for the record, but for what devices did. */
hyb_iteration_t hyb_lap_row(const hyb_lap_t *lap, const hyb_lu_t *lu,
                            const hyb_step_t *step, double devices_flop);

#endif
