/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/unit/device/device_cases.h"
#include "testing/unit/device/model_fixture.h"

/*
 * The plug-in cuda on the model of CUDA's libraries. Where that was not built,
 * for lack of CUDA's headers, cases are skipped.
 */

/* Device index, from a beginning with these faults. */
static inline hyb_device_t *open_first(int index, const char *faults)
{
    if (!model_fixture_begin(faults))
        skip();
    return model_fixture_device("cuda", index);
}

enum { ORDER = 48, LD = 53, COUNT = LD * ORDER };

static double ones[COUNT], result[COUNT];

static inline xh_view_t host(double *x)
{
    return (xh_view_t){x, ORDER, ORDER, LD};
}

static inline void fill(double *x, double value)
{
    for (int i = 0; i < COUNT; i++)
        x[i] = value;
}

/* ---- one device, with a queue and matrices ------------------------------- */

typedef struct {
    hyb_device_t *device;
    hyb_queue_t *queue;
    hyb_device_view_t a, c;
} bench_t;

static inline bench_t equip(hyb_device_t *device)
{
    bench_t b = {.device = device};

    b.queue = device_cases_queue(b.device);
    b.a = device_cases_matrix(b.device, ORDER, ORDER);
    b.c = device_cases_matrix(b.device, ORDER, ORDER);
    return b;
}

static inline bench_t bench_open(int index, const char *faults)
{
    return equip(open_first(index, faults));
}

/* Device 1, beside device 0, which is open. */
static inline bench_t open_second(void)
{
    return equip(model_fixture_device("cuda", 1));
}

/* Queue C := A A for an A of ones, and its way out to result; what came of
 * the last call. */
static inline xh_status_t square(const bench_t *b)
{
    fill(ones, 1.0);
    fill(result, -1.0);
    XH_TRY(hyb_queue_copy_in(b->queue, host(ones), b->a));
    XH_TRY(hyb_queue_gemm(
        b->queue, &(hyb_gemm_t){.alpha = 1, .a = b->a, .b = b->a, b->c}));
    return hyb_queue_copy_out(b->queue, b->c, host(result));
}

/* The same, until it is done. */
static inline xh_status_t finish_square(const bench_t *b)
{
    XH_TRY(square(b));
    return device_cases_finish(b->device, b->queue);
}

static inline bool is_square(void)
{
    return result[0] == ORDER && result[ORDER - 1 + (ORDER - 1) * LD] == ORDER;
}

static inline void bench_close(const bench_t *b)
{
    hyb_buffer_destroy(b->a.buffer);
    hyb_buffer_destroy(b->c.buffer);
    hyb_queue_destroy(b->queue);
    hyb_device_close(b->device);
}

/* Close the last device: all is given back. */
static inline void assert_nothing_left(const bench_t *b)
{
    bench_close(b);
    model_fixture_assert_nothing_left();
}
