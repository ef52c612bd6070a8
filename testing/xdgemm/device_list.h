/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_DEVICE_LIST_H
#define XDG_DEVICE_LIST_H

#include <stdio.h>
#include "base/status.h"

/*
 * Print what there is to compute with on stdout: this machine's cores, and the
 * devices of every backend, or why it has none.
 * json    in  gets the same as JSON; NULL: none
 * Errors: XH_ERR_INTERNAL, XH_ERR_MEMORY, XH_ERR_IO
 */
xh_status_t xdg_device_list(FILE *json);

#endif
