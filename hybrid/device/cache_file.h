/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include "base/status.h"

/*
 * Files with what is known of a device's model from run to run, one for each
 * kind: $XDG_CACHE_HOME/xhpl/<model>.<kind>, or below ~/.cache if that variable
 * is not set. Characters of `model` other than letters, digits, '-' and '.'
 * become '_'.
 */
/* Bytes of the longest path, its end included. */
enum { HYB_CACHE_PATH = 4096 };

/*
 * Write the file's path into `path_p`, of HYB_CACHE_PATH bytes.
 * Errors: XH_ERR_INPUT: neither variable gives a folder, or the path is too
 *         long; not logged
 */
xh_status_t hyb_cache_path(const char *model, const char *kind, char *path_p);

/*
 * Load the file's bytes, with a zero behind them, for free(). NULL: there is no
 * file or no memory, or others may write the file, which a warning says.
 */
void *hyb_cache_load(const char *model, const char *kind, size_t *bytes_p);

/* Say that the file is ignored, as it does not hold `what` ("tile rates"). */
void hyb_cache_ignore(const char *model, const char *kind, const char *what);

/*
 * Write the file, with its folders, so that a reader at any time finds the old
 * or the new one, whole. The run goes on if this fails: information says so,
 * and names `what` ("the tile rates").
 * Errors: XH_ERR_INPUT: no folder; XH_ERR_IO
 */
xh_status_t hyb_cache_store(const char *model, const char *kind,
                            const void *data, size_t bytes, const char *what);

/* Remove the file, if there is one. */
void hyb_cache_remove(const char *model, const char *kind);
