/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_PACKING_H
#define XHPL_PACKING_H

#include "base/status.h"
#include "hybrid/node/team.h"
#include "base/view.h"

/*
 * Seconds that team takes to copy 2 nb rows of every one of columns to where
 * messages are sent from, as the solver does it where rows are exchanged: the
 * nb rows of U that source names, and the nb rows that they displace, the first
 * ones. Median of so many calls, 1 <= calls <= 16.
 *
 * columns  in  more than nb rows
 * source   in  nb rows of columns
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhpl_packing_seconds(hyb_team_t *team, xh_view_t columns,
                                 const int *source, int nb, int calls,
                                 double *seconds_p);

#endif
