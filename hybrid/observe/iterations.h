/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "hybrid/lu/state/observer.h"

/*
 * A log of the iterations on this process, written as CSV: one row per
 * iteration of each run; a run solves one system. Only one thread at a time may
 * use a log. A log of all zeros is empty.
 */
typedef struct {
    struct hyb_iterations_entry *entry;
    int64_t entries, capacity;
    int runs;
    char run[64]; /* the cells that are the same in all rows of the current run
                   */
} hyb_iterations_t;

void hyb_iterations_free(hyb_iterations_t *log);

/* Begin a new run. If memory for its rows is short, log a warning and drop
 * them. */
void hyb_iterations_begin(hyb_iterations_t *log, const hyb_observer_t *run);

/* Append a copy of `row`; rows beyond the run's iterations are dropped. */
void hyb_iterations_add(hyb_iterations_t *log, const hyb_iteration_t *row);

/*
 * Write all rows as CSV, one per line, after the column names if rank is 0. The
 * columns: rank, run (number of the run on this process, from 0), n, nb, p, q,
 * then the members of hyb_iteration_t except devices, where update_device
 * becomes update_device_0 to update_device_7, and device_wait and link_wait are
 * split in the same way. A cell is empty if its value is not finite, or if
 * there is no such device or no reason. begin is relative to `zero`.
 *
 * rank    in   rank, written in each row
 * zero    in   time of xh_clock_now that counts as 0
 * csv_p   out  text that ends with a 0 byte; the caller calls free()
 * size_p  out  bytes of the text, without the 0 byte
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_iterations_csv(const hyb_iterations_t *log, int rank,
                               double zero, char **csv_p, size_t *size_p);
