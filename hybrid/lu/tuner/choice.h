/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CHOICE_H
#define HYB_CHOICE_H

#include <mpi.h>
#include <stdbool.h>
#include "hybrid/lu/tuner/lookahead.h"

/*
 * The look-ahead of each iteration, chosen alike on all processes: what an
 * iteration took is given when it is over, reduced over the grid while others
 * run, and learnt everywhere before the next one is opened.
 */
typedef struct {
    hyb_lookahead_chooser_t chooser;
    bool learns; /* there is a choice */
    MPI_Comm comm;
    MPI_Request request; /* of the reduction under way */
    hyb_lookahead_times_t times;
    hyb_lookahead_facts_t facts; /* of the iteration that took them */
    hyb_lookahead_t mode;
} hyb_choice_t;

/*
 * comm   in  all processes that must agree; borrowed, nobody else uses it
 * first  in  hyb_lookahead_init's
 */
void hyb_choice_begin(hyb_choice_t *choice, hyb_lookahead_request_t request,
                      hyb_lookahead_t first, MPI_Comm comm);

/* Begin to share what an iteration took here. */
void hyb_choice_give(hyb_choice_t *choice, const hyb_lookahead_facts_t *facts,
                     hyb_lookahead_t mode, const hyb_lookahead_times_t *times);

/* Is what was given known everywhere? Then it is learnt. Without waiting. */
bool hyb_choice_ready(hyb_choice_t *choice);

/* The mode of an iteration, and why; when ready. */
hyb_lookahead_t hyb_choice_make(const hyb_choice_t *choice,
                                const hyb_lookahead_facts_t *facts,
                                const char **reason_p);

#endif
