# SPDX-License-Identifier: BSD-3-Clause
"""The page of a campaign, made of the object that campaign.json holds."""
from datetime import datetime
from pathlib import Path

from hpl_report import html
from hpl_report.html import escape
from hpl_report.page import whole
from hpl_report.words import (
    NONE, duration, moment, percent, plural, rate, significant)

from . import charts, drain, heat, history
from .calls import Calls
from .commands import copied, to_do
from .compare import CLEAR, FEW
from .judge import CLASSES, NEAR
from .options import DEFAULTS
from .summary import is_certain, shared_cause

HERE = Path(__file__).resolve().parent

FIRST = 8  # nodes to drain that the top of the page names
ROWS = 200  # of a table
TEXT = 320  # letters of a reason at the top
FINE = 600  # nodes: with more, the map has no letters
CAUSE = ("More than half of the nodes are {}. Look for one cause first: the launcher, the "
         "file system, the network, the program. Do not drain before it is found.")
REPAIR = {  # what to look at in a node of a class; of a slow one the reason says it
    "wrong": "suspect its memory, processor or device",
    "died": "see the log of the run, and that of the system",
    "hung": "suspect its network or a device",
    "hot": "see its fans and heat sinks",
}
LETTERS = {"wrong": "W", "died": "D", "hung": "H", "hot": "T", "not started": "N",
           "slow": "S", "unknown": "?", "ok": ""}


def short(text, most=TEXT):
    return text if len(text) <= most else text[:most - 1].rstrip() + "…"


def style(klass):
    """The class of an element, for a class of nodes."""
    return "of-" + (klass.replace(" ", "-") if klass in LETTERS else "unknown")


# ---- the top: what to drain --------------------------------------------------------


def headline(campaign):
    """What to do."""
    count = len(campaign["hosts"])
    drained, asked = map(len, drain.apart(campaign["drain"],
                                          campaign["options"].get("launcher")))
    opened, cause = len(campaign["open"]), shared_cause(campaign)
    if cause and campaign["drain"]:
        many = campaign["counts"][cause]
        return (f"Do not drain yet: {many} of {plural(count, 'node')} "
                f"{'is' if many == 1 else 'are'} {cause}")
    if campaign["counts"]["ok"] == count and not opened:
        return f"All {count} nodes are ok" if count > 1 else "The node is ok"
    if not campaign["runs"] and not campaign["drain"]:
        return f"No run has ended: nothing is known of {plural(count, 'node')}"
    return (f"Drain {drained or 'none'} of {plural(count, 'node')}"
            + f"; ask about {asked}" * bool(asked) + f"; test {opened} again" * bool(opened))


def counted(campaign):
    """How many nodes are of each class, and "?" for those of which it is undecided."""
    found = {klass: [0, 0] for klass in campaign["counts"]}
    for host in campaign["hosts"]:
        sure = host["class"] in ("ok", "unknown") or is_certain(host) or bool(host["retest"])
        found.setdefault(host["class"], [0, 0])[sure] += 1
    return [(count, klass, mark) for klass, counts in found.items()
            for count, mark in zip(reversed(counts), ("", "?"))
            if count or klass == "ok" and not mark]


def tally(campaign):
    """The nodes of each class in words."""
    return ", ".join(f"{count} {klass}{mark}" for count, klass, mark in counted(campaign))


def to_look_at(entry, launcher):
    """What tells more of a node, for a page."""
    command = drain.ask(entry, launcher)
    if command:
        return f"ask before you drain it: <code>{escape(command)}</code>"
    return escape(REPAIR.get(entry["class"], ""))


def item(entry, mark, launcher):
    """A node with its class, the reason and what to look at."""
    look = "" if mark else to_look_at(entry, launcher)
    why = "; ".join(filter(None, (escape(short(entry["reason"])), look)))
    return (
        f'<li><b>{escape(entry["host"])}</b>'
        f'<span class="klass {style(entry["class"])}">{escape(entry["class"])}{mark}</span>'
        f'<span class="why">{why}</span></li>'
    )


def named(campaign, entries, mark=""):
    """Nodes with reasons; most of a long list is folded."""
    if not entries:
        return ""
    launcher = None if shared_cause(campaign) else campaign["options"].get("launcher")
    items = [item(entry, mark * (entry["class"] not in ("ok", "unknown")), launcher)
             for entry in entries[:FIRST + ROWS]]
    shown = f'<ul class="drain">{"".join(items[:FIRST])}</ul>'
    rest = entries[FIRST:]
    if rest:
        shown += (f'<details class="numbers"><summary>{len(rest)} more</summary>'
                  f'<ul class="drain">{"".join(items[FIRST:])}</ul>'
                  + html.paragraph(f"{len(rest) - ROWS} more are in drain.txt")
                  * (len(rest) > ROWS) + "</details>")
    return shown


def common_cause(campaign, calls):
    """What fails everywhere is rarely the nodes."""
    cause = shared_cause(campaign)
    if not cause:
        return ""
    if not campaign["runs"]:
        return html.paragraph(CAUSE.format(cause) + " Then the same command as before asks "
                              "all nodes again.", "note")
    return html.paragraph(CAUSE.format(cause) + " Then test all nodes again:", "note") \
        + copied("anew", calls.anew(campaign))


def took(campaign):
    if not campaign["started"] or not campaign["ended"]:
        return ""
    begun, ended = (datetime.strptime(campaign[x], "%Y-%m-%dT%H:%M:%SZ")
                    for x in ("started", "ended"))
    return f" · took {duration(max(0.0, (ended - begun).total_seconds()))}"


def grade(campaign):
    if campaign["drain"]:
        return "low"
    return "good" if campaign["counts"]["ok"] == len(campaign["hosts"]) else "fair"


def undecided(campaign):
    """Nodes of which something is open."""
    if not campaign["open"]:
        return ""
    return ('<h2 class="open">Not certain after one test: do not drain yet</h2>'
            + named(campaign, campaign["open"], "?"))


def hero(campaign, calls):
    """Which nodes to drain, and why."""
    return (
        f'<header class="hero campaign {grade(campaign)}">'
        f'<p class="over">{escape(str(campaign["name"]))} · '
        f'{escape(moment(campaign["started"]))}{escape(took(campaign))}</p>'
        f"<h1>{escape(headline(campaign))}</h1>"
        f'<p class="tally">{escape(tally(campaign))}</p>'
        + common_cause(campaign, calls) + named(campaign, campaign["drain"])
        + undecided(campaign) + "</header>"
    )


# ---- the map -------------------------------------------------------------------------


def cell(host, fine):
    letter = "" if fine else LETTERS.get(host["class"], "?")
    why = "" if host["class"] == "ok" else f": {host['class']}"
    return (f'<i class="{style(host["class"])}" title="{escape(host["name"] + why)}">'
            f"{letter}</i>")


def block(group, hosts, fine):
    head = f"<h4>{escape(group)}</h4>" if group else ""
    cells = "".join(cell(host, fine) for host in hosts)
    return f'<div class="rack">{head}<div class="cells">{cells}</div></div>'


def legend(campaign):
    return '<ul class="legend">' + "".join(
        f'<li><i class="{style(klass)}">{LETTERS.get(klass, "?")}</i>{escape(klass)}{mark} '
        f"{count}</li>" for count, klass, mark in counted(campaign)) + "</ul>"


def node_map(campaign):
    """All nodes by class, in their racks."""
    racks = {}
    for host in campaign["hosts"]:
        racks.setdefault(host["group"] or "", []).append(host)
    fine = len(campaign["hosts"]) > FINE
    blocks = "".join(block(group, hosts, fine) for group, hosts in racks.items())
    return html.section(
        "map", "Map of nodes", legend(campaign),
        f'<div class="racks{" fine" if fine else ""}" role="img" aria-label="'
        f'{escape("Nodes by class: " + tally(campaign))}">{blocks}</div>')


# ---- stages ----------------------------------------------------------------------------


def kinds_table(figure):
    rows = [[kind["kind"], kind["count"], kind["runs"], kind["n"], kind["nb"],
             rate(kind["median"]), rate(kind["least"]), rate(kind["most"])]
            for kind in figure["kinds"][:ROWS]]
    return html.table("By kind and size", [
        "Kind", "Nodes", "Runs", "N", "NB", "Median", "Least", "Most"], rows)


def few(figure):
    """Kinds with too few nodes to compare."""
    found = {}
    for kind in figure["kinds"]:
        found[kind["kind"]] = max(found.get(kind["kind"], 0), kind["count"])
    lines = [f"{kind}: {plural(count, 'node')}, fewer than {FEW}: none is slow for certain; a "
             f"node {percent(CLEAR)} below the fastest, or below {percent(NEAR)} of the "
             "prediction, is undecided"
             for kind, count in found.items() if count < FEW]
    return html.listing(lines) if lines else ""


def filling(figure):
    """What a node should reach with all of its memory."""
    full = figure.get("full")
    return html.paragraph(
        f"With N = {full['n']}, which fills its memory, the median node should reach "
        f"{rate(full['gflops'])}.") if full else ""


def alone(campaign, data):
    """Rates of nodes by themselves."""
    figure = campaign["figures"]["single"]
    if not figure["kinds"]:
        return ""
    return html.section("single", "Nodes alone", charts.ranked(campaign, data),
                        charts.histogram(campaign, data), few(figure),
                        filling(figure), kinds_table(figure))


def pair_facts(figure):
    forms = (("gflops", "Rate", rate),
             ("bandwidth", "Bandwidth", lambda x: f"{significant(x / 1e9)} GB/s"),
             ("latency", "Latency", duration_small))
    return html.table("Pairs that succeeded", ["", "Pairs", "Median", "Least", "Most"], [
        [name, of["count"], form(of["median"]), form(of["least"]), form(of["most"])]
        for member, name, form in forms for of in [figure[member]] if of])


def duration_small(seconds):
    return f"{significant(1e6 * seconds)} µs"


def pairs(campaign, data):
    if not campaign["pairs"]["cells"]:
        return ""
    return html.section("pairs", "Pairs of nodes", charts.links(campaign, data),
                        pair_facts(campaign["figures"]["pairs"]))


def faster(campaign):
    """By what the full run is faster, or would be."""
    figure = campaign["figures"]["all"]
    said = [f"leaving out {', '.join(figure['left_out'][:10])} gives "
            f"{percent(figure['gain'])} more"] if figure["left_out"] else []
    if figure.get("weights"):
        said.append(f"columns by speed give {percent(figure['weights_gain'])} more, so "
                    "the run used them")
    return html.paragraph(f"The full run: {'; '.join(said)}, by the rates of nodes "
                          "alone.") if said else ""


def torture(campaign):
    """What each executor reached in the last torture of its node."""
    rows = [[host, x["executor"], x["model"], x["serial"] or NONE, rate(x["gflops"]),
             percent(x["kept"]), *(significant(x[name]) for name in ("mhz", "celsius", "watts"))]
            for host, run in heat.last_tortures(campaign["runs"]).items()
            for x in run["torture"]]
    return html.section("torture", "Torture", limited(
        "The end of the torture", ["Node", "Executor", "Model", "Serial number", "Rate",
                                   "Kept of its start", "MHz", "Highest C", "W"], rows)
    ) if rows else ""


def large(campaign):
    """Groups, and the full run."""
    found = [run for stage in ("groups", "all")
             for run in campaign["figures"][stage]["runs"]]
    if not found:
        return ""
    rows = [[run["run"], run["hosts"], run["n"], run["outcome"],
             duration(run["seconds"]), rate(run["gflops"]), percent(run["part"])]
            for run in found[:ROWS]]
    return html.section("large", "Groups and all nodes", faster(campaign), html.table(
        "Runs of many nodes", ["Run", "Nodes", "N", "Outcome", "Time", "Rate",
                               "Part of the sum of nodes alone"], rows))


# ---- tables ----------------------------------------------------------------------------


def limited(caption, head, rows):
    more = f", the first {ROWS} of {len(rows)}" if len(rows) > ROWS else ""
    return html.table(caption + more, head, rows[:ROWS]) if rows else ""


def some(names, most=3):
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def blamed(host, why, launcher):
    """Class and certainty of a reason; no reason calls a node ok that is not."""
    if why["class"] == "ok" != host["class"]:
        return NONE, NONE
    certain = "ask first" if drain.ask({"host": host["name"], **why}, launcher) else "certain"
    return why["class"], certain if why["certain"] else "undecided"


def reasons(campaign):
    """All that is known of nodes that are not ok, or of which something is open."""
    launcher = campaign["options"].get("launcher")
    rows = [[host["name"], *blamed(host, why, launcher),
             "; ".join(filter(None, (why["text"], why["detail"]))), some(why["runs"], 8)]
            for klass in CLASSES for host in campaign["hosts"]
            if host["class"] == klass for why in host["reasons"]]
    return html.section("reasons", "All reasons", limited(
        "What the runs say about nodes", ["Node", "Class", "Blame", "Reason", "Runs"], rows)
    ) if rows else ""


def differences(campaign):
    """Nodes that are not like the others."""
    rows = [[host["name"], host["class"], text] for host in campaign["hosts"]
            for text in host["differences"]]
    return html.section("differences", "Nodes that differ from the majority", limited(
        "By the inventory", ["Node", "Class", "Difference"], rows)) if rows else ""


def failed(campaign):
    """Runs without a good end."""
    rows = [[run["run"], some(run["hosts"]), run["outcome"],
             NONE if run.get("status") is None else run["status"],
             short("; ".join(run.get("evidence") or []), 400)]
            for run in campaign["runs"] if run["outcome"] != "ok"]
    return html.section("failed", "Runs that failed", limited(
        "Runs and the files they left", ["Run", "Nodes", "Outcome", "Exit status", "Evidence"],
        rows)) if rows else ""


def provenance(campaign):
    options = [(name, value) for name, value in campaign["options"].items()
               if value not in (None, "", [], DEFAULTS.get(name))
               and name not in ("slow", "chance")]
    return html.section("how", "How it was run", html.facts([
        ("Command", " ".join(map(str, campaign["command"]))),
        *[(name, ",".join(map(str, value)) if isinstance(value, list) else value)
          for name, value in options],
        ("Slow", f"{percent(campaign['slow'])} and more below the median of its kind, if "
         f"the chance that any good node is so far off is below "
         f"{percent(campaign['chance'])}")], "long"))


def make(campaign, earlier=(), calls=Calls()):
    """The page of a campaign, and of earlier ones it is compared with.

    earlier   campaigns, the oldest first
    calls     the command lines to copy
    """
    data = {}
    content = "\n".join(part for part in (
        hero(campaign, calls), to_do(campaign, calls), node_map(campaign),
        alone(campaign, data), torture(campaign), pairs(campaign, data), large(campaign),
        differences(campaign), history.section([*earlier, campaign], data),
        reasons(campaign), failed(campaign), provenance(campaign)) if part)
    return whole("xhpl-campaign", headline(campaign), content, data,
                 (HERE / "campaign.css").read_text("utf-8"),
                 (HERE / "campaign.js").read_text("utf-8"))
