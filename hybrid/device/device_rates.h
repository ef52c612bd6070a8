/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DEVICE_RATES_H
#define HYB_DEVICE_RATES_H

#include <stdbool.h>
#include "hybrid/device/device.h"
#include "hybrid/device/rate_table.h"

/*
 * Measure what device's link brings both ways at once, how fast this thread
 * writes that into C, and what the device reaches on operands that are there
 * already, for tiles of several sizes and depths: from the smallest up, until
 * about seconds have passed or an eighth of memory is too little. What the
 * first product takes, which brings libraries in, is not counted. A device that
 * takes longer than patience for one product is given up. The numbers are
 * whatever memory holds, and some devices are faster on some numbers: compare
 * sizes with each other only.
 *
 * memory   in   bytes of the device that are free
 * table_p  out  empty if not even one point could be measured
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 */
xh_status_t hyb_device_rates_measure(hyb_device_t *device, uint64_t memory,
                                     double seconds, double patience,
                                     hyb_rate_table_t *table_p);

/* Has table a link's rate and all points that an eighth of memory has room for?
 * None is not enough. */
bool hyb_device_rates_complete(const hyb_rate_table_t *table, uint64_t memory);

/*
 * The table of device's model: as kept from an earlier run, else measured, in
 * about a second. Only a complete table, for the memory that is free now, is
 * kept, and used again.
 */
xh_status_t hyb_device_rates(hyb_device_t *device, hyb_rate_table_t *table_p);

#endif
