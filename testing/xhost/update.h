/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHOST_UPDATE_H
#define XHOST_UPDATE_H

#include "base/status.h"
#include "hybrid/engine/host/kernel.h"
#include "hybrid/engine/team.h"

typedef struct {
    int64_t m, n, k; /* C is m x n, L2 m x k, U k x n */
} xhost_shape_t;

/*
 * Flop/s of C := C - L2 U by all members of team, median of three: as in the
 * solver, members take chunks of columns, L2 lies in tiles, and each chunk's
 * part of U is packed when its turn comes.
 *
 * rate_p  out  NaN if elements of C that were looked at are wrong: said
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhost_update_rate(const hyb_kernel_t *kernel, hyb_team_t *team,
                              xhost_shape_t shape, double *rate_p);

#endif
