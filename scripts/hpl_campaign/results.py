# SPDX-License-Identifier: BSD-3-Clause
"""The files that a campaign leaves, and what it says at its end."""
import os
import statistics
import subprocess
import sys

from hpl_report import files
from hpl_report.words import NBSP, listed, rate

from . import campaign, clocks, commands, drain, history, judge, page, retest, stages, summary

CAMPAIGN, PAGE, DRAIN = FILES = "campaign.json", "campaign.html", drain.FILE


def build(state, options):
    """The object of campaign.json."""
    runs = state.runs()
    verdicts = judge.judge(state.hosts, runs, state.inventory, options.slow,
                           options.chance)
    slow = [name for name, found in verdicts.items() if found.klass == "slow"]
    found = summary.build(state, clocks.added(runs, slow), options.slow, options.chance,
                          retest.outcomes(options.directory, state))
    found["figures"]["single"]["full"] = full_rate(state)
    return found


def full_rate(state):
    """What the model makes of the runs of hosts alone, if they filled the memory:
    order and Gflop/s of the median host; None without such runs."""
    if state.plan is None:
        return None
    size = stages.Sizing(*(state.plan[name] for name in stages.Sizing._fields))
    rates = campaign.rates_alone(state.runs(), size)
    return {"n": size.n, "gflops": statistics.median(rates.values()) / 1e9} \
        if rates else None


def write_all(found, options):
    """All files of a campaign; the earlier ones are compared with it."""
    earlier = history.by_age([history.read(path) for path in options.compare])
    for name, text in (
            (CAMPAIGN, summary.text(found)),
            (DRAIN, drain.text(found["drain"], found["options"].get("launcher"))),
            (PAGE, page.make(found, earlier, options.calls))):
        files.replace(os.path.join(options.directory, name), text)


def effect(found, entries, tested):
    """What a test of nodes does to others, and to them."""
    if not commands.is_slurm(found):
        return ""
    names = [commands.names_of(some) for some in (entries, tested)]
    return f"; it reserves {commands.reserved(found, *names)}, and drains or resumes what it tests"


def to_drain(found, options, by, drains):
    """Lines with the commands that drain; of nodes to ask about, after the question.

    by       who types them
    drains   all are drained next
    """
    def shown(entries):
        return drain.shown(entries, options.drain_command).rstrip()

    if drains:
        return ["", "draining these nodes:", shown(found["drain"])]
    launcher = found["options"].get("launcher")
    at_once, asked = drain.apart(found["drain"], launcher)
    nothing, lines = "nothing is drained yet; ", []
    if not asked:
        return ["", f"{nothing}this does it{by}:\n{options.calls.drain(found)}\n"
                "by these commands:", shown(at_once)]
    if at_once:
        lines = ["", f"{nothing}these commands do it{by}:", shown(at_once)]
        nothing = ""
    names = listed(commands.names_of(asked), commands.NAMED)
    return lines + [
        "", f"{nothing}ask first about {names}, which may be busy or kept by others:",
        *(drain.ask(entry, launcher) for entry in asked),
        f"only if {drain.ASK[launcher][1]}, drain it{by}:",
        shown(asked), "else test it once it is free, by the next command"]


def said(found, options, drains=False):
    """What is printed at the end; drains: the nodes are drained next."""
    launcher, calls = found["options"].get("launcher"), options.calls
    lines, cause = [page.headline(found)], summary.shared_cause(found)
    for sort, entries in (("", found["drain"]), ("undecided: ", found["open"])):
        for entry in entries:
            asked = None if cause else drain.ask(entry, launcher)
            lines.append(f"{entry['host']}: {sort}{entry['class']}: {entry['reason']}"
                         + (f"; ask before you drain it: {asked}" if asked else ""))
    is_slurm, by = commands.is_slurm(found), ""
    if options.drain_command == drain.COMMAND:
        by = f", {'' if is_slurm else 'with Slurm '}{commands.RIGHTS}"
    on_slurm = by if is_slurm else ""
    if cause:
        lines += ["", page.CAUSE.format(cause)]
    elif found["drain"]:
        lines += to_drain(found, options, by, drains)
        lines += ["", f"leave a node drained until its repair, then test it{on_slurm}"
                  f"{effect(found, found['drain'], found['drain'][:1])}:",
                  calls.retest(found, ["NODE"])]
    if found["open"] and found["runs"] and not cause:
        lines += ["", "a second test decides about nodes that are undecided; "
                  f"type{on_slurm}{effect(found, found['open'], found['open'])}:",
                  calls.retest(found, [entry["host"] for entry in found["open"]])]
    full = found["figures"]["single"]["full"]
    if full and not options.full:
        reached = rate(full["gflops"]).replace(NBSP, " ")
        lines += ["", f"a node that fills its memory would reach {reached} "
                  f"(N = {full['n']}), by the model"]
    path = os.path.join(options.directory, PAGE)
    lines += ["", path if is_good(found) else
              f"all steps, also those after a repair, are in {path}"]
    return "\n".join(lines)


def left(found, options):
    """What is left to do in a campaign after a second test, in a line."""
    return (f"all nodes of the campaign: {page.headline(found)} "
            f"({os.path.join(options.directory, PAGE)})")


def drain_all(found, command):
    """Run the command that drains each node; the nodes where it failed, or was not run
    as they share a cause."""
    if summary.shared_cause(found):
        return [entry["host"] for entry in found["drain"]]
    failed = []
    for entry, words in zip(found["drain"], drain.commands(found["drain"], command)):
        words = [word.encode(sys.getfilesystemencoding(), "backslashreplace")
                 for word in words]
        if subprocess.run(words, stdin=subprocess.DEVNULL).returncode:
            failed.append(entry["host"])
    return failed


def is_good(found):
    return all(host["class"] == "ok" for host in found["hosts"])
