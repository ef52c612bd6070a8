/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"

/* The backends of this program: those registered, and those of plug-ins. */
enum {
    HYB_BACKENDS = 16,     /* at most */
    HYB_BACKEND_WHY = 4096 /* bytes of the longest reason, with its end */
};

/*
 * Add a backend that is part of this program; its name then never means a
 * plug-in.
 * Errors: XH_ERR_DEVICE  another ABI, a table without a function that must be
 *                        there, or too many backends; or the name is taken, too
 *                        long, or holds more than letters, digits and '_'
 */
xh_status_t hyb_backend_register(const hyb_backend_t *backend);

/*
 * The backend called name, from the first of these folders that has the
 * plug-in: the setting plugin_dir (XHPL_PLUGIN_DIR) if given, the executable's
 * folder, ../lib/xhpl beside it. In the last two it is loaded only if nobody
 * but this user, root and those who may write the program may write the
 * plug-in. The result stays valid; each call returns the
 * same.
 *
 * why_p  out  HYB_BACKEND_WHY bytes: what was wrong; set on failure only
 * Errors: XH_ERR_INPUT   no such plug-in in these folders (all are named)
 *         XH_ERR_DEVICE  it does not load, or may not; not logged, as the above
 */
xh_status_t hyb_backend_find(const char *name, const hyb_backend_t **backend_p,
                             char *why_p);

/* Names that can be tried, in alphabetical order: registered backends, and
 * plug-ins in these folders. Returns how many, at most HYB_BACKENDS. */
int hyb_backend_names(char (*names_p)[HYB_BACKEND_NAME]);
