/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHOST_PANEL_H
#define XHOST_PANEL_H

#include "base/status.h"
#include "hybrid/engine/host/kernel.h"
#include "hybrid/engine/team.h"

/*
 * Flop/s of the factorization of a random panel by all members of team, median
 * of nine: m nb^2 - nb^3 / 3 flop. The panel is made anew before each, outside
 * the time.
 *
 * m       in   rows, >= nb
 * rate_p  out  NaN if rows of P A - L U that were looked at are not 0: said
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhost_panel_rate(const hyb_kernel_t *kernel, hyb_team_t *team,
                             int64_t m, int nb, double *rate_p);

#endif
