/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "base/clock.h"
#include "hybrid/engine/device_rates.h"
#include "hybrid/engine/rate_cache.h"

/* what a measurement works with; all on the device */
typedef struct {
    hyb_device_t *device;
    hyb_queue_t *queue;
    hyb_event_t *begin, *end;
    double *memory;
    double patience; /* seconds for a product */
} bench_t;

static void bench_close(bench_t *b)
{
    hyb_device_free(b->device, b->memory);
    hyb_event_destroy(b->end);
    hyb_event_destroy(b->begin);
    hyb_queue_destroy(b->queue);
}

static xh_status_t bench_open(bench_t *b, hyb_device_t *device, double patience)
{
    xh_status_t status;

    *b = (bench_t){.device = device, .patience = patience};
    status = hyb_queue_create(device, &b->queue);
    if (status == XH_OK)
        status = hyb_event_create(device, &b->begin);
    if (status == XH_OK)
        status = hyb_event_create(device, &b->end);
    if (status != XH_OK)
        bench_close(b);
    return status;
}

static hyb_gemm_t square(double *memory, int64_t size, int64_t depth)
{
    double *b = memory + size * depth, *c = b + size * depth;

    return (hyb_gemm_t){.alpha = -1.0,
                        .beta = 1.0,
                        .a = {memory, size, depth, size},
                        .b = {b, depth, size, depth},
                        .c = {c, size, size, size}};
}

/* Device seconds of one product; the queue is empty before. */
static xh_status_t time_product(bench_t *b, const hyb_gemm_t *p,
                                double *seconds_p)
{
    bool done = false;
    xh_status_t status = hyb_event_record(b->queue, b->begin);

    if (status == XH_OK)
        status = hyb_queue_gemm(b->queue, p);
    if (status == XH_OK)
        status = hyb_event_record(b->queue, b->end);
    if (status == XH_OK)
        status = hyb_event_wait(b->end, b->patience, &done);
    if (status == XH_OK && !done) {
        hyb_device_fail(b->device, "it stalled: no result in time");
        return XH_ERR_DEVICE;
    }
    if (status == XH_OK)
        status = hyb_event_elapsed(b->begin, b->end, seconds_p);
    return status;
}

/* One point: the second of two products, as the first warms up. */
static xh_status_t measure(bench_t *b, int64_t size, int64_t depth,
                           hyb_rate_table_t *table)
{
    size_t doubles = (size_t)(2 * size * depth + size * size);
    double seconds = 0.0;
    hyb_gemm_t p;
    xh_status_t status =
        hyb_device_alloc(b->device, doubles * sizeof(double), &b->memory);

    if (status != XH_OK)
        return status;
    p = square(b->memory, size, depth);
    status = time_product(b, &p, &seconds);
    if (status == XH_OK)
        status = time_product(b, &p, &seconds);
    hyb_device_free(b->device, b->memory);
    b->memory = NULL;
    if (status == XH_OK && seconds > 0.0)
        hyb_rate_table_set(table, size, depth,
                           2.0 * (double)size * (double)size * (double)depth /
                               seconds);
    return status;
}

xh_status_t hyb_device_rates_measure(hyb_device_t *device, double seconds,
                                     double patience, hyb_rate_table_t *table_p)
{
    static const int64_t sizes[] = {512, 1024, 2048, 4096, 8192};
    static const int64_t depths[] = {256, 512, 1024, 2048};
    enum { SIZES = 5, DEPTHS = 4 };
    double end = xh_clock_now() + seconds;
    hyb_rate_table_t table = {.count = 0};
    bench_t bench;
    xh_status_t status = bench_open(&bench, device, patience);
    int s, d;

    if (status != XH_OK)
        return status;
    for (s = 0; status == XH_OK && s < SIZES; s++)
        for (d = 0; status == XH_OK && d < DEPTHS; d++)
            if (xh_clock_now() < end)
                status = measure(&bench, sizes[s], depths[d], &table);
    bench_close(&bench);
    if (status != XH_OK && status != XH_ERR_MEMORY)
        return status;
    *table_p = table;
    return XH_OK;
}

xh_status_t hyb_device_rates(hyb_device_t *device, hyb_rate_table_t *table_p)
{
    static const double budget = 1.0, patience = 60.0; /* cuBLAS starts, too */
    hyb_device_info_t info;
    xh_status_t status = hyb_device_describe(device, &info);

    if (status != XH_OK)
        return status;
    if (hyb_rate_cache_load(info.name, table_p) == XH_OK)
        return XH_OK;
    status = hyb_device_rates_measure(device, budget, patience, table_p);
    if (status == XH_OK && table_p->count > 0)
        hyb_rate_cache_save(info.name, table_p);
    return status;
}
