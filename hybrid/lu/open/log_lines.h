/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_types.h"
#include "hybrid/lu/state/resources.h"

/*
 * Log one line on the solver: the threads of this process and their cores, the
 * kernel, what multiplies, the devices.
 *
 * cores      in  a text list
 * processes  in  number of processes; this is the first
 */
void hyb_log_solver(const hyb_resources_t *resources, const char *cores,
                    int processes);

/* Log the plan of a system of `shape` as a table. */
void hyb_log_plan(const hpl_shape_t *shape, const hpl_plan_t *plan);

/*
 * Does a line of HPL.dat ask for something that this solver does not do? If so,
 * log it. depth: a DEPTH above 2, unless a setting replaces it; forms: forms of
 * L1 and U other than upstream's default, both transposed.
 */
bool hyb_log_depth(const HPL_T_palg *algo);
bool hyb_log_forms(const HPL_T_palg *algo);
