/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>

/* What the threads of this job on a node compute on. */
typedef struct {
    int threads;
    int cores;    /* that its processes may use */
    double quota; /* cores of time that the control group allows; INFINITY: no
                     limit */
} xhpl_core_budget_t;

/* That of my node, with a solver open. Collective over MPI_COMM_WORLD. */
xhpl_core_budget_t xhpl_core_budget(void);

/* Threads that share the time of one core, at least 1. */
double xhpl_core_budget_share(const xhpl_core_budget_t *budget);

/* Of part, the time in which threads of this job were ready but had no core,
 * what its own number does not explain. */
double xhpl_core_budget_others(const xhpl_core_budget_t *budget, double part);

/*
 * Why threads that are ready wait for cores: "the control group allows 0.3 of 2
 * cores", "this run has 8 threads on 2 cores", or "other programs have them";
 * for more than can be so, "..., and other programs".
 */
void xhpl_core_budget_cause(const xhpl_core_budget_t *budget, double part,
                            char *text, size_t size);
