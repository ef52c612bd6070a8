/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl.h"
#include "hybrid/lu/state/step.h"

/* lu->wide. Needs lu's groups, mat. Errors: XH_ERR_MEMORY */
xh_status_t hyb_wide_create(hyb_lu_t *lu);
void hyb_wide_destroy(hyb_lu_t *lu);

/* Panel k is known, and joins its group. The leader. */
void hyb_wide_join(hyb_lu_t *lu, int k);

/*
 * Panels from .. to - 1 as one, whose pivots are known: one panel, a group up
 * to the one that came last or the one before, or one of the last two groups.
 * Borrowed, as long as these are.
 */
HPL_T_panel *hyb_wide_panel(hyb_lu_t *lu, int from, int to);
