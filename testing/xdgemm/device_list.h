/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_DEVICE_LIST_H
#define XDG_DEVICE_LIST_H

#include <stdio.h>
#include "base/status.h"

/*
 * Print what there is to compute with: this machine's cores, and of every
 * backend its devices, or why there are none.
 * Errors: XH_ERR_INTERNAL, XH_ERR_MEMORY
 */
xh_status_t xdg_device_list_print(FILE *out);

#endif
