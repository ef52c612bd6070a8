# SPDX-License-Identifier: BSD-3-Clause
"""A campaign beside earlier ones."""
from statistics import median

from hpl_report import files, html
from hpl_report.foreign import (COUNT, TEXT, Maybe, Named, Refused, check, count, one_of,
                                parsed, within)
from hpl_report.words import NONE, moment, percent, rate

from .judge import CLASSES
from .summary import VERSION

ROWS = 100


# The members of campaign.json that are compared.
RATE = within(1e-9)
SHAPE = {
    "version": count(VERSION, VERSION), "name": Maybe(TEXT), "started": Maybe(TEXT),
    "slow": within(1e-9, 1.0), "counts": {"ok": COUNT},
    "hosts": [{"name": TEXT, "kind": TEXT, "class": one_of(*CLASSES), "gflops": [RATE]}],
    "figures": {
        "single": {"kinds": [{"kind": TEXT, "n": COUNT, "nb": COUNT, "median": RATE,
                              "least": RATE, "most": RATE}]},
        "all": {"runs": [{"gflops": Maybe(RATE)}]}},
}


def read(path):
    """An earlier campaign; Refused if the file has none."""
    data = files.read(path)
    try:
        found = parsed(data)
        check(found, SHAPE)
        check(found["counts"], Named(COUNT), "counts")
    except Refused as error:
        raise Refused(
            f"{path}: no campaign.json of version {VERSION}: {error}") from error
    return found


def by_age(campaigns):
    """The oldest first."""
    return sorted(campaigns, key=lambda campaign: campaign["started"] or "")


def main_kind(campaign):
    """The kind and size that most nodes have."""
    kinds = campaign["figures"]["single"]["kinds"]
    return kinds[0] if kinds else None


def full_rate(campaign):
    rates = [run["gflops"] for run in campaign["figures"]["all"]["runs"] if run["gflops"]]
    return max(rates, default=None)


def row(campaign):
    """A campaign in a line."""
    kind = main_kind(campaign)
    bad = [f"{count} {klass}" for klass, count in campaign["counts"].items()
           if klass != "ok"]
    return [moment(campaign["started"]), campaign["name"], len(campaign["hosts"]),
            campaign["counts"]["ok"], ", ".join(bad) or NONE,
            rate(kind["median"]) if kind else NONE, rate(kind["least"]) if kind else NONE,
            kind["n"] if kind else NONE, rate(full_rate(campaign))]


def sizes(campaign):
    """{kind: (n, nb)} at which rates were taken."""
    found = {}
    for kind in campaign["figures"]["single"]["kinds"]:
        found.setdefault(kind["kind"], (kind["n"], kind["nb"]))
    return found


def changed(before, now):
    """Rows of nodes whose class changed, or whose rate at the same size fell by more
    than what makes one slow."""
    old, found = {host["name"]: host for host in before["hosts"]}, []
    equal = {kind for kind, size in sizes(now).items() if sizes(before).get(kind) == size}
    for host in now["hosts"]:
        was = old.get(host["name"])
        if was is None:
            continue
        part = None
        if host["kind"] in equal and was["gflops"] and host["gflops"]:
            part = median(host["gflops"]) / median(was["gflops"])
        if was["class"] != host["class"] or (part and part < 1 - now["slow"]):
            found.append([host["name"], was["class"], host["class"],
                          NONE if part is None else percent(part)])
    return sorted(found, key=lambda entry: (CLASSES.index(entry[2]), entry[0]))


def curve(campaigns, data):
    """Median, slowest and fastest node over the campaigns."""
    kinds = [main_kind(campaign) for campaign in campaigns]
    data["history"] = {
        "names": [moment(campaign["started"])[:16] for campaign in campaigns],
        "series": {name: [kind and kind[name] for kind in kinds]
                   for name in ("most", "median", "least")}}
    return html.figure(
        "history", "history", "Rate of a node alone, over the campaigns",
        "The kind of most nodes: the fastest, the median and the slowest "
        "node. Campaigns with other N are not the same test.")


def section(campaigns, data):
    """Nothing without an earlier campaign."""
    if len(campaigns) < 2:
        return ""
    rows = changed(campaigns[-2], campaigns[-1])
    more = f", the first {ROWS} of {len(rows)}" if len(rows) > ROWS else ""
    return html.section(
        "history", "Beside earlier campaigns", curve(campaigns, data),
        html.table("Campaigns", [
            "Start", "Name", "Nodes", "ok", "Others", "Median alone", "Slowest alone",
            "N", "All nodes"], [row(campaign) for campaign in campaigns]),
        html.table("What changed since the one before" + more, [
            "Node", "Was", "Is", "Rate, of before"], rows[:ROWS]) if rows
        else html.paragraph("No node changed its class or became slower."))
