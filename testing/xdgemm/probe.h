/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_PROBE_H
#define XDG_PROBE_H

#include "hybrid/device/machine.h"

/* The rates of a device and its link alone. */
typedef struct {
    double in, out;  /* bytes/s of copies one way only */
    double both;     /* bytes/s each way, copies both ways at once */
    double resident; /* flop/s of DGEMM on data that the device holds */
} xdg_probe_t;

/*
 * Measure copies of C to and from device, and the product on it; medians of
 * `repeat`. The matrices are pinned, and fit the device. C is destroyed.
 *
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_probe_device(hyb_device_t *device, const xh_gemm_t *product,
                             int64_t repeat, xdg_probe_t *probe_p);

#endif
