/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_RATE_CACHE_H
#define HYB_RATE_CACHE_H

#include "hybrid/device/rate_table.h"

/*
 * Rate tables kept from run to run, one file a device model:
 * $XDG_CACHE_HOME/xhpl/<model>.tiles, or below ~/.cache if that is not set.
 * Characters of model other than letters, digits, '-' and '.' become '_'.
 */

/*
 * The path of model's file into path_p.
 * Errors: XH_ERR_INPUT  neither variable gives a folder, or it is too long;
 *                       not logged
 */
xh_status_t hyb_rate_cache_path(const char *model, char *path_p, size_t size);

/*
 * Read model's table. Errors leave it to the caller to measure again:
 * XH_ERR_INPUT  no folder, or the file is not this model's table: the latter
 *               is said as information
 * XH_ERR_IO     there is no file, or it cannot be read; not logged
 */
xh_status_t hyb_rate_cache_load(const char *model, hyb_rate_table_t *table_p);

/*
 * Write model's file, with its folders, so that a reader at any time finds the
 * old or the new one, whole. The run goes on without: failures are said as
 * information.
 * Errors: XH_ERR_INPUT  no folder
 *         XH_ERR_ARG    more than HYB_RATE_TEXT bytes
 *         XH_ERR_IO
 */
xh_status_t hyb_rate_cache_save(const char *model,
                                const hyb_rate_table_t *table);

#endif
