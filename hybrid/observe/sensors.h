/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_solver.h"

/*
 * Read the current clocks of some processors, and the highest temperature of
 * the machine; NaN if unknown. Processors with an unknown clock are left out.
 *
 * root   in  "", or a folder with a copy of /proc and /sys
 * cpus   in  count processor numbers
 * Cost: tens of microseconds per processor
 */
hpl_clocks_t hyb_sensors_clocks(const char *root, const int *cpus, int count);
