/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/measure.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include "base/clock.h"
#include "base/integers.h"
#include "base/median.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/tuner/split.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/plan/busy_devices.h"
#include "hybrid/plan/host_panel.h"
#include "hybrid/plan/host_update.h"
#include "hybrid/plan/probes.h"

enum {
    CALLS = 9,         /* at most, of which the median counts */
    PACKINGS = 3,      /* calls: they take little */
    HEIGHTS = 4,       /* rows at which is measured ... */
    LEAST_HEIGHTS = 2, /* ... even if there is no time */
    PARTS = 8,         /* that are measured at each, ... */
    OF_UPDATE = 3,     /* ... of which the update, most of a run, is three */
    ENOUGH = 4,        /* of its calls, where columns are fewer for that */
    NARROWEST = 8,
    WIDEST = 512,              /* panels that are measured ... */
    WIDEST_WITH_DEVICES = 1024 /* ... and where there are devices */
};

static const int64_t height[HEIGHTS] = {256, 1024, 4096, 8192};
static const double uncached_bytes = 0x1p26; /* of a matrix, at least */
static const double ceiling_part = 0.05, link_part = 0.1, sweep_part = 0.05;

/* Panels of one width. */
typedef struct {
    const hyb_means_t *means;
    hyb_team_t *team;
    int processes;
    int64_t nb;
    double share;   /* seconds of each part */
    double rate;    /* flop/s of this process, at most */
    double bytes;   /* of a matrix, about */
    double by_blas; /* seconds of C's update, over those of the kernel */
    hyb_busy_devices_t *devices; /* of this process; NULL: none */
    hyb_phase_t *phase;
    hyb_model_width_t *width;
} work_t;

static int processes_here(void)
{
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    return processes;
}

/* The slowest process counts. */
static void add_point(const work_t *w, hyb_model_curve_t *curve, double rows,
                      double seconds)
{
    hyb_phase_step(w->phase);
    curve->rows[curve->count] = rows;
    curve->seconds[curve->count++] = hyb_slowest(seconds);
}

/* ---- columns ------------------------------------------------------------- */

/* As many calls as fit into share seconds, alike on all processes. */
static double update_seconds(hyb_host_update_t *x, hyb_update_part_t part,
                             double share)
{
    double once;

    MPI_Barrier(MPI_COMM_WORLD);
    once = hyb_slowest(hyb_host_update_seconds(x, part, 1).median);
    MPI_Barrier(MPI_COMM_WORLD);
    return hyb_host_update_seconds(x, part,
                                   hyb_calls_within(share, once, CALLS))
        .median;
}

/*
 * Whole chunks, equally many of each thread; as many columns as rows, as the
 * matrix has them: what is left of it is in caches or not. Fewer where memory
 * is short, or, as long as it stays out of caches, time.
 */
static int64_t columns(const work_t *w, int64_t m, int64_t chunk)
{
    double each = (double)(chunk * hyb_team_size(w->team)), rows = (double)m;
    double seconds = 2.0 * rows * each * (double)w->nb / w->rate;
    double in_time = OF_UPDATE * w->share / (ENOUGH * seconds);
    double most = w->bytes / 8.0 / (rows * each);
    double uncached = uncached_bytes / 8.0 / (rows * each);

    most = fmin(most, fmax(in_time, uncached));
    return (int64_t)each *
           (int64_t)fmax(1.0, fmin(ceil(rows / each), floor(most)));
}

/* The next panel's columns. The library has wider runs. */
static void measure_narrow(const work_t *w, hyb_host_update_t *x, int64_t m,
                           int64_t n)
{
    const hyb_means_t *means = w->means;

    if (means->by_blas)
        return;
    hyb_host_update_set_chunk(x, hyb_means_narrow_columns(means, w->nb));
    add_point(w, &w->width->narrow, (double)m,
              update_seconds(x, HYB_UPDATE_COMPLETE, w->share) / (double)n);
}

static xh_status_t measure_update(const work_t *w, int64_t m)
{
    const hyb_kernel_t *kernel = w->means->kernel;
    int64_t chunk = hyb_means_run_columns(w->means, w->nb);
    int64_t n = columns(w, m, chunk);
    hyb_update_shape_t shape = {m, n, w->nb, chunk};
    hyb_host_update_t *x = NULL;
    double complete, prepare, cols = (double)n;
    xh_status_t status = hpl_agree(
        MPI_COMM_WORLD, hyb_host_update_create(kernel, w->team, shape, &x));

    if (status == XH_OK) {
        complete =
            update_seconds(x, HYB_UPDATE_COMPLETE, OF_UPDATE * w->share) / cols;
        prepare = update_seconds(x, HYB_UPDATE_PREPARE, w->share) / cols;
        prepare = fmin(prepare, complete);
        add_point(w, &w->width->update, (double)m,
                  prepare + (complete - prepare) * w->by_blas);
        add_point(w, &w->width->prepare, (double)m, prepare);
        if (w->processes > 1)
            add_point(
                w, &w->width->pack, (double)m,
                hyb_host_update_seconds(x, HYB_UPDATE_PACK, PACKINGS).median /
                    cols);
        measure_narrow(w, x, m, n);
    }
    hyb_host_update_destroy(x);
    return status;
}

/* ---- panels -------------------------------------------------------------- */

/* As many calls as fit into share seconds, alike on all processes. */
static double panel_seconds(hyb_host_panel_t *x, int members, double share,
                            int *calls_p)
{
    double once;

    MPI_Barrier(MPI_COMM_WORLD);
    once = hyb_slowest(hyb_host_panel_seconds(x, members, 1).median);
    *calls_p = hyb_calls_within(share, once, CALLS);
    MPI_Barrier(MPI_COMM_WORLD);
    return hyb_host_panel_seconds(x, members, *calls_p).median;
}

/* Its rows are loaded by all who factor it. */
static void measure_members(const work_t *w, hyb_host_panel_t *x, int64_t m,
                            int members, hyb_model_curve_t *curve)
{
    int calls;
    double seconds = panel_seconds(x, members, w->share, &calls);

    seconds += hyb_host_panel_load_seconds(x, calls).median / members;
    add_point(w, curve, (double)m, seconds);
}

/*
 * What a panel takes longer where its pivots are agreed on with all others:
 * messages, and waiting for the slowest at each column.
 */
static xh_status_t measure_pivots(const work_t *w, hyb_host_panel_t *x,
                                  int64_t m)
{
    int members = hyb_team_size(w->team), calls;
    double alone, together;
    xh_status_t status;

    if (w->processes == 1)
        return XH_OK;
    alone = hyb_slowest(panel_seconds(x, members, w->share / 2, &calls));
    status = hyb_probe_panel(x, members, (int)w->nb, calls, &together);
    if (status == XH_OK)
        add_point(w, &w->width->pivot, (double)m,
                  fmax(0.0, together - alone) / (double)w->nb /
                      hyb_messages_rounds(w->processes));
    return status;
}

static xh_status_t measure_panel(const work_t *w, int64_t m)
{
    hyb_host_panel_t *x = NULL;
    xh_status_t status = hpl_agree(
        MPI_COMM_WORLD,
        hyb_host_panel_create(w->means->kernel, w->team, m, (int)w->nb, &x));

    if (status == XH_OK) {
        measure_members(w, x, m, 1, &w->width->alone);
        measure_members(w, x, m, hyb_team_size(w->team), &w->width->team);
        status = measure_pivots(w, x, m);
    }
    hyb_host_panel_destroy(x);
    return status;
}

/* ---- one width ----------------------------------------------------------- */

/* The team's work, while devices are at theirs. */
static xh_status_t measure_height(const work_t *w, int64_t m)
{
    hyb_device_pace_t pace;
    xh_status_t status;

    hyb_busy_devices_begin(w->devices, m, w->nb, w->share);
    status = measure_update(w, m);
    if (status == XH_OK)
        status = measure_panel(w, m + w->nb);
    pace = hyb_busy_devices_end(w->devices);
    if (w->means->offloads) {
        add_point(w, &w->width->devices, (double)m, pace.column);
        w->width->tile =
            (int)hyb_slowest((double)xh_larger(pace.tile_columns, 0));
    }
    return status;
}

/*
 * Rows by rows, as long as there is time, which all parts to come share.
 *
 * glance   in   seconds for a ceiling at each number of rows
 * ceiling  out  HEIGHTS at most, of all processes
 */
static xh_status_t measure_width(work_t w, double seconds, double glance,
                                 double *ceiling, int *ceilings_p)
{
    double begun = xh_clock_now(), spent;
    xh_status_t status = XH_OK;

    for (int i = 0; i < HEIGHTS && status == XH_OK; i++) {
        spent = hyb_slowest(xh_clock_now() - begun);
        if (i >= LEAST_HEIGHTS && spent > seconds / 2)
            break;
        w.share = fmax(0.0, seconds - spent) / (PARTS * (HEIGHTS - i));
        *ceiling = hyb_probe_ceiling(w.team, w.means->kernel->isa, glance);
        w.rate = *ceiling++ / w.processes;
        ++*ceilings_p;
        status = measure_height(&w, height[i]);
    }
    return status;
}

/* ---- all ----------------------------------------------------------------- */

/* What the update takes with the library, where that multiplies. */
static double by_blas(const hyb_means_t *means)
{
    hyb_kernels_t tried = hyb_kernels_of_setting();

    return means->by_blas && tried.blas > 0.0
               ? tried.rate[means->kernel->isa] / tried.blas
               : 1.0;
}

/* What is asked for, within what is measured. */
static int64_t width_of(const hyb_means_t *means, const hyb_measurement_t *what,
                        int i)
{
    int most = means->offloads ? WIDEST_WITH_DEVICES : WIDEST;

    return xh_smaller(most, xh_larger(NARROWEST, what->width[i]));
}

/* Where a process has none, or lost the last one meanwhile, none counts. */
static void forget_lost_devices(hyb_model_rates_t *rates)
{
    bool lost = false;

    for (int i = 0; i < rates->widths; i++)
        for (int j = 0; j < rates->width[i].devices.count; j++)
            lost = lost || isinf(rates->width[i].devices.seconds[j]);
    for (int i = 0; i < rates->widths && lost; i++)
        rates->width[i].devices.count = 0;
}

static xh_status_t measure_widths(const hyb_means_t *means,
                                  const hyb_measurement_t *what, double seconds,
                                  hyb_phase_t *phase, hyb_model_rates_t *rates)
{
    double ceiling[HYB_MODEL_WIDTHS_MOST * HEIGHTS];
    double glance = ceiling_part * what->seconds / (what->widths * HEIGHTS);
    int ceilings = 0;
    work_t work = {.means = means,
                   .phase = phase,
                   .team = means->team,
                   .processes = processes_here(),
                   .bytes = what->bytes,
                   .by_blas = by_blas(means)};
    xh_status_t status = hpl_agree(
        MPI_COMM_WORLD,
        hyb_busy_devices_create(means->machine, height[HEIGHTS - 1],
                                width_of(means, what, what->widths - 1),
                                what->device_bytes, &work.devices));

    hyb_phase_step(phase);
    for (int i = 0; i < what->widths && status == XH_OK; i++) {
        work.nb = width_of(means, what, i);
        work.width = &rates->width[rates->widths++];
        work.width->nb = (int)work.nb;
        status = measure_width(work, seconds / what->widths, glance,
                               ceiling + ceilings, &ceilings);
    }
    hyb_busy_devices_destroy(work.devices);
    forget_lost_devices(rates);
    if (status == XH_OK)
        rates->ceiling = xh_median(ceiling, ceilings);
    return status;
}

xh_status_t hyb_measure(const hyb_means_t *means, const hyb_measurement_t *what,
                        hyb_model_rates_t *rates_p)
{
    hyb_team_t *team = means->team;
    hyb_split_t split;
    hyb_model_rates_t rates = {.threads =
                                   (int)-hyb_slowest(-hyb_team_size(team))};
    double of_link = link_part * what->seconds;
    double of_sweep = sweep_part * what->seconds;
    hyb_phase_t phase;
    xh_status_t status = hyb_split_of_setting(&split);

    if (status != XH_OK)
        return status;
    rates.fixed = split.policy == HYB_SPLIT_FIXED;
    rates.share = split.share;
    hyb_phase_begin(&phase, "measuring rates of links, cores and devices",
                    hyb_watchdog_patience());
    status = hyb_probe_link(what->row_step, of_link, &rates.row);
    hyb_phase_step(&phase);
    if (status == XH_OK)
        status = hyb_probe_link(what->column_step, of_link, &rates.column);
    hyb_phase_step(&phase);
    if (status == XH_OK)
        status = hyb_probe_sweep(team, of_sweep, &rates.sweep);
    hyb_phase_step(&phase);
    if (status == XH_OK)
        status = measure_widths(means, what,
                                what->seconds - 2.0 * of_link - of_sweep,
                                &phase, &rates);
    hyb_phase_end(&phase);
    if (status == XH_OK)
        *rates_p = rates;
    return status;
}
