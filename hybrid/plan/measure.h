/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_MEASURE_H
#define XHPL_MEASURE_H

#include "base/status.h"
#include "hybrid/lu/factor.h"
#include "hybrid/plan/model.h"

/* What to measure. */
typedef struct {
    int widths; /* of panels, ascending */
    int width[XHPL_WIDTHS_MOST];
    double seconds;      /* that it may take, about */
    double bytes;        /* of a matrix to measure with, about, each process */
    double device_bytes; /* the same for its devices, where it has some */
    int row_step;    /* from a rank to its neighbour in a process row, ... */
    int column_step; /* ... and in a process column */
} xhpl_measurement_t;

/*
 * Measure the model's rates with what the solver computes with, on all
 * processes at the same time, as they share caches and memory; collective over
 * MPI_COMM_WORLD. The slowest process counts, so all know the same.
 *
 * Cost:   the seconds that were asked for, but at least some calls of each
 *         part, however long they take
 * Errors: XH_ERR_MEMORY  on all processes
 */
xh_status_t xhpl_measure(const hyb_means_t *means,
                         const xhpl_measurement_t *what, xhpl_rates_t *rates_p);

#endif
