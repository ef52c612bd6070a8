/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "testing/planner/choices.h"
#include "testing/ptest/command_line.h"

/* Run xhpl-sim (docs/SCALING.md) on a choice of a plan, on one process. */

/*
 * Check that a choice can be simulated.
 * Errors: XH_ERR_INPUT  xhpl-sim is neither beside this program nor in PATH, or
 *                       devices compute, of which it has no model: reported
 */
xh_status_t xhpl_simulate_check(bool offloads);

/*
 * Run xhpl-sim with the measured rates and links; it prints what the choice
 * reaches and what other grids, a slow node, a slow link, more links, and
 * leaving the slowest node out would change.
 *
 * Errors: XH_ERR_INPUT  it failed: reported
 */
xh_status_t xhpl_simulate_run(const xhpl_choice_t *choice,
                              const hyb_model_rates_t *rates,
                              const xhpl_extent_t *extent);
