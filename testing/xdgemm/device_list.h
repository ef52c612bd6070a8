/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_DEVICE_LIST_H
#define XDG_DEVICE_LIST_H

#include <stdio.h>
#include "base/status.h"

/*
 * Print what there is to compute with: this machine's cores, and of every
 * backend its devices, or why there are none.
 *
 * json   in  the file that gets the same as JSON; NULL: none
 *
 * Errors: XH_ERR_INTERNAL, XH_ERR_MEMORY
 *         XH_ERR_INPUT, XH_ERR_IO  the file cannot be written
 */
xh_status_t xdg_device_list(FILE *out, const char *json);

#endif
