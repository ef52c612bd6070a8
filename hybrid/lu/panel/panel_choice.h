/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/panel/panel.h"
#include "hybrid/lu/state/step.h"

/*
 * Who factors panels whose columns live on devices: the team, or the device
 * that they live on. The setting panel says it, or with auto the quicker one
 * does, as tuner/panel_pace.h has it. The processes of a process column agree:
 * what a panel took is reduced, and learnt by all before the next one opens.
 * All calls are the leader's.
 */

/* lu->homes.choice. Needs lu's resources. Errors: XH_ERR_MEMORY */
xh_status_t hyb_panel_choice_create(hyb_lu_t *lu);
void hyb_panel_choice_destroy(hyb_lu_t *lu);

/* How panel k is factored: where it is here by its device, or by the team. */
void hyb_panel_choose(hyb_lu_t *lu, int k);

/* Do devices factor panels, going by the last one? */
bool hyb_panel_choice_was_device(const hyb_lu_t *lu);

/* Panel k took the device, or the team, so many seconds. */
void hyb_panel_choice_note(hyb_lu_t *lu, int k, bool by_device, double seconds);

/* Learn what the last panel took, once it is known; true if nothing is
 * outstanding. Without waiting. */
bool hyb_panel_choice_advance(hyb_lu_t *lu);
