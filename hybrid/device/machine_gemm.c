/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "hybrid/device/machine_private.h"
#include "base/product.h"

/* one product under way */
typedef struct {
    hyb_machine_t *node;
    hyb_executors_t executors;
    hyb_job_t *job; /* what the devices work on */
    hyb_report_t report;
    double share;       /* of the devices */
    int grabs;          /* how often the team took tiles */
    double seconds;     /* that the team multiplied */
    xh_status_t status; /* of the team's part */
} run_t;

hyb_executors_t hyb_executors_all(const hyb_machine_t *node)
{
    hyb_executors_t all = {.team = true};
    int i;

    for (i = 0; i < node->devices; i++)
        all.devices |= (uint64_t)1 << i;
    return all;
}

/* Devices that are to take part and work. */
static int working_devices(const run_t *run)
{
    int i, count = 0;

    for (i = 0; i < run->node->devices; i++)
        count += hyb_machine_uses(run->node, run->executors.devices, i);
    return count;
}

/* ---- the team's part ----------------------------------------------------- */

static void compute(run_t *run, const xh_gemm_t *product)
{
    double started = xh_clock_now();
    xh_status_t status = hyb_host_gemm(run->node->host, product);

    if (status != XH_OK)
        run->status = status;
    run->seconds += xh_clock_now() - started;
}

static void compute_tiles(run_t *run, hyb_span_t span)
{
    xh_rectangle_t part[HYB_TILING_COVER];
    int i, parts = hyb_tiling_cover(&run->job->tiling, span.first, span.count,
                                    part);
    int64_t tile;

    for (i = 0; i < parts; i++) {
        xh_gemm_t p = xh_gemm_part(run->job->product, part[i]);

        compute(run, &p);
    }
    for (tile = span.first; tile < span.first + span.count; tile++)
        hyb_job_complete(run->job, tile, 0);
}

/*
 * Tiles for the team now, by policy. Shares are of work, and tiles are not all
 * of one size: of several the policy says how much they are, in mean ones.
 */
static int64_t tiles_for_team(const run_t *run)
{
    const hyb_tiling_t *tiling = &run->job->tiling;
    int64_t total = hyb_tiling_count(tiling);
    hyb_span_t left = hyb_range_left(&run->job->range);
    double share = 1.0 - run->share;
    int64_t count = hyb_split_team_tiles(&run->node->split, run->share,
                                         run->grabs, total, left.count);

    if (run->node->split.policy != HYB_SPLIT_RATIO || count < 2 ||
        count == left.count)
        return count;
    if (run->grabs > 0)
        share *= (double)left.count / (double)total;
    count = hyb_tiling_tiles_of(tiling, left.first + left.count, share);
    return count > 0 ? count : 1;
}

/* A probe is one tile that it would not get. */
static hyb_span_t grab(run_t *run)
{
    const hyb_machine_t *node = run->node;
    int64_t total = hyb_tiling_count(&run->job->tiling);
    int64_t count = tiles_for_team(run);
    hyb_probe_t probe = hyb_ratio_probe(&node->ratio, HYB_PANEL_ELSEWHERE);

    if (run->grabs == 0 && node->split.policy == HYB_SPLIT_RATIO) {
        if (probe == HYB_PROBE_HOST && count == 0)
            count = 1;
        if (probe == HYB_PROBE_DEVICES && count == total)
            count = total - 1;
    }
    run->grabs++;
    return hyb_range_take_back(&run->job->range, count);
}

static void help(run_t *run, hyb_span_t first)
{
    hyb_span_t span;

    for (span = first; span.count > 0; span = grab(run))
        compute_tiles(run, span);
}

/*
 * What failed devices give back, until none works on anything; then what they
 * had not taken, as large parts.
 */
static void complete(run_t *run)
{
    hyb_span_t span;
    int64_t tile;
    bool idle;

    do {
        hyb_job_wait(run->job);
        idle = hyb_job_idle(run->job);
        while ((tile = hyb_job_take_returned(run->job)) >= 0)
            compute_tiles(run, (hyb_span_t){tile, 1});
    } while (!idle);
    span = hyb_range_take_back(&run->job->range,
                               hyb_range_remaining(&run->job->range));
    if (span.count > 0)
        compute_tiles(run, span);
}

/* ---- all together -------------------------------------------------------- */

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

/* The devices begin when the team has what the policy gives it first. */
static void share_out(run_t *run, hyb_offload_t *offload)
{
    hyb_span_t first = {0, 0};

    run->share = run->node->split.policy == HYB_SPLIT_FIXED
                     ? run->node->split.share
                     : hyb_ratio_share(&run->node->ratio, HYB_PANEL_ELSEWHERE,
                                       xh_gemm_flop(run->job->product));
    if (run->executors.team)
        first = grab(run);
    hyb_offload_release(offload, run->job->tiling.n);
    help(run, first);
    if (run->executors.team)
        complete(run);
}

static xh_status_t run_together(run_t *run, const xh_gemm_t *product)
{
    const hyb_offload_way_t way = {run->executors.devices, hyb_tiling_plan};
    hyb_offload_t *offload;
    xh_status_t status =
        hyb_offload_begin_as(run->node, product, &way, &offload);

    if (status != XH_OK)
        return status;
    run->job = hyb_offload_job(offload);
    share_out(run, offload);
    status = hyb_offload_finish(offload, &run->report);
    if (status != XH_OK)
        return status;
    run->report.share = run->share;
    run->report.team.compute_seconds = run->seconds;
    if (run->executors.team)
        learn(run);
    return run->status;
}

/* The team does all, which is not cut. */
static xh_status_t run_alone(run_t *run, const xh_gemm_t *product)
{
    compute(run, product);
    run->report.team.flop = xh_gemm_flop(product);
    run->report.team.compute_seconds = run->seconds;
    return run->status;
}

static bool is_trivial(const xh_gemm_t *p)
{
    return p->alpha == 0.0 || xh_gemm_flop(p) == 0.0;
}

xh_status_t hyb_machine_gemm(hyb_machine_t *node, const xh_gemm_t *product,
                             hyb_executors_t executors, hyb_report_t *report_p)
{
    run_t run = {.node = node, .executors = executors};
    double started = xh_clock_now();
    xh_status_t status;

    if (!xh_gemm_conforms(product))
        return XH_ERR_ARG;
    if (!executors.team && working_devices(&run) == 0)
        return executors.devices != 0 ? XH_ERR_DEVICE : XH_ERR_ARG;
    if (is_trivial(product) || working_devices(&run) == 0)
        status = run_alone(&run, product);
    else
        status = run_together(&run, product);
    run.report.seconds = xh_clock_now() - started;
    run.report.team.seconds = run.report.team.compute_seconds;
    if (report_p != NULL && status == XH_OK)
        *report_p = run.report;
    else
        free(run.report.owner);
    return status;
}

void hyb_machine_pin(hyb_machine_t *node, double *memory, size_t bytes)
{
    int i;

    for (i = 0; i < node->devices; i++)
        if (!hyb_stream_failed(node->stream[i]))
            hyb_device_pin(hyb_machine_device(node, i), memory, bytes);
}

void hyb_machine_unpin(hyb_machine_t *node, double *memory)
{
    int i;

    for (i = 0; i < node->devices; i++)
        hyb_device_unpin(hyb_machine_device(node, i), memory);
}
