/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/plan/model.h"

/* What to measure. */
typedef struct {
    int widths; /* number of panel widths, in ascending order */
    int width[HYB_MODEL_WIDTHS_MOST];
    double seconds;          /* time to spend, approximately */
    double bytes;            /* bytes of the largest test matrix, per process */
    double threads_per_core; /* threads that share a core, at least 1; each
                                thread's own time is measured */
    int column_step; /* distance in ranks of neighbours in a process column; in
                        a process row the distance is 1 */
} hyb_measurement_t;

/*
 * Measure the model's rates with the solver's kernels, team and devices, on all
 * processes at the same time, as they share caches and memory; collective over
 * MPI_COMM_WORLD. All processes get the rates of the slowest one.
 *
 * Cost:   what->seconds, or more if a few calls of each part take longer
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_measure(const hyb_resources_t *resources,
                        const hyb_measurement_t *what,
                        hyb_model_rates_t *rates_p);
