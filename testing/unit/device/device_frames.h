/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>
#include "testing/unit/device/device_cases.h"

/* What cases of work on matrices that live on a device share. */

enum { EDGE = 48 };

/* Square matrices on both sides: operands are parts of them, and what the test
 * computes on the host has to come back, with nothing changed around it. */
typedef struct {
    hyb_device_view_t device;
    double host[EDGE * EDGE];
} frame_t;

static frame_t a, b, c;

static inline double random_entry(void)
{
    return (double)rand() / RAND_MAX - 0.5;
}

static inline void bring_in(const device_fixture_t *f, frame_t *frame)
{
    for (int i = 0; i < EDGE * EDGE; i++)
        frame->host[i] = random_entry();
    frame->device = device_cases_matrix(f->device, EDGE, EDGE);
}

static inline void send_frame(const device_fixture_t *f, const frame_t *frame)
{
    const xh_view_t host = {(double *)frame->host, EDGE, EDGE, EDGE};

    assert_ok(hyb_queue_copy_in(f->queue, host, frame->device));
    assert_ok(device_cases_finish(f->device, f->queue));
}

/* All three come in. */
static inline void open_frames(const device_fixture_t *f)
{
    bring_in(f, &a);
    bring_in(f, &b);
    bring_in(f, &c);
    send_frame(f, &a);
    send_frame(f, &b);
    send_frame(f, &c);
}

static inline void close_frames(void)
{
    hyb_buffer_destroy(a.device.buffer);
    hyb_buffer_destroy(b.device.buffer);
    hyb_buffer_destroy(c.device.buffer);
}

static inline hyb_device_view_t part(const frame_t *frame, int64_t i, int64_t j,
                                     int64_t rows, int64_t cols)
{
    return hyb_device_view_part(frame->device, i, j, rows, cols);
}

static inline double *entry_of(frame_t *frame, int64_t i, int64_t j)
{
    return &frame->host[i + j * EDGE];
}

/* Does the device hold what the host has, NaN for NaN, but for tolerance? */
static inline void check(const device_fixture_t *f, const frame_t *frame,
                         double tolerance)
{
    static double result[EDGE * EDGE];
    const xh_view_t view = {result, EDGE, EDGE, EDGE};
    int wrong = 0;

    assert_ok(hyb_queue_copy_out(f->queue, frame->device, view));
    assert_ok(device_cases_finish(f->device, f->queue));
    for (int i = 0; i < EDGE * EDGE; i++)
        wrong += !(fabs(result[i] - frame->host[i]) <= tolerance ||
                   (isnan(result[i]) && isnan(frame->host[i])));
    assert_int_equal(wrong, 0);
}

static inline void check_all(const device_fixture_t *f, double tolerance)
{
    check(f, &a, tolerance);
    check(f, &b, tolerance);
    check(f, &c, tolerance);
}
