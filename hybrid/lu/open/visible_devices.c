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
    char address[DEVICES][ADDRESS]; /* "" where there is none */
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

static void describe(const hyb_visible_devices_t *seen, list_t *list)
{
    for (int i = 0; i < seen->count; i++) {
        const hyb_device_choice_t *c = &seen->chosen[i];
        hyb_device_info_t info;
        bool told = c->backend->describe(c->index, &info) == XH_OK;

        add(list, told ? info.pci_address : "");
    }
}

/* Of count processes' lists: does only rank see its devices? */
static bool are_own(const list_t *of, int count, int rank)
{
    const list_t *mine = &of[rank];

    for (int i = 0; i < mine->count; i++)
        for (int other = 0; other < count; other++)
            if (mine->address[i][0] == '\0' ||
                (other != rank && is_in(&of[other], mine->address[i])))
                return false;
    return mine->count > 0;
}

/* ---- what is left idle --------------------------------------------------- */

/* Add to used what the process rank drives, by the rule that it goes by. */
static xh_status_t add_driven(const hyb_node_processes_t *n, const list_t *of,
                              int rank, list_t *used)
{
    hyb_local_t local = {rank, n->local.count, n->local.masks};
    const char *addresses[DEVICES];
    int count = 0, *mine = NULL;

    for (int i = 0; i < of[rank].count; i++)
        addresses[i] = of[rank].address[i];
    XH_TRY(hyb_topology_deal(n->topology, &local, addresses, of[rank].count,
                             &mine, &count));
    for (int i = 0; i < count; i++)
        add(used, addresses[mine[i]]);
    free(mine);
    return XH_OK;
}

/* Add to idle what is in list and that nobody uses. */
static void add_idle(const list_t *list, const list_t *used, list_t *idle)
{
    for (int i = 0; i < list->count; i++)
        if (list->address[i][0] != '\0' && !is_in(used, list->address[i]) &&
            !is_in(idle, list->address[i]))
            add(idle, list->address[i]);
}

/* Of processes that share devices. */
static xh_status_t warn_of_idle(const hyb_node_processes_t *n, const list_t *of)
{
    list_t used = {.count = 0}, idle = {.count = 0};
    char text[DEVICES * (ADDRESS + 2)] = "";
    int count = n->local.count;

    for (int rank = 0; rank < count; rank++)
        if (!are_own(of, count, rank))
            XH_TRY(add_driven(n, of, rank, &used));
    for (int rank = 0; rank < count; rank++)
        if (!are_own(of, count, rank))
            add_idle(&of[rank], &used, &idle);
    for (int i = 0; i < idle.count; i++)
        strcat(strcat(text, i > 0 ? ", " : ""), idle.address[i]);
    if (idle.count > 0)
        xh_log_warning(
            "processes of this node see different devices, and no process uses "
            "%s: show all devices to each process, or each process its own",
            text);
    return XH_OK;
}

/* ---- finding ------------------------------------------------------------- */

static bool are_equal(const list_t *of, int count)
{
    for (int i = 1; i < count; i++)
        if (memcmp(&of[i], &of[0], sizeof(of[0])) != 0)
            return false;
    return true;
}

/* A list that came must not lead out of its array, nor an address. */
static void check(list_t *of, int rank)
{
    if (of->count < 0 || of->count > DEVICES)
        HPL_pabort(0, "hyb_visible_devices_find",
                   "rank %d of this node sent a list of %d devices, allowed "
                   "are 0 to %d",
                   rank, of->count, DEVICES);
    for (int i = 0; i < of->count; i++)
        of->address[i][ADDRESS - 1] = '\0';
}

static xh_status_t compare(MPI_Comm node, const hyb_node_processes_t *n,
                           hyb_visible_devices_t *seen)
{
    int rank = n->local.rank, count = n->local.count;
    list_t *of = calloc((size_t)count, sizeof(*of));
    xh_status_t status = hpl_agree(node, of == NULL ? XH_ERR_MEMORY : XH_OK);

    if (status == XH_OK) {
        describe(seen, &of[rank]);
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, of, (int)sizeof(*of),
                      MPI_BYTE, node);
        for (int i = 0; i < count; i++)
            check(&of[i], i);
        seen->own = are_own(of, count, rank);
        if (rank == 0 && !are_equal(of, count))
            status = warn_of_idle(n, of);
    }
    free(of);
    return status;
}

/* All have the same setting: of those that refuse it the first one says why. */
static xh_status_t choose(MPI_Comm comm, hyb_visible_devices_t *seen)
{
    char why[HYB_DEVICES_WHY];
    xh_status_t status = hyb_devices_find(xh_settings_text("devices"),
                                          &seen->chosen, &seen->count, why);
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
                                     hyb_visible_devices_t *seen_p)
{
    hyb_visible_devices_t seen = {.own = false};
    xh_status_t status = choose(comm, &seen);
    MPI_Comm node;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    status = hpl_agree(node, status);
    if (status == XH_OK)
        status = compare(node, node_processes, &seen);
    MPI_Comm_free(&node);
    if (status == XH_OK)
        *seen_p = seen;
    else
        free(seen.chosen);
    return status;
}
