/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/probes.h"

#include <math.h>
#include <mpi.h>
#include "base/clock.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "hpl.h"
#include "hpl/comm/waits.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/tune/residence.h"

enum {
    CALLS = 9, /* runs, at most */
    ROWS = 4096,
    COLS = 1024,    /* columns of the matrix that is read */
    SHORT = 64,     /* bytes of a message that measures latency */
    LONG = 1 << 21, /* bytes of a message that measures bandwidth */
    PLACES = 8, /* buffers used in turn, because a run's rows are spread over
                   memory */
    MOST_TURNS = 2000,
    TAG = 1
};

double hyb_slowest(double value)
{
    hpl_waits_allreduce(&value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

hyb_seconds_t hyb_time_together(hyb_crew_t crew, void (*prepare)(void *context),
                                void (*run)(void *context), void *context,
                                double seconds)
{
    double once;

    HPL_barrier(MPI_COMM_WORLD);
    once = hyb_slowest(hyb_time_runs(crew, prepare, run, context, 1).median);
    HPL_barrier(MPI_COMM_WORLD);
    return hyb_time_runs(
        crew, prepare, run, context,
        (int)fmin(CALLS, fmax(1.0, seconds / fmax(once, 1e-9))));
}

/* ---- devices ------------------------------------------------------------- */

double hyb_probe_visitors(const hyb_machine_t *machine, int nb,
                          double default_rate)
{
    double sum = 0.0;

    for (int i = 0; i < hyb_machine_devices(machine); i++) {
        double known = hyb_machine_rate(machine, i, nb);
        double rate = known > 0.0 ? known : default_rate;

        if (rate <= 0.0)
            return 0.0;
        sum += hyb_residence_visitor_rate(
            rate, hyb_machine_link_rate(machine, i), nb);
    }
    return sum;
}

/* ---- cores and memory ---------------------------------------------------- */

typedef struct {
    hyb_team_t *team;
    const xh_fma_t *kernel;
    int64_t rounds; /* of multiply-adds */
} ceiling_t;

static void multiply_and_add(void *context, int member)
{
    const ceiling_t *probe = context;
    volatile double result = probe->kernel->run(probe->rounds);

    (void)member;
    (void)result;
}

static void run_ceiling(void *context)
{
    hyb_team_run(((ceiling_t *)context)->team, multiply_and_add, context);
}

double hyb_probe_ceiling(hyb_team_t *team, xh_isa_t isa, double seconds)
{
    static const double shortest = 1e-4;
    const hyb_crew_t crew = {team, hyb_team_size(team)};
    ceiling_t probe = {team, xh_fma_kernel(isa), 500};
    double once, rate;

    do {
        probe.rounds *= 2;
        once = hyb_time_runs(crew, NULL, run_ceiling, &probe, 1).least;
    } while (once < fmax(shortest, seconds / (2 * CALLS)));
    rate = probe.kernel->flop * (double)probe.rounds * crew.members /
           hyb_time_together(crew, NULL, run_ceiling, &probe, seconds).least;
    hpl_waits_allreduce(&rate, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return rate;
}

typedef struct {
    const hyb_kernel_t *kernel;
    hyb_scratch_t memory; /* A, then x, then r */
} sweep_t;

static void sweep_share(void *context, int member)
{
    const sweep_t *sweep = context;
    int64_t rows = ROWS / hyb_team_size(sweep->memory.team);
    double *x = sweep->memory.data + ROWS * COLS;
    hyb_sweep_t part = {.a = sweep->memory.data + member * rows,
                        .rows = rows,
                        .cols = COLS,
                        .ld = ROWS,
                        .x = x};

    sweep->kernel->subtract(&part, x + COLS + member * rows);
}

static void run_sweep(void *context)
{
    hyb_team_run(((sweep_t *)context)->memory.team, sweep_share, context);
}

xh_status_t hyb_probe_sweep(hyb_team_t *team, const hyb_kernel_t *kernel,
                            double seconds, double *rate_p)
{
    int members = hyb_team_size(team);
    double rows = ROWS / members * members;
    sweep_t sweep = {.kernel = kernel};
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD, hyb_scratch_open(&sweep.memory, team,
                                                   ROWS * COLS + COLS + ROWS));

    if (status == XH_OK)
        *rate_p =
            sizeof(double) * rows * COLS /
            hyb_slowest(hyb_time_together((hyb_crew_t){team, members}, NULL,
                                          run_sweep, &sweep, seconds)
                            .least);
    hyb_scratch_close(&sweep.memory);
    return status;
}

/* ---- links --------------------------------------------------------------- */

/* A ring in which each process sends to the next one. */
typedef struct {
    int next, previous;
    char *output, *input;
} ring_t;

/* Return the mean seconds of `count` messages. */
static double turns(const ring_t *ring, int bytes, int count)
{
    double start;

    HPL_barrier(MPI_COMM_WORLD);
    start = xh_clock_now();
    for (int i = 0; i < count; i++) {
        size_t at = (size_t)(i % PLACES) * LONG;

        MPI_Sendrecv(ring->output + at, bytes, MPI_CHAR, ring->next, TAG,
                     ring->input + at, bytes, MPI_CHAR, ring->previous, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return hyb_slowest((xh_clock_now() - start) / count);
}

/* Return the mean seconds of as many messages as fit into `seconds`, after a
 * warm-up. */
static double message(const ring_t *ring, int bytes, double seconds)
{
    double once;

    turns(ring, bytes, PLACES);
    once = turns(ring, bytes, 1);
    return turns(ring, bytes, (int)fmin(MOST_TURNS, fmax(2.0, seconds / once)));
}

xh_status_t hyb_probe_link(int step, double seconds, hyb_model_link_t *link_p)
{
    enum { BYTES = PLACES * LONG };
    int rank, size;
    void *memory = NULL;
    xh_status_t status;
    ring_t ring;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1)
        return XH_OK;
    status = hpl_agree(MPI_COMM_WORLD, xh_memory_allocate(2 * BYTES, &memory));
    if (status == XH_OK) {
        ring = (ring_t){.next = (rank + step) % size,
                        .previous = (rank + size - step % size) % size,
                        .output = memory,
                        .input = (char *)memory + BYTES};
        link_p->latency = message(&ring, SHORT, seconds / 2);
        link_p->bandwidth =
            LONG /
            fmax(1e-9, message(&ring, LONG, seconds / 2) - link_p->latency);
    }
    xh_memory_free(memory, 2 * BYTES);
    return status;
}
