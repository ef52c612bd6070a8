/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "hybrid/lu/state/observer.h"

/*
 * The record of what each iteration of each run, which is one system solved,
 * was like on this process: kept as rows and given out as CSV. Rows are always
 * kept: one a panel costs nothing. One thread at a time. All zero: none yet.
 */
typedef struct {
    struct hyb_iterations_entry *entry;
    int64_t entries, room;
    int runs;
    char run[64]; /* the cells of the run that rows are added to */
} hyb_iterations_t;

void hyb_iterations_free(hyb_iterations_t *log);

/* Rows added from now on belong to a new run. Without memory for its
 * iterations they will be left out, and that is said. */
void hyb_iterations_begin(hyb_iterations_t *log, const hyb_observer_t *run);

/* Keep a copy of row; rows beyond the run's iterations are left out. */
void hyb_iterations_add(hyb_iterations_t *log, const hyb_iteration_t *row);

/*
 * All rows as CSV, a line each, preceded by the names of the columns if rank
 * is 0. The columns: rank, run (those of this process, counted from 0), n, nb,
 * p, q, then the members of hyb_iteration_t by name without devices,
 * update_device as update_device_0 to update_device_7, device_wait as
 * device_wait_0 to device_wait_7, link_wait likewise. A cell is empty where a
 * value is not finite, there is no such device, or no reason. begin counts from
 * zero.
 *
 * rank    in   written in each row
 * zero    in   s of xh_clock_now
 * csv_p   out  the caller's to free(), ends with a 0 byte
 * size_p  out  bytes, without that one
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_iterations_csv(const hyb_iterations_t *log, int rank,
                               double zero, char **csv_p, size_t *size_p);
