/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/measure.h"

#include <math.h>
#include <mpi.h>
#include <string.h>
#include "base/clock.h"
#include "base/fma.h"
#include "base/memory.h"
#include "hpl/grid/agree.h"
#include "hybrid/driver/lu.h"
#include "hybrid/driver/sweep.h"
#include "testing/planner/links.h"
#include "testing/xhost/panel.h"
#include "testing/xhost/update.h"

enum {
    CALLS = 9,         /* at most, of which the median counts */
    HEIGHTS = 3,       /* rows at which is measured ... */
    LEAST_HEIGHTS = 2, /* ... even if there is no time */
    CHUNKS = 4,        /* of columns, a thread */
    NARROWEST = 8,
    WIDEST = 512 /* panels that are measured */
};

static const int64_t height[HEIGHTS] = {512, 2048, 8192};
static const double most_bytes = 0x1p28; /* of a matrix to measure with */
static const double ceiling_part = 0.05, link_part = 0.1, sweep_part = 0.05;

/* One width's measuring. */
typedef struct {
    const hyb_means_t *means;
    hyb_team_t *team;
    int64_t nb;
    double share;   /* seconds of each part */
    double by_blas; /* seconds of C's update, over those of the kernel */
    xhpl_width_t *width;
} work_t;

/* Calls that there is time for, alike on all processes. */
static int calls_for(double share, double once)
{
    return (int)fmin(CALLS, fmax(1.0, share / fmax(once, 1e-9)));
}

static void add_point(xhpl_curve_t *curve, double rows, double seconds)
{
    curve->rows[curve->count] = rows;
    curve->seconds[curve->count++] = xhpl_links_slowest(seconds);
}

/* ---- columns ------------------------------------------------------------- */

static double update_seconds(const work_t *w, xhost_update_t *x,
                             xhost_work_t what)
{
    double once;

    MPI_Barrier(MPI_COMM_WORLD);
    once = xhpl_links_slowest(xhost_update_seconds(x, what, 1));
    MPI_Barrier(MPI_COMM_WORLD);
    return xhost_update_seconds(x, what, calls_for(w->share, once));
}

/* Whole chunks, equally many of each thread. */
static int64_t columns(const work_t *w, int64_t m, int64_t chunk)
{
    int64_t each = chunk * hyb_team_size(w->team), rounds = CHUNKS;

    while (rounds > 1 && 8.0 * (double)(m * each * rounds) > most_bytes)
        rounds--;
    return each * rounds;
}

static xh_status_t measure_update(const work_t *w, int64_t m)
{
    const hyb_kernel_t *kernel = w->means->kernel;
    int64_t chunk = hyb_lu_chunk(w->nb, kernel->cols, w->means->multiplier);
    xhost_shape_t shape = {m, columns(w, m, chunk), w->nb, chunk};
    xhost_update_t *x = NULL;
    double complete, prepare;
    xh_status_t status = hpl_agree(
        MPI_COMM_WORLD, xhost_update_create(kernel, w->team, shape, &x));

    if (status == XH_OK) {
        complete = update_seconds(w, x, XHOST_COMPLETE) / (double)shape.n;
        prepare = update_seconds(w, x, XHOST_PREPARE) / (double)shape.n;
        prepare = fmin(prepare, complete);
        add_point(&w->width->update, (double)m,
                  prepare + (complete - prepare) * w->by_blas);
        add_point(&w->width->prepare, (double)m, prepare);
    }
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
    add_point(curve, (double)m, seconds);
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
    }
    xhost_panel_destroy(x);
    return status;
}

/* ---- one width ----------------------------------------------------------- */

/* Rows by rows, as long as there is time. */
static xh_status_t measure_width(const work_t *w, double seconds)
{
    double begun = xh_clock_now();
    xh_status_t status = XH_OK;

    for (int i = 0; i < HEIGHTS && status == XH_OK; i++) {
        if (i >= LEAST_HEIGHTS &&
            xhpl_links_slowest(xh_clock_now() - begun) > seconds / 2)
            break;
        status = measure_update(w, height[i]);
        if (status == XH_OK)
            status = measure_panel(w, height[i]);
    }
    return status;
}

/* ---- what is the same for all widths ------------------------------------- */

typedef struct {
    const xh_fma_t *fma;
    int64_t rounds;
    int size;
    double *matrix;
    volatile double result;
} probe_t;

enum { SWEEP_ROWS = 4096, SWEEP_COLS = 1024, SWEEP = SWEEP_ROWS * SWEEP_COLS };

static void run_fma(void *context, int member)
{
    const probe_t *probe = context;
    volatile double result = probe->fma->run(probe->rounds);

    (void)member;
    (void)result;
}

static double timed(hyb_team_t *team, hyb_team_fn_t fn, probe_t *probe)
{
    double begun = xh_clock_now();

    hyb_team_run(team, fn, probe);
    return xh_clock_now() - begun;
}

/* Flop/s of all processes together, best of some runs as everywhere. */
static double measure_ceiling(const hyb_means_t *means, double seconds)
{
    hyb_team_t *team = hyb_node_team(means->node);
    probe_t probe = {.fma = xh_fma_kernel(means->kernel->isa), .rounds = 1000};
    double once = 0.0, least = INFINITY, rate;

    for (; once < seconds / (2 * CALLS); probe.rounds *= 2) {
        once = xhpl_links_slowest(timed(team, run_fma, &probe));
        if (once > seconds)
            break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < CALLS; i++)
        least = fmin(least, timed(team, run_fma, &probe));
    rate = probe.fma->flop * (double)probe.rounds * hyb_team_size(team) / least;
    MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return rate;
}

static void share_of(const probe_t *probe, int member, int64_t *from_p,
                     int64_t *rows_p)
{
    int64_t rows = SWEEP_ROWS / probe->size;

    *from_p = member * rows;
    *rows_p = rows;
}

static void touch(void *context, int member)
{
    const probe_t *probe = context;
    int64_t from, rows;

    share_of(probe, member, &from, &rows);
    for (int64_t j = 0; j < SWEEP_COLS; j++)
        for (int64_t i = from; i < from + rows; i++)
            probe->matrix[j * SWEEP_ROWS + i] = 1e-3;
}

static void sweep(void *context, int member)
{
    const probe_t *probe = context;
    static const double x[SWEEP_COLS];
    double *r = probe->matrix + SWEEP;
    hyb_sweep_t part = {.cols = SWEEP_COLS, .ld = SWEEP_ROWS, .x = x};
    int64_t from;

    share_of(probe, member, &from, &part.rows);
    part.a = probe->matrix + from;
    hyb_sweep_ops(xh_cpu_isa())->subtract(&part, r + from);
}

static xh_status_t measure_sweep(const hyb_means_t *means, double seconds,
                                 double *rate_p)
{
    hyb_team_t *team = hyb_node_team(means->node);
    size_t bytes = sizeof(double) * (SWEEP + SWEEP_ROWS);
    probe_t probe = {.size = hyb_team_size(team)};
    void *memory = NULL;
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD, xh_memory_allocate(bytes, &memory));
    double once, least = INFINITY;
    int calls;

    if (status == XH_OK) {
        probe.matrix = memory;
        hyb_team_run(team, touch, &probe);
        once = xhpl_links_slowest(timed(team, sweep, &probe));
        calls = calls_for(seconds, once);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < calls; i++)
            least = fmin(least, timed(team, sweep, &probe));
        *rate_p = (double)(SWEEP_ROWS / probe.size * probe.size) * SWEEP_COLS *
                  sizeof(double) / xhpl_links_slowest(least);
    }
    xh_memory_free(memory, bytes);
    return status;
}

/* ---- all ----------------------------------------------------------------- */

/* What the update takes with the library, where that multiplies. */
static double by_blas(const hyb_means_t *means)
{
    hyb_multiplier_rates_t rates;

    if (means->multiplier != HYB_BY_BLAS)
        return 1.0;
    rates = hyb_multiplier_measure(means->kernel);
    return rates.blas > 0.0 ? rates.kernel / rates.blas : 1.0;
}

static xh_status_t measure_widths(const hyb_means_t *means,
                                  const xhpl_measurement_t *what,
                                  double seconds, xhpl_rates_t *rates)
{
    work_t work = {.means = means,
                   .team = hyb_node_team(means->node),
                   .share = seconds / (4 * HEIGHTS * what->widths),
                   .by_blas = by_blas(means)};
    xh_status_t status = XH_OK;

    for (int i = 0; i < what->widths && status == XH_OK; i++) {
        work.nb = (int64_t)fmin(WIDEST, fmax(NARROWEST, what->width[i]));
        work.width = &rates->width[rates->widths++];
        work.width->nb = (int)work.nb;
        status = measure_width(&work, seconds / what->widths);
    }
    return status;
}

xh_status_t xhpl_measure(const hyb_means_t *means,
                         const xhpl_measurement_t *what, xhpl_rates_t *rates_p)
{
    double s = what->seconds;
    xhpl_rates_t rates = {.threads = hyb_team_size(hyb_node_team(means->node))};
    xh_status_t status;

    rates.ceiling = measure_ceiling(means, ceiling_part * s);
    status = measure_sweep(means, sweep_part * s, &rates.sweep);
    if (status == XH_OK)
        status = xhpl_links_measure(what->row_step, link_part * s, &rates.row);
    if (status == XH_OK)
        status =
            xhpl_links_measure(what->column_step, link_part * s, &rates.column);
    if (status == XH_OK)
        status = measure_widths(
            means, what, s * (1.0 - ceiling_part - sweep_part - 2 * link_part),
            &rates);
    if (status == XH_OK)
        *rates_p = rates;
    return status;
}
