/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CUDA_SENSOR_H
#define HYB_CUDA_SENSOR_H

#include <stdbool.h>
#include "hybrid/device/device.h"

/*
 * What the driver's management library tells about a device, which is named
 * by its PCI address. The library is looked for once; without it nothing is
 * told. Neither function uses the device's context or waits for its work.
 */

/* Temperature, clock, power and energy now; NaN for each that is not told. */
hyb_device_sensors_t hyb_cuda_sensor_read(const char *pci_address);

/* Bytes of device memory that are free; false if that is not told. */
bool hyb_cuda_sensor_memory(const char *pci_address, uint64_t *free_p);

#endif
