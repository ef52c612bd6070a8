/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_WORK_H
#define HYB_WORK_H

#include "hpl_solver.h"
#include "hybrid/observe/pace.h"
#include "hybrid/observe/timer.h"

/*
 * What a team of so many members did, from what each spent and how fast it
 * multiplied.
 *
 * devices_flop  in  what devices did beside it
 */
hpl_work_t hyb_work(const hyb_timer_t *spent, const hyb_pace_t *pace,
                    int members, double devices_flop);

#endif
