/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_BACKEND_H
#define HYB_BACKEND_H

#include "hybrid/device/device.h"

/*
 * The backends of this program: those registered, and those that plug-ins
 * bring. hyb_backend_load of device.h is the way to one that a user named.
 */
enum {
    HYB_BACKENDS = 16,     /* at most */
    HYB_BACKEND_WHY = 4096 /* bytes of the longest reason, with its end */
};

/*
 * Add a backend that is part of this program; its name then never means a
 * plug-in.
 * Errors: XH_ERR_DEVICE  another ABI, a table without a function that must be
 *                        there, or too many backends
 *         XH_ERR_ARG     the name is taken, too long, or holds more than
 *                        letters, digits and '_'
 */
xh_status_t hyb_backend_register(const hyb_backend_t *backend);

/*
 * As hyb_backend_load, but nothing is logged.
 *
 * why_p  out  HYB_BACKEND_WHY bytes: what was wrong; set on failure only
 */
xh_status_t hyb_backend_find(const char *name, const hyb_backend_t **backend_p,
                             char *why_p);

/*
 * Names that can be tried, in alphabetical order: registered backends, and
 * plug-ins in the folders that hyb_backend_load searches.
 *
 * Returns how many there are, at most HYB_BACKENDS.
 */
int hyb_backend_names(char (*names_p)[HYB_BACKEND_NAME]);

#endif
