/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/gemm.h"

#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/product.h"
#include "testing/xdgemm/team_tiles.h"

/* A running product. */
typedef struct {
    xdg_gemm_t *gemm;
    xdg_participants_t participants;
    hyb_product_t *product;
    hyb_report_t report;
    double share;       /* the devices' share */
    int64_t end;        /* the team has not taken tiles 0 .. end - 1 */
    int takes;          /* how often the team took tiles */
    double seconds;     /* seconds in which the team multiplied */
    xh_status_t status; /* status of the team's products */
} run_t;

static xh_status_t find_executors(const hyb_machine_t *machine,
                                  xdg_executors_t *executors)
{
    int devices = hyb_machine_devices(machine);

    executors->count = 1 + devices;
    snprintf(executors->name[0], XDG_NAME, "host");
    for (int i = 0; i < devices; i++) {
        hyb_device_info_t *info = &executors->device[i];

        XH_TRY(hyb_device_describe(hyb_machine_device(machine, i), info));
        snprintf(executors->name[i + 1], XDG_NAME, "%s:%d", info->backend,
                 info->index % 1000);
    }
    return XH_OK;
}

xh_status_t xdg_gemm_open(hyb_machine_t *machine, xdg_gemm_t *gemm_p)
{
    *gemm_p = (xdg_gemm_t){.machine = machine};
    XH_TRY(hyb_split_of_setting(&gemm_p->split));
    XH_TRY(find_executors(machine, &gemm_p->executors));
    return hyb_host_gemm_create(hyb_machine_team(machine),
                                hyb_machine_kernel(machine), &gemm_p->host);
}

void xdg_gemm_close(xdg_gemm_t *gemm)
{
    hyb_host_gemm_destroy(gemm->host);
    gemm->host = NULL;
}

/* Number of participating devices; *lost_p tells whether one of them has
 * failed. */
static int devices_of(const run_t *run, bool *lost_p)
{
    const hyb_machine_t *machine = run->gemm->machine;
    int count = 0;

    *lost_p = false;
    for (int i = 0; i < hyb_machine_devices(machine); i++) {
        bool takes_part = (run->participants.devices >> i & 1) != 0;

        count += takes_part;
        *lost_p |= takes_part && !hyb_machine_works(machine, i);
    }
    return count;
}

/* ---- the team's part ----------------------------------------------------- */

static void compute(run_t *run, const xh_gemm_t *product)
{
    double started = xh_clock_now();
    xh_status_t status = hyb_host_gemm(run->gemm->host, product);

    if (status != XH_OK)
        run->status = status;
    run->seconds += xh_clock_now() - started;
}

static void compute_tiles(run_t *run, int64_t first, int64_t count)
{
    xh_rectangle_t part[XDG_COVER_MOST];
    int parts = xdg_tiles_cover(&run->product->tiling, first, count, part);

    for (int i = 0; i < parts; i++) {
        xh_gemm_t p = xh_gemm_part(run->product->gemm, part[i]);

        compute(run, &p);
    }
}

/*
 * Number of tiles that the policy gives the team now. Shares are fractions of
 * work, and tiles differ in size, so the policy counts tiles of mean size.
 */
static int64_t tiles_for_team(const run_t *run)
{
    const hyb_tiling_t *tiling = &run->product->tiling;
    int64_t total = hyb_tiling_count(tiling);
    int64_t left = hyb_product_remaining(run->product);
    double share = 1.0 - run->share;
    int64_t count =
        xdg_team_tiles(&run->gemm->split, run->share, run->takes, total, left);

    if (run->gemm->split.policy != HYB_SPLIT_RATIO || count < 2 ||
        count == left)
        return count;
    if (run->takes > 0)
        share *= (double)left / (double)total;
    count = xdg_tiles_last_share(tiling, run->end, share);
    return count > 0 ? count : 1;
}

/* Take tiles from run->end on; returns their number. */
static int64_t take_tiles(run_t *run)
{
    int64_t count = tiles_for_team(run);

    if (run->takes++ == 0)
        count = xdg_team_tiles_refresh(&run->gemm->split, count,
                                       hyb_tiling_count(&run->product->tiling));
    return hyb_product_take_last(run->product, count, &run->end);
}

/* ---- all together -------------------------------------------------------- */

static void learn(run_t *run)
{
    const hyb_work_t *team = &run->report.team;
    double flop = 0.0, seconds = 0.0;

    for (int i = 0; i < hyb_machine_devices(run->gemm->machine); i++) {
        flop += run->report.device[i].flop;
        seconds = fmax(seconds, run->report.device[i].seconds);
    }
    hyb_split_learn(&run->gemm->split, flop, seconds, team->flop,
                    team->compute_seconds, 0.0);
}

/* The devices begin once the team has taken its first tiles. */
static void compute_shared(run_t *run)
{
    int64_t count = 0;

    run->end = hyb_tiling_count(&run->product->tiling);
    run->share =
        hyb_split_share(&run->gemm->split, xh_gemm_flop(run->product->gemm));
    if (run->participants.team)
        count = take_tiles(run);
    hyb_product_start(run->product);
    for (; count > 0 && hyb_product_lost(run->product) < 0;
         count = take_tiles(run))
        compute_tiles(run, run->end, count);
}

static xh_status_t run_together(run_t *run, const xh_gemm_t *product)
{
    XH_TRY(hyb_product_begin(run->gemm->machine, product,
                             run->participants.devices, &run->product));
    compute_shared(run);
    XH_TRY(hyb_product_finish(run->product, &run->report));
    run->report.share = run->share;
    run->report.team.compute_seconds = run->seconds;
    if (run->participants.team)
        learn(run);
    return run->status;
}

xh_status_t xdg_gemm(xdg_gemm_t *gemm, const xh_gemm_t *product,
                     xdg_participants_t participants, hyb_report_t *report_p)
{
    run_t run = {.gemm = gemm, .participants = participants};
    double started = xh_clock_now();
    bool lost, alone = devices_of(&run, &lost) == 0;
    xh_status_t status;

    if (!xh_gemm_conforms(product) || (!participants.team && alone))
        return XH_ERR_ARG;
    if (lost)
        return XH_ERR_DEVICE;
    alone |= product->alpha == 0.0 || xh_gemm_flop(product) == 0.0;
    if (alone) { /* the team computes all of C, which has no tiles */
        compute(&run, product);
        run.report.team.flop = xh_gemm_flop(product);
        run.report.team.compute_seconds = run.seconds;
    }
    status = alone ? run.status : run_together(&run, product);
    run.report.seconds = xh_clock_now() - started;
    run.report.team.seconds = run.report.team.compute_seconds;
    if (report_p != NULL && status == XH_OK)
        *report_p = run.report;
    else
        free(run.report.owner);
    return status;
}

/* ---- what a report says -------------------------------------------------- */

const hyb_work_t *xdg_work(const hyb_report_t *report, int index)
{
    return index == 0 ? &report->team : &report->device[index - 1];
}

double xdg_work_flop(const hyb_report_t *report)
{
    double flop = 0.0;

    for (int i = 0; i < HYB_EXECUTORS; i++)
        flop += xdg_work(report, i)->flop;
    return flop;
}

double xdg_work_idle(const hyb_report_t *report, int index)
{
    const hyb_work_t *work = xdg_work(report, index);
    double span = index == 0 ? report->seconds : work->span_seconds;

    if (!(work->compute_seconds > 0.0) || !(span > 0.0))
        return NAN;
    return fmax(0.0, 1.0 - work->compute_seconds / span);
}
