/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/grid/peers.h"

#include "hpl.h"

static int gather(MPI_Comm comm, int me, char (*hosts)[HPL_HOST_SIZE])
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int length, error = MPI_Get_processor_name(host, &length);

    snprintf(hosts[me], HPL_HOST_SIZE, "%.*s", HPL_HOST_SIZE - 1, host);
    return error != MPI_SUCCESS
               ? error
               : MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, hosts,
                               HPL_HOST_SIZE, MPI_CHAR, comm);
}

int hpl_peers_find(HPL_T_grid *grid)
{
    size_t count = (size_t)grid->nprow + (size_t)grid->npcol;
    char(*hosts)[HPL_HOST_SIZE] = calloc(count, sizeof(*hosts));
    int error;

    if (hosts == NULL)
        HPL_pabort(__LINE__, "HPL_grid_init", "out of memory");
    grid->hosts = hosts[0];
    error = gather(grid->col_comm, grid->myrow, hosts);
    if (error == MPI_SUCCESS)
        error = gather(grid->row_comm, grid->mycol, hosts + grid->nprow);
    return error;
}

void hpl_peers_forget(HPL_T_grid *grid)
{
    free(grid->hosts);
    grid->hosts = NULL;
}

int HPL_pnum(const HPL_T_grid *GRID, int MYROW, int MYCOL)
{
    if (GRID->order == HPL_ROW_MAJOR)
        return MYROW * GRID->npcol + MYCOL;
    return MYCOL * GRID->nprow + MYROW;
}

bool hpl_is_index(double x, double least, double most)
{
    return x >= least && x <= most && x == floor(x);
}

void hpl_peer_name(const HPL_T_grid *grid, hpl_neighbourhood_t where,
                   int process, char name[HPL_PEER_SIZE])
{
    bool in_column = where == HPL_IN_MY_COLUMN;
    int row = in_column ? process : grid->myrow;
    int column = in_column ? grid->mycol : process;
    int index = in_column ? row : grid->nprow + column;
    const char *host = grid->hosts != NULL
                           ? grid->hosts + (size_t)index * HPL_HOST_SIZE
                           : "an unknown host";

    snprintf(name, HPL_PEER_SIZE, "rank %d on %s", HPL_pnum(grid, row, column),
             host);
}

void hpl_peer_refuse(const HPL_T_grid *grid, hpl_neighbourhood_t where,
                     int process, const char *what, double x, double least,
                     double most)
{
    char name[HPL_PEER_SIZE];

    hpl_peer_name(grid, where, process, name);
    HPL_pabort(0, "hpl_peer_refuse",
               "%s sent %.17g as %s, allowed are whole numbers from %.0f to "
               "%.0f: a message or that process's memory was damaged",
               name, x, what, least, most);
    abort(); /* not reached */
}
