/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_ENERGY_H
#define XHPL_RECORD_ENERGY_H

#include "base/status.h"

/*
 * The energy that the processors of this node use, by their own counters
 * (RAPL). These are estimates and cover processors and memory only: a
 * diagnostic, not a measurement by the rules of a list. Usually only root may
 * read them.
 *
 * A counter of 32 bits in units of 61 uJ wraps after 262 kJ, four minutes at
 * 1 kW: read more often than that.
 */
typedef struct xhpl_energy xhpl_energy_t;

enum { XHPL_ENERGY_PACKAGE, XHPL_ENERGY_DRAM, XHPL_ENERGY_KINDS };

/*
 * Start counting.
 * root    in  where /sys is: "", or a folder with another machine's
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_energy_open(const char *root, xhpl_energy_t **energy_p);

/*
 * Joules of each kind since open, summed over the node; NAN without a counter
 * of that kind, or if one cannot be read.
 */
void xhpl_energy_read(xhpl_energy_t *energy,
                      double joules_p[XHPL_ENERGY_KINDS]);

void xhpl_energy_close(xhpl_energy_t *energy); /* accepts NULL */

#endif
