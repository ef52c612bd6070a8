/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/open/node_processes.h"

enum {
    DEVICES = HYB_EXECUTORS - 1,
    ADDRESS = sizeof(((hyb_device_info_t *)0)->pci_address)
};

typedef struct { /* the PCI addresses that a process sees */
    int count;
    char address[DEVICES][ADDRESS]; /* "": unknown */
} list_t;

static void add(list_t *list, const char *address)
{
    if (list->count < DEVICES)
        strcpy(list->address[list->count++], address);
}

static bool is_in(const list_t *list, const char *address)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->address[i], address) == 0)
            return true;
    return false;
}

static void describe(const hyb_visible_devices_t *visible, list_t *list)
{
    for (int i = 0; i < visible->count; i++) {
        const hyb_device_choice_t *c = &visible->chosen[i];
        hyb_device_info_t info;
        bool is_known = c->backend->describe(c->index, &info) == XH_OK;

        add(list, is_known ? info.pci_address : "");
    }
}

/* Is process `rank` the only one of `count` processes that sees its devices? */
static bool are_own(const list_t *lists, int count, int rank)
{
    const list_t *mine = &lists[rank];

    for (int i = 0; i < mine->count; i++)
        for (int other = 0; other < count; other++)
            if (mine->address[i][0] == '\0' ||
                (other != rank && is_in(&lists[other], mine->address[i])))
                return false;
    return mine->count > 0;
}

/* ---- idle devices -------------------------------------------------------- */

/* Add the devices that process `rank` drives to `used`, by the rule that it
 * follows. */
static xh_status_t add_driven(const hyb_node_processes_t *n,
                              const list_t *lists, int rank, list_t *used)
{
    hyb_local_t local = {rank, n->local.count, n->local.masks};
    const char *addresses[DEVICES];
    int count = 0, *mine = NULL;

    for (int i = 0; i < lists[rank].count; i++)
        addresses[i] = lists[rank].address[i];
    XH_TRY(hyb_topology_deal(n->topology, &local, addresses, lists[rank].count,
                             &mine, &count));
    for (int i = 0; i < count; i++)
        add(used, addresses[mine[i]]);
    free(mine);
    return XH_OK;
}

/* Add the devices in `list` that no process uses to `idle`. */
static void add_idle(const list_t *list, const list_t *used, list_t *idle)
{
    for (int i = 0; i < list->count; i++)
        if (list->address[i][0] != '\0' && !is_in(used, list->address[i]) &&
            !is_in(idle, list->address[i]))
            add(idle, list->address[i]);
}

/* Warn of devices that no process uses, among processes that share devices. */
static xh_status_t warn_of_idle(const hyb_node_processes_t *n,
                                const list_t *lists)
{
    list_t used = {.count = 0}, idle = {.count = 0};
    char text[DEVICES * (ADDRESS + 2)] = "";
    int count = n->local.count;

    for (int rank = 0; rank < count; rank++)
        if (!are_own(lists, count, rank))
            XH_TRY(add_driven(n, lists, rank, &used));
    for (int rank = 0; rank < count; rank++)
        if (!are_own(lists, count, rank))
            add_idle(&lists[rank], &used, &idle);
    for (int i = 0; i < idle.count; i++)
        strcat(strcat(text, i > 0 ? ", " : ""), idle.address[i]);
    if (idle.count > 0)
        xh_log_warning("processes of this node see different devices, so none "
                       "of them uses %s: make all devices visible to every "
                       "process, or to each process only its own",
                       text);
    return XH_OK;
}

/* ---- find ---------------------------------------------------------------- */

static bool are_equal(const list_t *lists, int count)
{
    for (int i = 1; i < count; i++)
        if (memcmp(&lists[i], &lists[0], sizeof(lists[0])) != 0)
            return false;
    return true;
}

/* Check a received list: neither its count nor an address may lead out of its
 * array. */
static void check(list_t *list, int rank)
{
    if (list->count < 0 || list->count > DEVICES)
        HPL_pabort(0, "hyb_visible_devices_find",
                   "rank %d of this node sent a list of %d devices, allowed "
                   "are 0 to %d",
                   rank, list->count, DEVICES);
    for (int i = 0; i < list->count; i++)
        list->address[i][ADDRESS - 1] = '\0';
}

static xh_status_t compare(MPI_Comm node, const hyb_node_processes_t *n,
                           hyb_visible_devices_t *visible)
{
    int rank = n->local.rank, count = n->local.count;
    list_t *lists = calloc((size_t)count, sizeof(*lists));
    xh_status_t status = hpl_agree(node, lists == NULL ? XH_ERR_MEMORY : XH_OK);

    if (status == XH_OK) {
        describe(visible, &lists[rank]);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, lists,
                      (int)sizeof(*lists), MPI_BYTE, node);
        for (int i = 0; i < count; i++)
            check(&lists[i], i);
        visible->own = are_own(lists, count, rank);
        if (rank == 0 && !are_equal(lists, count))
            status = warn_of_idle(n, lists);
    }
    free(lists);
    return status;
}

/* Choose devices. All processes have the same setting: if it is refused, the
 * first process that refuses it logs why. */
static xh_status_t choose(MPI_Comm comm, hyb_visible_devices_t *visible)
{
    char why[HYB_DEVICES_WHY];
    xh_status_t status = hyb_devices_find(
        xh_settings_text("devices"), &visible->chosen, &visible->count, why);
    int rank, first;

    MPI_Comm_rank(comm, &rank);
    first = status != XH_OK ? rank : INT_MAX;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == rank)
        xh_log_error("%s", why);
    return status;
}

xh_status_t hyb_visible_devices_find(MPI_Comm comm,
                                     const hyb_node_processes_t *node_processes,
                                     hyb_visible_devices_t *visible_p)
{
    hyb_visible_devices_t visible = {.own = false};
    xh_status_t status = choose(comm, &visible);
    MPI_Comm node;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    status = hpl_agree(node, status);
    if (status == XH_OK)
        status = compare(node, node_processes, &visible);
    MPI_Comm_free(&node);
    if (status == XH_OK)
        *visible_p = visible;
    else
        free(visible.chosen);
    return status;
}
