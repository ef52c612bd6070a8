/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/unit/unit.h"
#include "hybrid/node/topology.h"

/*
 * Machines saved by hwloc. TWO_SOCKETS: 8 NUMA nodes of 4 cores; processors p
 * and p + 32 are one core, so p belongs to node p % 32 / 4. UNEVEN: NUMA nodes
 * of the processors 0 to 3 and 5 to 9.
 */
#define TWO_SOCKETS "testing/data/topology/two-sockets-8-gpus.xml"
#define UNEVEN "testing/data/topology/one-socket-uneven-3-gpus.xml"

static inline hyb_topology_t *opened(const char *source)
{
    hyb_topology_t *topology = NULL;

    assert_ok(hyb_topology_open(source, &topology));
    return topology;
}

/* A case that has both, open. */
#define TEST_ON_MACHINES(name) TEST_WITH(name, machines_open, machines_close)

static hyb_topology_t *two_sockets, *uneven;

static inline int machines_open(void **state)
{
    (void)state;
    two_sockets = opened(TWO_SOCKETS);
    uneven = opened(UNEVEN);
    return 0;
}

static inline int machines_close(void **state)
{
    (void)state;
    hyb_topology_close(two_sockets);
    hyb_topology_close(uneven);
    return 0;
}

static inline int node_of(int cpu)
{
    return cpu % 32 / 4;
}
