/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"

/* The backends of this program: registered ones, and plug-ins. */
enum {
    HYB_BACKENDS = 16,     /* at most */
    HYB_BACKEND_WHY = 4096 /* bytes of the longest reason, with its end */
};

/*
 * Add a backend that is part of this program; its name then never means a
 * plug-in.
 * Errors: XH_ERR_DEVICE: another ABI, a table that lacks a required function,
 *         or too many backends; or the name is taken, too long, or holds more
 *         than letters, digits and '_'
 */
xh_status_t hyb_backend_register(const hyb_backend_t *backend);

/*
 * Find the backend called `name`, in the first of these folders that has the
 * plug-in: the setting plugin_dir (XHPL_PLUGIN_DIR) if given, the executable's
 * folder, ../lib/xhpl beside it. From the last two it is loaded only if nobody
 * may write the plug-in but this user, root and whoever may write the program.
 * The result stays valid; each call returns the same.
 *
 * why_p  out  HYB_BACKEND_WHY bytes: what was wrong; set on failure only
 * Errors: XH_ERR_INPUT: no such plug-in in these folders (all are named);
 *         XH_ERR_DEVICE: it does not load, or may not. Neither is logged
 */
xh_status_t hyb_backend_find(const char *name, const hyb_backend_t **backend_p,
                             char *why_p);

/*
 * Names that can be tried, in alphabetical order: registered backends, and
 * plug-ins in the folders of hyb_backend_find. Returns their number, at most
 * HYB_BACKENDS.
 */
int hyb_backend_names(char (*names_p)[HYB_BACKEND_NAME]);
