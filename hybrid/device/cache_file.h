/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include "base/status.h"

/*
 * What is known of a device's model from run to run: a file for each
 * kind, $XDG_CACHE_HOME/xhpl/<model>.<kind>, or below ~/.cache if that is not
 * set. Characters of model other than letters, digits, '-' and '.' become '_'.
 */
enum { HYB_CACHE_PATH = 4096 }; /* bytes of the longest path, with an end */

/* Its path, of HYB_CACHE_PATH bytes. Errors: XH_ERR_INPUT  neither variable
 * gives a folder, or it is too long; not logged */
xh_status_t hyb_cache_path(const char *model, const char *kind, char *path_p);

/*
 * Its bytes, with a zero behind them, for free(); NULL: no file, no memory, or
 * others may write it, with a warning.
 */
void *hyb_cache_load(const char *model, const char *kind, size_t *bytes_p);

/* Say that it is ignored: it does not hold what it should ("tile rates"). */
void hyb_cache_ignore(const char *model, const char *kind, const char *what);

/*
 * Write it, with its folders, so that a reader at any time finds the old or the
 * new one, whole. The run goes on without: failures are said as information,
 * about what ("the tile rates"). Errors: XH_ERR_INPUT  no folder; XH_ERR_IO
 */
xh_status_t hyb_cache_store(const char *model, const char *kind,
                            const void *data, size_t bytes, const char *what);

/* Remove it, if there is one. */
void hyb_cache_remove(const char *model, const char *kind);
