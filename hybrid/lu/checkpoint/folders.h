/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_FOLDERS_H
#define HYB_FOLDERS_H

#include "hpl_types.h"
#include "hybrid/lu/checkpoint/store.h"

/*
 * The folders of --restart and --checkpoint, open from before the factorization
 * until its results are kept: hyb_checkpoint_clear.
 */
typedef enum { HYB_RESTART_FROM, HYB_CHECKPOINT_TO, HYB_FOLDERS } hyb_folder_t;

/* Open what the setting names; NULL: why_p says why it cannot be used. */
const hyb_store_t *hyb_folder_open(hyb_folder_t which, const HPL_T_grid *grid,
                                   char *why_p);

/* NULL: it is not open. */
const hyb_store_t *hyb_folder(hyb_folder_t which);

/* Close both. */
void hyb_folders_close(void);

/* Is there a mark that the results of the run in the folder were written? */
bool hyb_folder_is_done(const hyb_store_t *store);

#endif
