/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/neighbours.h"

#include <stdlib.h>
#include <string.h>

typedef struct { /* text lists of processors */
    char *mask;
    char *reach;
} place_t;

static void free_place(place_t *place)
{
    free(place->mask);
    free(place->reach);
}

static xh_status_t find_place(hyb_topology_t **topology_p, place_t *place_p)
{
    xh_status_t status = hyb_topology_open(NULL, topology_p);

    if (status == XH_OK)
        status = hyb_topology_mask(*topology_p, &place_p->mask);
    if (status == XH_OK)
        status = hyb_topology_reach(*topology_p, &place_p->reach);
    return status;
}

static int worst(MPI_Comm node, int mine)
{
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MAX, node);
    return mine;
}

/* Room for two texts of length bytes of each process. */
static xh_status_t allocate(hyb_neighbours_t *n, size_t length)
{
    size_t i, count = (size_t)n->local.count;

    n->text = calloc(2 * count, length);
    n->masks = calloc(count, sizeof(*n->masks));
    n->reaches = calloc(count, sizeof(*n->reaches));
    if (n->text == NULL || n->masks == NULL || n->reaches == NULL)
        return XH_ERR_MEMORY;
    for (i = 0; i < count; i++) {
        n->masks[i] = n->text + 2 * i * length;
        n->reaches[i] = n->masks[i] + length;
    }
    n->local.masks = n->masks;
    return XH_OK;
}

/* Every process's place, on all processes of node. */
static xh_status_t share_places(MPI_Comm node, const place_t *mine,
                                hyb_neighbours_t *n)
{
    size_t at, mask = strlen(mine->mask) + 1, reach = strlen(mine->reach) + 1;
    int length = worst(node, (int)(mask > reach ? mask : reach));
    xh_status_t status =
        (xh_status_t)worst(node, (int)allocate(n, (size_t)length));

    if (status != XH_OK)
        return status;
    at = 2 * (size_t)n->local.rank * (size_t)length;
    memcpy(n->text + at, mine->mask, mask);
    memcpy(n->text + at + length, mine->reach, reach);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, n->text, 2 * length,
                  MPI_CHAR, node);
    return XH_OK;
}

xh_status_t hyb_neighbours_find(MPI_Comm comm, hyb_neighbours_t *neighbours_p)
{
    hyb_neighbours_t n = {.topology = NULL};
    place_t mine = {.mask = NULL};
    xh_status_t status = find_place(&n.topology, &mine);
    MPI_Comm node;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &n.local.rank);
    MPI_Comm_size(node, &n.local.count);
    status = (xh_status_t)worst(node, (int)status);
    if (status == XH_OK)
        status = share_places(node, &mine, &n);
    MPI_Comm_free(&node);
    free_place(&mine);
    if (status == XH_OK) {
        hyb_topology_synthetic(n.topology, n.machine, sizeof(n.machine));
        *neighbours_p = n;
    } else
        hyb_neighbours_free(&n);
    return status;
}

void hyb_neighbours_free(hyb_neighbours_t *neighbours)
{
    free(neighbours->reaches);
    free(neighbours->masks);
    free(neighbours->text);
    hyb_topology_close(neighbours->topology);
    *neighbours = (hyb_neighbours_t){.topology = NULL};
}
