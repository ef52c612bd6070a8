/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/rates.h"

#include <math.h>
#include "base/clock.h"
#include "base/memory.h"

/* ---- interpolation ------------------------------------------------------- */

/* Interpolate the value at x from known values at 1, 2, 4, ..., over the
 * logarithm of x. */
static double along(const double *known, int count, double x)
{
    double at = fmax(0.0, log2(x));
    int i = 0;

    while (i + 1 < count && known[i + 1] > 0.0 && i + 1 <= at)
        i++;
    if (i + 1 == count || known[i + 1] == 0.0)
        return known[i];
    return known[i] + (at - i) * (known[i + 1] - known[i]);
}

double hyb_rate_table_rate(const hyb_rate_table_t *table, int64_t rows,
                           int64_t cols, int64_t depth)
{
    double size =
        2.0 * (double)rows * (double)cols / ((double)rows + (double)cols);
    double of_depth[HYB_RATE_DEPTHS];

    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        of_depth[d] = along(table->rate[d], HYB_RATE_SIZES,
                            size / (double)hyb_rate_size(0));
    return along(of_depth, HYB_RATE_DEPTHS,
                 (double)depth / (double)hyb_rate_depth(0));
}

/* ---- measuring ----------------------------------------------------------- */

/* The state of a measurement. All memory is on the device except `pinned`. */
typedef struct {
    hyb_device_t *device;
    hyb_queue_t *queue, *back; /* `back` is for copies out */
    hyb_event_t *begin, *end, *returned;
    hyb_buffer_t *memory;
    double *pinned; /* host memory */
    size_t pinned_bytes;
    double patience; /* seconds allowed for one product */
} bench_t;

/* Free all memory; no queued work may be left. */
static void release(bench_t *b)
{
    hyb_buffer_destroy(b->memory);
    hyb_pinned_free(b->device, b->pinned, b->pinned_bytes);
    b->memory = NULL;
    b->pinned = NULL;
}

/* Close queues first, because they wait for work that uses the memory. */
static void bench_close(bench_t *b)
{
    hyb_queue_destroy(b->back);
    hyb_queue_destroy(b->queue);
    hyb_event_destroy(b->returned);
    hyb_event_destroy(b->end);
    hyb_event_destroy(b->begin);
    release(b);
}

/* On failure, what could not be created stays NULL for bench_close. */
static xh_status_t bench_open(bench_t *b)
{
    XH_TRY(hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &b->queue));
    XH_TRY(hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &b->back));
    XH_TRY(hyb_event_create(b->device, &b->begin));
    XH_TRY(hyb_event_create(b->device, &b->end));
    return hyb_event_create(b->device, &b->returned);
}

/* Wait for all queued work; *seconds_p is device time since `begin` was
 * recorded. */
static xh_status_t finish(bench_t *b, double *seconds_p)
{
    XH_TRY(hyb_event_record(b->queue, b->end));
    XH_TRY(hyb_event_await(b->end, b->patience));
    return hyb_event_elapsed(b->begin, b->end, seconds_p);
}

static double rate(double amount, double seconds)
{
    return seconds > 0.0 ? amount / seconds : 0.0;
}

static size_t bytes_of(int64_t size, int64_t depth)
{
    return (size_t)(2 * size * depth + size * size) * sizeof(double);
}

/* Fill operands with random values if the device can generate them. A product
 * of zeros takes less power, and so less time. */
static xh_status_t fill(const bench_t *b, int64_t size, int64_t cols)
{
    const hyb_generate_t all = {.seed = 1,
                                .order = size,
                                .rows = {0, size, 0, 1},
                                .cols = {0, cols, 0, 1},
                                .block =
                                    hyb_device_view(b->memory, 0, size, cols)};

    return hyb_device_has(b->device, HYB_OP_GENERATE)
               ? hyb_queue_generate(b->queue, &all)
               : XH_OK;
}

/* Allocate memory for the product of point (s, d). */
static xh_status_t prepare(bench_t *b, int s, int d, hyb_gemm_t *p)
{
    int64_t size = hyb_rate_size(s), depth = hyb_rate_depth(d);

    XH_TRY(hyb_buffer_create(b->device, bytes_of(size, depth), &b->memory));
    *p = (hyb_gemm_t){.alpha = -1.0, .beta = 1.0};
    p->a = hyb_device_view(b->memory, 0, size, depth);
    p->b = hyb_device_view(b->memory, size * depth, depth, size);
    p->c = hyb_device_view(b->memory, 2 * size * depth, size, size);
    return fill(b, size, 2 * depth + size);
}

static double flop_of(const hyb_gemm_t *p)
{
    return 2.0 * (double)(p->c.rows * p->c.cols) * (double)p->a.cols;
}

static xh_status_t multiply(bench_t *b, const hyb_gemm_t *p, int count,
                            double *seconds_p)
{
    XH_TRY(hyb_event_record(b->queue, b->begin));
    for (int i = 0; i < count; i++)
        XH_TRY(hyb_queue_gemm(b->queue, p));
    return finish(b, seconds_p);
}

/* The number of products, at most `most`, that take `together` seconds if one
 * takes `seconds`. */
static int count_for(double together, double seconds, int most)
{
    return (int)fmin(most, 1.0 + together / fmax(seconds, 1e-9));
}

/* Measure the flop/s of point (s, d), after one product to warm up. On failure
 * *rate_p is unchanged. */
static xh_status_t measure(bench_t *b, int s, int d, double *rate_p)
{
    const double least = 1e-3;
    double seconds = 0.0;
    hyb_gemm_t p;
    int count;

    XH_TRY(prepare(b, s, d, &p));
    XH_TRY(multiply(b, &p, 1, &seconds));
    count = count_for(least, seconds, 16);
    XH_TRY(multiply(b, &p, count, &seconds));
    release(b);
    *rate_p = rate(count * flop_of(&p), seconds);
    return XH_OK;
}

/* Multiply for `some` seconds, so that the clock settles at what power and heat
 * allow, then measure the flop/s of point (s, d) for as long again. */
static xh_status_t sustain(bench_t *b, int s, int d, double some,
                           double *rate_p)
{
    double took, at = 0.0, seconds = 0.0, flop = 0.0;
    hyb_gemm_t p;
    int count = 1;

    XH_TRY(prepare(b, s, d, &p));
    for (; at < 2.0 * some; at += fmax(took, 1e-6)) {
        XH_TRY(multiply(b, &p, count, &took));
        if (at >= some) {
            seconds += took;
            flop += count * flop_of(&p);
        }
        count = count_for(some / 16.0, took / count, 1000);
    }
    release(b);
    *rate_p = rate(flop, seconds);
    return XH_OK;
}

/* Measure device seconds for copying one matrix in and another out at once. */
static xh_status_t copy_both(bench_t *b, const xh_view_t host[2],
                             const hyb_device_view_t there[2],
                             double *seconds_p)
{
    XH_TRY(hyb_event_record(b->queue, b->begin));
    XH_TRY(hyb_queue_wait(b->back, b->begin));
    XH_TRY(hyb_queue_copy_in(b->queue, host[0], there[0]));
    XH_TRY(hyb_queue_copy_out(b->back, there[1], host[1]));
    XH_TRY(hyb_event_record(b->back, b->returned));
    XH_TRY(hyb_queue_wait(b->queue, b->returned));
    return finish(b, seconds_p);
}

/* Measure the link: copy half a square matrix each way, in pinned memory,
 * twice, and keep the second time. */
static xh_status_t measure_link(bench_t *b, int64_t size,
                                hyb_rate_table_t *table)
{
    int64_t half = size / 2, doubles = size * half;
    size_t bytes = (size_t)doubles * sizeof(double);
    double seconds = 0.0;

    XH_TRY(hyb_pinned_alloc(b->device, 2 * bytes, &b->pinned));
    b->pinned_bytes = 2 * bytes;
    xh_memory_touch(b->pinned, 2 * bytes, 0, 1);
    XH_TRY(hyb_buffer_create(b->device, 2 * bytes, &b->memory));
    for (int i = 0; i < 2; i++)
        XH_TRY(copy_both(
            b,
            (const xh_view_t[]){{b->pinned, size, half, size},
                                {b->pinned + doubles, size, half, size}},
            (const hyb_device_view_t[]){
                hyb_device_view(b->memory, 0, size, half),
                hyb_device_view(b->memory, doubles, size, half)},
            &seconds));
    table->link_rate = rate((double)bytes, seconds);
    release(b);
    return XH_OK;
}

/* ---- the table ----------------------------------------------------------- */

/* Does point (s, d) fit in an eighth of `memory`? Several tiles are in flight
 * at once. */
static bool is_admitted(int s, int d, uint64_t memory)
{
    enum { PART = 8 };

    return bytes_of(hyb_rate_size(s), hyb_rate_depth(d)) <= memory / PART;
}

bool hyb_device_rates_complete(const hyb_rate_table_t *table, uint64_t memory)
{
    for (int s = 0; s < HYB_RATE_SIZES; s++)
        for (int d = 0; d < HYB_RATE_DEPTHS; d++)
            if (is_admitted(s, d, memory) && table->rate[d][s] == 0.0)
                return false;
    return table->rate[0][0] > 0.0 && table->link_rate > 0.0;
}

/* Find the last measured point of `table`, by size and then by depth. */
static void last_point(const hyb_rate_table_t *table, int *s_p, int *d_p)
{
    *s_p = *d_p = 0;
    while (*s_p + 1 < HYB_RATE_SIZES && table->rate[0][*s_p + 1] > 0.0)
        (*s_p)++;
    while (*d_p + 1 < HYB_RATE_DEPTHS && table->rate[*d_p + 1][*s_p] > 0.0)
        (*d_p)++;
}

/* Scale all rates, which were measured on a cool device, by the rate that the
 * device sustains for the largest product. */
static xh_status_t scale(bench_t *b, double seconds, hyb_rate_table_t *table)
{
    double sustained, part;
    int s, d;

    last_point(table, &s, &d);
    XH_TRY(sustain(b, s, d, seconds, &sustained));
    part = fmin(1.0, sustained / table->rate[d][s]);
    for (s = 0; s < HYB_RATE_SIZES; s++)
        for (d = 0; d < HYB_RATE_DEPTHS; d++)
            table->rate[d][s] *= part;
    return XH_OK;
}

/* The time limit starts after the first product, which may load libraries. */
static xh_status_t measure_all(bench_t *b, uint64_t memory, double seconds,
                               hyb_rate_table_t *table)
{
    int link = 2;
    double cold, end;

    XH_TRY(bench_open(b));
    XH_TRY(measure(b, 0, 0, &cold));
    end = xh_clock_now() + seconds;
    while (link > 0 && !is_admitted(link, 0, memory))
        link--;
    XH_TRY(measure_link(b, hyb_rate_size(link), table));
    for (int s = 0; s < HYB_RATE_SIZES; s++)
        for (int d = 0; d < HYB_RATE_DEPTHS; d++)
            if (is_admitted(s, d, memory) && xh_clock_now() < end)
                XH_TRY(measure(b, s, d, &table->rate[d][s]));
    return hyb_device_rates_complete(table, memory) ? scale(b, seconds, table)
                                                    : XH_OK;
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

    XH_TRY(hyb_device_describe(device, &info));
    if (hyb_rate_table_load(info.name, &kept) &&
        hyb_device_rates_complete(&kept, info.memory_free)) {
        *table_p = kept;
        return XH_OK;
    }
    XH_TRY(hyb_device_rates_measure(device, info.memory_free, budget, patience,
                                    table_p));
    if (hyb_device_rates_complete(table_p, info.memory_free))
        hyb_rate_table_save(info.name, table_p);
    return XH_OK;
}
