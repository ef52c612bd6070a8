/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_INVENTORY_H
#define HYB_INVENTORY_H

#include "hpl_solver.h"
#include "hybrid/device/machine.h"

/* The node's first devices, at most `most`, and what they tell now; how many.
 */
int hyb_inventory_devices(const hyb_machine_t *node, int most,
                          hpl_device_t *list_p);

#endif
