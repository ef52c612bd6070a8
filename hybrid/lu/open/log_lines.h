/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_types.h"
#include "hybrid/lu/state/resources.h"

/*
 * Log one line on what solves: the threads of this process and their cores,
 * the kernel, who multiplies, the devices.
 *
 * cores      in  a text list
 * processes  in  how many there are, this one being the first
 */
void hyb_log_solver(const hyb_resources_t *resources, const char *cores,
                    int processes);

/* Log the plan of a system of shape as a table. */
void hyb_log_plan(const hpl_shape_t *shape, const hpl_plan_t *plan);

/*
 * If a line of HPL.dat asks for something that this solver does not do, log so;
 * was it? A DEPTH above 2, where no setting goes before it; forms of L1 and U
 * other than upstream's default, both transposed.
 */
bool hyb_log_depth(const HPL_T_palg *algo);
bool hyb_log_forms(const HPL_T_palg *algo);
