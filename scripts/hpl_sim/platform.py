# SPDX-License-Identifier: BSD-3-Clause
"""Platform files for SimGrid."""
from math import ceil

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <cluster id="nodes" prefix="node-" suffix="" radical="0-{last}" speed="1Gf" core="{ranks}"
  bw="{link}" lat="{latency}" loopback_bw="{link}" loopback_lat="{latency}" {shape}/>
</platform>
"""


def fat_tree(nodes):
    """Two levels, as many links up as down: leaves of about the square root."""
    leaf = 2
    while leaf * leaf < nodes:
        leaf *= 2
    leaves = max(ceil(nodes / leaf), 1)
    shape = f'topology="FAT_TREE" topo_parameters="2;{leaf},{leaves};1,{leaf};1,1"'
    return leaf * leaves, shape + ' sharing_policy="SPLITDUPLEX"'


def dragonfly(nodes):
    """Groups of 4 chassis of 4 routers of 4 nodes; as many groups as it takes."""
    groups = max(ceil(nodes / 64), 2)
    shape = f'topology="DRAGONFLY" topo_parameters="{groups},4;4,2;4,1;4"'
    return 64 * groups, shape + ' sharing_policy="SPLITDUPLEX"'


def ideal(nodes):
    """A node's messages share its link, one each way, and nothing else is shared."""
    return nodes, 'sharing_policy="SPLITDUPLEX"'


TOPOLOGIES = {"ideal": ideal, "fat-tree": fat_tree, "dragonfly": dragonfly}


def text(topology, nodes, ranks, link, latency):
    hosts, shape = TOPOLOGIES[topology](nodes)
    return HEAD.format(
        last=hosts - 1, ranks=ranks, link=link, latency=latency, shape=shape
    )


def hostfile(nodes, ranks):
    """Ranks one after the other fill a node."""
    return "".join(f"node-{i}\n" for i in range(nodes) for _ in range(ranks))
