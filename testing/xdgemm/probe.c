/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/probe.h"

#include <math.h>
#include <stdlib.h>
#include "base/median.h"
#include "base/product.h"

#define PATIENCE 600.0 /* seconds for one measurement */

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

/* ---- what is measured --------------------------------------------------- */

static xh_status_t copy(const bench_t *b, int way, int64_t first, int64_t cols)
{
    hyb_queue_t *queue = b->lane[way].queue;
    xh_view_t host = xh_view_part(b->host.c, 0, first, b->host.c.rows, cols);
    hyb_block_t held = hyb_block_part(b->held.c, 0, first, host.rows, cols);

    return way == IN ? hyb_queue_copy_in(queue, host, held)
                     : hyb_queue_copy_out(queue, held, host);
}

static xh_status_t copy_all(const bench_t *b, int way)
{
    return copy(b, way, 0, b->host.c.cols);
}

/* The left or right half of the columns: the two ways share no element. */
static xh_status_t copy_half(const bench_t *b, int way)
{
    int64_t cols = b->host.c.cols, left = (cols + 1) / 2;

    return way == IN ? copy(b, way, 0, left) : copy(b, way, left, cols - left);
}

static xh_status_t multiply(const bench_t *b, int way)
{
    return hyb_queue_gemm(b->lane[way].queue, &b->held);
}

/* one measurement: work on each way from first to last, in several rounds */
typedef struct {
    int first, last, rounds;
    xh_status_t (*work)(const bench_t *b, int way);
} measure_t;

static const measure_t measures[] = {
    {IN, IN, 1, copy_all},
    {OUT, OUT, 1, copy_all},
    {IN, OUT, 2, copy_half}, /* twice, so that both are busy most of the time */
    {IN, IN, 1, multiply},
};

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

/* Seconds of the slowest way, between its two events. */
static xh_status_t measure(const bench_t *b, const measure_t *m,
                           double *seconds_p)
{
    double most = 0.0, seconds;
    xh_status_t status = XH_OK;

    for (int way = m->first; way <= m->last; way++)
        status = mark(b->lane[way].queue, b->lane[way].begin, status);
    for (int round = 0; round < m->rounds; round++)
        for (int way = m->first; way <= m->last && status == XH_OK; way++)
            status = m->work(b, way);
    for (int way = m->first; way <= m->last; way++)
        status = mark(b->lane[way].queue, b->lane[way].end, status);
    for (int way = m->first; way <= m->last && status == XH_OK; way++) {
        status = wait_for(b, way, &seconds);
        if (status == XH_OK)
            most = fmax(most, seconds);
    }
    if (status == XH_OK)
        *seconds_p = most;
    return status;
}

/* The median, after one measurement that warms up. */
static xh_status_t median(const bench_t *b, const measure_t *m, int64_t repeat,
                          double *seconds_p)
{
    double *seconds = calloc((size_t)repeat, sizeof(*seconds));
    xh_status_t status = XH_ERR_MEMORY;

    if (seconds == NULL)
        return status;
    status = measure(b, m, &seconds[0]);
    for (int64_t i = 0; i < repeat && status == XH_OK; i++)
        status = measure(b, m, &seconds[i]);
    *seconds_p = xh_median(seconds, (int)repeat);
    free(seconds);
    return status;
}

static xh_status_t measure_all(bench_t *b, int64_t repeat, xdg_probe_t *probe_p)
{
    enum { MEASURES = sizeof(measures) / sizeof(measures[0]) };
    double bytes = 8.0 * (double)b->host.c.rows * (double)b->host.c.cols;
    double seconds[MEASURES];

    for (int i = 0; i < MEASURES; i++)
        XH_TRY(median(b, &measures[i], repeat, &seconds[i]));
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

    XH_TRY(hyb_buffer_create(b->device, bytes, &buffer));
    *held_p = hyb_block(buffer, 0, host.rows, host.cols);
    return hyb_queue_copy_in(b->lane[IN].queue, host, *held_p);
}

static xh_status_t bench_open(bench_t *b)
{
    xh_status_t status = XH_OK;

    for (int way = 0; way < WAYS && status == XH_OK; way++) {
        lane_t *lane = &b->lane[way];

        status = hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &lane->queue);
        if (status == XH_OK)
            status = hyb_event_create(b->device, &lane->begin);
        if (status == XH_OK)
            status = hyb_event_create(b->device, &lane->end);
    }
    XH_TRY(status);
    XH_TRY(hold(b, b->host.a, &b->held.a));
    XH_TRY(hold(b, b->host.b, &b->held.b));
    return hold(b, b->host.c, &b->held.c);
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
    bench_t b = {.device = device,
                 .host = *product,
                 .held = {.trans_a = product->trans_a,
                          .trans_b = product->trans_b,
                          .alpha = product->alpha,
                          .beta = product->beta}};
    xh_status_t status = bench_open(&b);

    if (status == XH_OK)
        status = measure_all(&b, repeat, probe_p);
    bench_close(&b);
    return status;
}
