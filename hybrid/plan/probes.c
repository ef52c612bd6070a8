/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/probes.h"

#include <math.h>
#include <mpi.h>
#include "base/clock.h"
#include "base/fma.h"
#include "base/memory.h"
#include "hpl/grid/agree.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/plan/links.h"

typedef struct {
    const xh_fma_t *fma;
    int64_t rounds;
    int size;
    double *matrix;
} probe_t;

enum { CALLS = 9 /* at most */ };
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

/* The best of some runs, as wherever a ceiling is measured. */
double xhpl_probe_ceiling(const hyb_means_t *means, double seconds)
{
    hyb_team_t *team = hyb_machine_team(means->machine);
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
    hyb_kernel_widest()->subtract(&part, r + from);
}

xh_status_t xhpl_probe_sweep(const hyb_means_t *means, double seconds,
                             double *rate_p)
{
    hyb_team_t *team = hyb_machine_team(means->machine);
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
        calls = (int)fmin(CALLS, fmax(1.0, seconds / fmax(once, 1e-9)));
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < calls; i++)
            least = fmin(least, timed(team, sweep, &probe));
        *rate_p = (double)(SWEEP_ROWS / probe.size * probe.size) * SWEEP_COLS *
                  sizeof(double) / xhpl_links_slowest(least);
    }
    xh_memory_free(memory, bytes);
    return status;
}
