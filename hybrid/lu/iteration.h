/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_ITERATION_H
#define HYB_ITERATION_H

#include "hybrid/lu/worker.h"

/* Wait until iteration k is open: panel k is here, and what to do is decided.
 * The leader opens it. */
const hyb_step_t *hyb_iteration_open(hyb_worker_t *me, int k);

/* Open iteration k now, if its panel is here; by the leader between two runs of
 * the iteration before, as others may be without work. */
void hyb_iteration_open_early(hyb_worker_t *me, int k);

/* Wait until nothing moves any more after the last one. The leader. */
void hyb_iteration_drain(hyb_worker_t *me);

#endif
