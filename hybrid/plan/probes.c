/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/probes.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/fma.h"
#include "base/median.h"
#include "base/memory.h"
#include "hpl/grid/agree.h"
#include "hpl/pfact/pivot.h"
#include "hybrid/node/wait.h"

enum {
    CALLS = 9, /* at most */
    ROWS = 4096,
    COLS = 1024,    /* of the matrix that is read */
    SHORT = 64,     /* bytes of a message whose time is latency */
    LONG = 1 << 21, /* ... and of one whose time is bandwidth */
    PLACES = 8,     /* in memory, by turns: rows come from everywhere */
    MOST_TURNS = 2000,
    TAG = 1
};

double hyb_slowest(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

/* ---- cores and memory ---------------------------------------------------- */

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
    return hyb_time_runs(NULL, run, probe, calls).least;
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
        once = hyb_slowest(least_seconds(&probe, 1));
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
        calls = hyb_calls_within(seconds, hyb_slowest(least_seconds(&probe, 1)),
                                 CALLS);
        MPI_Barrier(MPI_COMM_WORLD);
        *rate_p = sizeof(double) * (double)(ROWS / members * members) * COLS /
                  hyb_slowest(least_seconds(&probe, calls));
    }
    hyb_scratch_free(&memory);
    return status;
}

/* ---- links --------------------------------------------------------------- */

/* Who sends what to whom. */
typedef struct {
    int to, from;
    char *sent, *received;
} ring_t;

/* Seconds of a message, mean of some turns. */
static double turns(const ring_t *ring, int bytes, int count)
{
    double begun;

    MPI_Barrier(MPI_COMM_WORLD);
    begun = xh_clock_now();
    for (int i = 0; i < count; i++) {
        size_t at = (size_t)(i % PLACES) * LONG;

        MPI_Sendrecv(ring->sent + at, bytes, MPI_CHAR, ring->to, TAG,
                     ring->received + at, bytes, MPI_CHAR, ring->from, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return hyb_slowest((xh_clock_now() - begun) / count);
}

/* The same of as many as there is time for; the first ones warm up. */
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
    *link_p = (hyb_model_link_t){0};
    if (size == 1)
        return XH_OK;
    status = hpl_agree(MPI_COMM_WORLD, xh_memory_allocate(2 * BYTES, &memory));
    if (status == XH_OK) {
        ring = (ring_t){.to = (rank + step) % size,
                        .from = (rank + size - step % size) % size,
                        .sent = memory,
                        .received = (char *)memory + BYTES};
        link_p->latency = message(&ring, SHORT, seconds / 2);
        link_p->bandwidth =
            LONG /
            fmax(1e-9, message(&ring, LONG, seconds / 2) - link_p->latency);
    }
    xh_memory_free(memory, 2 * BYTES);
    return status;
}

/* ---- pivots -------------------------------------------------------------- */

/* All processes, as one column of a grid. */
typedef struct {
    HPL_T_grid column;
    HPL_T_panel panel;
    double *proposal, *others_proposal;
    int turns; /* of waiting for the pivot */
} pivots_t;

static void wait_for_pivot(void *context)
{
    pivots_t *p = context;

    hyb_wait_turn(&p->turns);
}

/* Whichever row it is that all agree on. */
static void agree(void *context, int column, hyb_pivot_t *pivot)
{
    pivots_t *p = context;
    size_t row = (size_t)p->panel.jb * sizeof(double);
    double *candidate = p->proposal + HPL_PROPOSAL_ROWS;

    (void)column;
    p->turns = 0;
    p->proposal[HPL_PROPOSAL_KEY] = pivot->key;
    p->proposal[HPL_PROPOSAL_ROW] = (double)pivot->row;
    p->proposal[HPL_PROPOSAL_OWNER] = p->column.myrow;
    p->proposal[HPL_PROPOSAL_HAS_CURRENT] = p->column.myrow == 0;
    memcpy(candidate, pivot->candidate, row);
    memcpy(candidate + p->panel.jb, pivot->current, row);
    hpl_pivot_agree(&p->panel, p->proposal,
                    &(hpl_pivot_wait_t){p->others_proposal, wait_for_pivot, p});
    pivot->mine = (int)p->proposal[HPL_PROPOSAL_OWNER] == p->column.myrow;
    pivot->row = (int64_t)p->proposal[HPL_PROPOSAL_ROW];
    memcpy(pivot->candidate, candidate, row);
    memcpy(pivot->current, candidate + p->panel.jb, row);
}

static double factor_together(hyb_host_panel_t *panel, int members)
{
    double begun;

    hyb_host_panel_load(panel);
    MPI_Barrier(MPI_COMM_WORLD);
    begun = xh_clock_now();
    hyb_host_panel_factor(panel, members);
    return hyb_slowest(xh_clock_now() - begun);
}

xh_status_t hyb_probe_panel(hyb_host_panel_t *panel, int members, int nb,
                            int calls, double *seconds_p)
{
    size_t length = HPL_PROPOSAL_ROWS + 2 * (size_t)nb;
    double *memory = calloc(2 * length, sizeof(*memory));
    pivots_t p = {.column = {.col_comm = MPI_COMM_WORLD},
                  .panel = {.grid = &p.column, .jb = nb},
                  .proposal = memory,
                  .others_proposal = memory + length};
    double seconds[HYB_CALLS_MOST];
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD, memory != NULL ? XH_OK : XH_ERR_MEMORY);

    if (status == XH_OK) {
        MPI_Comm_rank(MPI_COMM_WORLD, &p.column.myrow);
        MPI_Comm_size(MPI_COMM_WORLD, &p.column.nprow);
        hyb_host_panel_share(panel, agree, &p, p.column.myrow == 0);
        for (int i = 0; i < calls; i++)
            seconds[i] = factor_together(panel, members);
        hyb_host_panel_share(panel, NULL, NULL, true);
        *seconds_p = xh_median(seconds, calls);
    }
    free(memory);
    return status;
}
