/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/observe/hang/state.h"

/*
 * Find the process that holds up a job from the states that all processes
 * report, by a pure function.
 */
typedef enum {
    HYB_CONTACT_ANSWERS,
    HYB_CONTACT_NONE,    /* the process has no connection */
    HYB_CONTACT_SILENT,  /* its host answers, the process does not: stopped */
    HYB_CONTACT_CUT_OFF, /* neither its host nor the process answers */
    HYB_CONTACT_CLOSED   /* its connection was closed: the process has ended */
} hyb_contact_t;

/* What is known about a process. */
typedef struct {
    hyb_contact_t contact;
    double silence;    /* s since the first unanswered question */
    hyb_state_t state; /* newest state reported */
} hyb_process_t;

typedef enum {
    HYB_FAULT_NONE,      /* the job makes progress, or may make progress */
    HYB_FAULT_CYCLE,     /* processes wait for each other */
    HYB_FAULT_UNKNOWN,   /* all wait for a process without a connection */
    HYB_FAULT_STALLED,   /* it waits for no process, but makes no progress */
    HYB_FAULT_STOPPED,   /* the process does not answer, its host does */
    HYB_FAULT_HOST_DOWN, /* its host does not answer */
    HYB_FAULT_ENDED
} hyb_fault_t;

typedef struct {
    hyb_fault_t fault;
    int rank;   /* the process that all wait for; negative: none */
    int waiter; /* a process that waits for `rank`; negative: none is known */
    int wait;   /* index in the waiter's `waits` */
    int same_fault; /* number of other processes with the same fault */
    double stall;   /* longest wait of a process, in s */
} hyb_blame_t;

/*
 * Start at the processes without progress for `patience` seconds and follow
 * what they wait for. If that leads to a process that makes progress, the job
 * makes progress.
 *
 * processes  in  `count` entries, by rank
 */
hyb_blame_t hyb_blame(const hyb_process_t *processes, int count,
                      double patience);
