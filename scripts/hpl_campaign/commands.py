# SPDX-License-Identifier: BSD-3-Clause
"""What to do, step by step with commands to copy: a part of a campaign's page."""
import math

from hpl_report import foreign, html
from hpl_report.html import escape
from hpl_report.words import listed, plural

from . import drain, launch, reservation, retest
from .calls import ELSEWHERE
from .compare import FEW
from .judge import CABLE
from .summary import shared_cause

FIRST = 8  # nodes that have a command of their own
NAMED = 12  # nodes that a sentence names
RIGHTS = "as root or as an administrator of Slurm"  # that scontrol needs
LOST = "A lost ssh session does the same, unless you type the command within tmux."

# Two lists of what runs: the first is of a moment, the second of 5 s.
TOP = "top -b -d 5 -n 2 | grep -A14 ^top"
# What a first look at a node calls, and what its answer means; by the kind of a fault.
LOOKS = {
    "program": (f"{TOP}; journalctl -k --since -1d | grep -ic throttled",
                "The second list of `top` counts, not the first. A program there uses more than "
                "5 % of a core and belongs to no job and not to the system: end it. The number in "
                "the last line is not 0: cooling or power. Neither: compare `lscpu` and "
                "`dmidecode -t memory` with those of {good}."),
    "link": ("ibstat || ip -s link", "A link is down, has errors (`perfquery` shows those of "
             "InfiniBand), or is slower than that of {good}: cable, port or switch."),
    "error": ("journalctl -k -p err -n 20", "Errors of the kernel name memory, device or "
              "network."),
}
# By the class of a node; of the others the kernel's errors tell.
KINDS = {"slow": ["program"], "hot": ["program"], "hung": ["link", "error"]}
# Where to look if the question about a node that has not started calls for a drain, by its
# launcher.
ANSWERS = {"ssh": "It does not answer: look at power and network (console, BMC).",
           "slurm": "Its state has DOWN or NOT_RESPONDING: look at power, network (console, BMC) "
                    "and slurmd."}
# What to do by the states that Slurm may give such a node, of which it has several.
STATES = (
    "The state has DRAIN, MAINT or RESERVED, and its Reason or reservation was not set by you: "
    "others keep the node. Leave it to them, and test it once they give it back.",
    "The state has DRAIN, and the Reason is yours: it is drained already. Step {step} repairs it.",
    "The state has DOWN or NOT_RESPONDING: drain it by the command below{rights}.",
    "Else (IDLE, MIXED, ALLOCATED): it may have been busy. Test it by its command at the end of "
    "step {step}.",
)


def first_look(entry, campaign):
    """The commands for a first look at a node that is not ok, and what the answer means."""
    launcher = launcher_of(campaign)
    asked = drain.ask(entry, launcher)
    if asked:  # of a node to drain the first step has told
        return [asked] * (entry not in campaign["drain"]), ANSWERS[launcher]
    kinds = ["link"] if CABLE in entry["reason"] else KINDS.get(entry["class"], ["error"])
    called, means = zip(*(LOOKS[kind] for kind in kinds))
    good = [foreign.shown(host) for host in retest.good_nodes(campaign, [entry["host"]])[:1]]
    calls = [(foreign.shown(entry["host"]), "; ".join(called)),
             *((host, LOOKS["link"][0]) for host in good if "link" in kinds)]
    return ([launch.joined(["ssh", *call]) for call in calls],
            " ".join(means).format(good=", ".join([*good, "a good node"])))


def look(name, when, entries, campaign):
    """First looks at some nodes, to copy, with what their answers mean; when says when."""
    commands, means = [], {}
    for entry in entries[:FIRST]:
        called, meaning = first_look(entry, campaign)
        commands += [command for command in called if command not in commands]
        means.setdefault(meaning, []).append(entry["host"])
    first = html.paragraph(f"{when}, as root:") + copied(name, "\n".join(commands)) \
        if commands else ""
    return first + html.listing([
        *(f"{listed(names, NAMED)}: {meaning}" for meaning, names in means.items()),
        "Nothing found: test the node all the same."])


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


def launcher_of(campaign):
    return campaign["options"].get("launcher")


def is_slurm(campaign):
    """Whether Slurm starts the runs."""
    return launcher_of(campaign) == "slurm"


def typed(campaign, calls):
    """Who types a command that calls scontrol."""
    by_rights = is_slurm(campaign) and calls.drain_command == drain.COMMAND
    return f"Type {RIGHTS}" if by_rights else "Type, as the user who ran the campaign"


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
    return html.section("do", "What to do", *parts, *([results(campaign, calls)] * bool(parts)))


# ---- drain -------------------------------------------------------------------------


def last_step(campaign):
    """The number of the step that repairs."""
    return 2 + bool(campaign["open"])


def to_ask(asked, campaign, calls):
    """How nodes that have not started are drained: others may keep them."""
    launcher = launcher_of(campaign)
    yield copied("ask", "\n".join(drain.ask(entry, launcher) for entry in asked[:FIRST]))
    step, by_slurm = last_step(campaign), calls.drain_command == drain.COMMAND
    if is_slurm(campaign):
        rights = f", {RIGHTS}" * by_slurm
        yield html.paragraph("The first of these that fits counts:") + html.listing(
            [text.format(step=step, rights=rights) for text in STATES], "ol")
    else:
        node = asked[0]["host"] if len(asked) == 1 else "a node"
        yield html.paragraph(f"If {node} answers, it was away or busy: test it by its command at "
                             f"the end of step {step}.")
        how = f": without Slurm, take it off your list of hosts; with Slurm, type {RIGHTS}" \
            * by_slurm
        yield html.paragraph(f"Only if {node} does not answer, drain it{how}:")
    yield copied("drain-asked", drain.shown(asked, calls.drain_command))


def to_drain(campaign, calls):
    """The commands that drain, and what to ask about nodes that have not started."""
    at_once, asked = drain.apart(campaign["drain"], launcher_of(campaign))
    tested = {host["name"] for host in campaign["hosts"] if host["retest"]} \
        | set(campaign["options"].get("retest") or ())
    by_test = bool(tested & set(names_of(campaign["drain"])))
    title = "; ".join(f"{what} {listed(names_of(entries), NAMED)}" for what, entries in (
        ("drain", at_once), ("ask about", asked)) if entries)
    yield title[0].upper() + title[1:] + ", unless a test has done so" * by_test
    if at_once:
        none = "" if by_test or "--yes" in campaign["command"] else \
            "Nothing is drained before you type this. "
        yield from how_to_drain(at_once, not asked, none, campaign, calls)
    if asked:
        if at_once:
            yield html.paragraph(f"Ask about {listed(names_of(asked), NAMED)}:")
        yield from to_ask(asked, campaign, calls)


def how_to_drain(entries, are_all, none, campaign, calls):
    """The commands that drain nodes at once.

    are_all   there are no others, so that one command drains all
    none      that nothing is drained yet, or ""
    """
    commands = copied("commands", drain.shown(entries, calls.drain_command))
    goes_on = html.paragraph(
        "Jobs that run there go on to their end, and no new ones start. `sinfo -lR` lists the "
        "nodes: as drng while jobs run, then as drain.") \
        if calls.drain_command == drain.COMMAND else ""
    if calls.drain_command == drain.COMMAND and not is_slurm(campaign):
        yield html.paragraph(f"With Slurm, type {RIGHTS}:") + commands + goes_on
        yield folded("Without Slurm", html.paragraph(
            "Without a scheduler, take the nodes out of your list of hosts. With another "
            f"scheduler, drain {listed(names_of(entries), NAMED)} by its own command; with PBS, "
            "type this:"),
            copied("elsewhere", calls.drain_otherwise() if are_all else
                   drain.shown(entries, ELSEWHERE)))
        return
    yield html.paragraph(f"{none}{typed(campaign, calls)}:")
    if not are_all:
        yield commands + goes_on
        return
    yield copied("drain-all", calls.drain(campaign)) + goes_on
    yield folded("The commands that it runs", commands,
                 html.paragraph(f"{calls.listing()} lists the nodes."))


# ---- test again --------------------------------------------------------------------


def to_decide(campaign, calls):
    """How nodes about which nothing is certain are tested a second time."""
    names = names_of(campaign["open"])
    it = "it" if len(names) == 1 else "them"
    yield f"Test {listed(names, NAMED)} again"
    yield html.paragraph(f"Leave {it} in service. A second test decides, alone and in pairs with "
                         "good nodes: chance seldom finds the same node twice, so what it finds "
                         "counts, also among few nodes.")
    if not is_slurm(campaign):
        yield html.paragraph("End programs there that use more than 5 % of a core in the second "
                             "list of `top` and belong to no job and not to the system; if there "
                             "are none, go on:")
        yield copied("look", "\n".join(launch.joined(["ssh", name, TOP])
                                       for name in names[:FIRST]))
    yield before(campaign, "decide", names, names)
    yield html.paragraph(f"{typed(campaign, calls)}:")
    yield copied("decide", calls.retest(campaign, names))


def to_repair(campaign, calls):
    """How nodes are tested after their repair, each by itself."""
    names = names_of(campaign["drain"])
    several = len(names) > 1
    at_once, asked = map(names_of, drain.apart(campaign["drain"], launcher_of(campaign)))
    it = "it" if len(asked) == 1 else "them"
    title = ", ".join([listed(at_once, NAMED)] * bool(at_once)
                      + [f"{listed(asked, NAMED)} only if you drained {it}"] * bool(asked))
    yield f"Repair {title}, and test {'each' if several else 'it'}"
    yield look("look-first", "Look first", campaign["drain"], campaign)
    yield html.paragraph("Test a node on the day that it comes back, and leave it drained" + (
        ": the test puts it back into service if it is ok." if is_slurm(campaign) else
        " until it is ok."))
    yield before(campaign, "repair", names, names[:1])
    yield html.paragraph(f"{typed(campaign, calls)}:")
    for number, name in enumerate(names[:FIRST]):
        yield copied(f"retest-{number}", calls.retest(campaign, [name]))
    if len(names) > FIRST:
        yield html.paragraph("For the others, put their names there.")
    if several:
        yield html.paragraph("Those that come back together, by one command:")
        yield copied("together", calls.retest(campaign, names[:FIRST]))


def reserved(campaign, names, tested):
    """The nodes that a test of some of the names reserves, in words."""
    good, every = retest.good_nodes(campaign, tested), len(campaign["hosts"])
    if len(tested) + len(good) == every:
        return f"all {every} nodes"
    return (f"{tested[0] if len(names) == 1 else 'the node'} and {len(good)} good ones, idle ones "
            "first")


def before(campaign, step, names, tested):
    """What to know before a test: how long it takes, on which nodes, what it changes.

    step     its name
    names    nodes of the step, all of which may be tested
    tested   those of one command
    """
    minutes = plural(max(1, math.ceil(retest.seconds(campaign) / 60)), "minute")
    good = retest.good_nodes(campaign, tested)
    if is_slurm(campaign):
        if step == "repair" and campaign["open"]:
            return html.paragraph("The command reserves nodes and waits as the one above.")
        return html.paragraph(
            f"With --yes the command reserves {reserved(campaign, names, tested)}: no new jobs "
            "start there; those that run are not killed, and the test waits for their end, "
            "however long (`squeue` shows them). "
            f"It takes about {minutes}, drains a node that is not ok, and ends the reservation. "
            "Ctrl-C stops it, also while it waits: the reservation ends, and nodes are as they "
            f"were. {LOST} Without --yes it tests, but reserves, drains and resumes nothing: "
            "it prints the commands for an administrator.")
    after = f"If you made the reservation of step {last_step(campaign) - 1}, delete it before. " \
        * (step == "repair" and bool(campaign["open"]))
    beside = f", and uses {listed(good, NAMED)} to compare with" if good else ""
    return html.paragraph(f"The test takes about {minutes}{beside}. Keep other programs off "
                          f"these nodes until it ends. Ctrl-C stops it. {LOST}") + folded(
        "With Slurm: reserve the nodes first", html.paragraph(
            f"{after}Type the commands here {RIGHTS}, and the test, once `squeue` lists no job, "
            "as the user who ran the campaign:"),
        copied(f"reserve-{step}", "\n".join(map(launch.joined, (
            reservation.reserve("retest", "root", [*names, *good]),
            ["squeue", "-w", ",".join([*names, *good])])))),
        html.paragraph("After the test, and after draining a node that is not ok:"),
        copied(f"release-{step}", launch.joined(reservation.release("retest"))))


def looks(campaign):
    """Where the page says what to look at."""
    opened, drained = (listed(names_of(campaign[key]), NAMED) for key in ("open", "drain"))
    if not drained:
        return "below"
    step = f"in step {last_step(campaign)}"
    return f"of {opened} below, of {drained} {step}" if opened else step


def outcomes(campaign, calls, name):
    """What the lines of a test say of a node, and what follows, with a command or ""."""
    opened, drained = bool(campaign["open"]), bool(campaign["drain"])
    undo = ""
    if is_slurm(campaign):
        good = f"it is in service{', also if it was drained' * drained}. Nothing else is to be " \
            "done."
        bad = "it is drained, or stays so." if drained else "it is drained."
    else:
        slurm = calls.drain_command == drain.COMMAND
        good = "leave it in service" if opened else "put it back into service"
        good += ", or put it back if it was drained" * (opened and drained)
        if drained and slurm:
            good += f": without Slurm, into your list of hosts; with Slurm, type {RIGHTS}"
            undo = copied("resume", launch.joined(reservation.resume([name])))
        good += ":" if undo else "."
        bad = "take it out of service" + (
            ", with Slurm by the command that the test prints, else from your list of hosts."
            if slurm else " by the command that the test prints.")
    yield "is ok", good, undo
    yield "is not ok", (f"{bad} Look for the cause ({looks(campaign)}), repair it, and type the "
                        "same command again. If it is not ok again and no defect is found, give "
                        "the vendor the folder that this line names."), ""
    yield "was not tested", (f"it is as before{': drained if it was' * drained}. The lines above "
                             "say why; end that, then type the same command again."), ""


def results(campaign, calls):
    """What the last lines of a test say, what follows, and what the end is."""
    names = names_of(campaign["open"] + campaign["drain"])
    name = names[0] if len(names) == 1 else "NODE"
    then = look("look-then", "Only if a node is not ok, look before its repair",
                 campaign["open"], campaign) if campaign["open"] else ""
    return "<h3>How a test ends</h3>" + html.paragraph("It says one of these of each node:") \
        + "<ul>" \
        + "".join(f"<li><b>{escape(name)} {said}</b>: {escape(follows)}{command}</li>"
                  for said, follows, command in outcomes(campaign, calls, name)) + "</ul>" \
        + then + html.paragraph(
            "You are done when the last line of a test says that all nodes of the campaign are ok; "
            f"else it says what is left, and {calls.page()} is written anew. A node that others "
            "keep, or that never comes back, stays out of service: you are done without it.",
            "note")
