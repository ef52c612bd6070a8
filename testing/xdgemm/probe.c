/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/runs.h"

#include <stdlib.h>
#include "base/median.h"
#include "base/product.h"

#define PATIENCE 600.0 /* seconds for one measurement */

typedef struct {
    hyb_device_t *device;
    xh_gemm_t host;       /* the matrices on the host ... */
    hyb_gemm_t on_device; /* ... and on the device */
    hyb_queue_t *in, *out;
    hyb_event_t *begin, *returned,
        *end; /* `returned` is for queue out, other events are for in */
} bench_t;

/* ---- what is measured --------------------------------------------------- */

static xh_status_t copy(const bench_t *b, hyb_queue_t *queue, int64_t first,
                        int64_t cols)
{
    xh_view_t host = xh_view_part(b->host.c, 0, first, b->host.c.rows, cols);
    hyb_device_view_t on_device =
        hyb_device_view_part(b->on_device.c, 0, first, host.rows, cols);

    return queue == b->in ? hyb_queue_copy_in(queue, host, on_device)
                          : hyb_queue_copy_out(queue, on_device, host);
}

static xh_status_t copy_in(const bench_t *b)
{
    return copy(b, b->in, 0, b->host.c.cols);
}

static xh_status_t copy_out(const bench_t *b)
{
    return copy(b, b->out, 0, b->host.c.cols);
}

/* Copy one half of the columns in each direction, so that the copies share no
 * element; twice, so that both directions are busy most of the time. */
static xh_status_t copy_both(const bench_t *b)
{
    int64_t cols = b->host.c.cols, left = (cols + 1) / 2;

    for (int round = 0; round < 2; round++) {
        XH_TRY(copy(b, b->in, 0, left));
        XH_TRY(copy(b, b->out, left, cols - left));
    }
    return XH_OK;
}

static xh_status_t multiply(const bench_t *b)
{
    return hyb_queue_gemm(b->in, &b->on_device);
}

typedef xh_status_t work_fn_t(const bench_t *b);

/* Measure seconds, by the device's clock, until both queues have done the work.
 */
static xh_status_t measure(const bench_t *b, work_fn_t *work, double *seconds_p)
{
    XH_TRY(hyb_event_record(b->in, b->begin));
    XH_TRY(hyb_queue_wait(b->out, b->begin));
    XH_TRY(work(b));
    XH_TRY(hyb_event_record(b->out, b->returned));
    XH_TRY(hyb_queue_wait(b->in, b->returned));
    XH_TRY(hyb_event_record(b->in, b->end));
    XH_TRY(hyb_event_await(b->end, PATIENCE));
    return hyb_event_elapsed(b->begin, b->end, seconds_p);
}

/* Measure `amount` per second, by the median time, after a warm-up. */
static xh_status_t median_rate(const bench_t *b, work_fn_t *work,
                               int64_t repeat, double amount, double *rate_p)
{
    double *seconds = calloc((size_t)repeat, sizeof(*seconds));
    xh_status_t status = XH_ERR_MEMORY;

    if (seconds != NULL)
        status = measure(b, work, &seconds[0]);
    for (int64_t i = 0; i < repeat && status == XH_OK; i++)
        status = measure(b, work, &seconds[i]);
    if (status == XH_OK)
        *rate_p = amount / xh_median(seconds, (int)repeat);
    free(seconds);
    return status;
}

/* ---- what it takes ------------------------------------------------------ */

/* Allocate a copy of a host matrix on the device. */
static xh_status_t place_on_device(bench_t *b, xh_view_t host,
                                   hyb_device_view_t *block_p)
{
    size_t bytes = (size_t)host.rows * (size_t)host.cols * sizeof(double);
    hyb_buffer_t *buffer;

    XH_TRY(hyb_buffer_create(b->device, bytes, &buffer));
    *block_p = hyb_device_view(buffer, 0, host.rows, host.cols);
    return hyb_queue_copy_in(b->in, host, *block_p);
}

static xh_status_t run(bench_t *b, int64_t repeat, xdg_probe_t *p)
{
    double bytes = 8.0 * (double)b->host.c.rows * (double)b->host.c.cols;

    XH_TRY(hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &b->in));
    XH_TRY(hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &b->out));
    XH_TRY(hyb_event_create(b->device, &b->begin));
    XH_TRY(hyb_event_create(b->device, &b->returned));
    XH_TRY(hyb_event_create(b->device, &b->end));
    XH_TRY(place_on_device(b, b->host.a, &b->on_device.a));
    XH_TRY(place_on_device(b, b->host.b, &b->on_device.b));
    XH_TRY(place_on_device(b, b->host.c, &b->on_device.c));
    XH_TRY(median_rate(b, copy_in, repeat, bytes, &p->in));
    XH_TRY(median_rate(b, copy_out, repeat, bytes, &p->out));
    XH_TRY(median_rate(b, copy_both, repeat, bytes, &p->both));
    return median_rate(b, multiply, repeat, xh_gemm_flop(&b->host),
                       &p->resident);
}

xh_status_t xdg_probe_device(hyb_device_t *device, const xh_gemm_t *product,
                             int64_t repeat, xdg_probe_t *probe_p)
{
    bench_t b = {.device = device,
                 .host = *product,
                 .on_device = {.trans_a = product->trans_a,
                               .trans_b = product->trans_b,
                               .alpha = product->alpha,
                               .beta = product->beta}};
    xdg_probe_t probe;
    xh_status_t status = run(&b, repeat, &probe);

    hyb_event_destroy(b.begin);
    hyb_event_destroy(b.returned);
    hyb_event_destroy(b.end);
    hyb_queue_destroy(b.in);
    hyb_queue_destroy(b.out);
    hyb_buffer_destroy(b.on_device.a.buffer);
    hyb_buffer_destroy(b.on_device.b.buffer);
    hyb_buffer_destroy(b.on_device.c.buffer);
    if (status == XH_OK)
        *probe_p = probe;
    return status;
}
