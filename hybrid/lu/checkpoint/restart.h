/* SPDX-License-Identifier: BSD-3-Clause */

#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/moments.h"
#include "hybrid/lu/state/step.h"
#pragma once

/* What a checkpoint of lu's system has in its header, but for moments. */
hyb_header_t hyb_restart_header(const hyb_lu_t *lu);

/*
 * Load the newest checkpoint of the setting restart that all processes have and
 * that is not damaged, in place of a generated matrix; collective. Without the
 * setting, or if the run in that folder has ended, which is said, nothing is
 * loaded, and header_p->first stays 0.
 *
 * buffer    in   hyb_save_bytes
 * header_p  out  of this process's part
 * seen_p    out  the last sign of life of any process; at least the header's
 *
 * Errors: XH_ERR_INPUT  there is none, it is of another system, or others may
 *                       write the folder: said
 */
xh_status_t hyb_restart_load(hyb_lu_t *lu, hyb_piece_t *buffer,
                             hyb_header_t *header_p, hyb_seen_t *seen_p);
