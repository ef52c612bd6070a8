/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/memory.h"
#include "hybrid/device/copy.h"
#include "hybrid/device/device_rates.h"
#include "hybrid/device/rate_cache.h"

/* what a measurement works with; all on the device */
typedef struct {
    hyb_device_t *device;
    hyb_queue_t *queue, *back; /* the second for copies out */
    hyb_event_t *begin, *end, *returned;
    hyb_buffer_t *memory;
    double patience; /* seconds for a product */
} bench_t;

static void bench_close(bench_t *b)
{
    hyb_buffer_destroy(b->memory);
    hyb_event_destroy(b->returned);
    hyb_event_destroy(b->end);
    hyb_event_destroy(b->begin);
    hyb_queue_destroy(b->back);
    hyb_queue_destroy(b->queue);
}

static xh_status_t bench_open(bench_t *b, hyb_device_t *device, double patience)
{
    xh_status_t status;

    *b = (bench_t){.device = device, .patience = patience};
    status = hyb_queue_create(device, HYB_QUEUE_NORMAL, &b->queue);
    if (status == XH_OK)
        status = hyb_queue_create(device, HYB_QUEUE_NORMAL, &b->back);
    if (status == XH_OK)
        status = hyb_event_create(device, &b->begin);
    if (status == XH_OK)
        status = hyb_event_create(device, &b->end);
    if (status == XH_OK)
        status = hyb_event_create(device, &b->returned);
    if (status != XH_OK)
        bench_close(b);
    return status;
}

static hyb_gemm_t square(hyb_buffer_t *memory, int64_t size, int64_t depth)
{
    return (hyb_gemm_t){.alpha = -1.0,
                        .beta = 1.0,
                        .a = hyb_block(memory, 0, size, depth),
                        .b = hyb_block(memory, size * depth, depth, size),
                        .c = hyb_block(memory, 2 * size * depth, size, size)};
}

/* Device seconds since begin was recorded, when all that is queued has run. */
static xh_status_t finish(bench_t *b, double *seconds_p)
{
    bool done = false;
    xh_status_t status = hyb_event_record(b->queue, b->end);

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

/* ---- the product --------------------------------------------------------- */

/* Device seconds of one product; the queue is empty before. */
static xh_status_t time_product(bench_t *b, const hyb_gemm_t *p,
                                double *seconds_p)
{
    xh_status_t status = hyb_event_record(b->queue, b->begin);

    if (status == XH_OK)
        status = hyb_queue_gemm(b->queue, p);
    return status == XH_OK ? finish(b, seconds_p) : status;
}

static size_t bytes_of(int64_t size, int64_t depth)
{
    return (size_t)(2 * size * depth + size * size) * sizeof(double);
}

/* One point: the second of two products, as the first warms up. */
static xh_status_t measure(bench_t *b, int64_t size, int64_t depth,
                           hyb_rate_table_t *table)
{
    double seconds = 0.0;
    hyb_gemm_t p;
    xh_status_t status =
        hyb_buffer_create(b->device, bytes_of(size, depth), &b->memory);

    if (status != XH_OK)
        return status;
    p = square(b->memory, size, depth);
    status = time_product(b, &p, &seconds);
    if (status == XH_OK)
        status = time_product(b, &p, &seconds);
    hyb_buffer_destroy(b->memory);
    b->memory = NULL;
    if (status == XH_OK && seconds > 0.0)
        hyb_rate_table_set(table, size, depth,
                           2.0 * (double)size * (double)size * (double)depth /
                               seconds);
    return status;
}

/* ---- the link, and the host ---------------------------------------------- */

/* halves of a square matrix: one goes in while the other comes out */
typedef struct {
    xh_view_t host_in, host_out;
    hyb_block_t in, out;
} halves_t;

/* Queue both ways at once; what follows on the first queue is after both. */
static xh_status_t queue_both(bench_t *b, const halves_t *h)
{
    xh_status_t status = hyb_event_record(b->queue, b->begin);

    if (status == XH_OK)
        status = hyb_queue_wait(b->back, b->begin);
    if (status == XH_OK)
        status = hyb_queue_copy_in(b->queue, h->host_in, h->in);
    if (status == XH_OK)
        status = hyb_queue_copy_out(b->back, h->out, h->host_out);
    if (status == XH_OK)
        status = hyb_event_record(b->back, b->returned);
    return status == XH_OK ? hyb_queue_wait(b->queue, b->returned) : status;
}

/* Device seconds until both are done, as the second time takes them. */
static xh_status_t time_copies(bench_t *b, const halves_t *h, double *seconds_p)
{
    xh_status_t status = XH_OK;
    int i;

    for (i = 0; i < 2 && status == XH_OK; i++) {
        status = queue_both(b, h);
        if (status == XH_OK)
            status = finish(b, seconds_p);
    }
    return status;
}

static double rate(double bytes, double seconds)
{
    return seconds > 0.0 ? bytes / seconds : 0.0;
}

/* bytes/s with which this thread writes what came out into other memory. */
static double commit_rate(const halves_t *h)
{
    int64_t doubles = h->host_in.ld * h->host_in.cols;
    double begin = xh_clock_now();

    hyb_copy_past_caches(h->host_in.data, h->host_out.data, doubles);
    return rate((double)doubles * (double)sizeof(double),
                xh_clock_now() - begin);
}

/* With a square matrix in pinned memory, and one on the device. */
static xh_status_t measure_link(bench_t *b, int64_t size,
                                hyb_rate_table_t *table)
{
    int64_t half = size / 2;
    size_t bytes = (size_t)(size * size) * sizeof(double);
    xh_view_t host = {NULL, size, size, size};
    halves_t h;
    double seconds = 0.0;
    xh_status_t status = hyb_pinned_alloc(b->device, bytes, &host.data);

    if (status != XH_OK)
        return status;
    xh_memory_touch(host.data, bytes, 0, 1);
    status = hyb_buffer_create(b->device, bytes, &b->memory);
    h = (halves_t){xh_view_part(host, 0, 0, size, half),
                   xh_view_part(host, 0, half, size, half),
                   hyb_block(b->memory, 0, size, half),
                   hyb_block(b->memory, size * half, size, half)};
    if (status == XH_OK)
        status = time_copies(b, &h, &seconds);
    if (status == XH_ERR_MEMORY)
        finish(b, &seconds); /* what is queued may use the memory yet */
    hyb_buffer_destroy(b->memory);
    b->memory = NULL;
    if (status == XH_OK) {
        table->link_rate = rate((double)bytes / 2.0, seconds);
        table->commit_rate = commit_rate(&h);
    }
    hyb_pinned_free(b->device, host.data, bytes);
    return status;
}

/* ---- the table ----------------------------------------------------------- */

enum { SIZES = 5, DEPTHS = 4 };
static const int64_t sizes[SIZES] = {512, 1024, 2048, 4096, 8192};
static const int64_t depths[DEPTHS] = {256, 512, 1024, 2048};

/* Of memory that is free: several tiles are to be in flight there. */
static bool is_admitted(int64_t size, int64_t depth, uint64_t memory)
{
    enum { PART = 8 };

    return bytes_of(size, depth) <= memory / PART;
}

bool hyb_device_rates_complete(const hyb_rate_table_t *table, uint64_t memory)
{
    int s, d;

    for (s = 0; s < SIZES; s++)
        for (d = 0; d < DEPTHS; d++)
            if (is_admitted(sizes[s], depths[d], memory) &&
                !hyb_rate_table_has(table, sizes[s], depths[d]))
                return false;
    return table->count > 0 && table->link_rate > 0.0;
}

/* Only now the clock starts: the first product may bring libraries in. */
static xh_status_t measure_all(bench_t *b, uint64_t memory, double seconds,
                               hyb_rate_table_t *table)
{
    hyb_rate_table_t cold = {.count = 0};
    xh_status_t status = measure(b, sizes[0], depths[0], &cold);
    double end = xh_clock_now() + seconds;
    int s, d, link = 2;

    while (link > 0 && !is_admitted(sizes[link], depths[0], memory))
        link--;
    if (status == XH_OK)
        status = measure_link(b, sizes[link], table);
    for (s = 0; status == XH_OK && s < SIZES; s++)
        for (d = 0; status == XH_OK && d < DEPTHS; d++)
            if (is_admitted(sizes[s], depths[d], memory) &&
                xh_clock_now() < end)
                status = measure(b, sizes[s], depths[d], table);
    return status;
}

xh_status_t hyb_device_rates_measure(hyb_device_t *device, uint64_t memory,
                                     double seconds, double patience,
                                     hyb_rate_table_t *table_p)
{
    hyb_rate_table_t table = {.count = 0};
    bench_t bench;
    xh_status_t status = XH_OK;

    if (is_admitted(sizes[0], depths[0], memory)) {
        status = bench_open(&bench, device, patience);
        if (status != XH_OK)
            return status;
        status = measure_all(&bench, memory, seconds, &table);
        bench_close(&bench);
    }
    if (status != XH_OK && status != XH_ERR_MEMORY)
        return status;
    *table_p = table;
    return XH_OK;
}

xh_status_t hyb_device_rates(hyb_device_t *device, hyb_rate_table_t *table_p)
{
    static const double budget = 1.0, patience = 60.0; /* cuBLAS starts, too */
    hyb_device_info_t info;
    hyb_rate_table_t kept;
    xh_status_t status = hyb_device_describe(device, &info);

    if (status != XH_OK)
        return status;
    if (hyb_rate_cache_load(info.name, &kept) == XH_OK &&
        hyb_device_rates_complete(&kept, info.memory_free)) {
        *table_p = kept;
        return XH_OK;
    }
    status = hyb_device_rates_measure(device, info.memory_free, budget,
                                      patience, table_p);
    if (status == XH_OK && hyb_device_rates_complete(table_p, info.memory_free))
        hyb_rate_cache_save(info.name, table_p);
    return status;
}
