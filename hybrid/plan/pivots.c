/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/pivots.h"

#include <mpi.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/median.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/panel.h"
#include "hybrid/node/wait.h"
#include "hybrid/plan/links.h"

enum { MOST_CALLS = 16 };

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

static void agree(void *context, int column, hyb_pivot_t *pivot)
{
    pivots_t *p = context;
    hpl_pivot_wait_t wait = {p->others_proposal, wait_for_pivot, p};

    (void)column;
    p->turns = 0;
    hyb_panel_agree(&p->panel, p->proposal, &wait, pivot);
}

static double once(xhost_panel_t *panel, int members)
{
    double begun;

    xhost_panel_load(panel);
    MPI_Barrier(MPI_COMM_WORLD);
    begun = xh_clock_now();
    xhost_panel_factor(panel, members);
    return xhpl_links_slowest(xh_clock_now() - begun);
}

static double median(xhost_panel_t *panel, int members, int calls)
{
    double seconds[MOST_CALLS];

    for (int i = 0; i < calls; i++)
        seconds[i] = once(panel, members);
    return xh_median(seconds, calls);
}

xh_status_t xhpl_pivots_seconds(xhost_panel_t *panel, int members, int nb,
                                int calls, double *seconds_p)
{
    size_t length = HPL_PROPOSAL_ROWS + 2 * (size_t)nb;
    double *memory = calloc(2 * length, sizeof(*memory));
    pivots_t p = {.column = {.col_comm = MPI_COMM_WORLD},
                  .panel = {.grid = &p.column, .jb = nb}};
    xh_status_t status =
        hpl_agree(MPI_COMM_WORLD, memory != NULL ? XH_OK : XH_ERR_MEMORY);

    if (status == XH_OK) {
        MPI_Comm_rank(MPI_COMM_WORLD, &p.column.myrow);
        MPI_Comm_size(MPI_COMM_WORLD, &p.column.nprow);
        p.proposal = memory;
        p.others_proposal = memory + length;
        xhost_panel_share(
            panel, &(xhost_panel_others_t){agree, &p, p.column.myrow == 0});
        *seconds_p = median(panel, members, calls);
        xhost_panel_share(panel, NULL);
    }
    free(memory);
    return status;
}
