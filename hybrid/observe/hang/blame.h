/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/observe/hang/state.h"

/*
 * Who holds up a job, from what its processes say of themselves. A pure
 * function.
 */
typedef enum {
    HYB_ANSWERS,
    HYB_UNHEARD, /* it has no connection */
    HYB_SILENT,  /* its host answers, it does not: stopped */
    HYB_CUT_OFF, /* nor does its host */
    HYB_DEAD     /* its connection was closed: it has ended */
} hyb_contact_t;

typedef struct {
    hyb_contact_t contact;
    double silent;     /* s in which it was asked and has not answered */
    hyb_state_t state; /* that it told last */
} hyb_witness_t;

typedef enum {
    HYB_NOBODY,     /* the job moves, or may move */
    HYB_EACH_OTHER, /* these wait for each other */
    HYB_UNKNOWN,    /* all wait for one that has no connection */
    HYB_STANDS,     /* it waits for nobody and finishes nothing */
    HYB_STOPPED,
    HYB_HOST_GONE,
    HYB_ENDED
} hyb_fault_t;

typedef struct {
    hyb_fault_t fault;
    int rank;     /* the one that all wait for; below 0: nobody is */
    int by;       /* one that waits for it; below 0: none is known */
    int awaited;  /* number of what it waits for */
    int alike;    /* others with the same fault */
    double still; /* s for which the longest of them has waited */
} hyb_blame_t;

/*
 * Follow "waits for" from all processes that have finished nothing for patience
 * seconds. A job in which one that they lead to goes on moves.
 *
 * witness  in  by rank
 */
hyb_blame_t hyb_blame(const hyb_witness_t *witness, int count, double patience);
