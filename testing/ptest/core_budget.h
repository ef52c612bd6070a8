/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include "base/pin.h"

/* A set of processors of a host; MPI_BOR joins several. */
typedef struct {
    unsigned char has[XH_MOST_CPUS]; /* 0 or 1 */
} xhpl_cpus_t;

/* The processors of a text list; if list is NULL, one of each core that this
 * thread may use. */
xhpl_cpus_t xhpl_cpus(const char *list);

/* The threads of this job on one node, and the cores they run on. */
typedef struct {
    int threads;
    int cores;    /* cores that the job's processes may use */
    double quota; /* cores' worth of time that the control group allows;
                     INFINITY: no limit */
} xhpl_core_budget_t;

/* Return the budget of this process's node; a solver must be open. Collective
 * over MPI_COMM_WORLD. */
xhpl_core_budget_t xhpl_core_budget(void);

/* Return how many threads share one core's time, at least 1. */
double xhpl_core_budget_share(const xhpl_core_budget_t *budget);

/* `part` is the share of time in which threads of this job were ready but had
 * no core. Return the share that the job's own number of threads does not
 * explain. */
double xhpl_core_budget_others(const xhpl_core_budget_t *budget, double part);

/*
 * Write why ready threads wait for cores: "the control group allows 0.3 of 2
 * cores", "this run has 8 threads on 2 cores", or "other programs have them";
 * if that cannot explain part, "..., and other programs".
 */
void xhpl_core_budget_cause(const xhpl_core_budget_t *budget, double part,
                            char *text, size_t size);
