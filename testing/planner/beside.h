/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/planner/choices.h"

/* What runs beside a test that is planned: estimates. */

/* Say what both take of the choice, on stderr. */
void xhpl_beside_say(const hyb_model_rates_t *rates,
                     const xhpl_choice_t *choice);
