/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include "base/status.h"

/*
 * Files that keep data about a device's model from run to run, one per kind of
 * data: $XDG_CACHE_HOME/xhpl/<model>.<kind>, or below ~/.cache if that variable
 * is not set. Characters of `model` other than letters, digits, '-' and '.'
 * become '_'.
 */
/* Bytes of the longest path, its end included. */
enum { HYB_CACHE_PATH = 4096 };

/*
 * Write the file's path into `path_p`, of HYB_CACHE_PATH bytes.
 * Errors: XH_ERR_INPUT: neither environment variable gives a folder, or the
 *         path is too long; not logged
 */
xh_status_t hyb_cache_path(const char *model, const char *kind, char *path_p);

/*
 * Return the file's bytes, followed by a zero byte; the caller frees them.
 * Return NULL if there is no file or no memory, or, after a warning, if other
 * users may write the file.
 */
void *hyb_cache_load(const char *model, const char *kind, size_t *bytes_p);

/* Log that the file is ignored because it does not hold `what` ("tile rates").
 */
void hyb_cache_ignore(const char *model, const char *kind, const char *what);

/*
 * Write the file and create its folders. A reader always finds a complete file,
 * old or new. If writing fails, a message at level info names `what` ("the tile
 * rates") and the run goes on.
 * Errors: XH_ERR_INPUT: no folder; XH_ERR_IO
 */
xh_status_t hyb_cache_store(const char *model, const char *kind,
                            const void *data, size_t bytes, const char *what);

/* Remove the file, if there is one. */
void hyb_cache_remove(const char *model, const char *kind);
