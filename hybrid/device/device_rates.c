/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "base/memory.h"
#include "hybrid/device/copy.h"
#include "hybrid/device/device_rates.h"

/* what a measurement works with; all on the device */
typedef struct {
    hyb_device_t *device;
    hyb_queue_t *queue, *back; /* the second for copies out */
    hyb_event_t *begin, *end, *returned;
    hyb_buffer_t *memory;
    double *pinned; /* on the host */
    size_t pinned_bytes;
    double patience; /* seconds for a product */
} bench_t;

/* The memory, when all that was queued has run. */
static void release(bench_t *b)
{
    hyb_buffer_destroy(b->memory);
    hyb_pinned_free(b->device, b->pinned, b->pinned_bytes);
    b->memory = NULL;
    b->pinned = NULL;
}

/* Queues first: they wait for work that uses the memory. */
static void bench_close(bench_t *b)
{
    hyb_queue_destroy(b->back);
    hyb_queue_destroy(b->queue);
    hyb_event_destroy(b->returned);
    hyb_event_destroy(b->end);
    hyb_event_destroy(b->begin);
    release(b);
}

/* What is not there yet is NULL, for bench_close. */
static xh_status_t bench_open(bench_t *b)
{
    HYB_TRY(hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &b->queue));
    HYB_TRY(hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &b->back));
    HYB_TRY(hyb_event_create(b->device, &b->begin));
    HYB_TRY(hyb_event_create(b->device, &b->end));
    return hyb_event_create(b->device, &b->returned);
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

    HYB_TRY(hyb_event_record(b->queue, b->end));
    HYB_TRY(hyb_event_wait(b->end, b->patience, &done));
    if (!done) {
        hyb_device_fail(b->device, "it stalled: no result in time");
        return XH_ERR_DEVICE;
    }
    return hyb_event_elapsed(b->begin, b->end, seconds_p);
}

static double rate(double amount, double seconds)
{
    return seconds > 0.0 ? amount / seconds : 0.0;
}

/* ---- the product --------------------------------------------------------- */

/* Device seconds of the second of two products, as the first warms up. */
static xh_status_t time_products(bench_t *b, const hyb_gemm_t *p,
                                 double *seconds_p)
{
    int i;

    for (i = 0; i < 2; i++) {
        HYB_TRY(hyb_event_record(b->queue, b->begin));
        HYB_TRY(hyb_queue_gemm(b->queue, p));
        HYB_TRY(finish(b, seconds_p));
    }
    return XH_OK;
}

static size_t bytes_of(int64_t size, int64_t depth)
{
    return (size_t)(2 * size * depth + size * size) * sizeof(double);
}

/* flop/s of one point; unchanged on failure. */
static xh_status_t measure(bench_t *b, int64_t size, int64_t depth,
                           double *rate_p)
{
    double flop = 2.0 * (double)size * (double)size * (double)depth, seconds;
    hyb_gemm_t p;

    HYB_TRY(hyb_buffer_create(b->device, bytes_of(size, depth), &b->memory));
    p = square(b->memory, size, depth);
    HYB_TRY(time_products(b, &p, &seconds));
    release(b);
    *rate_p = rate(flop, seconds);
    return XH_OK;
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
    HYB_TRY(hyb_event_record(b->queue, b->begin));
    HYB_TRY(hyb_queue_wait(b->back, b->begin));
    HYB_TRY(hyb_queue_copy_in(b->queue, h->host_in, h->in));
    HYB_TRY(hyb_queue_copy_out(b->back, h->out, h->host_out));
    HYB_TRY(hyb_event_record(b->back, b->returned));
    return hyb_queue_wait(b->queue, b->returned);
}

/* Device seconds until both are done, as the second time takes them. */
static xh_status_t time_copies(bench_t *b, const halves_t *h, double *seconds_p)
{
    int i;

    for (i = 0; i < 2; i++) {
        HYB_TRY(queue_both(b, h));
        HYB_TRY(finish(b, seconds_p));
    }
    return XH_OK;
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
    double seconds;

    HYB_TRY(hyb_pinned_alloc(b->device, bytes, &b->pinned));
    host.data = b->pinned;
    b->pinned_bytes = bytes;
    xh_memory_touch(host.data, bytes, 0, 1);
    HYB_TRY(hyb_buffer_create(b->device, bytes, &b->memory));
    h = (halves_t){xh_view_part(host, 0, 0, size, half),
                   xh_view_part(host, 0, half, size, half),
                   hyb_block(b->memory, 0, size, half),
                   hyb_block(b->memory, size * half, size, half)};
    HYB_TRY(time_copies(b, &h, &seconds));
    table->link_rate = rate((double)bytes / 2.0, seconds);
    table->commit_rate = commit_rate(&h);
    release(b);
    return XH_OK;
}

/* ---- the table ----------------------------------------------------------- */

/* Of memory that is free: several tiles are to be in flight there. */
static bool is_admitted(int s, int d, uint64_t memory)
{
    enum { PART = 8 };

    return bytes_of(hyb_rate_size(s), hyb_rate_depth(d)) <= memory / PART;
}

bool hyb_device_rates_complete(const hyb_rate_table_t *table, uint64_t memory)
{
    int s, d;

    for (s = 0; s < HYB_RATE_SIZES; s++)
        for (d = 0; d < HYB_RATE_DEPTHS; d++)
            if (is_admitted(s, d, memory) && table->rate[d][s] == 0.0)
                return false;
    return table->rate[0][0] > 0.0 && table->link_rate > 0.0;
}

/* Only now the clock starts: the first product may bring libraries in. */
static xh_status_t measure_all(bench_t *b, uint64_t memory, double seconds,
                               hyb_rate_table_t *table)
{
    int s, d, link = 2;
    double cold, end;

    HYB_TRY(bench_open(b));
    HYB_TRY(measure(b, hyb_rate_size(0), hyb_rate_depth(0), &cold));
    end = xh_clock_now() + seconds;
    while (link > 0 && !is_admitted(link, 0, memory))
        link--;
    HYB_TRY(measure_link(b, hyb_rate_size(link), table));
    for (s = 0; s < HYB_RATE_SIZES; s++)
        for (d = 0; d < HYB_RATE_DEPTHS; d++)
            if (is_admitted(s, d, memory) && xh_clock_now() < end)
                HYB_TRY(measure(b, hyb_rate_size(s), hyb_rate_depth(d),
                                &table->rate[d][s]));
    return XH_OK;
}

xh_status_t hyb_device_rates_measure(hyb_device_t *device, uint64_t memory,
                                     double seconds, double patience,
                                     hyb_rate_table_t *table_p)
{
    hyb_rate_table_t table = {0};
    bench_t bench = {.device = device, .patience = patience};
    xh_status_t status = XH_OK;

    if (is_admitted(0, 0, memory)) {
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

    HYB_TRY(hyb_device_describe(device, &info));
    if (hyb_rate_table_load(info.name, &kept) == XH_OK &&
        hyb_device_rates_complete(&kept, info.memory_free)) {
        *table_p = kept;
        return XH_OK;
    }
    HYB_TRY(hyb_device_rates_measure(device, info.memory_free, budget, patience,
                                     table_p));
    if (hyb_device_rates_complete(table_p, info.memory_free))
        hyb_rate_table_save(info.name, table_p);
    return XH_OK;
}
