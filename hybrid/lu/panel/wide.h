/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl.h"
#include "hybrid/lu/state/step.h"

/* Create lu->wide from lu's groups and mat.
 * Errors: XH_ERR_MEMORY */
xh_status_t hyb_wide_create(hyb_lu_t *lu);
void hyb_wide_destroy(hyb_lu_t *lu);

/* Panel k is known: let it join its group. Called by the leader. */
void hyb_wide_join(hyb_lu_t *lu, int k);

/*
 * Panels from .. to - 1 as one panel, whose pivots are known: a single panel,
 * the newest group up to its newest panel or the one before, or one of the last
 * two groups. Borrowed, as long as these panels are kept.
 */
HPL_T_panel *hyb_wide_panel(hyb_lu_t *lu, int from, int to);
