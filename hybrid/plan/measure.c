/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/measure.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/median.h"
#include "base/settings.h"
#include "base/run_delay.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hpl/panel/panel.h"
#include "hpl/pauxil/map.h"
#include "hybrid/node/wait.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/plan/probes.h"
#include "hybrid/plan/resident_devices.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/residence.h"
#include "hybrid/lu/tune/split.h"

enum {
    FEW_CALLS = 3,     /* calls of a short part */
    HEIGHTS = 4,       /* numbers of rows that are measured ... */
    LEAST_HEIGHTS = 2, /* ... even without time left */
    PARTS = 8,         /* shares of time per number of rows ... */
    OF_UPDATE = 3,     /* ... of which the update, most of a run, gets three */
    ENOUGH = 4,        /* calls of the update that must fit in its time */
    NARROWEST = 8,
    WIDEST = 512,              /* widest panel that is measured ... */
    WIDEST_WITH_DEVICES = 1024 /* ... and with devices */
};

/* Numbers of rows, in the order of measurement: the first two show the
 * difference between short and tall columns. */
static const int64_t height[HEIGHTS] = {256, 4096, 1024, 8192};
/* Bytes of a matrix: the smallest that exceeds caches, the largest on the host,
 * and the largest on devices. */
static const double uncached_bytes = 0x1p26, usual_bytes = 0x1p28,
                    device_bytes = 0x1p30;
static const double ceiling_part = 0.05, link_part = 0.1, sweep_part = 0.05;

/* ---- columns ------------------------------------------------------------- */

typedef struct {
    const hyb_resources_t *resources;
    const hyb_measurement_t *what;
    hyb_model_rates_t *rates;
    hyb_phase_t *phase;
    int processes;
    double by_blas; /* seconds of C's update / seconds by the kernel */
    hyb_model_width_t *width; /* rates of the panels being measured */
    double share;             /* seconds per share */
    double rate;              /* highest flop/s of this process */
    double ceiling[HYB_MODEL_WIDTHS_MOST * HEIGHTS]; /* of all processes */
    int ceilings;
    bool lacks_visitors; /* some process has no device, or a device of unknown
                            rate: rates for host columns are used on no process
                          */
    bool lacks_resident; /* some process lost a device with columns of its own:
                            rates for them are used on no process */
} work_t;

/* Add a point with the slowest process's seconds; points are sorted by rows. */
static void add_point(const work_t *w, hyb_model_curve_t *curve, int64_t rows,
                      double seconds)
{
    int at = curve->count++;

    hyb_phase_step(w->phase);
    for (; at > 0 && curve->rows[at - 1] > (double)rows; at--) {
        curve->rows[at] = curve->rows[at - 1];
        curve->seconds[at] = curve->seconds[at - 1];
    }
    curve->rows[at] = (double)rows;
    curve->seconds[at] = hyb_slowest(seconds);
}

/*
 * Return the number of columns to update: whole runs, equally many per thread,
 * and about as many columns as rows, so that caches hold as much of C as in a
 * test. Return fewer if memory is short, or if time is short, but enough that C
 * exceeds the caches.
 */
static int64_t columns(const work_t *w, int64_t m, int64_t run_cols)
{
    double each = (double)(run_cols * hyb_team_size(w->resources->team));
    double rows = (double)m;
    double seconds = 2.0 * rows * each * w->width->nb / w->rate;
    double in_time = OF_UPDATE * w->share / (ENOUGH * seconds);
    double most = fmin(usual_bytes, w->what->bytes) / 8.0 / (rows * each);
    double uncached = uncached_bytes / 8.0 / (rows * each);

    most = fmin(most, fmax(in_time, uncached));
    return (int64_t)each *
           (int64_t)fmax(1.0, fmin(ceil(rows / each), floor(most)));
}

static hyb_crew_t all_of(const hyb_host_update_t *x)
{
    return (hyb_crew_t){x->memory.team, hyb_team_size(x->memory.team)};
}

/* Return the seconds per column of the update's `parts`. */
static double column_seconds(hyb_host_update_t *x, int parts, double share)
{
    x->parts = parts;
    return hyb_time_together(all_of(x), NULL, hyb_host_update_run, x, share)
               .median /
           (double)x->n;
}

static void measure_columns(const work_t *w, hyb_host_update_t *x)
{
    enum {
        PREPARE = HYB_PART_SWAP | HYB_PART_SOLVE,
        ALL = PREPARE | HYB_PART_MULTIPLY
    };
    hyb_model_width_t *width = w->width;
    double complete = column_seconds(x, ALL, OF_UPDATE * w->share);
    double prepare = fmin(column_seconds(x, PREPARE, w->share), complete);
    double least = 2.0 * (double)x->m * width->nb / w->rate;

    add_point(w, &width->update, x->m,
              fmax(least, prepare + (complete - prepare) * w->by_blas));
    add_point(w, &width->prepare, x->m, prepare);
    if (w->processes > 1) {
        x->parts = HYB_PART_PACK;
        add_point(
            w, &width->pack, x->m,
            hyb_time_runs(all_of(x), NULL, hyb_host_update_run, x, FEW_CALLS)
                    .median /
                (double)x->n);
    }
    if (w->resources->by_blas)
        return; /* the library uses wide runs everywhere */
    x->run_cols = hyb_resources_narrow_columns(w->resources, w->width->nb);
    add_point(w, &width->narrow, x->m,
              fmax(least, column_seconds(x, ALL, w->share)));
}

static xh_status_t measure_update(const work_t *w, int64_t m)
{
    int64_t run_cols = hyb_resources_run_columns(w->resources, w->width->nb);
    hyb_host_update_t x = {.m = m,
                           .n = columns(w, m, run_cols),
                           .k = w->width->nb,
                           .run_cols = run_cols};
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD, hyb_host_update_open(&x, w->resources->kernel,
                                                       w->resources->team));

    if (status == XH_OK)
        measure_columns(w, &x);
    hyb_host_update_close(&x);
    return status;
}

/* ---- panels -------------------------------------------------------------- */

static void load_together(void *panel)
{
    hyb_host_panel_load(panel);
    HPL_barrier(MPI_COMM_WORLD);
}

static double panel_seconds(hyb_crew_t crew, hyb_host_panel_t *x, double share)
{
    return hyb_time_together(crew, load_together, hyb_host_panel_factor, x,
                             share)
        .median;
}

/* Measure a panel factored by some members, which load its rows together. */
static void measure_members(const work_t *w, hyb_host_panel_t *x, int members,
                            hyb_model_curve_t *curve)
{
    double seconds;

    x->members = members;
    seconds = panel_seconds((hyb_crew_t){x->memory.team, members}, x, w->share);
    seconds += hyb_time_runs((hyb_crew_t){x->memory.team, 1}, NULL,
                             hyb_host_panel_load, x, FEW_CALLS)
                   .median /
               members;
    add_point(w, curve, x->columns.rows, seconds);
}

/* All processes as one process column. */
typedef struct {
    HPL_T_grid column;
    HPL_T_panel panel;
    double *proposal;
    hpl_pivot_wait_t wait;
} pivots_t;

static void wait_for_pivot(bool (*is_so)(void *subject), void *subject,
                           void *context)
{
    hyb_wait_until(is_so, subject, NULL, context);
}

/* Agree on a pivot; the choice of the row does not matter. */
static void agree(void *context, hyb_pivot_t *pivot)
{
    pivots_t *p = context;
    hpl_map_t rows = hpl_map(p->panel.nb, p->column.nprow, p->column.myrow);

    pivot->row = hpl_map_global(&rows, pivot->row);
    hyb_panel_agree(&p->panel, p->proposal, &p->wait, pivot);
}

/*
 * Measure how much longer a panel takes if all processes factor it together,
 * like a column of processes: they exchange messages, and wait for the slowest
 * at each column. The first process has the top.
 */
static xh_status_t measure_pivots(const work_t *w, hyb_host_panel_t *x)
{
    const hyb_crew_t by_clock = {NULL, 0}; /* waiting takes no processor time */
    size_t length = HPL_PROPOSAL_ROWS + 2 * (size_t)w->width->nb;
    double *memory = calloc((1 + HPL_PIVOT_PEERS) * length, sizeof(*memory)),
           alone, together;
    pivots_t p = {.column = {.col_comm = MPI_COMM_WORLD, .nprow = w->processes},
                  .panel = {.grid = &p.column,
                            .m = INT_MAX,
                            .nb = w->width->nb,
                            .jb = w->width->nb},
                  .proposal = memory,
                  .wait = {memory + length, wait_for_pivot, NULL}};
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD, memory != NULL ? XH_OK : XH_ERR_MEMORY);

    if (status == XH_OK) {
        alone = hyb_slowest(panel_seconds(by_clock, x, w->share / 2));
        MPI_Comm_rank(MPI_COMM_WORLD, &p.column.myrow);
        x->panel.agree = agree;
        x->panel.context = &p;
        x->panel.top.rows = hpl_panel_top_rows(&p.panel);
        together = hyb_slowest(panel_seconds(by_clock, x, w->share / 2));
        add_point(w, &w->width->pivot, x->columns.rows,
                  fmax(0.0, together - alone) / w->width->nb /
                      hpl_pivot_rounds(w->processes));
    }
    free(memory);
    return status;
}

static xh_status_t measure_panel(const work_t *w, int64_t m)
{
    hyb_host_panel_t x;
    hyb_team_t *team = w->resources->team;
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD, hyb_host_panel_open(&x, w->resources->kernel,
                                                      team, m, w->width->nb));

    if (status == XH_OK) {
        measure_members(w, &x, 1, &w->width->alone);
        measure_members(w, &x, hyb_team_size(team), &w->width->team);
        if (w->processes > 1)
            status = measure_pivots(w, &x);
    }
    hyb_host_panel_close(&x);
    return status;
}

/* ---- one width ----------------------------------------------------------- */

/*
 * Measure panels while devices update columns of their own. If a tall panel
 * does not fit on some process's devices, its rates are used on no process.
 */
static xh_status_t measure_resident(work_t *w, int64_t m)
{
    hyb_machine_t *machine = w->resources->machine;
    hyb_resident_devices_t *devices;
    hyb_resident_seconds_t seconds;
    xh_status_t status;
    int failed;

    hyb_resident_devices_begin(machine, m, w->width->nb,
                               fmin(device_bytes, w->what->bytes), w->share,
                               &devices);
    status = measure_panel(w, m + w->width->nb);
    seconds = hyb_resident_devices_end(devices);
    failed =
        hyb_machine_devices(machine) - hyb_machine_working_devices(machine);
    if (!isinf(hyb_slowest(seconds.column))) {
        add_point(w, &w->width->resident, m, seconds.column);
        add_point(w, &w->width->transfer, m + w->width->nb, seconds.transfer);
        add_point(w, &w->width->subtract, m, seconds.subtract);
        if (w->rates->figures.panel_rows > 0.0)
            add_point(w, &w->width->factor, m + w->width->nb, seconds.factor);
        if (w->rates->figures.peers > 0.0)
            add_point(w, &w->width->peers, m, seconds.peers);
    }
    w->lacks_resident = hyb_slowest(failed) > 0.0 || w->lacks_resident;
    return status;
}

/* Return the devices' seconds per column of the host; INFINITY: unknown. */
static double visitor_seconds(const work_t *w, int64_t m)
{
    return 2.0 * (double)m * w->width->nb /
           hyb_probe_visitors(w->resources->machine, w->width->nb, 0.0);
}

static xh_status_t measure_height(work_t *w, int64_t m)
{
    bool resident =
        hyb_residence_may_be_device(w->rates->home, &w->rates->figures);
    double column = visitor_seconds(w, m);
    xh_status_t status = measure_update(w, m);

    if (status == XH_OK && !resident)
        status = measure_panel(w, m + w->width->nb);
    if (w->resources->offloads) {
        add_point(w, &w->width->devices, m, column);
        w->lacks_visitors = w->lacks_visitors || isinf(hyb_slowest(column));
    }
    return status == XH_OK && resident ? measure_resident(w, m) : status;
}

/* Are all row numbers below INT_MAX if all processes form one process column?
 */
static bool has_number(const work_t *w, int64_t m)
{
    return (m + 2 * WIDEST_WITH_DEVICES) * w->processes < INT_MAX;
}

/* Measure one number of rows after another while there is time; the parts of
 * each share the remaining time. */
static xh_status_t measure_width(work_t *w, double seconds)
{
    double start = xh_clock_now(), spent;
    double glance =
        ceiling_part * w->what->seconds / (w->what->widths * HEIGHTS);

    for (int i = 0; i < HEIGHTS; i++) {
        spent = hyb_slowest(xh_clock_now() - start);
        if (i >= LEAST_HEIGHTS &&
            (spent > seconds / 2 || !has_number(w, height[i])))
            break;
        w->share = fmax(0.0, seconds - spent) / (PARTS * (HEIGHTS - i));
        w->ceiling[w->ceilings] = hyb_probe_ceiling(
            w->resources->team, w->resources->kernel->isa, glance);
        w->rate = fmax(w->rate, w->ceiling[w->ceilings++] / w->processes);
        XH_TRY(measure_height(w, height[i]));
    }
    return XH_OK;
}

/* ---- all widths ---------------------------------------------------------- */

/* Return the seconds of C's update relative to the kernel's, if the BLAS
 * library multiplies. */
static double by_blas(const hyb_resources_t *resources)
{
    hyb_kernels_t kernels = hyb_kernels_of_setting();

    return resources->by_blas && kernels.blas > 0.0
               ? kernels.rate[resources->kernel->isa] / kernels.blas
               : 1.0;
}

/* Return the requested width, limited to widths that can be measured. */
static int width_of(const work_t *w, int i)
{
    int most = w->resources->offloads ? WIDEST_WITH_DEVICES : WIDEST;

    return (int)xh_smaller(most, xh_larger(NARROWEST, w->what->width[i]));
}

static xh_status_t measure_widths(work_t *w, double seconds)
{
    int widths = w->what->widths;
    xh_status_t status = XH_OK;

    for (int i = 0; i < widths && status == XH_OK; i++) {
        w->width = &w->rates->width[w->rates->widths++];
        w->width->nb = width_of(w, i);
        status = measure_width(w, seconds / widths);
    }
    for (int i = 0; i < widths && w->lacks_visitors; i++)
        w->rates->width[i].devices.count = 0;
    for (int i = 0; i < widths; i++)
        if (w->lacks_resident ||
            w->rates->width[i].resident.count < LEAST_HEIGHTS)
            w->rates->width[i].resident.count =
                w->rates->width[i].factor.count =
                    w->rates->width[i].peers.count = 0;
    if (status != XH_OK)
        return status;
    w->rates->ceiling = xh_median(w->ceiling, w->ceilings);
    w->rates->process = w->rate;
    return status;
}

static xh_status_t measure_all(work_t *w)
{
    double of_link = link_part * w->what->seconds;
    double of_sweep = sweep_part * w->what->seconds;

    XH_TRY(hyb_probe_link(1, of_link, &w->rates->row));
    hyb_phase_step(w->phase);
    XH_TRY(hyb_probe_link(w->what->column_step, of_link, &w->rates->column));
    hyb_phase_step(w->phase);
    XH_TRY(hyb_probe_sweep(w->resources->team, w->resources->kernel, of_sweep,
                           &w->rates->sweep));
    hyb_phase_step(w->phase);
    return measure_widths(w, w->what->seconds - 2.0 * of_link - of_sweep);
}

/* Warn if devices may compute but their rate is unknown. */
static void warn_of_unknown(const hyb_model_rates_t *rates)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && rates->figures.devices > 0.0 &&
        rates->figures.rate[0] <= 0.0 && rates->width[0].resident.count == 0)
        xh_log_warning("the prediction is of cores alone: the rate of a device "
                       "is unknown");
}

xh_status_t hyb_measure(const hyb_resources_t *resources,
                        const hyb_measurement_t *what,
                        hyb_model_rates_t *rates_p)
{
    hyb_model_rates_t rates = {
        .threads = (int)-hyb_slowest(-hyb_team_size(resources->team))};
    hyb_split_t split;
    hyb_phase_t phase;
    const xh_run_delay_t before = xh_run_delay_of_process();
    xh_run_delay_t after;
    work_t work = {.resources = resources,
                   .what = what,
                   .rates = &rates,
                   .phase = &phase,
                   .by_blas = by_blas(resources)};
    xh_status_t status;

    XH_TRY(hyb_split_of_setting(&split));
    rates.has_fixed_share = split.policy == HYB_SPLIT_FIXED;
    rates.share = split.share;
    rates.home = xh_settings_text("home");
    rates.figures = resources->figures;
    rates.device_panels = strcmp(xh_settings_text("panel"), "device") == 0;
    MPI_Comm_size(MPI_COMM_WORLD, &work.processes);
    hyb_phase_begin(&phase, "measuring rates of links, cores and devices");
    status = measure_all(&work);
    hyb_phase_end(&phase);
    hyb_model_slow_down(&rates, what->threads_per_core);
    after = xh_run_delay_of_process();
    rates.others = hyb_slowest(xh_run_delay_of_others(&before, &after));
    if (status == XH_OK) {
        warn_of_unknown(&rates);
        *rates_p = rates;
    }
    return status;
}
