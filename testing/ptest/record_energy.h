/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_ENERGY_H
#define XHPL_RECORD_ENERGY_H

#include "base/status.h"

/*
 * What the processors of this node take, by their own counters (RAPL). These
 * are estimates and leave out everything but processors and memory: a
 * diagnostic, no measurement by the rules of a list. Usually only root may
 * read them.
 *
 * The counters start again from 0 after minutes of full load, so a thread looks
 * at them every few seconds while one is open.
 */
typedef struct xhpl_energy xhpl_energy_t;

enum { XHPL_ENERGY_PACKAGE, XHPL_ENERGY_DRAM, XHPL_ENERGY_KINDS };

/*
 * Start counting.
 *
 * root      in   where /sys is: "", or a folder with another machine's
 * energy_p  out
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_energy_open(const char *root, xhpl_energy_t **energy_p);

/*
 * Joules since open of each kind, summed over the node; NAN where there is no
 * counter of it, or one cannot be read.
 */
void xhpl_energy_read(xhpl_energy_t *energy,
                      double joules_p[XHPL_ENERGY_KINDS]);

void xhpl_energy_close(xhpl_energy_t *energy); /* accepts NULL */

#endif
