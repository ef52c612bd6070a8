/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"

/*
 * Every call of a device in its simplest form, on one open device with a queue,
 * an event and a buffer. What a call makes it gives back.
 */
enum {
    CALLS_ORDER = 4,
    CALLS_ELEMENTS = CALLS_ORDER * CALLS_ORDER,
    CALLS_LIST = 3 * CALLS_ELEMENTS, /* behind three squares: rows */
    CALLS_ALL = CALLS_LIST + CALLS_ORDER
};

typedef struct {
    hyb_device_t *device;
    hyb_queue_t *queue;
    hyb_event_t *event;
    hyb_buffer_t *buffer; /* of CALLS_ALL doubles */
    double host[CALLS_ELEMENTS];
} device_calls_t;

extern device_calls_t on; /* what calls are made on */

/* Device index of backend, and the rest; the event is recorded. */
void device_calls_open(const hyb_backend_t *backend, int index);
void device_calls_close(void); /* accepts a device that is not open */

/* Square number which of the buffer. */
hyb_device_view_t device_calls_square(int which);

typedef enum {
    CALL_DESCRIBE,
    CALL_SENSORS,
    CALL_PINNED,
    CALL_EVENT_WAIT,
    CALL_EVENT_ELAPSED,
    CALL_ALLOC, /* from here on by the names that faults give them */
    CALL_PIN,
    CALL_QUEUE_CREATE,
    CALL_EVENT_CREATE,
    CALL_EVENT_RECORD,
    CALL_QUEUE_WAIT,
    CALL_COPY_IN, /* from here on as hyb_op_t */
    CALL_COPY_OUT,
    CALL_GEMM,

    CALLS = CALL_COPY_IN + HYB_OPS,
    CALLS_AT_ONCE = CALL_ALLOC, /* where a kind begins */
    CALLS_QUEUED = CALL_EVENT_RECORD,
    CALLS_WORK = CALL_COPY_IN
} device_call_t;

const char *device_call_name(device_call_t call); /* of faults */
xh_status_t device_call(device_call_t call);
