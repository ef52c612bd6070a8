/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * What the devices of every backend do, as cases for each backend's test. Where
 * there is no such device the cases are skipped, and each case that needs work
 * which the device lacks.
 */
#include "hybrid/device/device.h"
#include "testing/unit/unit.h"

enum { DEVICE_PATIENCE = 60 }; /* seconds; only what is broken takes so long */

enum { DEVICE_ORDER = 96 }; /* of the fixture's matrices */

typedef struct {
    hyb_device_t *device;
    hyb_queue_t *queue;
    hyb_device_view_t a, c; /* of undefined content */
} device_fixture_t;

/*
 * Open the first device of backend, with the rest; *state_p is the fixture, or
 * NULL if there is no such plug-in or no device. Returns 0, or -1 if there is
 * one that cannot be opened.
 */
int device_cases_open(const char *backend, void **state_p);
int device_cases_close(void **state);

/* The fixture, whose device has op; without one the running case is skipped. */
device_fixture_t *device_cases_fixture(void **state, hyb_op_t op);

/* The backend called name, which is there. */
const hyb_backend_t *device_cases_backend(const char *name);

hyb_queue_t *device_cases_queue(hyb_device_t *device);
hyb_event_t *device_cases_event(hyb_device_t *device);

/* A matrix in device memory, alone in its buffer. */
hyb_device_view_t device_cases_matrix(hyb_device_t *device, int64_t rows,
                                      int64_t cols);

/* Copy a matrix to `to`, its columns one after the other, behind what is on
 * queue, and wait. */
void device_cases_read(hyb_device_t *device, hyb_queue_t *queue,
                       hyb_device_view_t from, void *to);

/* Wait for event, or until all that is on queue has run; what came of it. */
xh_status_t device_cases_wait(hyb_event_t *event);
xh_status_t device_cases_finish(hyb_device_t *device, hyb_queue_t *queue);

/* One more case, which finds the fixture in state. */
void device_cases_add(const char *name, void (*run)(void **state));

/* A case for each device that has op; f is the fixture. */
#define DEVICE_CASE_WITH(name, op)                                             \
    static void name(device_fixture_t *f);                                     \
    static void name##_in(void **state)                                        \
    {                                                                          \
        name(device_cases_fixture(state, op));                                 \
    }                                                                          \
    __attribute__((constructor(1000 + __LINE__))) static void name##_added(    \
        void)                                                                  \
    {                                                                          \
        device_cases_add(#name, name##_in);                                    \
    }                                                                          \
    static void name(device_fixture_t *f)

/* For each device. */
#define DEVICE_CASE(name) DEVICE_CASE_WITH(name, HYB_OP_COPY_IN)

/* The cases of device_*.c in this program; open calls device_cases_open. */
void device_cases_use(int (*open)(void **state));
#define DEVICE_CASES(open)                                                     \
    __attribute__((constructor(60000))) static void device_cases_used(void)    \
    {                                                                          \
        device_cases_use(open);                                                \
    }

/* A case of this program alone, between open and device_cases_close. */
#define TEST_DEVICE(name, open)                                                \
    static void name##_on(device_fixture_t *f);                                \
    TEST_WITH(name, open, device_cases_close)                                  \
    {                                                                          \
        name##_on(device_cases_fixture(state, HYB_OP_COPY_IN));                \
    }                                                                          \
    static void name##_on(device_fixture_t *f)
