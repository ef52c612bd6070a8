/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CUDA_SENSOR_H
#define HYB_CUDA_SENSOR_H

#include <stdbool.h>
#include "hybrid/device/device.h"

/*
 * What the driver's management library knows of a device, which its PCI address
 * names. The library is opened once; without it nothing is known. Neither
 * function uses the device's context or waits for its work.
 */

/* Temperature, clock, power and energy now; NaN if unknown. */
hyb_device_sensors_t hyb_cuda_sensor_read(const char *pci_address);

/* Bytes of device memory that are free; false if unknown. */
bool hyb_cuda_sensor_memory(const char *pci_address, uint64_t *free_p);

#endif
