/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"

/*
 * The time of a run that was restarted: never less than was seen to pass. Each
 * process notes five times per second, in a file, that it lives.
 */
typedef struct {
    double moment;  /* s since 1970, by its host's clock */
    double elapsed; /* s of the run until then that clocks saw pass which are
                       never set */
} hyb_seen_t;

typedef struct {
    double begun;  /* s since 1970: when the run began, restarts and all */
    double zero;   /* when it would have by this process's own clock */
    bool disagree; /* the clocks of its parts do not agree */
    int file;      /* of signs of life; below 0: none are given */
    double shown;  /* when the last one was given */
} hyb_moments_t;

/* When the process was last seen; all 0: unknown. */
hyb_seen_t hyb_moments_last_seen(const hyb_store_t *store);

/*
 * The clock runs.
 *
 * store   in   for signs of life; NULL: none
 * from    in   the checkpoint that it was restarted from; first 0: it was not
 * seen    in   the last sign of life before
 * report  out  what the restart says of its time
 */
void hyb_moments_begin(const hyb_store_t *store, const hyb_header_t *from,
                       const hyb_seen_t *seen, hyb_moments_t *moments_p,
                       hpl_checkpoints_t *report);
void hyb_moments_end(hyb_moments_t *moments);

/* Give a sign of life, if it is time; moments. For the poller. */
void hyb_moments_poll(void *moments);

/* Set the moments of a checkpoint that is written now. */
void hyb_moments_note(const hyb_moments_t *moments,
                      const hpl_checkpoints_t *report, hyb_header_t *header);
