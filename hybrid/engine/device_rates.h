/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DEVICE_RATES_H
#define HYB_DEVICE_RATES_H

#include "hybrid/engine/device.h"
#include "hybrid/engine/rate_table.h"

/*
 * Measure what device reaches on operands that are there already, for tiles
 * of several sizes and depths: from the smallest up, until about seconds have
 * passed or memory ends. A device that takes longer than patience for one
 * product is given up. The numbers are whatever memory holds, and some
 * devices are faster on some numbers: compare sizes with each other only.
 *
 * table_p  out  empty if not even one point could be measured
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 */
xh_status_t hyb_device_rates_measure(hyb_device_t *device, double seconds,
                                     double patience,
                                     hyb_rate_table_t *table_p);

/*
 * The table of device's model: as kept from an earlier run, else measured, in
 * about a second, and kept.
 */
xh_status_t hyb_device_rates(hyb_device_t *device, hyb_rate_table_t *table_p);

#endif
