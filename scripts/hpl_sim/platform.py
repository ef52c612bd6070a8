# SPDX-License-Identifier: BSD-3-Clause
"""Platform files for SimGrid."""
import re
from math import ceil

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
{nodes}</platform>
"""
NODES = """ <cluster id="{name}" prefix="node-" suffix="" radical="{first}-{last}" speed="1Gf"
  core="{cores}" bw="{link}" lat="{latency}" loopback_bw="{link}" loopback_lat="{latency}"
  {shape}/>
"""
# The first node's link is another; nothing lies between it and the others.
TWO = """<zone id="all" routing="Full">
{nodes} <link id="between" bandwidth="1EBps" latency="0" sharing_policy="FATPIPE"/>
 <zoneRoute src="slow" dst="nodes" gw_src="node-slow_router" gw_dst="node-nodes_router">
  <link_ctn id="between"/>
 </zoneRoute>
</zone>
"""
UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


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


def bytes_per_second(link):
    """25GBps and the like."""
    number, unit = re.fullmatch(r"([0-9.e+]+)([kMGT]?)Bps", link).groups()
    return float(number) * UNITS[unit]


def text(topology, nodes, cores, link, latency, slow_link=1.0):
    """slow_link: the part of a link's bandwidth that the first node's has."""
    hosts, shape = TOPOLOGIES[topology](nodes)
    same = {"last": hosts - 1, "cores": cores, "latency": latency, "shape": shape}
    if slow_link == 1.0:
        return HEAD.format(nodes=NODES.format(name="nodes", first=0, link=link, **same))
    slow = f"{bytes_per_second(link) * slow_link:.9g}Bps"
    first = {**same, "last": 0}
    one = NODES.format(name="slow", first=0, link=slow, **first)
    others = NODES.format(name="nodes", first=1, link=link, **same)
    return HEAD.format(nodes=TWO.format(nodes=one + others))


def hostfile(nodes, ranks):
    """Ranks one after the other fill a node."""
    return "".join(f"node-{i}\n" for i in range(nodes) for _ in range(ranks))
