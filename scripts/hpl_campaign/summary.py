# SPDX-License-Identifier: BSD-3-Clause
"""A campaign as one object, campaign.json: docs/CAMPAIGN.md has its members."""
import json
from datetime import datetime, timezone
from statistics import median

from .blame import CHANCE, SLOW
from .judge import CLASSES, judge
from .measures import alone, by_size, kinds_of

VERSION = 1


def moment(seconds):
    """Seconds since 1970 as 2026-11-22T04:21:27Z; None stays."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


# ---- figures of stages -----------------------------------------------------------


def spread(values):
    """Number, median and ends of some values."""
    return {"count": len(values), "median": median(values), "least": min(values),
            "most": max(values)}


def single_figures(runs, kinds):
    """Rates of hosts alone, by kind and size; most hosts first."""
    found = []
    for kind, size, _, of in alone(runs, kinds):
        middles = [median(run["gflops"] for run in mine) for mine in of.values()]
        told = {run["predicted"] for mine in of.values() for run in mine}
        found.append({
            "kind": kind, **dict(zip(("n", "nb", "p", "q"), size)), **spread(middles),
            "runs": sum(map(len, of.values())),
            "predicted": max((x for x in told if x), default=None)})
    return sorted(found, key=lambda figure: -figure["count"])


def pair_figures(runs):
    """Of all pairs that ended well, of the size that most have."""
    found = max(by_size(runs).values(), key=len, default=[])
    figures = {"runs": len(found)}
    for member in ("gflops", "bandwidth", "latency"):
        values = [run[member] for run in found if run.get(member)]
        figures[member] = spread(values) if values else None
    return figures


def one_host(runs):
    """{host: median Gflop/s alone, at the size that most have}"""
    sizes = {}
    for run in runs:
        if run["stage"] == "single" and run["outcome"] == "ok" and run.get("gflops"):
            sizes.setdefault(run["n"], {}).setdefault(
                run["hosts"][0], []).append(run["gflops"])
    most = max(sizes.values(), key=len, default={})
    return {host: median(rates) for host, rates in most.items()}


def large_figures(runs, stage, rates):
    """Runs of many hosts, and what they reached of the sum of these alone."""
    found = []
    for run in runs:
        if run["stage"] != stage or len(run["hosts"]) < 2:
            continue
        known = [rates.get(host) for host in run["hosts"]]
        total = sum(known) if None not in known else None
        found.append({
            "run": run["run"], "hosts": len(run["hosts"]), "n": run["n"],
            "outcome": run["outcome"], "seconds": run.get("seconds"),
            "gflops": run.get("gflops"), "sum_alone": total,
            "part": run["gflops"] / total if total and run.get("gflops") else None})
    return found


def figures(runs, kinds, inventory, stages):
    """Numbers of each stage."""
    rates = one_host(runs)
    begun = stages.get("all") or {}
    return {
        "inventory": {"answered": sum(not x["error"] for x in inventory.values()),
                      "silent": sum(bool(x["error"]) for x in inventory.values())},
        "single": {"kinds": single_figures(runs, kinds)},
        "pairs": pair_figures(runs),
        "groups": {"runs": large_figures(runs, "groups", rates)},
        "all": {"runs": large_figures(runs, "all", rates),
                "left_out": begun.get("left_out") or [],
                "gain": begun.get("gain") or 0.0,
                "weights": begun.get("weights"),
                "weights_gain": begun.get("weights_gain") or 0.0},
    }


# ---- hosts, pairs, what to drain ---------------------------------------------------


def main_rates(runs, kinds):
    """{host: its rates alone}, at the size that most of its kind have."""
    cells = sorted(alone(runs, kinds), key=lambda cell: len(cell[3]))
    return {host: [run["gflops"] for run in mine]
            for _, _, _, of in cells for host, mine in of.items()}


def host_rows(hosts, verdicts, kinds, rates, inventory):
    return [{
        "name": host["name"], "group": host["group"], "kind": kinds[host["name"]],
        "class": verdicts[host["name"]].klass, "retest": None,
        "reasons": verdicts[host["name"]].reasons,
        "differences": verdicts[host["name"]].differences,
        "gflops": rates.get(host["name"], []),
        "facts": (inventory.get(host["name"]) or {}).get("facts") or {},
    } for host in hosts]


def pair_rows(names, runs):
    """The cells of the matrix that were measured; both directions are one."""
    found = [run for run in runs if run["stage"] == "pairs" and len(run["hosts"]) == 2]
    met = {host for run in found for host in run["hosts"]}
    names = [name for name in names if name in met]
    place = {name: index for index, name in enumerate(names)}
    return {"hosts": names, "columns": ["row", "column", "latency", "bandwidth", "gflops",
                                        "outcome"],
            "cells": [[*(place[host] for host in run["hosts"]), run.get("latency"),
                       run.get("bandwidth"), run.get("gflops"), run["outcome"]]
                      for run in found]}


def main_reason(host, certain):
    """The reason that gave a host its class, with what it differs in."""
    why = next((x["text"] for x in host["reasons"] if x["class"] == host["class"]
                and x["certain"] == certain), "")
    unlike = "; ".join(host["differences"][:3])
    return f"{why}; {unlike}" if unlike and why else why or unlike


def is_certain(host):
    """Whether its class is."""
    return any(x["certain"] and x["class"] == host["class"] for x in host["reasons"])


def listed(hosts, wanted):
    """Hosts of some sort, the worst class first."""
    found = [host for host in hosts if wanted(host)]
    found.sort(key=lambda host: CLASSES.index(host["class"]))
    return [{"host": host["name"], "class": host["class"],
             "reason": main_reason(host, is_certain(host))} for host in found]


def is_bad(host, again):
    """Whether it is not ok: for certain, or in a test of its own."""
    return host["class"] != "ok" and (is_certain(host) or host["name"] in again)


def drained(hosts, again=()):
    """Hosts that are not ok; last those that have not started, as others may keep them.
    again: those that were tested a second time."""
    return sorted(listed(hosts, lambda host: is_bad(host, again)),
                  key=lambda entry: entry["class"] == "not started")


def left_open(hosts, again=(), is_second=False):
    """Hosts about which nothing is certain, but not all is well. In a second test it is
    well if they are ok."""
    found = listed(hosts, lambda host: not is_certain(host) and not is_bad(host, again)
                   and (host["class"] != "ok" or host["reasons"] and not is_second))
    return [{**entry, "reason": without_look(entry["reason"])} for entry in found]


def without_look(reason):
    """A reason without what to look at, which is not yet known to be needed."""
    return "; ".join(x for x in reason.split("; ") if not x.startswith("look at "))


def shared_cause(campaign):
    """The class that more than half of the nodes, or all, share for a cause that is
    rarely theirs; None if there is none. Such nodes are not drained."""
    count = len(campaign["hosts"])
    for klass, many in campaign["counts"].items():
        if klass not in ("ok", "unknown") and many * 2 > count and (
                many > 2 or klass == "not started" and many == count):
            return klass
    return None


def counts(hosts):
    """{class: number}, the worst first; ok is always there."""
    of = [host["class"] for host in hosts]
    return {klass: of.count(klass) for klass in CLASSES
            if klass in of or klass == "ok"}


# ---- all -----------------------------------------------------------------------------


def build(state, runs=None, slow=SLOW, chance=CHANCE, retests=None):
    """The object of a campaign.

    state     an open State
    runs      its runs, if they have more members than state.runs() has
    retests   {name: members of its row}: what second tests found
    """
    runs = state.runs() if runs is None else runs
    names = [host["name"] for host in state.hosts]
    kinds = kinds_of(names, state.inventory)
    verdicts = judge(names, runs, state.inventory, slow, chance)
    hosts = host_rows(state.hosts, verdicts, kinds, main_rates(runs, kinds),
                      state.inventory)
    for host in hosts:
        host.update((retests or {}).get(host["name"], {}))
    head = state.campaign or {}
    options = head.get("options") or {}
    own = {host for run in runs for host in run["hosts"]} & set(options.get("retest") or ())
    again = own | set(retests or ())
    return {
        "version": VERSION, "name": head.get("name"),
        "started": moment(head.get("time")),
        "ended": moment(max((run["time"] for run in runs), default=None)),
        "command": head.get("command") or [], "options": options,
        "slow": slow, "chance": chance,
        "counts": counts(hosts), "drain": drained(hosts, again),
        "open": left_open(hosts, again, bool(own)),
        "figures": figures(runs, kinds, state.inventory, getattr(state, "stages", {})),
        "hosts": hosts, "pairs": pair_rows(names, runs),
        "runs": list(runs),
    }


def text(campaign):
    """campaign.json: a member a line, of its lists an entry a line."""
    return "{\n" + ",\n".join(
        f"{json.dumps(name)}: {listing(value)}" for name, value in campaign.items()
    ) + "\n}\n"


def listing(value):
    if not isinstance(value, list):
        return json.dumps(value)
    return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
