/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DEVICE_PRIVATE_H
#define HYB_DEVICE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include "hybrid/device/device.h"

/* What device.c and queue_work.c share. */
struct hyb_device {
    const hyb_backend_t *backend;
    int index;
    void *state; /* the backend's */
    atomic_bool failed;
    _Atomic uint64_t bytes_in, bytes_out;
    pthread_mutex_t lock; /* of buffers */
    hyb_buffer_t *buffers;
};

struct hyb_queue {
    hyb_device_t *device;
    void *queue; /* the backend's */
};

struct hyb_event {
    hyb_device_t *device;
    void *event; /* the backend's */
};

/* Note that the device has failed if status says so; returns status. */
xh_status_t hyb_device_keep(hyb_device_t *device, xh_status_t status);

/* A function of the backend's table, unless the device has failed. */
#define HYB_CALL(device, function, ...)                                        \
    (hyb_device_failed(device)                                                 \
         ? XH_ERR_DEVICE                                                       \
         : hyb_device_keep(device, (device)->backend->function(                \
                                       (device)->state, __VA_ARGS__)))

#endif
