/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/visible_devices.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"

enum { ADDRESS = sizeof(((hyb_device_info_t *)0)->pci_address) };

typedef struct { /* the PCI addresses that a process sees */
    int count;
    char address[HYB_EXECUTORS - 1][ADDRESS]; /* "" where there is none */
} list_t;

typedef struct { /* the lists of all processes of the node */
    const hyb_neighbours_t *neighbours;
    int count;
    list_t *of;
} lists_t;

static void describe(const hyb_visible_devices_t *seen, list_t *list_p)
{
    hyb_device_info_t info;
    int i;

    for (i = 0; i < seen->count && i < HYB_EXECUTORS - 1; i++) {
        const hyb_device_choice_t *c = &seen->chosen[i];

        info = (hyb_device_info_t){.pci_address = ""};
        if (c->backend->describe(c->index, &info) == XH_OK)
            memcpy(list_p->address[i], info.pci_address, ADDRESS);
    }
    list_p->count = i;
}

static bool is_in(const list_t *list, const char *address)
{
    int i;

    for (i = 0; i < list->count; i++)
        if (strcmp(list->address[i], address) == 0)
            return true;
    return false;
}

/* Does only the process rank see its devices? */
static bool are_own(const lists_t *all, int rank)
{
    const list_t *mine = &all->of[rank];
    int i, other;

    for (i = 0; i < mine->count; i++)
        for (other = 0; other < all->count; other++)
            if (mine->address[i][0] == '\0' ||
                (other != rank && is_in(&all->of[other], mine->address[i])))
                return false;
    return mine->count > 0;
}

static bool are_equal(const lists_t *all)
{
    int i;

    for (i = 1; i < all->count; i++)
        if (memcmp(&all->of[i], &all->of[0], sizeof(all->of[0])) != 0)
            return false;
    return true;
}

/* ---- what is left idle --------------------------------------------------- */

/* Add to used what the process rank drives, by the rule that it goes by. */
static xh_status_t add_driven(const lists_t *all, int rank, list_t *used)
{
    const hyb_neighbours_t *n = all->neighbours;
    hyb_local_t local = {rank, all->count, n->local.masks};
    const list_t *list = &all->of[rank];
    const char *addresses[HYB_EXECUTORS];
    int i, count = 0, *mine = NULL;
    xh_status_t status;

    for (i = 0; i < list->count; i++)
        addresses[i] = list->address[i];
    status = hyb_topology_deal(n->topology, &local, addresses, list->count,
                               &mine, &count);
    for (i = 0; i < count && used->count < HYB_EXECUTORS - 1; i++)
        memcpy(used->address[used->count++], addresses[mine[i]], ADDRESS);
    free(mine);
    return status;
}

/* Devices that a process shares, and nobody drives. */
static void list_idle(const lists_t *all, const list_t *used, list_t *idle)
{
    int rank, i;

    for (rank = 0; rank < all->count; rank++)
        for (i = 0; i < all->of[rank].count && !are_own(all, rank); i++) {
            const char *address = all->of[rank].address[i];

            if (address[0] != '\0' && !is_in(used, address) &&
                !is_in(idle, address) && idle->count < HYB_EXECUTORS - 1)
                memcpy(idle->address[idle->count++], address, ADDRESS);
        }
}

static void say_idle(const list_t *idle)
{
    char text[(HYB_EXECUTORS - 1) * (ADDRESS + 2)] = "";
    size_t used = 0;
    int i;

    for (i = 0; i < idle->count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                 i > 0 ? ", " : "", idle->address[i]);
    if (idle->count > 0)
        xh_log_warning("processes of this node see different devices, and "
                       "nobody uses %s: show all devices to each process, or "
                       "to each its own",
                       text);
}

static xh_status_t warn_of_idle(const lists_t *all)
{
    list_t used = {.count = 0}, idle = {.count = 0};
    xh_status_t status = XH_OK;
    int rank;

    for (rank = 0; rank < all->count && status == XH_OK; rank++)
        if (!are_own(all, rank))
            status = add_driven(all, rank, &used);
    if (status != XH_OK)
        return status;
    list_idle(all, &used, &idle);
    say_idle(&idle);
    return XH_OK;
}

/* ---- finding ------------------------------------------------------------- */

static xh_status_t worst(MPI_Comm node, xh_status_t mine)
{
    int status = (int)mine;

    MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, node);
    return (xh_status_t)status;
}

static xh_status_t compare(MPI_Comm node, const hyb_neighbours_t *neighbours,
                           hyb_visible_devices_t *seen)
{
    lists_t all = {.neighbours = neighbours};
    xh_status_t status;
    int rank;

    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &all.count);
    all.of = calloc((size_t)all.count, sizeof(*all.of));
    status = worst(node, all.of == NULL ? XH_ERR_MEMORY : XH_OK);
    if (status == XH_OK) {
        describe(seen, &all.of[rank]);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.of,
                      (int)sizeof(*all.of), MPI_BYTE, node);
        seen->own = are_own(&all, rank);
        if (rank == 0 && !are_equal(&all))
            status = warn_of_idle(&all);
    }
    free(all.of);
    return status;
}

xh_status_t hyb_visible_devices_find(MPI_Comm comm, xh_status_t so_far,
                                     const hyb_neighbours_t *neighbours,
                                     hyb_visible_devices_t *seen_p)
{
    hyb_visible_devices_t seen = {.own = false};
    xh_status_t status = so_far;
    MPI_Comm node;

    if (status == XH_OK)
        status = hyb_devices_choose(xh_settings_text("devices"), &seen.chosen,
                                    &seen.count);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    status = worst(node, status);
    if (status == XH_OK)
        status = compare(node, neighbours, &seen);
    MPI_Comm_free(&node);
    if (status == XH_OK)
        *seen_p = seen;
    else
        free(seen.chosen);
    return status;
}
