# SPDX-License-Identifier: BSD-3-Clause
"""What a host is worth in company: its rate alone, or less if its link makes pairs and
groups slow. A full run goes at the speed of the worst."""
import math
from statistics import median

from . import stages
from .links import shares
from .measures import by_size


def of_pairs(runs):
    """{host: the rate of pairs with it, as a part of that with a median host}"""
    rows = {}
    for found in by_size(runs).values():
        found = [run for run in found if run.get("gflops")]
        pairs = [(*run["hosts"], math.log(run["gflops"])) for run in found]
        for host, row in shares(pairs).items():
            rows.setdefault(host, []).extend(row)
    return {host: math.exp(median(row)) for host, row in rows.items()}


def expected(run, alone, size):
    """flop/s of a run of several hosts that goes at the speed of its slowest."""
    slowest = size._replace(rate=min(alone[host] for host in run["hosts"]))
    return stages.rate(slowest, len(run["hosts"]), run["n"], 1.0)


def of_groups(runs, alone, size, suspects, pairs):
    """{host: the rate of groups with this suspect, as a part of that of groups without
    any}; of several suspects the worst in pairs counts."""
    usual, found = [], {}
    for run in runs:
        if run["stage"] != "groups" or run["outcome"] != "ok" or not run["gflops"] \
                or not all(host in alone for host in run["hosts"]):
            continue
        part = run["gflops"] * 1e9 / expected(run, alone, size)
        mine = [host for host in run["hosts"] if host in suspects]
        if mine:
            worst = min(mine, key=lambda host: pairs.get(host, 1.0))
            found.setdefault(worst, []).append(part)
        else:
            usual.append(part)
    if not usual:
        return {}
    return {host: median(parts) / median(usual) for host, parts in found.items()}


def rates(runs, alone, size, suspects):
    """{host: flop/s}: alone, but less of suspects that slow down others.

    alone     {host: flop/s}
    suspects  hosts that are slow, by whatever was measured
    """
    if not alone:
        return {}
    pairs = of_pairs(runs)
    groups = of_groups(runs, alone, size, suspects, pairs)
    middle, found = median(alone.values()), dict(alone)
    for host in suspects:
        mine = alone.get(host, middle)
        found[host] = min(mine, middle * pairs.get(host, math.inf),
                          mine * groups.get(host, 1.0))
    return found
