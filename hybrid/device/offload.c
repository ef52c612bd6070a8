/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include "base/clock.h"
#include "base/integers.h"
#include "base/log.h"
#include "hybrid/device/flight.h"
#include "hybrid/device/machine_private.h"
#include "base/product.h"

struct hyb_offload {
    hyb_machine_t *node;
    hyb_job_t job;
    hyb_offload_way_t way; /* its devices: those that work on it */
    double started;
};

/* ---- cutting ------------------------------------------------------------- */

/* Those of devices, as bits, that work. */
static uint64_t working(const hyb_machine_t *node, uint64_t devices)
{
    uint64_t working_devices = 0;
    int i;

    for (i = 0; i < node->devices; i++)
        if (hyb_machine_uses(node, devices, i))
            working_devices |= (uint64_t)1 << i;
    return working_devices;
}

/* Memory that every one of devices can give to tiles. */
static uint64_t tile_memory(const hyb_machine_t *node, uint64_t devices)
{
    uint64_t least = UINT64_MAX;
    int i;

    for (i = 0; i < node->devices; i++)
        if ((devices >> i & 1) != 0 && node->tile_memory[i] < least)
            least = node->tile_memory[i];
    return least;
}

/*
 * Where no rates are measured: some tens of tiles an executor, so that all end
 * together, and none so small that the link's latency shows.
 */
static int64_t plain_size(const int64_t shape[3])
{
    enum { LEAST = 256, MOST = 4096, UNIT = 64, ACROSS = 8 };
    int64_t longest = xh_larger(shape[0], shape[1]);
    int64_t size = longest / ACROSS / UNIT * UNIT;

    size = size < LEAST ? LEAST : size;
    return size > MOST ? MOST : size;
}

/* As asked for, else what the first device's measured rates make best. */
static int64_t tile_size(const hyb_machine_t *node, const int64_t shape[3],
                         uint64_t devices)
{
    int i, first = -1, count = 0;

    if (node->tile > 0)
        return node->tile;
    for (i = node->devices - 1; i >= 0; i--)
        if ((devices >> i & 1) != 0) {
            first = i;
            count++;
        }
    if (count == 0)
        return plain_size(shape);
    return hyb_rate_table_best_size(&node->rates[first], shape, count,
                                    plain_size(shape));
}

static bool is_small(int64_t tile, int64_t wanted, int64_t extent)
{
    return 2 * tile < (wanted < extent ? wanted : extent);
}

/* Once: that memory is so short that it costs much speed. */
static void say_if_small(hyb_machine_t *node,
                         const hyb_tiling_request_t *wanted,
                         const hyb_tiling_t *t)
{
    if (node->said_small || !(is_small(t->most_rows, wanted->tile_rows, t->m) ||
                              is_small(t->most_cols, wanted->tile_cols, t->n)))
        return;
    node->said_small = true;
    xh_log_warning(
        "a device has memory for tiles of %lld x %lld at most, where "
        "%lld x %lld would do best",
        (long long)t->most_rows, (long long)t->most_cols,
        (long long)wanted->tile_rows, (long long)wanted->tile_cols);
}

/* How a product of m x n x k is to be cut: shape. */
static hyb_tiling_request_t request(const hyb_machine_t *node,
                                    const int64_t shape[3], uint64_t devices)
{
    int64_t size = tile_size(node, shape, devices);

    return (hyb_tiling_request_t){.m = shape[0],
                                  .n = shape[1],
                                  .k = shape[2],
                                  .memory = tile_memory(node, devices),
                                  .tile_rows = size,
                                  .tile_cols = size,
                                  .c_slots = node->slots};
}

static xh_status_t cut(hyb_machine_t *node, const xh_gemm_t *p,
                       const hyb_offload_way_t *way, hyb_tiling_t *tiling_p)
{
    const int64_t shape[] = {p->c.rows, p->c.cols, xh_gemm_depth(p)};
    hyb_tiling_request_t wanted = request(node, shape, way->devices);
    xh_status_t status = way->plan(&wanted, tiling_p);

    if (status == XH_OK)
        say_if_small(node, &wanted, tiling_p);
    return status;
}

/* ---- reserve ------------------------------------------------------------- */

static const hyb_offload_way_t all_by_columns = {~(uint64_t)0,
                                                 hyb_tiling_plan_by_columns};

/*
 * Smaller products may have longer tiles, by the last one that is merged with
 * its neighbour: with room for these, where there is, none grows later.
 */
static hyb_tiling_t with_longest_tiles(const hyb_tiling_t *t, uint64_t memory)
{
    hyb_tiling_t longest = *t;

    longest.most_rows = xh_smaller(t->m, t->tile_rows + t->tile_rows / 2);
    longest.most_cols = xh_smaller(t->n, t->tile_cols + t->tile_cols / 2);
    return hyb_tiling_memory(&longest) <= memory ? longest : *t;
}

static void say_dropped(int device)
{
    xh_log_warning("device %d is dropped; others do its tiles", device);
}

/* The tiles of products up to shape; false: there are none. */
static bool tiles_of(const hyb_machine_t *node, const int64_t shape[3],
                     hyb_tiling_t *tiling_p)
{
    uint64_t devices = working(node, all_by_columns.devices);
    hyb_tiling_request_t wanted;
    hyb_tiling_t tiling;

    if (devices == 0)
        return false;
    wanted = request(node, shape, devices);
    if (all_by_columns.plan(&wanted, &tiling) != XH_OK)
        return false;
    *tiling_p = with_longest_tiles(&tiling, wanted.memory);
    return true;
}

void hyb_offload_reserve(hyb_machine_t *node, int64_t m, int64_t n, int64_t k)
{
    hyb_tiling_t tiling;
    int i;

    if (!tiles_of(node, (const int64_t[]){m, n, k}, &tiling))
        return;
    for (i = 0; i < node->devices; i++) {
        if (!hyb_machine_uses(node, all_by_columns.devices, i))
            continue;
        hyb_stream_reserve(node->stream[i], &tiling);
        if (hyb_stream_failed(node->stream[i]))
            say_dropped(i);
    }
}

uint64_t hyb_offload_bytes(const hyb_machine_t *node, int64_t m, int64_t n,
                           int64_t k)
{
    hyb_tiling_t tiling;
    uint64_t bytes = 0;
    int i;

    if (!tiles_of(node, (const int64_t[]){m, n, k}, &tiling))
        return 0;
    for (i = 0; i < node->devices; i++)
        if (hyb_machine_uses(node, all_by_columns.devices, i) &&
            hyb_stream_stages(node->stream[i]))
            bytes += hyb_flight_staging_bytes(&tiling);
    return bytes;
}

/* ---- begin --------------------------------------------------------------- */

static xh_status_t start(hyb_offload_t *o, const xh_gemm_t *product)
{
    hyb_machine_t *node = o->node;
    hyb_tiling_t tiling;
    xh_status_t status = cut(node, product, &o->way, &tiling);
    int i;

    if (status == XH_OK)
        status = hyb_job_init(&o->job, product, &tiling);
    if (status != XH_OK)
        return status;
    for (i = 0; i < node->devices; i++)
        if ((o->way.devices >> i & 1) != 0)
            hyb_stream_begin(node->stream[i], &o->job);
    node->offloads = true;
    return XH_OK;
}

/* Not all of the way's devices need work, and the host is enough. */
static xh_status_t begin(hyb_machine_t *node, const xh_gemm_t *product,
                         const hyb_offload_way_t *way,
                         hyb_offload_t **offload_p)
{
    hyb_offload_t *o;
    xh_status_t status;

    if (!xh_gemm_conforms(product) || xh_gemm_flop(product) == 0.0 ||
        node->offloads)
        return XH_ERR_ARG;
    o = aligned_alloc(_Alignof(hyb_offload_t), sizeof(*o));
    if (o == NULL)
        return XH_ERR_MEMORY;
    o->node = node;
    o->way = (hyb_offload_way_t){working(node, way->devices), way->plan};
    o->started = xh_clock_now();
    status = start(o, product);
    if (status != XH_OK) {
        free(o);
        return status;
    }
    *offload_p = o;
    return XH_OK;
}

xh_status_t hyb_offload_begin_as(hyb_machine_t *node, const xh_gemm_t *product,
                                 const hyb_offload_way_t *way,
                                 hyb_offload_t **offload_p)
{
    if (working(node, way->devices) == 0)
        return XH_ERR_DEVICE;
    return begin(node, product, way, offload_p);
}

xh_status_t hyb_offload_begin(hyb_machine_t *node, const xh_gemm_t *product,
                              hyb_offload_t **offload_p)
{
    return begin(node, product, &all_by_columns, offload_p);
}

/* ---- meanwhile ----------------------------------------------------------- */

hyb_job_t *hyb_offload_job(hyb_offload_t *o)
{
    return &o->job;
}

void hyb_offload_release(hyb_offload_t *o, int64_t cols)
{
    hyb_job_release(&o->job, cols);
}

bool hyb_offload_take(hyb_offload_t *o, int64_t keep,
                      hyb_offload_tile_t *tile_p)
{
    int64_t tile = hyb_job_take_last(&o->job, keep);

    if (tile < 0)
        return false;
    *tile_p = (hyb_offload_tile_t){
        .index = tile, .part = hyb_tiling_tile(&o->job.tiling, tile).part};
    return true;
}

void hyb_offload_give(hyb_offload_t *o, const hyb_offload_tile_t *tile)
{
    hyb_job_complete(&o->job, tile->index, 0);
}

int64_t hyb_offload_remaining(const hyb_offload_t *o)
{
    return hyb_range_remaining(&o->job.range);
}

double hyb_offload_rate(const hyb_offload_t *o)
{
    double part = (double)atomic_load(&o->job.by_devices) /
                  (double)hyb_tiling_count(&o->job.tiling);
    double seconds = xh_clock_now() - o->started;

    return seconds > 0.0 ? part * xh_gemm_flop(o->job.product) / seconds : 0.0;
}

bool hyb_offload_done(const hyb_offload_t *o)
{
    return hyb_job_done(&o->job);
}

bool hyb_offload_lost(hyb_offload_t *o)
{
    return hyb_job_lost(&o->job);
}

int64_t hyb_offload_columns_done(hyb_offload_t *o)
{
    return hyb_job_columns_done(&o->job);
}

const hyb_tiling_t *hyb_offload_tiling(const hyb_offload_t *o)
{
    return &o->job.tiling;
}

bool hyb_offload_devices_idle(hyb_offload_t *o)
{
    return hyb_job_idle(&o->job);
}

void hyb_offload_wait(hyb_offload_t *o)
{
    hyb_job_wait(&o->job);
}

/* ---- finish -------------------------------------------------------------- */

static void finish_devices(hyb_offload_t *o, hyb_report_t *report)
{
    int i;

    for (i = 0; i < o->node->devices; i++) {
        if ((o->way.devices >> i & 1) == 0)
            continue;
        hyb_stream_finish(o->node->stream[i], &report->device[i]);
        if (report->device[i].dropped && hyb_job_lost(&o->job))
            xh_log_error("device %d is lost, which wrote into C (direct=on)",
                         i);
        else if (report->device[i].dropped)
            say_dropped(i);
    }
}

/* What host threads gave. */
static void count_given(const hyb_job_t *job, hyb_work_t *work)
{
    int64_t tile, tiles = hyb_tiling_count(&job->tiling);

    for (tile = 0; tile < tiles; tile++)
        if (job->owner[tile] == 0) {
            xh_rectangle_t part = hyb_tiling_tile(&job->tiling, tile).part;

            work->tiles++;
            work->flop += 2.0 * (double)part.rows * (double)part.cols *
                          (double)job->tiling.k;
        }
}

xh_status_t hyb_offload_finish(hyb_offload_t *o, hyb_report_t *report_p)
{
    hyb_report_t report = {.share = 1.0, .tiling = o->job.tiling};
    bool done;

    hyb_job_end(&o->job);
    finish_devices(o, &report);
    done = hyb_job_done(&o->job);
    if (!done && !hyb_job_lost(&o->job))
        xh_log_error("no device is left, and not all tiles are computed");
    count_given(&o->job, &report.team);
    report.seconds = xh_clock_now() - o->started;
    if (done && report_p != NULL) {
        report.owner = o->job.owner;
        o->job.owner = NULL; /* the report's now */
        *report_p = report;
    }
    o->node->offloads = false;
    hyb_job_destroy(&o->job);
    free(o);
    return done ? XH_OK : XH_ERR_DEVICE;
}
