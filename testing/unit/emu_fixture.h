/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMU_FIXTURE_H
#define EMU_FIXTURE_H

#include <stdarg.h>
#include "base/settings.h"
#include "hybrid/engine/device.h"
#include "testing/unit/capture.h"
#include "testing/unit/unit.h"

/* What the tests of emulated devices have in common. */
enum { EMU_PATIENCE = 60 }; /* seconds; only what is broken takes so long */

static inline int emu_default_settings(void **state)
{
    (void)state;
    return xh_settings_load() != XH_OK;
}

/* Open device index with settings, "name=value" each, up to a NULL. */
static inline hyb_device_t *emu_open(int index, ...)
{
    const hyb_backend_t *backend;
    hyb_device_t *device = NULL;
    const char *assignment;
    va_list settings;

    va_start(settings, index);
    while ((assignment = va_arg(settings, const char *)) != NULL)
        assert_int_equal(xh_settings_assign(assignment), XH_OK);
    va_end(settings);
    assert_int_equal(hyb_backend_load("emu", &backend), XH_OK);
    assert_int_equal(hyb_device_open((hyb_device_choice_t){backend, index},
                                     NULL, 0, &device),
                     XH_OK);
    return device;
}

static inline hyb_queue_t *emu_queue(hyb_device_t *device)
{
    hyb_queue_t *queue = NULL;

    assert_int_equal(hyb_queue_create(device, &queue), XH_OK);
    return queue;
}

static inline hyb_event_t *emu_event(hyb_device_t *device)
{
    hyb_event_t *event = NULL;

    assert_int_equal(hyb_event_create(device, &event), XH_OK);
    return event;
}

/* A matrix in device memory; its data is what hyb_device_free takes. */
static inline hyb_view_t emu_matrix(hyb_device_t *device, int64_t rows,
                                    int64_t cols)
{
    hyb_view_t v = {NULL, rows, cols, rows};
    size_t bytes = (size_t)rows * (size_t)cols * sizeof(double);

    assert_int_equal(hyb_device_alloc(device, bytes, &v.data), XH_OK);
    return v;
}

/* Wait for event; what came of it. */
static inline xh_status_t emu_wait(hyb_event_t *event)
{
    bool done = false;
    xh_status_t status = hyb_event_wait(event, EMU_PATIENCE, &done);

    assert_true(done || status != XH_OK);
    return status;
}

/* Wait until all that is on queue has run; what came of it. */
static inline xh_status_t emu_finish(hyb_device_t *device, hyb_queue_t *queue)
{
    hyb_event_t *event;
    xh_status_t status = hyb_event_create(device, &event);

    if (status != XH_OK)
        return status;
    status = hyb_event_record(queue, event);
    if (status == XH_OK)
        status = emu_wait(event);
    hyb_event_destroy(event);
    return status;
}

#endif
