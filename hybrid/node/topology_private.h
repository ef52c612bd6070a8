/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <hwloc.h>
#include "base/status.h"
#include "hybrid/node/topology.h"

/* What the files topology*.c know of each other. */
struct hyb_topology {
    hwloc_topology_t machine;
    hwloc_bitmap_t mask; /* processors this process may use */
    int depth;           /* of cores, of processors where there are none */
    int cores;
};

/* Core number index of the machine, in hwloc's order. */
static inline hwloc_obj_t hyb_topology_core(const hyb_topology_t *topology,
                                            int index)
{
    return hwloc_get_obj_by_depth(topology->machine, topology->depth,
                                  (unsigned)index);
}

/* Fill mask from a text list. Errors: XH_ERR_ARG  it is none */
xh_status_t hyb_bitmap_read(const char *text, hwloc_bitmap_t mask);

/* count empty sets, then NULL; or NULL, after a message, without memory. */
hwloc_bitmap_t *hyb_bitmaps_create(int count);
void hyb_bitmaps_destroy(hwloc_bitmap_t *bitmaps); /* accepts NULL */
