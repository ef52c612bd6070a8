/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/gemm.h"

#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/product.h"
#include "testing/xdgemm/grabs.h"

/* one product under way */
typedef struct {
    xdg_gemm_t *gemm;
    xdg_who_t who;
    hyb_product_t *product;
    hyb_report_t report;
    double share;       /* of the devices */
    int64_t end;        /* tiles 0 .. end - 1 the team has not taken */
    int grabs;          /* how often it took tiles */
    double seconds;     /* that the team multiplied */
    xh_status_t status; /* of the team's part */
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

/* Devices that are to take part; is one of them lost? */
static int devices_of(const run_t *run, bool *lost_p)
{
    const hyb_machine_t *machine = run->gemm->machine;
    int count = 0;

    *lost_p = false;
    for (int i = 0; i < hyb_machine_devices(machine); i++) {
        bool takes_part = (run->who.devices >> i & 1) != 0;

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
    xh_rectangle_t part[XDG_COVER];
    int parts = xdg_tiles_cover(&run->product->tiling, first, count, part);

    for (int i = 0; i < parts; i++) {
        xh_gemm_t p = xh_gemm_part(run->product->gemm, part[i]);

        compute(run, &p);
    }
}

/*
 * Tiles for the team now, by policy. Shares are of work, and tiles are not all
 * of one size: of several the policy says how much they are, in mean ones.
 */
static int64_t tiles_for_team(const run_t *run)
{
    const hyb_tiling_t *tiling = &run->product->tiling;
    int64_t total = hyb_tiling_count(tiling);
    int64_t left = hyb_product_remaining(run->product);
    double share = 1.0 - run->share;
    int64_t count =
        xdg_grab_tiles(&run->gemm->split, run->share, run->grabs, total, left);

    if (run->gemm->split.policy != HYB_SPLIT_RATIO || count < 2 ||
        count == left)
        return count;
    if (run->grabs > 0)
        share *= (double)left / (double)total;
    count = xdg_tiles_of(tiling, run->end, share);
    return count > 0 ? count : 1;
}

/* Take tiles from run->end on; returns how many. */
static int64_t grab(run_t *run)
{
    int64_t count = tiles_for_team(run);

    if (run->grabs++ == 0)
        count = xdg_grab_probe(&run->gemm->split, count,
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

/* The devices begin when the team has what the policy gives it first. */
static void share_out(run_t *run)
{
    int64_t count = 0;

    run->end = hyb_tiling_count(&run->product->tiling);
    run->share =
        hyb_split_share(&run->gemm->split, xh_gemm_flop(run->product->gemm));
    if (run->who.team)
        count = grab(run);
    hyb_product_start(run->product);
    for (; count > 0 && hyb_product_lost(run->product) < 0; count = grab(run))
        compute_tiles(run, run->end, count);
}

static xh_status_t run_together(run_t *run, const xh_gemm_t *product)
{
    XH_TRY(hyb_product_begin(run->gemm->machine, product, run->who.devices,
                             &run->product));
    share_out(run);
    XH_TRY(hyb_product_finish(run->product, &run->report));
    run->report.share = run->share;
    run->report.team.compute_seconds = run->seconds;
    if (run->who.team)
        learn(run);
    return run->status;
}

xh_status_t xdg_gemm(xdg_gemm_t *gemm, const xh_gemm_t *product, xdg_who_t who,
                     hyb_report_t *report_p)
{
    run_t run = {.gemm = gemm, .who = who};
    double started = xh_clock_now();
    bool lost, alone = devices_of(&run, &lost) == 0;
    xh_status_t status;

    if (!xh_gemm_conforms(product) || (!who.team && alone))
        return XH_ERR_ARG;
    if (lost)
        return XH_ERR_DEVICE;
    alone |= product->alpha == 0.0 || xh_gemm_flop(product) == 0.0;
    if (alone) { /* the team does all, which is not cut */
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
