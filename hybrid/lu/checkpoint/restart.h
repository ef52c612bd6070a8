/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_RESTART_H
#define HYB_RESTART_H

#include "hybrid/lu/checkpoint/disks.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/factor.h"

/* What a checkpoint of lu's system has in its header, but for moments. */
hyb_header_t hyb_restart_header(const hyb_lu_t *lu);

/*
 * Is this process's newest checkpoint on its disk, if there is one, of another
 * system than lu's? Then text says how.
 */
bool hyb_restart_is_other(hyb_lu_t *lu, const hyb_disks_t *disks, char *text,
                          int64_t size);

/* Elements of this process's part of a checkpoint of panel `first`: in the
 * final file, and in its own. */
void hyb_restart_elements(const hyb_lu_t *lu, int first, int64_t *final_p,
                          int64_t *others_p);

/*
 * Load the newest checkpoint of the setting restart that all processes have and
 * that is not damaged, in place of a generated matrix; collective. Without the
 * setting, or if the run in that folder has ended and its files were on their
 * way out, which is said, nothing is done, and header_p->first stays 0.
 *
 * header_p   out  of this process's part
 * seen_p     out  the last sign of life of any process; at least the header's
 * earlier_p  out  the checkpoint before, whole as well; or 0
 *
 * Errors: XH_ERR_INPUT  there is none, it is of another system, or others may
 *                       write the folder: said
 */
xh_status_t hyb_restart_load(hyb_lu_t *lu, hyb_header_t *header_p,
                             hyb_seen_t *seen_p, int *earlier_p);

#endif
