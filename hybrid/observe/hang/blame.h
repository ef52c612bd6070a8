/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/observe/hang/state.h"

/*
 * Which process holds up a job, found from the states that all processes
 * report. A pure function.
 */
typedef enum {
    HYB_CONTACT_ANSWERS,
    HYB_CONTACT_NONE,    /* it has no connection */
    HYB_CONTACT_SILENT,  /* its host answers, the process does not: stopped */
    HYB_CONTACT_CUT_OFF, /* its host does not answer either */
    HYB_CONTACT_CLOSED   /* its connection was closed: it has ended */
} hyb_contact_t;

/* What is known about a process. */
typedef struct {
    hyb_contact_t contact;
    double silence;    /* s since the first question without an answer */
    hyb_state_t state; /* the newest one reported */
} hyb_process_t;

typedef enum {
    HYB_FAULT_NONE,      /* the job makes progress, or may make progress */
    HYB_FAULT_CYCLE,     /* processes wait for each other */
    HYB_FAULT_UNKNOWN,   /* all wait for one that has no connection */
    HYB_FAULT_STALLED,   /* it waits for no process and makes no progress */
    HYB_FAULT_STOPPED,   /* it does not answer, its host does */
    HYB_FAULT_HOST_DOWN, /* its host does not answer */
    HYB_FAULT_ENDED
} hyb_fault_t;

typedef struct {
    hyb_fault_t fault;
    int rank;       /* the process that all wait for; below 0: none */
    int waiter;     /* a process that waits for rank; below 0: none is known */
    int wait;       /* index in the waiter's waits */
    int same_fault; /* number of other processes with that fault */
    double stall;   /* longest time in s that a process has waited */
} hyb_blame_t;

/*
 * Start at the processes without progress for patience seconds and follow what
 * they wait for. If that leads to a process that makes progress, so does the
 * job.
 *
 * processes  in  count of them, by rank
 */
hyb_blame_t hyb_blame(const hyb_process_t *processes, int count,
                      double patience);
