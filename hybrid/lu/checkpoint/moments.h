/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"

/*
 * The time of a run with restarts. As clocks of hosts may disagree, each
 * process writes a sign of life to a file, five times per second: the run's
 * time is at least the time that the signs have counted.
 */
typedef struct {
    double moment;  /* s since 1970, by the host's clock */
    double elapsed; /* s of the run so far, by clocks that are never set */
} hyb_life_sign_t;

typedef struct {
    double start;         /* of the run, before any restart, s since 1970 */
    double zero;          /* start of the run by this process's own clock */
    bool clocks_disagree; /* clocks before and after a restart disagree */
    int file;             /* of signs of life; < 0: none is written */
    double last_sign;     /* time of the last sign of life */
} hyb_moments_t;

/* Return the last sign of life of the process; all 0: unknown. */
hyb_life_sign_t hyb_moments_last_sign(const hyb_store_t *store);

/*
 * Start the clock of a run.
 *
 * store   in   where signs of life are written; NULL: nowhere
 * origin  in   the checkpoint that the run restarted from; first is 0: none
 * sign    in   the last sign of life before the restart
 * report  out  what the restart reports of the run's time
 */
void hyb_moments_begin(const hyb_store_t *store, const hyb_header_t *origin,
                       const hyb_life_sign_t *sign, hyb_moments_t *moments_p,
                       hpl_checkpoints_t *report);
void hyb_moments_end(hyb_moments_t *moments);

/* Write a sign of life if it is time. `moments` is a hyb_moments_t; for
 * pollers. */
void hyb_moments_poll(void *moments);

/* Set the times in the header of a checkpoint that is written now. */
void hyb_moments_note(const hyb_moments_t *moments,
                      const hpl_checkpoints_t *report, hyb_header_t *header);
