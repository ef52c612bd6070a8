/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/waits.h"
#include "hpl/comm/yield.h"
#include "hpl/grid/peers.h"
#include "hpl/pauxil/abort.h"

/* floor(log2(n)), 0 for n < 1 */
static int log2_within(int n)
{
    int log = 0;

    while (n >> log > 1)
        log++;
    return log;
}

/* Set the sizes of the hypercubes that fit into a process column and a process
 * row. */
static void fill_hypercubes(HPL_T_grid *grid)
{
    grid->row_hdim = log2_within(grid->nprow);
    grid->row_ip2 = 1 << grid->row_hdim;
    grid->row_ip2m1 = 1 << log2_within(grid->nprow - 1);
    grid->row_mask = 2 * grid->row_ip2m1 - 1;
    grid->col_hdim = log2_within(grid->npcol);
    grid->col_ip2 = 1 << grid->col_hdim;
    grid->col_ip2m1 = 1 << log2_within(grid->npcol - 1);
    grid->col_mask = 2 * grid->col_ip2m1 - 1;
}

static void find_place(HPL_T_grid *grid)
{
    if (grid->iam >= grid->nprocs) {
        grid->myrow = grid->mycol = -1;
    } else if (grid->order == HPL_ROW_MAJOR) {
        grid->myrow = grid->iam / grid->npcol;
        grid->mycol = grid->iam % grid->npcol;
    } else {
        grid->myrow = grid->iam % grid->nprow;
        grid->mycol = grid->iam / grid->nprow;
    }
}

static int make_communicators(HPL_T_grid *g)
{
    int error = MPI_Comm_split(g->all_comm, g->myrow, g->mycol, &g->row_comm);

    if (error == MPI_SUCCESS)
        error = MPI_Comm_split(g->all_comm, g->mycol, g->myrow, &g->col_comm);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_dup(g->row_comm, &g->bcast_comm);
    if (error == MPI_SUCCESS)
        error = MPI_Comm_dup(g->col_comm, &g->exchange_comm);
    if (error == MPI_SUCCESS)
        error = hpl_peers_find(g);
    return error;
}

/* Register the ranks of my process row, of my process column, and of the grid.
 */
static void know_waits(const HPL_T_grid *g)
{
    bool by_row = g->order == HPL_ROW_MAJOR;
    hpl_ranks_t row = {HPL_pnum(g, g->myrow, 0), by_row ? 1 : g->nprow,
                       g->npcol};
    hpl_ranks_t column = {HPL_pnum(g, 0, g->mycol), by_row ? g->npcol : 1,
                          g->nprow};

    hpl_waits_know(g->all_comm, "all", (hpl_ranks_t){0, 1, g->nprocs});
    hpl_waits_know(g->row_comm, "its row", row);
    hpl_waits_know(g->col_comm, "its column", column);
    hpl_waits_know(g->bcast_comm, "panel", row);
    hpl_waits_know(g->exchange_comm, "rows", column);
}

int HPL_grid_init(MPI_Comm COMM, HPL_T_ORDER ORDER, int NPROW, int NPCOL,
                  HPL_T_grid *GRID)
{
    int size, error;

    *GRID = (HPL_T_grid){.all_comm = MPI_COMM_NULL,
                         .row_comm = MPI_COMM_NULL,
                         .col_comm = MPI_COMM_NULL,
                         .bcast_comm = MPI_COMM_NULL,
                         .exchange_comm = MPI_COMM_NULL,
                         .order = ORDER,
                         .nprow = NPROW,
                         .npcol = NPCOL};
    hpl_abort_identify();
    hpl_yield_in_mpi();
    MPI_Comm_rank(COMM, &GRID->iam);
    MPI_Comm_size(COMM, &size);
    if (NPROW < 1 || NPCOL < 1 || NPROW > size / NPCOL)
        HPL_pabort(__LINE__, "HPL_grid_init",
                   "a %d x %d grid does not fit on %d processes", NPROW, NPCOL,
                   size);
    GRID->nprocs = NPROW * NPCOL;
    find_place(GRID);
    fill_hypercubes(GRID);
    error = MPI_Comm_split(COMM, GRID->myrow < 0 ? MPI_UNDEFINED : 0, GRID->iam,
                           &GRID->all_comm);
    if (error == MPI_SUCCESS && GRID->all_comm != MPI_COMM_NULL)
        error = make_communicators(GRID);
    if (error == MPI_SUCCESS && GRID->all_comm != MPI_COMM_NULL)
        know_waits(GRID);
    return error;
}

int HPL_grid_info(const HPL_T_grid *GRID, int *NPROW, int *NPCOL, int *MYROW,
                  int *MYCOL)
{
    *NPROW = GRID->nprow;
    *NPCOL = GRID->npcol;
    *MYROW = GRID->myrow;
    *MYCOL = GRID->mycol;
    return MPI_SUCCESS;
}

int HPL_grid_exit(HPL_T_grid *GRID)
{
    MPI_Comm *comms[] = {&GRID->exchange_comm, &GRID->bcast_comm,
                         &GRID->col_comm, &GRID->row_comm, &GRID->all_comm};
    int error = MPI_SUCCESS;

    hpl_peers_forget(GRID);
    for (size_t i = 0; i < sizeof(comms) / sizeof(comms[0]); i++)
        if (*comms[i] != MPI_COMM_NULL && error == MPI_SUCCESS) {
            hpl_waits_forget(*comms[i]);
            error = MPI_Comm_free(comms[i]);
        }
    return error;
}
