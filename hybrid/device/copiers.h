/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_COPIERS_H
#define HYB_COPIERS_H

#include "hybrid/device/flight.h"
#include "hybrid/node/team.h"

/*
 * The threads that write a device's tiles into C together: the caller and
 * others, one on each of cpus. They sleep while they wait. NULL: the caller is
 * alone, as it is where no others can be had, and does as well, if more slowly.
 */
hyb_team_t *hyb_copiers_open(const int *cpus, int cpu_count);

/* Write a returned tile, which is not direct, into C. */
void hyb_copiers_commit(hyb_team_t *copiers, const hyb_flight_t *flight,
                        const hyb_job_t *job, const hyb_slot_t *slot);

#endif
