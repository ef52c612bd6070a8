/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/probes.h"

#include <mpi.h>
#include "base/fma.h"
#include "hpl/grid/agree.h"
#include "hybrid/plan/links.h"

enum { CALLS = 9 /* at most */ };
enum { ROWS = 4096, COLS = 1024 }; /* of the matrix that is read */

typedef struct {
    hyb_team_t *team;
    xh_isa_t isa;
    void (*work)(void *context, int member);
    int64_t rounds;      /* of multiply-adds */
    const double *a, *x; /* ROWS x COLS; COLS */
    double *r;           /* ROWS */
} probe_t;

static void run(void *context)
{
    const probe_t *probe = context;

    hyb_team_run(probe->team, probe->work, context);
}

static double least_seconds(probe_t *probe, int calls)
{
    return hyb_time_runs(&(hyb_timed_t){NULL, run, probe}, calls).least;
}

static void multiply_and_add(void *context, int member)
{
    const probe_t *probe = context;
    volatile double result = xh_fma_kernel(probe->isa)->run(probe->rounds);

    (void)member;
    (void)result;
}

double hyb_probe_ceiling(hyb_team_t *team, xh_isa_t isa, double seconds)
{
    probe_t probe = {
        .team = team, .isa = isa, .work = multiply_and_add, .rounds = 1000};
    double once = 0.0, rate;

    for (; once < seconds / (2 * CALLS); probe.rounds *= 2) {
        once = hyb_links_slowest(least_seconds(&probe, 1));
        if (once > seconds)
            break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    rate = xh_fma_kernel(isa)->flop * (double)probe.rounds *
           hyb_team_size(team) / least_seconds(&probe, CALLS);
    MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return rate;
}

static void sweep(void *context, int member)
{
    const probe_t *probe = context;
    int64_t rows = ROWS / hyb_team_size(probe->team), from = member * rows;
    hyb_sweep_t part = {.a = probe->a + from,
                        .rows = rows,
                        .cols = COLS,
                        .ld = ROWS,
                        .x = probe->x};

    hyb_kernel_widest()->subtract(&part, probe->r + from);
}

xh_status_t hyb_probe_sweep(hyb_team_t *team, double seconds, double *rate_p)
{
    enum { DOUBLES = ROWS * COLS };
    int members = hyb_team_size(team), calls;
    probe_t probe = {.team = team, .work = sweep};
    hyb_scratch_t memory = {0};
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD,
                  hyb_scratch_create(team, DOUBLES + COLS + ROWS, &memory));

    if (status == XH_OK) {
        probe.a = memory.data;
        probe.x = memory.data + DOUBLES;
        probe.r = memory.data + DOUBLES + COLS;
        calls = hyb_calls_within(
            seconds, hyb_links_slowest(least_seconds(&probe, 1)), CALLS);
        MPI_Barrier(MPI_COMM_WORLD);
        *rate_p = sizeof(double) * (double)(ROWS / members * members) * COLS /
                  hyb_links_slowest(least_seconds(&probe, calls));
    }
    hyb_scratch_free(&memory);
    return status;
}
