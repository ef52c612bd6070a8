/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include "base/pin.h"
#include "hybrid/device/device.h"

/* Data and functions that device.c and queue.c share. */
struct hyb_device {
    const hyb_backend_t *backend;
    int index;
    void *state;         /* the backend's own */
    xh_affinity_t cores; /* cores of the device's threads, if `confined` */
    bool confined;
    const hyb_pinned_memory_t
        *pinned;       /* copies are split at its segments; may be NULL */
    atomic_int failed; /* int, as RISC-V exchanges no bytes */
    _Atomic uint64_t bytes_in, bytes_out, operations;
    /* List of the buffers destroyed after the device failed. */
    _Atomic(hyb_buffer_t *) kept;
};

/* Prepare the calling thread for calls on the device. XH_ERR_DEVICE: the device
 * has failed. */
xh_status_t hyb_device_enter(hyb_device_t *device);

/* Mark the device as failed if `status` is XH_ERR_DEVICE. Returns `status`. */
xh_status_t hyb_device_keep(hyb_device_t *device, xh_status_t status);

/* Move this thread to the device's cores until xh_pin_restore(before_p) moves
 * it back. Returns false if the thread was not moved. */
bool hyb_device_move_near(const hyb_device_t *device, xh_affinity_t *before_p);

/* Call a function of the backend's table, unless the device has failed. */
#define HYB_CALL(device, function, ...)                                        \
    (hyb_device_enter(device) != XH_OK                                         \
         ? XH_ERR_DEVICE                                                       \
         : hyb_device_keep(device, (device)->backend->function(                \
                                       (device)->state, __VA_ARGS__)))

/* Allocate `size` bytes of zeros. Logs an error if there is no memory. */
void *hyb_device_allocate(size_t size);
