/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/measure.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include "base/clock.h"
#include "base/integers.h"
#include "base/median.h"
#include "hpl/grid/agree.h"
#include "hybrid/observe/phase.h"
#include "hybrid/lu/means.h"
#include "hybrid/lu/tuner/split.h"
#include "hybrid/plan/devices.h"
#include "hybrid/plan/links.h"
#include "hybrid/plan/packing.h"
#include "hybrid/plan/pivots.h"
#include "hybrid/plan/probes.h"
#include "hybrid/plan/host_panel.h"
#include "hybrid/plan/host_update.h"

enum {
    CALLS = 9,         /* at most, of which the median counts */
    PACKINGS = 3,      /* they take little ... */
    COPIES = 3,        /* ... and so do these */
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

/* What the cores could do meanwhile. */
typedef struct {
    int count;
    double rate[XHPL_WIDTHS_MOST * HEIGHTS]; /* flop/s */
} ceilings_t;

/* One width's measuring. */
typedef struct {
    const hyb_means_t *means;
    hyb_team_t *team;
    int64_t nb;
    double share;   /* seconds of each part */
    double rate;    /* flop/s of this process, at most */
    double bytes;   /* of a matrix, about */
    double by_blas; /* seconds of C's update, over those of the kernel */
    bool exchanges; /* rows may travel between processes */
    bool offloads;  /* some process has devices ... */
    xhpl_devices_t *devices; /* ... and this one, if not NULL */
    hyb_phase_t *phase;
    xhpl_width_t *width;
    ceilings_t *ceilings; /* one at each height, before all else ... */
    double glance;        /* ... in so many seconds */
} work_t;

/* Calls that there is time for, alike on all processes. */
static int calls_for(double share, double once)
{
    return (int)fmin(CALLS, fmax(1.0, share / fmax(once, 1e-9)));
}

static void add_point(const work_t *w, xhpl_curve_t *curve, double rows,
                      double seconds)
{
    hyb_phase_step(w->phase);
    curve->rows[curve->count] = rows;
    curve->seconds[curve->count++] = xhpl_links_slowest(seconds);
}

/* ---- columns ------------------------------------------------------------- */

static double update_seconds(xhost_update_t *x, xhost_work_t what, double share)
{
    double once;

    MPI_Barrier(MPI_COMM_WORLD);
    once = xhpl_links_slowest(xhost_update_seconds(x, what, 1));
    MPI_Barrier(MPI_COMM_WORLD);
    return xhost_update_seconds(x, what, calls_for(share, once));
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

static xh_status_t measure_packing(const work_t *w, const xhost_update_t *x,
                                   int64_t m)
{
    const int *source;
    xh_view_t columns = xhost_update_columns(x, &source);
    double seconds = 0.0;
    xh_status_t status;

    MPI_Barrier(MPI_COMM_WORLD);
    status = hpl_agree(MPI_COMM_WORLD,
                       xhpl_packing_seconds(w->team, columns, source,
                                            (int)w->nb, PACKINGS, &seconds));
    if (status == XH_OK)
        add_point(w, &w->width->pack, (double)m,
                  seconds / (double)columns.cols);
    return status;
}

/* The next panel's columns. The library has wider runs. */
static void measure_narrow(const work_t *w, xhost_update_t *x,
                           const xhost_shape_t *shape)
{
    const hyb_means_t *means = w->means;

    if (means->multiplier == HYB_BY_BLAS)
        return;
    xhost_update_set_chunk(x, hyb_means_narrow_columns(means, w->nb));
    add_point(w, &w->width->narrow, (double)shape->m,
              update_seconds(x, XHOST_COMPLETE, w->share) / (double)shape->n);
}

static xh_status_t measure_update(const work_t *w, int64_t m)
{
    const hyb_kernel_t *kernel = w->means->kernel;
    int64_t chunk = hyb_means_run_columns(w->means, w->nb);
    xhost_shape_t shape = {m, columns(w, m, chunk), w->nb, chunk};
    xhost_update_t *x = NULL;
    double complete, prepare;
    xh_status_t status = hpl_agree(
        MPI_COMM_WORLD, xhost_update_create(kernel, w->team, shape, &x));

    if (status == XH_OK) {
        complete = update_seconds(x, XHOST_COMPLETE, OF_UPDATE * w->share);
        complete /= (double)shape.n;
        prepare = update_seconds(x, XHOST_PREPARE, w->share);
        prepare /= (double)shape.n;
        prepare = fmin(prepare, complete);
        add_point(w, &w->width->update, (double)m,
                  prepare + (complete - prepare) * w->by_blas);
        add_point(w, &w->width->prepare, (double)m, prepare);
        measure_narrow(w, x, &shape);
    }
    if (status == XH_OK && w->exchanges)
        status = measure_packing(w, x, m);
    xhost_update_destroy(x);
    return status;
}

/* ---- panels -------------------------------------------------------------- */

/* Its rows are loaded by all who factor it. */
static void measure_members(const work_t *w, xhost_panel_t *x, int64_t m,
                            int members, xhpl_curve_t *curve)
{
    double once, seconds;
    int calls;

    MPI_Barrier(MPI_COMM_WORLD);
    once = xhpl_links_slowest(xhost_panel_seconds(x, members, 1));
    calls = calls_for(w->share, once);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = xhost_panel_seconds(x, members, calls) +
              xhost_panel_load_seconds(x, calls) / members;
    add_point(w, curve, (double)m, seconds);
}

/*
 * What a panel takes longer where its pivots are agreed on with all others:
 * messages, and waiting for the slowest at each column.
 */
static xh_status_t measure_pivots(const work_t *w, xhost_panel_t *x, int64_t m)
{
    int members = hyb_team_size(w->team), processes, calls;
    double alone, together = 0.0;
    xh_status_t status;

    if (!w->exchanges)
        return XH_OK;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Barrier(MPI_COMM_WORLD);
    alone = xhpl_links_slowest(xhost_panel_seconds(x, members, 1));
    calls = calls_for(w->share / 2, alone);
    MPI_Barrier(MPI_COMM_WORLD);
    alone = xhpl_links_slowest(xhost_panel_seconds(x, members, calls));
    status = xhpl_pivots_seconds(x, members, (int)w->nb, calls, &together);
    if (status == XH_OK)
        add_point(w, &w->width->pivot, (double)m,
                  fmax(0.0, together - alone) / (double)w->nb /
                      xhpl_messages_rounds(processes));
    return status;
}

static xh_status_t measure_panel(const work_t *w, int64_t m)
{
    xhost_panel_t *x = NULL;
    xh_status_t status = hpl_agree(
        MPI_COMM_WORLD, xhost_panel_create(w->means->kernel, w->team, m + w->nb,
                                           (int)w->nb, &x));

    if (status == XH_OK) {
        measure_members(w, x, m + w->nb, 1, &w->width->alone);
        measure_members(w, x, m + w->nb, hyb_team_size(w->team),
                        &w->width->team);
        status = measure_pivots(w, x, m + w->nb);
    }
    xhost_panel_destroy(x);
    return status;
}

/* ---- devices ------------------------------------------------------------- */

static void measure_devices(const work_t *w, int64_t m)
{
    xhpl_devices_pace_t pace;

    if (!w->offloads)
        return;
    pace = xhpl_devices_end(w->devices);
    add_point(w, &w->width->devices, (double)m, pace.column);
    w->width->tile =
        (int)xhpl_links_slowest((double)xh_larger(pace.tile_columns, 0));
    MPI_Barrier(MPI_COMM_WORLD);
    add_point(w, &w->width->copy, (double)m,
              xhpl_devices_copy_seconds(w->devices, m, w->nb, COPIES));
}

/* The team's work, while devices are at theirs. */
static xh_status_t measure_height(const work_t *w, int64_t m)
{
    xh_status_t status;

    xhpl_devices_begin(w->devices, m, w->nb, w->share);
    status = measure_update(w, m);
    if (status == XH_OK)
        status = measure_panel(w, m);
    measure_devices(w, m);
    return status;
}

/* ---- one width ----------------------------------------------------------- */

/* What a process can do now, which all agree on. */
static double glance_at_ceiling(const work_t *w)
{
    double rate = xhpl_probe_ceiling(w->means, w->glance);
    int processes;

    w->ceilings->rate[w->ceilings->count++] = rate;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    return rate / processes;
}

/* Rows by rows, as long as there is time, which all parts to come share. */
static xh_status_t measure_width(const work_t *w, double seconds)
{
    double begun = xh_clock_now(), spent;
    xh_status_t status = XH_OK;
    work_t now = *w;

    for (int i = 0; i < HEIGHTS && status == XH_OK; i++) {
        spent = xhpl_links_slowest(xh_clock_now() - begun);
        if (i >= LEAST_HEIGHTS && spent > seconds / 2)
            break;
        now.share = fmax(0.0, seconds - spent) / (PARTS * (HEIGHTS - i));
        now.rate = glance_at_ceiling(w);
        status = measure_height(&now, height[i]);
    }
    return status;
}

/* ---- all ----------------------------------------------------------------- */

/* What the update takes with the library, where that multiplies. */
static double by_blas(const hyb_means_t *means)
{
    hyb_kernels_t tried = hyb_kernels_of_setting();

    return means->multiplier == HYB_BY_BLAS && tried.blas > 0.0
               ? tried.rate[means->kernel->isa] / tried.blas
               : 1.0;
}

static bool has_others(void)
{
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    return processes > 1;
}

/* What is asked for, within what is measured. */
static int64_t width_of(const hyb_means_t *means,
                        const xhpl_measurement_t *what, int i)
{
    int most = means->offloads ? WIDEST_WITH_DEVICES : WIDEST;

    return (int64_t)fmin(most, fmax(NARROWEST, what->width[i]));
}

static xh_status_t open_devices(const hyb_means_t *means,
                                const xhpl_measurement_t *what,
                                xhpl_devices_t **devices_p)
{
    xhpl_devices_extent_t extent = {.rows = height[HEIGHTS - 1],
                                    .nb =
                                        width_of(means, what, what->widths - 1),
                                    .bytes = what->device_bytes};

    return hpl_agree(
        MPI_COMM_WORLD,
        xhpl_devices_create(means->machine, means->kernel, &extent, devices_p));
}

/* Where a process has none, or lost the last one meanwhile, none counts. */
static void forget_lost_devices(xhpl_rates_t *rates)
{
    bool lost = false;

    for (int i = 0; i < rates->widths; i++)
        for (int j = 0; j < rates->width[i].devices.count; j++)
            lost = lost || isinf(rates->width[i].devices.seconds[j]);
    for (int i = 0; i < rates->widths && lost; i++)
        rates->width[i].devices.count = rates->width[i].copy.count = 0;
}

static xh_status_t measure_widths(const hyb_means_t *means,
                                  const xhpl_measurement_t *what,
                                  double seconds, hyb_phase_t *phase,
                                  xhpl_rates_t *rates)
{
    ceilings_t ceilings = {.count = 0};
    work_t work = {.means = means,
                   .phase = phase,
                   .ceilings = &ceilings,
                   .glance =
                       ceiling_part * what->seconds / (what->widths * HEIGHTS),
                   .team = hyb_machine_team(means->machine),
                   .bytes = what->bytes,
                   .by_blas = by_blas(means),
                   .exchanges = has_others(),
                   .offloads = means->offloads};
    xh_status_t status = open_devices(means, what, &work.devices);

    hyb_phase_step(phase);
    for (int i = 0; i < what->widths && status == XH_OK; i++) {
        work.nb = width_of(means, what, i);
        work.width = &rates->width[rates->widths++];
        work.width->nb = (int)work.nb;
        status = measure_width(&work, seconds / what->widths);
    }
    xhpl_devices_destroy(work.devices);
    forget_lost_devices(rates);
    if (status == XH_OK)
        rates->ceiling = xh_median(ceilings.rate, ceilings.count);
    return status;
}

static xh_status_t measure_links(const xhpl_measurement_t *what,
                                 xhpl_rates_t *rates)
{
    double seconds = link_part * what->seconds;
    hyb_phase_t phase;
    xh_status_t status;

    hyb_phase_begin(&phase, "measuring messages between processes");
    status = xhpl_links_measure(what->row_step, seconds, &rates->row);
    hyb_phase_step(&phase);
    if (status == XH_OK)
        status = xhpl_links_measure(what->column_step, seconds, &rates->column);
    hyb_phase_end(&phase);
    return status;
}

static xh_status_t measure_work(const hyb_means_t *means,
                                const xhpl_measurement_t *what,
                                xhpl_rates_t *rates)
{
    double part = 1.0 - sweep_part - 2.0 * link_part;
    double s = what->seconds;
    hyb_phase_t phase;
    xh_status_t status;

    hyb_phase_begin(&phase, "measuring rates of cores and devices");
    status = xhpl_probe_sweep(means, sweep_part * s, &rates->sweep);
    hyb_phase_step(&phase);
    if (status == XH_OK)
        status = measure_widths(means, what, part * s, &phase, rates);
    hyb_phase_end(&phase);
    return status;
}

xh_status_t xhpl_measure(const hyb_means_t *means,
                         const xhpl_measurement_t *what, xhpl_rates_t *rates_p)
{
    int threads = hyb_team_size(hyb_machine_team(means->machine));
    xhpl_rates_t rates = {.threads = (int)-xhpl_links_slowest(-threads)};
    hyb_split_t split;
    xh_status_t status = hyb_split_of_setting(&split);

    if (status != XH_OK)
        return status;
    rates.fixed = split.policy == HYB_SPLIT_FIXED;
    rates.share = split.share;
    status = measure_links(what, &rates);
    if (status == XH_OK)
        status = measure_work(means, what, &rates);
    if (status == XH_OK)
        *rates_p = rates;
    return status;
}
