/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"

/*
 * What the system tells of some processors now; NAN where it does not.
 * Processors of which it tells no clock are left out.
 *
 * root   in  "", or a folder that holds a copy of /proc and /sys
 * cpus   in  count numbers of the system
 * Cost: a file each, tens of microseconds
 */
hpl_clocks_t hyb_sensors_clocks(const char *root, const int *cpus, int count);
