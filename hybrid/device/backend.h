/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"

/* Backends are registered by this program or found as plug-ins. */
enum {
    HYB_BACKENDS = 16,     /* registered and loaded, at most */
    HYB_BACKEND_WHY = 4096 /* bytes of the longest reason, its end included */
};

/*
 * Add a backend that is part of this program; from then on its name never means
 * a plug-in.
 * Errors: XH_ERR_DEVICE: another ABI, a table that lacks a required function,
 *         or too many backends; or the name is taken, too long, or holds more
 *         than letters, digits and '_'
 */
xh_status_t hyb_backend_register(const hyb_backend_t *backend);

/*
 * Find the backend called `name`; the result stays valid, and each call returns
 * the same. The plug-in is looked for in the folder named by the setting
 * plugin_dir (XHPL_PLUGIN_DIR), then in the executable's folder, then in
 * ../lib/xhpl beside that folder. In the last two a plug-in is loaded only if
 * this user, root and the users who may write to the program are the only ones
 * who may write to it.
 *
 * why_p  out  HYB_BACKEND_WHY bytes: what was wrong; set on failure only
 * Errors: XH_ERR_INPUT: no such plug-in in these folders (all are named);
 *         XH_ERR_DEVICE: it does not load, or may not. Neither is logged
 */
xh_status_t hyb_backend_find(const char *name, const hyb_backend_t **backend_p,
                             char *why_p);

/*
 * Names of the backends that can be opened, in alphabetical order: registered
 * backends, and plug-ins in the folders of hyb_backend_find. Returns their
 * number, at most HYB_BACKENDS.
 */
int hyb_backend_names(char (*names_p)[HYB_BACKEND_NAME]);
