/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/probe.h"

#include <math.h>
#include <stdlib.h>
#include "base/median.h"
#include "base/product.h"

#define PATIENCE 600.0  /* seconds for one measurement */
#define MEMORY_PART 0.8 /* of the device's free memory */

enum { IN, OUT, WAYS };

typedef struct { /* a queue, and the events around what is measured on it */
    hyb_queue_t *queue;
    hyb_event_t *begin, *end;
} lane_t;

typedef struct {
    hyb_device_t *device;
    xh_gemm_t host;  /* the product's matrices here ... */
    hyb_gemm_t held; /* ... and there */
    lane_t lane[WAYS];
} bench_t;

/* One measurement: seconds between two events. */
typedef xh_status_t (*measure_fn_t)(bench_t *b, double *seconds_p);

xdg_shape_t xdg_probe_shape(const xdg_shape_t *shape, uint64_t device_memory)
{
    return xdg_shape_fitting(shape, MEMORY_PART * (double)device_memory);
}

/* ---- what is measured --------------------------------------------------- */

/* The left or right half of the columns: the two ways share no element. */
typedef struct {
    int64_t first, cols;
} half_t;

static half_t half(int64_t cols, int way)
{
    int64_t left = (cols + 1) / 2;

    return way == IN ? (half_t){0, left} : (half_t){left, cols - left};
}

static xh_status_t copy(const bench_t *b, int way, xh_view_t host,
                        hyb_block_t held)
{
    hyb_queue_t *queue = b->lane[way].queue;

    return way == IN ? hyb_queue_copy_in(queue, host, held)
                     : hyb_queue_copy_out(queue, held, host);
}

static xh_status_t mark(hyb_queue_t *queue, hyb_event_t *event,
                        xh_status_t before)
{
    return before == XH_OK ? hyb_event_record(queue, event) : before;
}

static xh_status_t wait_for(const bench_t *b, int way, double *seconds_p)
{
    const lane_t *lane = &b->lane[way];
    bool done = false;
    xh_status_t status = hyb_event_wait(lane->end, PATIENCE, &done);

    if (status == XH_OK && !done) {
        hyb_device_fail(b->device, "it stalled: no result for ten minutes");
        return XH_ERR_DEVICE;
    }
    return status == XH_OK
               ? hyb_event_elapsed(lane->begin, lane->end, seconds_p)
               : status;
}

static xh_status_t one_way(bench_t *b, int way, double *seconds_p)
{
    const lane_t *lane = &b->lane[way];
    xh_status_t status = mark(lane->queue, lane->begin, XH_OK);

    if (status == XH_OK)
        status = copy(b, way, b->host.c, b->held.c);
    status = mark(lane->queue, lane->end, status);
    return status == XH_OK ? wait_for(b, way, seconds_p) : status;
}

static xh_status_t measure_in(bench_t *b, double *seconds_p)
{
    return one_way(b, IN, seconds_p);
}

static xh_status_t measure_out(bench_t *b, double *seconds_p)
{
    return one_way(b, OUT, seconds_p);
}

/* Each way its half of C, twice, so that both are busy most of the time. */
static xh_status_t measure_both(bench_t *b, double *seconds_p)
{
    double seconds[WAYS];
    xh_status_t status = XH_OK;

    for (int way = 0; way < WAYS; way++)
        status = mark(b->lane[way].queue, b->lane[way].begin, status);
    for (int i = 0; i < 2 * WAYS && status == XH_OK; i++) {
        xh_view_t c = b->host.c;
        half_t h = half(c.cols, i % WAYS);

        status = copy(b, i % WAYS, xh_view_part(c, 0, h.first, c.rows, h.cols),
                      hyb_block_part(b->held.c, 0, h.first, c.rows, h.cols));
    }
    for (int way = 0; way < WAYS; way++)
        status = mark(b->lane[way].queue, b->lane[way].end, status);
    for (int way = 0; way < WAYS && status == XH_OK; way++)
        status = wait_for(b, way, &seconds[way]);
    if (status == XH_OK)
        *seconds_p = fmax(seconds[IN], seconds[OUT]);
    return status;
}

static xh_status_t measure_product(bench_t *b, double *seconds_p)
{
    const lane_t *lane = &b->lane[IN];
    xh_status_t status = mark(lane->queue, lane->begin, XH_OK);

    if (status == XH_OK)
        status = hyb_queue_gemm(lane->queue, &b->held);
    status = mark(lane->queue, lane->end, status);
    return status == XH_OK ? wait_for(b, IN, seconds_p) : status;
}

/* The median, after one measurement that warms up. */
static xh_status_t median(bench_t *b, measure_fn_t measure, int64_t repeat,
                          double *seconds_p)
{
    double *seconds = calloc((size_t)repeat, sizeof(*seconds));
    xh_status_t status = XH_ERR_MEMORY;

    if (seconds == NULL)
        return status;
    status = measure(b, &seconds[0]);
    for (int64_t i = 0; i < repeat && status == XH_OK; i++)
        status = measure(b, &seconds[i]);
    *seconds_p = xh_median(seconds, (int)repeat);
    free(seconds);
    return status;
}

static xh_status_t measure_all(bench_t *b, int64_t repeat, xdg_probe_t *probe_p)
{
    static const measure_fn_t measure[] = {measure_in, measure_out,
                                           measure_both, measure_product};
    enum { MEASURES = sizeof(measure) / sizeof(measure[0]) };
    double bytes = 8.0 * (double)b->host.c.rows * (double)b->host.c.cols;
    double seconds[MEASURES];

    for (int i = 0; i < MEASURES; i++) {
        xh_status_t status = median(b, measure[i], repeat, &seconds[i]);

        if (status != XH_OK)
            return status;
    }
    *probe_p = (xdg_probe_t){.in = bytes / seconds[0],
                             .out = bytes / seconds[1],
                             .both = bytes / seconds[2],
                             .resident = xh_gemm_flop(&b->host) / seconds[3]};
    return XH_OK;
}

/* ---- what it takes ------------------------------------------------------ */

/* Give a matrix of the host a place on the device, and its values. */
static xh_status_t hold(bench_t *b, xh_view_t host, hyb_block_t *held_p)
{
    size_t bytes = (size_t)host.rows * (size_t)host.cols * sizeof(double);
    hyb_buffer_t *buffer;
    xh_status_t status = hyb_buffer_create(b->device, bytes, &buffer);

    if (status != XH_OK)
        return status;
    *held_p = hyb_block(buffer, 0, host.rows, host.cols);
    return hyb_queue_copy_in(b->lane[IN].queue, host, *held_p);
}

static xh_status_t bench_open(bench_t *b)
{
    xh_status_t status = XH_OK;

    b->held = (hyb_gemm_t){.trans_a = b->host.trans_a,
                           .trans_b = b->host.trans_b,
                           .alpha = b->host.alpha,
                           .beta = b->host.beta};
    for (int way = 0; way < WAYS && status == XH_OK; way++) {
        lane_t *lane = &b->lane[way];

        status = hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &lane->queue);
        if (status == XH_OK)
            status = hyb_event_create(b->device, &lane->begin);
        if (status == XH_OK)
            status = hyb_event_create(b->device, &lane->end);
    }
    if (status == XH_OK)
        status = hold(b, b->host.a, &b->held.a);
    if (status == XH_OK)
        status = hold(b, b->host.b, &b->held.b);
    if (status == XH_OK)
        status = hold(b, b->host.c, &b->held.c);
    return status;
}

static void bench_close(bench_t *b)
{
    for (int way = 0; way < WAYS; way++) {
        hyb_event_destroy(b->lane[way].begin);
        hyb_event_destroy(b->lane[way].end);
        hyb_queue_destroy(b->lane[way].queue);
    }
    hyb_buffer_destroy(b->held.a.buffer);
    hyb_buffer_destroy(b->held.b.buffer);
    hyb_buffer_destroy(b->held.c.buffer);
}

xh_status_t xdg_probe_device(hyb_device_t *device, const xh_gemm_t *product,
                             int64_t repeat, xdg_probe_t *probe_p)
{
    bench_t b = {.device = device, .host = *product};
    xh_status_t status = bench_open(&b);

    if (status == XH_OK)
        status = measure_all(&b, repeat, probe_p);
    bench_close(&b);
    return status;
}
