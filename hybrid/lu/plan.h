/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PLAN_H
#define HYB_PLAN_H

#include "hybrid/lu/lu.h"

/*
 * Who does what in the iteration that plan is of, whose k and mode are set:
 * deals the columns to team and devices, and chooses the members that factor
 * panel k + 1. The leader, once panel k is known.
 */
void hyb_plan_columns(hyb_lu_t *lu, hyb_plan_t *plan);

#endif
