/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "hybrid/device/copiers.h"
#include "hybrid/device/flight.h"
#include "hybrid/node/pin.h"
#include "base/product.h"
#include "hybrid/device/stream.h"

struct hyb_stream {
    hyb_device_t *device;
    hyb_stream_options_t options;
    hyb_flight_t flight;
    hyb_flight_times_t times;
    hyb_work_t work;
    double started;         /* the job, on the clock */
    hyb_device_info_t info; /* as it was at the start */
    hyb_team_t *copiers;    /* the thread, and others; NULL: it is alone */
    double slowness; /* longest wait for a tile so far, to the predicted one */

    int *cpus; /* of the thread */
    int cpu_count;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    hyb_job_t *job;              /* NULL: idle */
    const hyb_tiling_t *reserve; /* to be made room for; NULL: no more */
    bool quits;
};

/* What is known first: measured, or said by the device; otherwise a guess. */
static double known(double measured, double said, double guess)
{
    if (measured > 0.0)
        return measured;
    return said > 0.0 ? said : guess;
}

/* Seconds that job's largest tile takes. */
static double predicted(const hyb_stream_t *s, const hyb_job_t *job)
{
    static const hyb_rate_table_t none = {.count = 0};
    const hyb_rate_table_t *rates =
        s->options.rates != NULL ? s->options.rates : &none;
    const hyb_tiling_t *t = &job->tiling;
    double rows = (double)t->most_rows, cols = (double)t->most_cols;
    double k = (double)t->k;
    double gemm_rate =
        hyb_rate_table_rate(rates, t->most_rows, t->most_cols, t->k);

    return 2.0 * rows * cols * k / known(gemm_rate, s->info.gemm_rate, 1e11) +
           (2.0 * rows * cols + k * (rows + cols)) * sizeof(double) /
               known(rates->link_rate, s->info.link_rate, 1e10);
}

/*
 * Without a result for so long, a device is taken for stalled: many times what
 * all in flight should take, or did before, and never less than the setting.
 */
static double patience(const hyb_stream_t *s, const hyb_job_t *job)
{
    enum { TIMES = 20 };
    double expected = predicted(s, job) * s->options.slots;

    if (s->slowness > 1.0)
        expected *= s->slowness;
    return fmax(TIMES * expected, s->options.stall_seconds);
}

static double flop_of(const hyb_job_t *job, xh_rectangle_t part)
{
    return 2.0 * (double)part.rows * (double)part.cols *
           (double)xh_gemm_depth(job->product);
}

/* A tile has returned: into C with it. */
static void complete(hyb_stream_t *s, hyb_job_t *job, hyb_slot_t *slot)
{
    if (!s->info.models_time && !s->flight.direct)
        hyb_copiers_commit(s->copiers, &s->flight, job, slot);
    s->work.tiles++;
    s->work.flop += flop_of(job, slot->part);
    s->work.seconds = xh_clock_now() - s->started;
    hyb_job_complete(job, slot->tile, s->options.executor);
    slot->tile = -1;
}

/* Wait for the tile in slot, if any, and complete it. */
static xh_status_t land(hyb_stream_t *s, hyb_job_t *job, hyb_slot_t *slot)
{
    double started = xh_clock_now();
    xh_status_t status;
    bool done = false;

    if (slot->tile < 0)
        return XH_OK;
    status = hyb_event_wait(slot->out.end, patience(s, job), &done);
    if (status == XH_OK && !done) {
        hyb_device_fail(s->device, "it stalled: no result in time");
        status = XH_ERR_DEVICE;
    }
    if (status == XH_OK)
        status = hyb_flight_time(slot, &s->times);
    if (status != XH_OK)
        return status;
    s->slowness =
        fmax(s->slowness, (xh_clock_now() - started) / predicted(s, job));
    complete(s, job, slot);
    return XH_OK;
}

/* Wait for a tile, with none in flight; -1: the job is over. */
static int64_t wait_for_tile(hyb_stream_t *s, hyb_job_t *job)
{
    double started = xh_clock_now();
    int64_t tile = hyb_job_await(job);

    if (tile >= 0)
        s->work.wait_seconds += xh_clock_now() - started;
    return tile;
}

/*
 * Tiles flow until the job is over: the oldest lands before the next starts,
 * and all have landed before the stream waits for more to be released.
 */
static xh_status_t flow(hyb_stream_t *s, hyb_job_t *job)
{
    xh_status_t status = hyb_flight_prepare(&s->flight, job);
    int i = 0, empty = 0, slots = s->flight.slots;
    int64_t tile;
    bool none; /* in flight */

    for (; status == XH_OK; i = (i + 1) % slots) {
        status = land(s, job, &s->flight.slot[i]);
        if (status != XH_OK)
            break;
        none = empty == slots - 1;
        tile = none ? wait_for_tile(s, job) : hyb_job_take(job);
        if (tile < 0 && none)
            break;
        empty = tile < 0 ? empty + 1 : 0;
        if (tile >= 0)
            status = hyb_flight_launch(&s->flight, job, tile, i);
    }
    return status;
}

/* What the device may have written into C, or may write yet, nobody can do
 * again. */
static void give_up(const hyb_stream_t *s, hyb_job_t *job, int64_t tile)
{
    if (s->flight.direct)
        hyb_job_lose(job);
    else
        hyb_job_return(job, tile);
}

static void fail(const hyb_stream_t *s, xh_status_t why)
{
    hyb_device_fail(s->device, why == XH_ERR_MEMORY ? "it ran out of memory"
                                                    : xh_status_text(why));
}

/* Give back the tiles that did not return; the device is lost. */
static void drop(hyb_stream_t *s, hyb_job_t *job, xh_status_t why)
{
    int i;

    if (!hyb_device_failed(s->device))
        hyb_flight_drain(&s->flight, patience(s, job));
    fail(s, why);
    s->work.dropped = true;
    for (i = 0; i < s->flight.slots; i++) {
        if (s->flight.slot[i].tile < 0)
            continue;
        give_up(s, job, s->flight.slot[i].tile);
        s->flight.slot[i].tile = -1;
    }
}

static void run_job(hyb_stream_t *s, hyb_job_t *job)
{
    uint64_t in, out;
    xh_status_t status;

    s->started = xh_clock_now();
    s->work = (hyb_work_t){0};
    s->times = (hyb_flight_times_t){0};
    s->flight.slots = 0;
    hyb_device_traffic(s->device, &in, &out);
    status = flow(s, job);
    if (status == XH_OK && s->flight.launched_any)
        status = hyb_event_elapsed(s->flight.first, s->flight.last,
                                   &s->work.span_seconds);
    if (status != XH_OK)
        drop(s, job, status);
    s->work.in_seconds = s->times.in;
    s->work.compute_seconds = s->times.multiply;
    s->work.out_seconds = s->times.out;
    hyb_device_traffic(s->device, &s->work.bytes_in, &s->work.bytes_out);
    s->work.bytes_in -= in;
    s->work.bytes_out -= out;
}

static void reserve(hyb_stream_t *s, const hyb_tiling_t *tiling)
{
    xh_status_t status = hyb_flight_reserve(&s->flight, tiling);

    if (status != XH_OK)
        fail(s, status);
    else if (hyb_stream_stages(s))
        xh_memory_touch(s->flight.staging, s->flight.staging_bytes, 0, 1);
}

/* One of both, without the lock; nobody brings the other meanwhile. */
static void serve_one(hyb_stream_t *s)
{
    if (s->reserve != NULL) {
        reserve(s, s->reserve);
    } else {
        run_job(s, s->job);
        hyb_job_leave(s->job);
    }
}

static void *serve(void *argument)
{
    hyb_stream_t *s = argument;

    if (!s->info.models_time)
        s->copiers = hyb_copiers_open(s->cpus, s->cpu_count);
    if (s->copiers == NULL)
        hyb_pin_thread(s->cpus, s->cpu_count);
    pthread_mutex_lock(&s->lock);
    while (!s->quits) {
        if (s->job == NULL && s->reserve == NULL) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        pthread_mutex_unlock(&s->lock);
        serve_one(s);
        pthread_mutex_lock(&s->lock);
        s->job = NULL;
        s->reserve = NULL;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    hyb_team_destroy(s->copiers);
    return NULL;
}

static xh_status_t start(hyb_stream_t *s, const int *cpus)
{
    xh_status_t status = hyb_device_describe(s->device, &s->info);
    int i;

    if (status != XH_OK)
        return status;
    s->cpus = malloc((size_t)s->cpu_count * sizeof(*s->cpus) + 1);
    if (s->cpus == NULL)
        return XH_ERR_MEMORY;
    for (i = 0; i < s->cpu_count; i++)
        s->cpus[i] = cpus[i];
    if (pthread_create(&s->thread, NULL, serve, s) != 0)
        return XH_ERR_MEMORY;
    return XH_OK;
}

xh_status_t hyb_stream_create(hyb_device_t *device, const int *cpus,
                              int cpu_count,
                              const hyb_stream_options_t *options,
                              hyb_stream_t **stream_p)
{
    hyb_stream_t *s = calloc(1, sizeof(*s));
    xh_status_t status;

    if (s == NULL)
        return XH_ERR_MEMORY;
    s->device = device;
    s->options = *options;
    s->cpu_count = cpu_count;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    status = hyb_flight_open(&s->flight, device);
    if (status != XH_OK)
        goto without_flight;
    s->flight.product_only = options->product_only;
    s->flight.direct = options->direct;
    status = start(s, cpus);
    if (status != XH_OK)
        goto without_thread;
    *stream_p = s;
    return XH_OK;

without_thread:
    free(s->cpus);
    hyb_flight_close(&s->flight);
without_flight:
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return status;
}

void hyb_stream_destroy(hyb_stream_t *s)
{
    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    s->quits = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    hyb_flight_close(&s->flight);
    hyb_device_close(s->device);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s->cpus);
    free(s);
}

hyb_device_t *hyb_stream_device(const hyb_stream_t *s)
{
    return s->device;
}

bool hyb_stream_stages(const hyb_stream_t *s)
{
    return !s->options.direct && !s->info.models_time;
}

bool hyb_stream_failed(const hyb_stream_t *s)
{
    return hyb_device_failed(s->device);
}

/* With the lock. */
static void wait_until_idle(hyb_stream_t *s)
{
    while (s->job != NULL || s->reserve != NULL)
        pthread_cond_wait(&s->changed, &s->lock);
}

void hyb_stream_reserve(hyb_stream_t *s, const hyb_tiling_t *tiling)
{
    pthread_mutex_lock(&s->lock);
    s->reserve = tiling;
    pthread_cond_broadcast(&s->changed);
    wait_until_idle(s);
    pthread_mutex_unlock(&s->lock);
}

void hyb_stream_begin(hyb_stream_t *s, hyb_job_t *job)
{
    hyb_job_join(job);
    pthread_mutex_lock(&s->lock);
    s->job = job;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void hyb_stream_finish(hyb_stream_t *s, hyb_work_t *work_p)
{
    pthread_mutex_lock(&s->lock);
    wait_until_idle(s);
    pthread_mutex_unlock(&s->lock);
    *work_p = s->work;
}
