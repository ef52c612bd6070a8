/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_RESTART_H
#define HYB_RESTART_H

#include "hybrid/lu/checkpoint/disks.h"
#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/checkpoint/store.h"
#include "hybrid/lu/factor.h"

/* What a run was restarted from; first 0: it was not. */
typedef struct {
    hyb_header_t header; /* of process 0's checkpoint */
    double seen;         /* s since 1970: the last sign of life */
    int64_t final_bytes; /* of this process's final file, that it needs */
    int earlier;         /* the checkpoint before, whole as well; or 0 */
} hyb_restart_t;

/* The files of this process of lu's grid in folder. */
hyb_store_t hyb_restart_store(const hyb_lu_t *lu, const char *folder);

/* What a checkpoint of lu's system has in its header, but for moments. */
hyb_header_t hyb_restart_header(const hyb_lu_t *lu);

/*
 * Is the newest checkpoint of store, if there is one, of another system than
 * lu's? Then text says how.
 */
bool hyb_restart_is_other(hyb_lu_t *lu, const hyb_store_t *store, char *text,
                          int64_t size);

/*
 * Load the newest checkpoint of the setting restart that all processes have and
 * that is not damaged, in place of a generated matrix; collective. Without the
 * setting nothing is done.
 *
 * Errors: XH_ERR_INPUT  there is none, or it is of another system: said
 */
xh_status_t hyb_restart_load(hyb_lu_t *lu, hyb_restart_t *restart_p);

#endif
