/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/topology_private.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

static bool is_path(const char *source)
{
    size_t length = strlen(source);

    return strchr(source, '/') != NULL ||
           (length > 4 && strcmp(source + length - 4, ".xml") == 0);
}

static bool set_source(hwloc_topology_t machine, const char *source)
{
    if (source == NULL)
        return true;
    return (is_path(source)
                ? hwloc_topology_set_xml(machine, source)
                : hwloc_topology_set_synthetic(machine, source)) == 0;
}

/*
 * Processors that this process may not use are kept: all processes of a node
 * then see the same machine and come to the same shares. Devices are found in
 * /sys, without the component that needs libpciaccess, which loses memory, and
 * without OpenCL's, which starts threads and takes over signals; where hwloc
 * has no such component, forbidding it fails and does no harm.
 */
static bool load(hwloc_topology_t machine, const char *source)
{
    static const char *const forbidden[] = {"pci", "opencl"};

    for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++)
        hwloc_topology_set_components(
            machine, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, forbidden[i]);
    return set_source(machine, source) &&
           hwloc_topology_set_flags(
               machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
           hwloc_topology_set_type_filter(machine, HWLOC_OBJ_PCI_DEVICE,
                                          HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
           hwloc_topology_load(machine) == 0;
}

static void read_mask(hyb_topology_t *topology)
{
    hwloc_topology_t machine = topology->machine;

    if (!hwloc_topology_is_thissystem(machine) ||
        hwloc_get_cpubind(machine, topology->mask, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(topology->mask,
                          hwloc_topology_get_allowed_cpuset(machine));
    hwloc_bitmap_and(topology->mask, topology->mask,
                     hwloc_topology_get_topology_cpuset(machine));
}

xh_status_t hyb_topology_open(const char *source, hyb_topology_t **topology_p)
{
    hyb_topology_t *topology = calloc(1, sizeof(*topology));

    if (topology == NULL || (topology->mask = hwloc_bitmap_alloc()) == NULL ||
        hwloc_topology_init(&topology->machine) != 0) {
        xh_log_error("no memory for the machine's topology");
        hyb_topology_close(topology);
        return XH_ERR_MEMORY;
    }
    if (!load(topology->machine, source)) {
        hyb_topology_close(topology);
        if (source == NULL) {
            xh_log_error("cannot read the topology of this machine");
            return XH_ERR_INTERNAL;
        }
        xh_log_error("\"%s\" is no %s", source,
                     is_path(source) ? "hwloc XML file that can be read"
                                     : "hwloc synthetic description");
        return XH_ERR_INPUT;
    }
    read_mask(topology);
    topology->depth =
        hwloc_get_type_or_below_depth(topology->machine, HWLOC_OBJ_CORE);
    topology->cores =
        (int)hwloc_get_nbobjs_by_depth(topology->machine, topology->depth);
    *topology_p = topology;
    return XH_OK;
}

void hyb_topology_close(hyb_topology_t *topology)
{
    if (topology == NULL)
        return;
    if (topology->machine != NULL)
        hwloc_topology_destroy(topology->machine);
    hwloc_bitmap_free(topology->mask);
    free(topology);
}

/* ---- masks --------------------------------------------------------------- */

static xh_status_t write_list(hwloc_const_bitmap_t bitmap, char **list_p)
{
    char *list;

    if (hwloc_bitmap_list_asprintf(&list, bitmap) < 0) {
        xh_log_error("no memory for the text of an affinity mask");
        return XH_ERR_MEMORY;
    }
    *list_p = list;
    return XH_OK;
}

xh_status_t hyb_topology_mask(const hyb_topology_t *topology, char **mask_p)
{
    return write_list(topology->mask, mask_p);
}

/* The system cuts a mask of everything down to what it allows. */
xh_status_t hyb_topology_reach(const hyb_topology_t *topology, char **reach_p)
{
    const int thread = HWLOC_CPUBIND_THREAD;
    hwloc_topology_t machine = topology->machine;
    hwloc_bitmap_t *sets = hyb_bitmaps_create(2), reach, before;
    xh_status_t status;

    if (sets == NULL)
        return XH_ERR_MEMORY;
    reach = sets[0];
    before = sets[1];
    hwloc_bitmap_copy(reach, topology->mask);
    if (hwloc_topology_is_thissystem(machine) &&
        hwloc_get_cpubind(machine, before, thread) == 0 &&
        hwloc_set_cpubind(machine, hwloc_topology_get_complete_cpuset(machine),
                          thread) == 0) {
        hwloc_get_cpubind(machine, reach, thread);
        hwloc_set_cpubind(machine, before, thread);
        hwloc_bitmap_and(reach, reach,
                         hwloc_topology_get_topology_cpuset(machine));
    }
    status = write_list(reach, reach_p);
    hyb_bitmaps_destroy(sets);
    return status;
}

xh_status_t hyb_topology_list(const int *cpus, int count, char **list_p)
{
    hwloc_bitmap_t *set = hyb_bitmaps_create(1);
    xh_status_t status;

    if (set == NULL)
        return XH_ERR_MEMORY;
    for (int i = 0; i < count; i++)
        hwloc_bitmap_set(*set, (unsigned)cpus[i]);
    status = write_list(*set, list_p);
    hyb_bitmaps_destroy(set);
    return status;
}

xh_status_t hyb_bitmap_read(const char *text, hwloc_bitmap_t mask)
{
    if (hwloc_bitmap_list_sscanf(mask, text) == 0)
        return XH_OK;
    xh_log_error("\"%s\" is not a list of processors", text);
    return XH_ERR_ARG;
}

/* ---- counts -------------------------------------------------------------- */

static int cores_in(const hyb_topology_t *topology, hwloc_const_bitmap_t mask)
{
    int cores = 0;

    for (int i = 0; i < topology->cores; i++)
        cores += hwloc_bitmap_intersects(hyb_topology_core(topology, i)->cpuset,
                                         mask);
    return cores;
}

xh_status_t hyb_topology_count(const hyb_topology_t *topology,
                               const char *const *masks, int count,
                               int *cores_p, int *processors_p)
{
    hwloc_bitmap_t *sets = hyb_bitmaps_create(2), all, one;
    xh_status_t status = XH_OK;

    if (sets == NULL)
        return XH_ERR_MEMORY;
    all = sets[0];
    one = sets[1];
    for (int i = 0; i < count && status == XH_OK; i++) {
        status = hyb_bitmap_read(masks[i], one);
        hwloc_bitmap_or(all, all, one);
    }
    if (status == XH_OK) {
        hwloc_bitmap_and(all, all,
                         hwloc_topology_get_topology_cpuset(topology->machine));
        *cores_p = cores_in(topology, all);
        *processors_p = hwloc_bitmap_weight(all);
    }
    hyb_bitmaps_destroy(sets);
    return status;
}

void hyb_topology_describe(const hyb_topology_t *topology, char *text, int size)
{
    hwloc_topology_t machine = topology->machine;
    int sockets = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PACKAGE);
    int nodes = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_NUMANODE);
    int processors = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);

    snprintf(text, (size_t)size,
             "%d socket%s, %d NUMA node%s, %d hardware threads, %d of %d cores "
             "in the affinity mask",
             sockets, sockets == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s",
             processors, cores_in(topology, topology->mask), topology->cores);
}

void hyb_topology_synthetic(const hyb_topology_t *topology, char *text,
                            int size)
{
    int length = hwloc_topology_export_synthetic(topology->machine, text,
                                                 (size_t)size, 0);

    if (length < 0 || length >= size)
        text[0] = '\0';
}

/* ---- sets ---------------------------------------------------------------- */

hwloc_bitmap_t *hyb_bitmaps_create(int count)
{
    hwloc_bitmap_t *bitmaps = calloc((size_t)count + 1, sizeof(*bitmaps));

    for (int i = 0; bitmaps != NULL && i < count; i++) {
        bitmaps[i] = hwloc_bitmap_alloc();
        if (bitmaps[i] == NULL) {
            hyb_bitmaps_destroy(bitmaps);
            bitmaps = NULL;
        }
    }
    if (bitmaps == NULL)
        xh_log_error("no memory for %d sets of processors", count);
    return bitmaps;
}

void hyb_bitmaps_destroy(hwloc_bitmap_t *bitmaps)
{
    for (int i = 0; bitmaps != NULL && bitmaps[i] != NULL; i++)
        hwloc_bitmap_free(bitmaps[i]);
    free(bitmaps);
}
