/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include "base/pin.h"
#include "hybrid/device/device.h"

/* What device.c and queue.c share. */
struct hyb_device {
    const hyb_backend_t *backend;
    int index;
    void *state;         /* the backend's */
    xh_affinity_t cores; /* its threads' cores, if it is confined to some */
    bool confined;
    const hyb_pinned_memory_t
        *pinned;       /* copies are cut at its segments; or NULL */
    atomic_int failed; /* not bool: RISC-V exchanges no bytes */
    _Atomic uint64_t bytes_in, bytes_out;
    /* Buffers destroyed after the device failed. */
    _Atomic(hyb_buffer_t *) kept;
};

/* XH_ERR_DEVICE if the device has failed; else the calling thread may now call
 * it. */
xh_status_t hyb_device_enter(hyb_device_t *device);

/* Note that the device has failed, if `status` says so; returns `status`. */
xh_status_t hyb_device_keep(hyb_device_t *device, xh_status_t status);

/* Move this thread to the device's cores, until xh_pin_restore(before_p) brings
 * it back. Returns false if it stays where it is. */
bool hyb_device_move_near(const hyb_device_t *device, xh_affinity_t *before_p);

/* Call a function of the backend's table, unless the device has failed. */
#define HYB_CALL(device, function, ...)                                        \
    (hyb_device_enter(device) != XH_OK                                         \
         ? XH_ERR_DEVICE                                                       \
         : hyb_device_keep(device, (device)->backend->function(                \
                                       (device)->state, __VA_ARGS__)))

/* size bytes of zeros; logs if there is no memory */
void *hyb_device_allocate(size_t size);
