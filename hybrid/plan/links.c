/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/links.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/median.h"
#include "base/memory.h"
#include "hpl/grid/agree.h"
#include "hpl/pfact/pivot.h"
#include "hybrid/node/wait.h"

enum {
    SHORT = 64,     /* bytes of a message whose time is latency */
    LONG = 1 << 21, /* ... and of one whose time is bandwidth */
    PLACES = 8,     /* in memory, by turns: rows come from everywhere */
    MOST_TURNS = 2000,
    TAG = 1
};

/* Who sends what to whom. */
typedef struct {
    int to, from;
    char *sent, *received;
} ring_t;

double hyb_links_slowest(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

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
    return hyb_links_slowest((xh_clock_now() - begun) / count);
}

/* The same of as many as there is time for; the first ones warm up. */
static double message(const ring_t *ring, int bytes, double seconds)
{
    double once;

    turns(ring, bytes, PLACES);
    once = turns(ring, bytes, 1);
    return turns(ring, bytes, (int)fmin(MOST_TURNS, fmax(2.0, seconds / once)));
}

xh_status_t hyb_links_measure(int step, double seconds,
                              hyb_model_link_t *link_p)
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
    return hyb_links_slowest(xh_clock_now() - begun);
}

xh_status_t hyb_links_panel_seconds(hyb_host_panel_t *panel, int members,
                                    int nb, int calls, double *seconds_p)
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
