/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/pin.h"
#include "base/product.h"
#include "hybrid/device/pipeline.h"
#include "hybrid/device/stream.h"

struct hyb_stream {
    hyb_stream_options_t options;
    hyb_pipeline_t pipeline;
    hyb_device_info_t info; /* as the device was at the start */
    pthread_t launcher, lander;
    double started;  /* when the product started */
    double slowness; /* the longest wait for a tile so far, divided by the
                        predicted one; only the lander uses this */

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    hyb_product_t *product;   /* NULL: idle */
    int executor;             /* the stream's number in the product's `owner` */
    int64_t launched, landed; /* tiles; tile t has slot t % slots */
    hyb_work_t work;
    bool quits;
};

/* ---- how long is too long ------------------------------------------------ */

/* The rate to begin with: measured, else as the device reports, else a guess.
 */
static double known(double measured, double said, double guess)
{
    if (measured > 0.0)
        return measured;
    return said > 0.0 ? said : guess;
}

/* Seconds predicted for the largest tile, copies included. */
static double predicted(const hyb_stream_t *s)
{
    const hyb_rate_table_t *rates = s->options.rates;
    const hyb_tiling_t *t = &s->product->tiling;
    double rows = (double)t->most_rows, cols = (double)t->most_cols;
    double k = (double)t->k;
    double gemm_rate =
        hyb_rate_table_rate(rates, t->most_rows, t->most_cols, t->k);

    return 2.0 * rows * cols * k / known(gemm_rate, s->info.gemm_rate, 1e11) +
           (2.0 * rows * cols + k * (rows + cols)) * sizeof(double) /
               known(rates->link_rate, s->info.link_rate, 1e10);
}

/*
 * Seconds without a result after which a device counts as stalled: many times
 * what all tiles in flight should take, or have taken so far, and never less
 * than the setting stall_seconds.
 */
static double patience(const hyb_stream_t *s)
{
    enum { TIMES = 20 };
    double expected = predicted(s) * s->pipeline.slots;

    if (s->slowness > 1.0)
        expected *= s->slowness;
    return fmax(TIMES * expected, s->options.stall_seconds);
}

/* ---- losing the device --------------------------------------------------- */

/* Declare the device failed and the product lost, as the device may have
 * written part of a tile. */
static void fail(hyb_stream_t *s, xh_status_t why)
{
    hyb_device_fail(s->pipeline.device, why == XH_ERR_MEMORY
                                            ? "it ran out of memory"
                                            : xh_status_text(why));
    hyb_product_lose(s->product, s->executor);
}

/* ---- the lander ---------------------------------------------------------- */

static hyb_slot_t *slot_of(hyb_stream_t *s, int64_t tile)
{
    return &s->pipeline.slot[tile % s->pipeline.slots];
}

/* Wait until the slot's tile has returned. */
static xh_status_t await_return(hyb_stream_t *s, const hyb_slot_t *slot)
{
    double started = xh_clock_now();

    XH_TRY(hyb_event_await(slot->out[HYB_END], patience(s)));
    XH_TRY(hyb_pipeline_time(&s->pipeline, slot, &s->work));
    s->slowness = fmax(s->slowness, (xh_clock_now() - started) / predicted(s));
    return XH_OK;
}

static void land(hyb_stream_t *s, const hyb_slot_t *slot)
{
    const xh_rectangle_t *part = &slot->tile.part;
    xh_status_t status = await_return(s, slot);

    if (status != XH_OK) {
        fail(s, status);
        return;
    }
    s->work.tiles++;
    s->work.flop += 2.0 * (double)part->rows * (double)part->cols *
                    (double)xh_gemm_depth(s->product->gemm);
    s->work.seconds = xh_clock_now() - s->started;
}

static void *run_lander(void *stream)
{
    hyb_stream_t *s = stream;

    xh_pin_thread(s->options.cpus, s->options.cpu_count);
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->landed == s->launched && !s->quits)
            pthread_cond_wait(&s->changed, &s->lock);
        if (s->landed == s->launched)
            break;
        pthread_mutex_unlock(&s->lock);
        land(s, slot_of(s, s->landed));
        pthread_mutex_lock(&s->lock);
        s->landed++;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- the launcher -------------------------------------------------------- */

/* Wait until at most `most` tiles are in flight. */
static void await_landing(hyb_stream_t *s, int64_t most)
{
    pthread_mutex_lock(&s->lock);
    while (s->launched - s->landed > most)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* Launch tiles until none is left. */
static void flow(hyb_stream_t *s)
{
    xh_status_t status =
        hyb_pipeline_prepare(&s->pipeline, &s->product->tiling);
    hyb_slot_t *slot;

    while (status == XH_OK) {
        await_landing(s, s->pipeline.slots - 1);
        slot = slot_of(s, s->launched);
        if (!hyb_product_take_first(s->product, s->executor, &slot->tile))
            break;
        status = hyb_pipeline_launch(&s->pipeline, s->product, slot);
        if (status != XH_OK)
            break;
        pthread_mutex_lock(&s->lock);
        s->launched++; /* the lander waits for it now */
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->lock);
    }
    if (status != XH_OK)
        fail(s, status); /* the lander then stops waiting for tiles */
    await_landing(s, 0);
    if (s->pipeline.launched_any && !hyb_device_failed(s->pipeline.device))
        status = hyb_event_elapsed(s->pipeline.first, s->pipeline.last,
                                   &s->work.span_seconds);
    if (status != XH_OK)
        fail(s, status);
}

static void run_product(hyb_stream_t *s)
{
    const hyb_traffic_t before = hyb_device_traffic(s->pipeline.device);
    hyb_traffic_t after;

    s->started = xh_clock_now();
    s->work = (hyb_work_t){0};
    pthread_mutex_lock(&s->lock); /* the lander may be awake and reading */
    s->launched = s->landed = 0;
    pthread_mutex_unlock(&s->lock);
    flow(s);
    after = hyb_device_traffic(s->pipeline.device);
    s->work.bytes_in = after.in - before.in;
    s->work.bytes_out = after.out - before.out;
}

static void *run_launcher(void *stream)
{
    hyb_stream_t *s = stream;

    xh_pin_thread(s->options.cpus, s->options.cpu_count);
    pthread_mutex_lock(&s->lock);
    while (!s->quits) {
        if (s->product == NULL) {
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        pthread_mutex_unlock(&s->lock);
        run_product(s);
        pthread_mutex_lock(&s->lock);
        s->product = NULL;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- create and destroy -------------------------------------------------- */

static void stop(hyb_stream_t *s, pthread_t thread)
{
    pthread_mutex_lock(&s->lock);
    s->quits = true;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(thread, NULL);
}

static xh_status_t start(hyb_stream_t *s, hyb_device_t *device)
{
    XH_TRY(hyb_pipeline_open(&s->pipeline, device));
    XH_TRY(hyb_device_describe(device, &s->info));
    if (pthread_create(&s->launcher, NULL, run_launcher, s) != 0)
        return XH_ERR_MEMORY;
    if (pthread_create(&s->lander, NULL, run_lander, s) != 0) {
        stop(s, s->launcher);
        return XH_ERR_MEMORY;
    }
    return XH_OK;
}

static void dispose(hyb_stream_t *s)
{
    hyb_pipeline_close(&s->pipeline);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

xh_status_t hyb_stream_create(hyb_device_t *device,
                              const hyb_stream_options_t *options,
                              hyb_stream_t **stream_p)
{
    hyb_stream_t *s = calloc(1, sizeof(*s));
    xh_status_t status;

    if (s == NULL)
        return XH_ERR_MEMORY;
    s->options = *options;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    status = start(s, device);
    if (status == XH_OK)
        *stream_p = s;
    else
        dispose(s);
    return status;
}

void hyb_stream_destroy(hyb_stream_t *s)
{
    if (s == NULL)
        return;
    stop(s, s->launcher);
    pthread_join(s->lander, NULL);
    dispose(s);
}

/* ---- public functions ---------------------------------------------------- */

xh_status_t hyb_stream_reserve(hyb_stream_t *s, const hyb_tiling_t *tiling)
{
    return hyb_pipeline_reserve(&s->pipeline, tiling);
}

void hyb_stream_begin(hyb_stream_t *s, hyb_product_t *product, int executor)
{
    pthread_mutex_lock(&s->lock);
    s->product = product;
    s->executor = executor;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void hyb_stream_finish(hyb_stream_t *s, hyb_work_t *work_p)
{
    pthread_mutex_lock(&s->lock);
    while (s->product != NULL)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    *work_p = s->work;
}
