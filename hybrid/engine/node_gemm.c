/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "hybrid/engine/node_private.h"
#include "hybrid/engine/product.h"

/* one product under way */
typedef struct {
    hyb_node_t *node;
    hyb_executors_t executors;
    hyb_job_t job;
    hyb_report_t report;
    double share;       /* of the devices */
    int grabs;          /* how often the team took tiles */
    xh_status_t status; /* of the team's part */
} run_t;

hyb_executors_t hyb_executors_all(const hyb_node_t *node)
{
    hyb_executors_t all = {.team = true};
    int i;

    for (i = 0; i < node->devices; i++)
        all.devices |= (uint64_t)1 << i;
    return all;
}

static bool takes_part(const run_t *run, int device)
{
    return (run->executors.devices >> device & 1) != 0 &&
           !hyb_stream_failed(run->node->stream[device]);
}

/* Devices that are to take part and work. */
static int working_devices(const run_t *run)
{
    int i, count = 0;

    for (i = 0; i < run->node->devices; i++)
        count += takes_part(run, i);
    return count;
}

/* ---- the team's part ------------------------------------------------------
 */

static void compute(run_t *run, const hyb_gemm_t *product)
{
    double started = xh_clock_now();
    xh_status_t status = hyb_host_gemm(run->node->host, product);

    if (status != XH_OK)
        run->status = status;
    run->report.team.compute_seconds += xh_clock_now() - started;
    run->report.team.flop += hyb_gemm_flop(product);
}

static void compute_tiles(run_t *run, hyb_span_t span)
{
    hyb_rectangle_t part[HYB_TILING_COVER];
    int i, parts =
               hyb_tiling_cover(&run->job.tiling, span.first, span.count, part);
    int64_t tile;

    for (i = 0; i < parts; i++) {
        hyb_gemm_t p = hyb_gemm_part(run->job.product, part[i]);

        compute(run, &p);
    }
    for (tile = span.first; tile < span.first + span.count; tile++)
        run->job.owner[tile] = 0;
    run->report.team.tiles += span.count;
}

/* Tiles for the team now, by policy; a probe is one tile it would not get. */
static hyb_span_t grab(run_t *run)
{
    const hyb_node_t *node = run->node;
    int64_t total = hyb_tiling_count(&run->job.tiling);
    int64_t remaining = hyb_range_remaining(&run->job.range);
    int64_t count = hyb_split_team_tiles(&node->split, run->share, run->grabs,
                                         total, remaining);
    hyb_probe_t probe = hyb_ratio_probe(&node->ratio, HYB_PANEL_ELSEWHERE);

    if (run->grabs == 0 && node->split.policy == HYB_SPLIT_RATIO) {
        if (probe == HYB_PROBE_HOST && count == 0)
            count = 1;
        if (probe == HYB_PROBE_DEVICES && count == total)
            count = total - 1;
    }
    run->grabs++;
    return hyb_range_take_back(&run->job.range, count);
}

static void help(run_t *run, hyb_span_t first)
{
    hyb_span_t span;

    for (span = first; span.count > 0; span = grab(run))
        compute_tiles(run, span);
}

/* ---- the devices' part ----------------------------------------------------
 */

/* Returns those that began, as bits. */
static uint64_t begin_devices(run_t *run)
{
    uint64_t begun = 0;
    int i;

    for (i = 0; i < run->node->devices; i++)
        if (takes_part(run, i)) {
            hyb_stream_begin(run->node->stream[i], &run->job);
            begun |= (uint64_t)1 << i;
        }
    return begun;
}

static void add_work(hyb_work_t *sum, const hyb_work_t *more)
{
    sum->tiles += more->tiles;
    sum->flop += more->flop;
    sum->seconds += more->seconds;
    sum->compute_seconds += more->compute_seconds;
    sum->in_seconds += more->in_seconds;
    sum->out_seconds += more->out_seconds;
    sum->span_seconds += more->span_seconds;
    sum->bytes_in += more->bytes_in;
    sum->bytes_out += more->bytes_out;
    sum->dropped |= more->dropped;
}

/* begun: the devices that began, whether they still work or not */
static void finish_devices(run_t *run, uint64_t begun)
{
    hyb_work_t work;
    int i;

    for (i = 0; i < run->node->devices; i++) {
        if ((begun >> i & 1) == 0)
            continue;
        hyb_stream_finish(run->node->stream[i], &work);
        add_work(&run->report.device[i], &work);
        if (work.dropped)
            xh_log_warning("device %d is dropped; others do its tiles", i);
    }
}

/* ---- what failed devices left ---------------------------------------------
 */

static void team_completes(run_t *run)
{
    hyb_span_t span;
    int64_t tile;

    while ((tile = hyb_job_take_returned(&run->job)) >= 0)
        compute_tiles(run, (hyb_span_t){tile, 1});
    span = hyb_range_take_back(&run->job.range,
                               hyb_range_remaining(&run->job.range));
    if (span.count > 0)
        compute_tiles(run, span);
}

static bool is_complete(run_t *run)
{
    return run->job.returned_count == 0 &&
           hyb_range_remaining(&run->job.range) == 0;
}

/* Until all tiles are done, or nobody is left who could. */
static xh_status_t complete(run_t *run)
{
    uint64_t begun;

    if (run->executors.team)
        team_completes(run);
    while (!is_complete(run)) {
        begun = begin_devices(run);
        if (begun == 0) {
            xh_log_error("no device is left and the team is not to help");
            return XH_ERR_DEVICE;
        }
        finish_devices(run, begun);
    }
    return run->status;
}

/* ---- all together ---------------------------------------------------------
 */

/* Memory that every device can give to tiles. */
static uint64_t tile_memory(const run_t *run)
{
    uint64_t least = UINT64_MAX;
    int i;

    for (i = 0; i < run->node->devices; i++)
        if (takes_part(run, i) && run->node->tile_memory[i] < least)
            least = run->node->tile_memory[i];
    return least;
}

/*
 * Where no rates are measured: some tens of tiles an executor, so that all end
 * together, and none so small that the link's latency shows.
 */
static int64_t plain_size(const hyb_gemm_t *p)
{
    enum { LEAST = 256, MOST = 4096, UNIT = 64, ACROSS = 8 };
    int64_t longest = p->c.rows > p->c.cols ? p->c.rows : p->c.cols;
    int64_t size = longest / ACROSS / UNIT * UNIT;

    size = size < LEAST ? LEAST : size;
    return size > MOST ? MOST : size;
}

/* As asked for, else what the first device's measured rates make best. */
static int64_t tile_size(const run_t *run, const hyb_gemm_t *p)
{
    const int64_t shape[] = {p->c.rows, p->c.cols, hyb_gemm_depth(p)};
    int i = 0;

    if (run->node->tile > 0)
        return run->node->tile;
    while (!takes_part(run, i))
        i++;
    return hyb_rate_table_best_size(&run->node->rates[i], shape,
                                    working_devices(run), plain_size(p));
}

static xh_status_t cut(const run_t *run, const hyb_gemm_t *p,
                       hyb_tiling_t *tiling_p)
{
    int64_t size = tile_size(run, p);
    hyb_tiling_request_t request = {.m = p->c.rows,
                                    .n = p->c.cols,
                                    .k = hyb_gemm_depth(p),
                                    .memory = tile_memory(run),
                                    .tile_rows = size,
                                    .tile_cols = size,
                                    .c_slots = run->node->slots};

    return hyb_tiling_plan(&request, tiling_p);
}

/* What a device did before it was dropped says nothing about the others. */
static void learn(run_t *run)
{
    hyb_ratio_sample_t sample = {.host_flop = run->report.team.flop,
                                 .host_seconds =
                                     run->report.team.compute_seconds};
    int i;

    for (i = 0; i < run->node->devices; i++) {
        const hyb_work_t *work = &run->report.device[i];

        if (work->dropped)
            continue;
        sample.device_flop += work->flop;
        if (work->seconds > sample.device_seconds)
            sample.device_seconds = work->seconds;
    }
    hyb_ratio_learn(&run->node->ratio, HYB_PANEL_ELSEWHERE, &sample);
}

static void share_out(run_t *run)
{
    hyb_span_t first = {0, 0};
    uint64_t begun;

    run->share = run->node->split.policy == HYB_SPLIT_FIXED
                     ? run->node->split.share
                     : hyb_ratio_share(&run->node->ratio, HYB_PANEL_ELSEWHERE,
                                       hyb_gemm_flop(run->job.product));
    if (run->executors.team)
        first = grab(run);
    begun = begin_devices(run);
    help(run, first);
    finish_devices(run, begun);
}

static xh_status_t run_together(run_t *run, const hyb_gemm_t *product)
{
    hyb_tiling_t tiling;
    xh_status_t status = cut(run, product, &tiling);

    if (status == XH_OK)
        status = hyb_job_init(&run->job, product, &tiling);
    if (status != XH_OK)
        return status;
    share_out(run);
    status = complete(run);
    if (run->executors.team)
        learn(run);
    run->report.share = run->share;
    run->report.tiling = tiling;
    run->report.owner = run->job.owner;
    run->job.owner = NULL; /* the report's now */
    hyb_job_release(&run->job);
    return status;
}

static bool is_trivial(const hyb_gemm_t *p)
{
    return p->alpha == 0.0 || hyb_gemm_flop(p) == 0.0;
}

xh_status_t hyb_node_gemm(hyb_node_t *node, const hyb_gemm_t *product,
                          hyb_executors_t executors, hyb_report_t *report_p)
{
    run_t run = {.node = node, .executors = executors};
    double started = xh_clock_now();
    xh_status_t status;

    if (!hyb_gemm_conforms(product))
        return XH_ERR_ARG;
    if (!executors.team && working_devices(&run) == 0)
        return executors.devices != 0 ? XH_ERR_DEVICE : XH_ERR_ARG;
    if (is_trivial(product) || working_devices(&run) == 0) {
        compute(&run, product);
        status = run.status;
    } else {
        status = run_together(&run, product);
    }
    run.report.seconds = xh_clock_now() - started;
    run.report.team.seconds = run.report.team.compute_seconds;
    if (report_p != NULL && status == XH_OK)
        *report_p = run.report;
    else
        free(run.report.owner);
    return status;
}

void hyb_node_pin(hyb_node_t *node, double *memory, size_t bytes)
{
    int i;

    for (i = 0; i < node->devices; i++)
        if (!hyb_stream_failed(node->stream[i]))
            hyb_device_pin(hyb_node_device(node, i), memory, bytes);
}

void hyb_node_unpin(hyb_node_t *node, double *memory)
{
    int i;

    for (i = 0; i < node->devices; i++)
        hyb_device_unpin(hyb_node_device(node, i), memory);
}
