/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/plan/model.h"
#include "testing/ptest/parameters.h"

/* The rates of the processes and their links, from which the planner predicts.
 * Other threads on the same cores disturb the measurement. */

/* Return the resources to measure; NULL, with a message about `what`, if the
 * model has no such solver. */
const hyb_resources_t *xhpl_measured_resources(const char *what);

/*
 * Measure with the panel widths in nb for about `seconds`, at most `tries`
 * times. Keep the first measurement that other threads hardly disturbed, or the
 * least disturbed one. Collective over MPI_COMM_WORLD.
 */
xh_status_t xhpl_measured_rates(const hyb_resources_t *resources,
                                const xhpl_list_t *nb, double seconds,
                                int tries, hyb_model_rates_t *rates_p);

/* Did other threads use so large a share `others` of the measuring time that
 * rates are worthless? */
bool xhpl_measured_is_worthless(double others);
