/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TIMING_H
#define HYB_TIMING_H

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "hybrid/node/team.h"

/* What measurements share: timed calls, and memory to work on. */

typedef struct {
    double least, median; /* seconds */
} hyb_seconds_t;

enum { HYB_CALLS_MOST = 16 };

/*
 * The seconds of so many runs, 1 <= calls <= HYB_CALLS_MOST. prepare, which may
 * be NULL, comes before each and is not timed.
 */
hyb_seconds_t hyb_time_runs(void (*prepare)(void *context),
                            void (*run)(void *context), void *context,
                            int calls);

/* As many calls as fit into seconds, at least 1 and at most most, if one call
 * takes once. */
int hyb_calls_within(double seconds, double once, int most);

/* Random numbers from -0.5 to 0.5. */
typedef struct {
    double *data;
    size_t bytes;
} hyb_scratch_t;

/* The members of team touch it first, by turns. Errors: XH_ERR_MEMORY */
xh_status_t hyb_scratch_create(hyb_team_t *team, int64_t doubles,
                               hyb_scratch_t *scratch_p);
void hyb_scratch_free(hyb_scratch_t *scratch); /* accepts one that is all 0 */

#endif
