# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a campaign's page that say what to do, with commands to copy."""
from hpl_report import html
from hpl_report.html import escape
from hpl_report.words import listed, percent, plural

from . import drain
from .calls import RESERVATION
from .compare import CLEAR, FEW
from .summary import shared_cause, undecided

FOUND = "[fill in] % below {}, compared by hand"  # of a node that no campaign can judge


def copied(name, text):
    return (
        f'<div class="copy"><button type="button" data-copy="{name}">Copy</button>'
        f'<span role="status"></span><pre id="{name}" tabindex="0">{escape(text)}</pre>'
        "</div>"
    )


def beside(good):
    """That good nodes are in a command as well."""
    return (f", beside {plural(len(good), 'good node')} to compare with" if good else "")


# ---- undecided nodes ---------------------------------------------------------------


def to_repeat(campaign, entries, calls):
    """How a further campaign decides about nodes."""
    return html.paragraph(
        "This may be chance, or, in runs of several nodes, the fault of another one. Test again, "
        f"in a campaign of its own{beside(calls.good(campaign, entries))}:", "note") \
        + copied("again", calls.again(campaign, entries))


def to_compare(campaign, entries, calls):
    """How nodes are compared by hand whose kind has too few for a campaign to judge."""
    good = calls.fastest(campaign, entries)
    them = entries[0]["host"] if len(entries) == 1 else "an undecided node"
    than = good[0] if len(good) == 1 else "a good node of its kind"
    filled = [{**entry, "reason": FOUND.format(than)} for entry in entries]
    return "".join((
        html.paragraph(
            f"1. Compare with {than}, by hand: run these commands twice, while no other "
            "program runs on these nodes. xprobe prints the flop/s of the cores: read the "
            "number after \"ceiling\". xhpl-campaign plan takes 1 to 2 minutes: read the "
            "rate after \"a node\".", "note"),
        copied("by-hand", calls.by_hand(campaign, entries)),
        html.paragraph(
            f"2. If {them} is {percent(campaign['slow'])} or more below {than} in the same "
            f"number both times, drain it{by_slurm(campaign, calls)}. Write the percentage in "
            "place of [fill in]:", "note"),
        copied("by-hand-drain", drain.shown(filled, calls.drain_command)),
        "" if campaign["drain"] else without_slurm(campaign, calls),
        html.paragraph(
            f"3. If it is not, keep {them} in service: its processor is as fast. Test again at "
            "another time. If the new page names it again, drain it: its memory, or another "
            "program on it, is the cause.", "note"),
        copied("again-alone", calls.again(campaign, entries, "later"))))


# ---- nodes to drain ----------------------------------------------------------------


def to_copy(campaign, calls):
    """The commands that drain, to be copied."""
    if not campaign["drain"] or shared_cause(campaign):
        return ""
    names = listed([entry["host"] for entry in campaign["drain"]])
    return html.section(
        "drain", f"To drain {names}",
        copied("commands", drain.shown(campaign["drain"], calls.drain_command)),
        html.paragraph("Or type this one command, which runs all commands above"
                       + stay(campaign, names) + ":", "note"),
        copied("all-commands", calls.drain(campaign)),
        without_slurm(campaign, calls),
        html.paragraph(f"The same list of nodes is in {calls.listing()}.", "note"))


def stay(campaign, names):
    """That nodes which are undecided are not drained with the others."""
    left = [entry["host"] for entry in campaign["open"]]
    if not left:
        return ""
    return (f"; it drains {names} only, {listed(left)} stay{'s' * (len(left) == 1)} until "
            "decided")


def by_slurm(campaign, calls):
    """That a command is Slurm's, where that is not sure to drain nodes."""
    is_sure = calls.drain_command != drain.COMMAND or calls.is_slurm(campaign)
    return "" if is_sure else ", with Slurm by this command"


def without_slurm(campaign, calls):
    """How other commands come here, if these are Slurm's."""
    if calls.drain_command != drain.COMMAND or calls.is_slurm(campaign):
        return ""
    runs = ", and with --yes it runs them" if campaign["drain"] else ""
    return html.paragraph(
        "Without any scheduler, take the node out of your list of hosts. With another "
        "scheduler than Slurm, name its command by --drain-command. The next line is an "
        f"example for PBS: it writes this page again with the commands of PBS{runs}.",
        "note") + copied("elsewhere", calls.drain_otherwise())


# ---- after the repair --------------------------------------------------------------


def after_repair(campaign, calls):
    """How nodes are tested after the repair, what ends it, and how they get back."""
    entries = campaign["drain"] + undecided(campaign)[1]
    if not entries or not campaign["runs"] or shared_cause(campaign):
        return ""
    good = calls.good(campaign, entries)
    them = "it" if len(entries) == 1 else "them"
    reserved = calls.is_slurm(campaign) and not calls.reservation(campaign)
    more = [f"--reservation={RESERVATION}"] * reserved
    return html.section(
        "repaired", f"After the repair of {listed([entry['host'] for entry in entries])}",
        before_test(campaign, entries, calls, them),
        html.paragraph(f"2. Test {them} again{beside(good)}:", "note"),
        copied("repaired-run", calls.again(campaign, entries, "repaired", more)),
        unjudged(campaign, entries, calls, more),
        *back_to_work(campaign, entries, calls, them, reserved))


def before_test(campaign, entries, calls, them):
    """What to do before nodes that are drained can be tested."""
    if not calls.is_slurm(campaign):
        return html.paragraph(
            f"1. Undo what drained {them}, as Slurm starts no job on a drained node."
            if campaign["options"].get("launcher") == "slurm" else
            "1. A drained node can be tested as it is: the test asks no scheduler.", "note")
    given = calls.reservation(campaign)
    if given:
        return html.paragraph(
            f"1. Slurm starts no job on a drained node. So resume {them}, within the "
            f"reservation {given}, which keeps other jobs away:", "note") \
            + copied("resume", calls.resume(entries))
    return html.paragraph(
        f"1. Slurm starts no job on a drained node. So resume {them}, in a reservation that "
        "keeps the jobs of others away; Users= names who runs the test:", "note") + copied(
        "resume", f"{calls.reserve(campaign, entries)}\n{calls.resume(entries)}")


def unjudged(campaign, entries, calls, more):
    """How nodes of which the test after the repair has too few are compared by hand."""
    names = {entry["host"] for entry in entries} | set(calls.good(campaign, entries))
    kinds = [host["kind"] for host in campaign["hosts"] if host["name"] in names]
    of = {host["name"]: host["kind"] for host in campaign["hosts"]}
    rare = [entry for entry in entries if kinds.count(of.get(entry["host"])) < FEW]
    if not rare:
        return ""
    good = calls.fastest(campaign, rare)
    than = good[0] if len(good) == 1 else "a good node of its kind"
    above = not more and rare == undecided(campaign)[1]  # the same commands
    return html.paragraph(
        f"Fewer than {FEW} nodes of a kind: that test does not see what is less than "
        f"{percent(CLEAR)} slow. So compare by hand as well, "
        f"{'by the commands of step 1 at the top' if above else 'by the commands below'}. "
        f"{listed([entry['host'] for entry in rare])} must be less than "
        f"{percent(campaign['slow'])} below {than}, both in the number after \"ceiling\" and "
        "in the rate after \"a node\".", "note") + (
            "" if above else copied("repaired-by-hand", calls.by_hand(campaign, rare, more)))


def back_to_work(campaign, entries, calls, them, reserved):
    """What ends a repair, and how nodes get back."""
    count = len(entries) + len(calls.good(campaign, entries))
    all_ok = f"all {count} nodes are ok" if count > 1 else "the node is ok"
    passed = f"3. If the new page says that {all_ok}, the repair is done"
    if calls.is_slurm(campaign):
        yield html.paragraph(f"{passed}. If it names a node, drain that one again, by the "
                             "commands on the new page."
                             + " Then end the reservation:" * reserved, "note")
        if reserved:
            yield copied("back", f"scontrol delete ReservationName={RESERVATION}")
    else:
        line = "its line" if len(campaign["drain"]) == 1 else "their lines"
        undo = f"undo what drained {them}" + (
            f", and delete {line} from {calls.listing()}" if campaign["drain"] else "")
        slurm = calls.drain_command == drain.COMMAND
        yield html.paragraph(f"{passed}: {undo}. A node that the new page names stays drained."
                             + " With Slurm this ends the drain:" * slurm, "note")
        if slurm:
            yield copied("back", calls.resume(entries))
