/* SPDX-License-Identifier: BSD-3-Clause */

#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/moments.h"
#include "hybrid/lu/state/step.h"
#pragma once

/* Return the header of a checkpoint of lu's system, without times, seed and
 * progress. */
hyb_header_t hyb_restart_header(const hyb_lu_t *lu);

/*
 * Load the newest undamaged checkpoint that all processes have in the folder of
 * the setting `restart`, instead of generating the matrix; collective. Without
 * the setting, or if the run in that folder has ended, which is logged, load
 * nothing and leave header_p->first at 0.
 *
 * buffer    in   hyb_save_bytes
 * header_p  out  header of this process's part
 * sign_p    out  the last sign of life of any process, or the header's time if
 *                later
 *
 * Errors: XH_ERR_INPUT  logged: there is no checkpoint, it belongs to another
 *                       system, or other users may write the folder
 */
xh_status_t hyb_restart_load(hyb_lu_t *lu, hyb_piece_t *buffer,
                             hyb_header_t *header_p, hyb_life_sign_t *sign_p);
