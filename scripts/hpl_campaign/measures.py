# SPDX-License-Identifier: BSD-3-Clause
"""What runs say of the speed of hosts, by kinds of hosts and sizes of runs."""
import math
import re
from typing import Dict, List, NamedTuple

from .compare import Kind
from .links import shares

MODEL = re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{4}\b")  # vendor and device of PCI

BANDWIDTH = 0.10  # less than the median makes a link slow
LATENCY = 0.20  # the same of its inverse


class Measure(NamedTuple):
    """Values that can be compared with each other.

    what    one of "rate", "rate in pairs", "bandwidth", "latency"
    kind    the name of the kind of hosts
    size    n, nb, p, q of the runs
    part    so much below the median a host is slow
    of      the values: logarithms, lower is slower
    runs    {host: [run of each of its values]}
    """

    what: str
    kind: str
    size: tuple
    part: float
    of: Kind
    runs: Dict[str, List[dict]]


# ---- kinds ------------------------------------------------------------------------


def kind_of(facts):
    """What makes hosts alike: processor, and models of GPUs, however many."""
    models = sorted(set(MODEL.findall(facts.get("gpus") or "")))
    return " + ".join([facts.get("processor") or "unknown", *models])


def kinds_of(names, inventory):
    """{host: kind}; hosts that told nothing are of the most frequent one."""
    told = {name: kind_of(inventory[name]["facts"]) for name in names
            if ((inventory.get(name) or {}).get("facts") or {}).get("processor")}
    kinds = list(told.values())
    usual = max(kinds, key=kinds.count) if len(set(kinds)) < 50 and kinds else "unknown"
    return {name: told.get(name, usual) for name in names}


# ---- values -----------------------------------------------------------------------


def size_of(run):
    return run["n"], run["nb"], run["p"], run["q"]


def has_rate(run):
    """Whether its rate can be compared: also of one that was ended as it took too
    long."""
    return bool(run.get("gflops")) and run["outcome"] in ("ok", "unknown")


def alone(runs, kinds):
    """The rates of hosts by themselves; hosts in the order of kinds."""
    cells = {}
    for run in runs:
        if len(run["hosts"]) == 1 and has_rate(run) and run["hosts"][0] in kinds:
            host = run["hosts"][0]
            cell = cells.setdefault((kinds[host], size_of(run)), {})
            cell.setdefault(host, []).append(run)
    place = {host: index for index, host in enumerate(kinds)}
    for (kind, size), of in cells.items():
        of = {host: of[host] for host in sorted(of, key=place.get)}
        values = {host: [math.log(run["gflops"]) for run in found]
                  for host, found in of.items()}
        yield kind, size, values, of


PAIRS = (  # what, member of a run, 1 if more is better, part
    ("rate in pairs", "gflops", 1, None),
    ("bandwidth", "bandwidth", 1, BANDWIDTH),
    ("latency", "latency", -1, LATENCY),
)


def by_size(runs):
    """Pairs that succeeded, of equal size."""
    sizes = {}
    for run in runs:
        if run["stage"] == "pairs" and len(run["hosts"]) == 2 and run["outcome"] == "ok":
            sizes.setdefault(size_of(run), []).append(run)
    return sizes


def pairs(runs, kinds, member, sign):
    """What hosts show in pairs, without the share of their partners."""
    place = {host: index for index, host in enumerate(kinds)}
    for size, found in by_size(runs).items():
        found = [run for run in found if (run.get(member) or 0) > 0]
        rows = shares([(*run["hosts"], sign * math.log(run[member])) for run in found])
        of = {}
        for run in found:
            for host in run["hosts"]:
                of.setdefault(host, []).append(run)
        known = sorted((host for host in rows if host in kinds), key=place.get)
        for kind in sorted({kinds[host] for host in known}):
            mine = {host: rows[host] for host in known if kinds[host] == kind}
            yield kind, size, mine, {host: of[host] for host in mine}


def compared_alone(found):
    """Hosts whose rate alone is compared with enough others at some size."""
    return {host for measure in found
            if measure.what == "rate" and not measure.of.is_few() for host in measure.runs}


def measures(runs, kinds, slow):
    """All that can be compared.

    kinds   {host: kind}
    slow    the part below the median that makes a host slow
    """
    found = [Measure("rate", kind, size, slow, Kind(values), of)
             for kind, size, values, of in alone(runs, kinds)]
    for what, member, sign, part in PAIRS:
        found += [Measure(what, kind, size, part or slow, Kind(values), of)
                  for kind, size, values, of in pairs(runs, kinds, member, sign)]
    return found
