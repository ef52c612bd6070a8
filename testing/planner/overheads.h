/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/planner/choices.h"

/* Estimated overheads of a planned test: the online check and checkpoints. */

/* Report on stderr how much of the time of `choice` each of them takes. */
void xhpl_overheads_report(const hyb_model_rates_t *rates,
                           const xhpl_choice_t *choice);
