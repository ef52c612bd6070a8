/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/plan/model.h"

/* What to measure. */
typedef struct {
    int widths; /* of panels, ascending */
    int width[HYB_MODEL_WIDTHS_MOST];
    double seconds;  /* that it may take, about */
    double bytes;    /* of a matrix to measure with, at most, each process */
    double crowd;    /* threads that share the time of a core, at least 1: each
                        thread's own time is measured */
    int column_step; /* from a rank to its neighbour in a process column; that
                        in a process row is the next */
} hyb_measurement_t;

/*
 * Measure the model's rates with what the solver computes with, on all
 * processes at the same time, as they share caches and memory; collective over
 * MPI_COMM_WORLD. The slowest process counts, so all know the same.
 *
 * Cost:   the seconds that were asked for, but at least some calls of each
 *         part, however long they take
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t hyb_measure(const hyb_resources_t *resources,
                        const hyb_measurement_t *what,
                        hyb_model_rates_t *rates_p);
