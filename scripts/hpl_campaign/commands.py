# SPDX-License-Identifier: BSD-3-Clause
"""What to do, step by step with commands to copy: a part of a campaign's page."""
import math

from hpl_report import html
from hpl_report.html import escape
from hpl_report.words import listed, plural

from . import drain, launch, reservation, retest
from .compare import FEW
from .summary import shared_cause

FIRST = 8  # nodes that have a command of their own
NAMED = 12  # nodes that a sentence names
RIGHTS = "as root or as an administrator of Slurm"  # that scontrol needs


def copied(name, text):
    return (
        f'<div class="copy"><button type="button" data-copy="{name}">Copy</button>'
        f'<span role="status"></span><pre id="{name}" tabindex="0">{escape(text)}</pre>'
        "</div>"
    )


def folded(title, *parts):
    return (f'<details class="numbers"><summary>{escape(title)}</summary>{"".join(parts)}'
            "</details>")


def names_of(entries):
    return [entry["host"] for entry in entries]


def is_slurm(campaign):
    """Whether Slurm starts the runs."""
    return campaign["options"].get("launcher") == "slurm"


def typed(campaign, calls):
    """Who types a command that calls scontrol."""
    by_rights = is_slurm(campaign) and calls.drain_command == drain.COMMAND
    return f"Type {RIGHTS}" if by_rights else "Type"


def to_do(campaign, calls):
    """All steps; none where one cause is to be found first."""
    if shared_cause(campaign) or not (campaign["drain"] or campaign["runs"]):
        return ""
    steps = ([to_drain] if campaign["drain"] else []) + (
        [to_decide] if campaign["open"] else []) + ([to_repair] if campaign["drain"] else [])
    parts = []
    for number, step in enumerate(steps, 1):
        title, *content = step(campaign, calls)
        parts += [f"<h3>{number}. {escape(title)}</h3>", *content]
    return html.section("do", "What to do", *parts)


# ---- drain -------------------------------------------------------------------------


def to_drain(campaign, calls):
    """The command that drains."""
    by_test = ", unless the test has done so" if campaign["options"].get("retest") else ""
    yield f"Drain {listed(names_of(campaign['drain']), NAMED)}{by_test}"
    commands = copied("commands", drain.shown(campaign["drain"], calls.drain_command))
    if calls.drain_command == drain.COMMAND and not is_slurm(campaign):
        yield html.paragraph(f"With Slurm, type {RIGHTS}:") + commands
        yield folded("Without Slurm", html.paragraph(
            "Without a scheduler, take the nodes out of your list of hosts. With another "
            "scheduler, name its command; for PBS this drains them:"),
            copied("elsewhere", calls.drain_otherwise()))
        return
    none = "" if by_test else "Nothing has been drained yet. "
    yield html.paragraph(f"{none}{typed(campaign, calls)}:")
    yield copied("drain-all", calls.drain(campaign))
    yield folded("The commands that it runs", commands,
                 html.paragraph(f"{calls.listing()} lists the nodes."))


# ---- test again --------------------------------------------------------------------


def to_decide(campaign, calls):
    """How nodes about which nothing is certain are tested a second time."""
    names = names_of(campaign["open"])
    yield f"Test {listed(names, NAMED)} again"
    if not is_slurm(campaign):
        yield html.paragraph("See what else runs there, and end what uses the processor:")
        yield copied("look", "\n".join(launch.joined(["ssh", name]) + " top -b -n 1 | head -n 15"
                                       for name in names[:FIRST]))
    yield html.paragraph("If a second test finds a fault, too, the node is bad. "
                         f"{typed(campaign, calls)}:")
    yield copied("decide", calls.retest(campaign, names))
    yield during(campaign, "decide", names, names)
    yield results(campaign, calls, names, "leave it in service. Nothing else is to be done."
                  + " After a repair, put it back into service." * (not is_slurm(campaign)))


def to_repair(campaign, calls):
    """How nodes are tested after their repair, each by itself."""
    names = names_of(campaign["drain"])
    several = len(names) > 1
    yield "Repair them, and test each" if several else "Repair it, and test it"
    when = "the day that a node comes back" if several else "the day that it comes back"
    yield html.paragraph("The list above says what to look at. "
                         f"{typed(campaign, calls)}, on {when}:")
    for number, name in enumerate(names[:FIRST]):
        yield copied(f"retest-{number}", calls.retest(campaign, [name]))
    if len(names) > FIRST:
        yield html.paragraph("For the others, put their names there.")
    if several:
        yield html.paragraph("Nodes that come back together are tested by one command, with "
                             f"--hosts {names[0]},{names[1]}.")
    yield during(campaign, "repair", names, names[:1])
    yield results(campaign, calls, names, "it is back in service." if is_slurm(campaign) else
                  f"put it back into service.{printed(calls)}")


def during(campaign, step, names, tested):
    """How long a test takes, and on which nodes.

    step     its name
    names    nodes of the step, all of which may be tested
    tested   those of one command
    """
    minutes = plural(max(1, math.ceil(retest.seconds(campaign) / 60)), "minute")
    if is_slurm(campaign):
        return html.paragraph(
            f"The test reserves the node and up to {FEW} good ones, idle ones first, until it "
            f"ends. It takes about {minutes}, once jobs that run on them have ended. Without "
            "--yes it prints what an administrator has to type.")
    good = retest.good_nodes(campaign, tested)
    beside = f" It uses {listed(good, NAMED)} to compare with." if good else ""
    return html.paragraph(f"The test takes about {minutes}.{beside} Keep other programs off "
                          "these nodes until it ends.") + folded(
        "With Slurm: keep its jobs off", html.paragraph(
            f"Before the test, {RIGHTS}. Wait until squeue lists no job:"),
        copied(f"reserve-{step}", "\n".join(map(launch.joined, (
            reservation.reserve("retest", "root", [*names, *good]),
            ["squeue", "-w", ",".join([*names, *good])])))),
        html.paragraph("After the test:"),
        copied(f"release-{step}", launch.joined(reservation.release("retest"))))


def printed(calls):
    """That Slurm's command is printed, if nodes are drained by Slurm."""
    return " For Slurm the test prints the command." * (calls.drain_command == drain.COMMAND)


def results(campaign, calls, names, fine):
    """What the last lines of a test say, and what follows."""
    name = names[0] if len(names) == 1 else "NODE"
    bad = "it has been drained." if is_slurm(campaign) else \
        f"take it out of service.{printed(calls)}"
    return html.paragraph("It ends with one of these lines:") + "<ul>" + "".join(
        f"<li><b>{escape(name)} {said}</b>: {follows}</li>" for said, follows in (
            ("is ok", fine),
            ("is not ok", f"{bad} Repair it, and type the same command again."),
            ("was not tested", "type the same command again."))) + "</ul>"
