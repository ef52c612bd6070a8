/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/panel/panel.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/step.h"

/*
 * Who factors panels whose columns live on devices: the team, or the device
 * that they live on. The setting `panel` says so; with auto the faster one
 * does, by hybrid/lu/tune/panel_pace.h. The processes of a process column
 * agree: the time of a panel is reduced, and all of them learn the result
 * before the next panel opens. Only the leader calls these functions.
 */

typedef struct hyb_panel_choice hyb_panel_choice_t;

/* Create lu->homes.choice from lu's homes, resources, grid and mat.
 * Errors: XH_ERR_MEMORY */
xh_status_t hyb_panel_choice_create(hyb_lu_t *lu);
void hyb_panel_choice_destroy(hyb_panel_choice_t *choice);

/* Choose how panel k is factored: by its device, if it lives on one here, or by
 * the team. */
void hyb_panel_choose(hyb_lu_t *lu, int k);

/* Did a device factor the last panel, so that devices may factor the next? */
bool hyb_panel_choice_was_device(const hyb_panel_choice_t *choice);

/* Note that panel k, which lives at `home`, took the device, or the team,
 * `seconds`. */
void hyb_panel_choice_note(hyb_panel_choice_t *choice, int k, hyb_place_t *home,
                           bool by_device, double seconds);

/* Learn what the last panel took, once that is known, without waiting. Is
 * nothing outstanding? */
bool hyb_panel_choice_advance(hyb_panel_choice_t *choice);
