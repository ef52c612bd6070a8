# SPDX-License-Identifier: BSD-3-Clause
"""The class of each host, with the reasons, from all runs that ended."""
import math
import re
from statistics import median
from typing import List, NamedTuple

from hpl_report.words import NBSP, listed, percent, plural, significant

from . import heat
from . import inventory as facts_of
from .blame import CHANCE, SLOW, Failures, names_of, opened
from .compare import FEW, RARE, SURE, is_slow, is_suspect
from .heat import COOL
from .measures import PAIRS, by_size, compared_alone, kinds_of, measures

# From the worst on.
CLASSES = ("wrong", "died", "hung", "hot", "not started", "slow", "unknown", "ok")

NEAR = 0.75  # of the predicted speed: less is slow, where nothing else can tell
BUSY = re.compile("Unable to allocate resources|waiting for resources")  # of srun
LOOK = "look at its clock, DIMMs, cooling and other programs"
CABLE = "look at its cable, port and switch"
TOO_FEW = "too few nodes of its kind to be certain"
PARTNERS = 20  # that a reason names


class Verdict(NamedTuple):
    """The class of a host.

    reasons      [{"class", "text", "detail", "runs": [id], "certain": bool}]: what was
                 found and what to look at, then the statistics
    differences  in what it is unlike the majority, in words
    """

    klass: str
    reasons: List[dict]
    differences: List[str]


def reason(klass, text, runs, certain, *detail):
    return {"class": klass, "text": text.replace(NBSP, " "),
            "detail": "; ".join(filter(None, detail)).replace(NBSP, " "),
            "runs": list(runs), "certain": certain}


# ---- slow hosts ----------------------------------------------------------------------


def below(gap):
    """How far below the median, in words."""
    return f"{percent(1 - math.exp(gap))} below the median"


def odds(found):
    """How likely chance is, in words."""
    if found.chance >= 0.5:
        return "which may be chance"
    often = ("less than once in 10,000" if found.chance < 1e-4
             else f"once in {1 / found.chance:,.0f}")
    return f"by chance a good node looks this slow {often} campaigns"


def best_pair(sizes, host, member, sign):
    """The best value of pairs with a host, as a part of the median of pairs without it;
    None where there are no such pairs."""
    parts = []
    for found in sizes.values():
        values = {True: [], False: []}
        for run in found:
            if run.get(member):
                values[host in run["hosts"]].append(run[member]**sign)
        if values[True] and values[False]:
            parts.append(max(values[True]) / median(values[False]))
    return max(parts, default=None)


def where_to_look(sizes, host, slow):
    """What to look at in a host that is slow alone, and what pairs with it say."""
    best = {what: best_pair(sizes, host, member, sign) for what, member, sign, _ in PAIRS}
    low = [what for what, _, _, part in PAIRS
           if best[what] is not None and best[what] < 1 - (part or slow)]
    links = [what for what in low if what != "rate in pairs"]
    if links:
        return f"{LOOK}, then at its link", f"its pairs have bad {' and '.join(links)}, too"
    if best["bandwidth"] is None:
        return LOOK, ""
    if low:
        return (f"its link is good; {LOOK}",
                "pairs with it are slow, too, but bandwidth and latency are normal")
    return f"its link is good; {LOOK}", "pairs with it are not slow"


def slow_texts(measure, host, found):
    """How slow a host is, and by which runs."""
    if measure.what == "rate":
        return (f"{below(found.gap)} of {plural(found.peers, 'node')} of its kind",
                f"in {plural(found.runs, 'run')}; good nodes differ by "
                f"{percent(found.spread)}")
    with_whom = dict.fromkeys(x for run in measure.runs[host][:found.runs]
                              for x in run["hosts"] if x != host)
    much = (f"{significant(math.exp(-found.gap), 2)} times the median"
            if measure.what == "latency" else below(found.gap))
    to = " to other nodes" if measure.what in ("bandwidth", "latency") else ""
    return f"{measure.what}{to} {much}", f"in pairs with {listed(list(with_whom), PARTNERS)}"


def slow_reasons(measure, chance, look):
    """{host: reason} of hosts that are slow, or may be: others of their kind do not
    differ as much.

    look   says what to look at in a host that is slow in this measure, and why there
    """
    found = {}
    for host in measure.of.values:
        if not is_suspect(measure.of.gap(host), measure.part):
            continue
        seen = measure.of.find(host)
        if seen.gap >= math.log(1 - measure.part) or seen.rarity >= RARE:
            continue
        proven = is_slow(seen, measure.part, chance)
        ids = [run["run"] for run in measure.runs[host]]
        certain = proven and seen.runs >= SURE
        text, by = slow_texts(measure, host, seen)
        action, normal = look(measure, host) if proven else ("", "")
        found[host] = reason("slow" if proven else "ok", "; ".join(filter(None, (text, action))),
                             ids, certain, by, normal, odds(seen))
    return found


def few_reasons(measure, look):
    """{host: reason} where there are too few to compare: clearly below the fastest, or
    far below the prediction."""
    parts = {host: max(run["predicted"] / run["seconds"] for run in runs
                       if run.get("predicted") and run.get("seconds"))
             for host, runs in measure.runs.items()
             if any(run.get("predicted") and run.get("seconds") for run in runs)}
    found = {}
    for host, runs in measure.runs.items():
        gap, part = measure.of.clearly_below(host, measure.part), parts.get(host, 1.0)
        if gap is not None:
            action, normal = look(measure, host)
            text = (f"{percent(1 - math.exp(gap))} below {measure.of.fastest(host)}, the "
                    f"fastest of {len(measure.runs)} nodes of its kind; {action}")
            found[host] = reason("slow", text, [run["run"] for run in runs], False,
                                 f"in {plural(len(runs), 'run')}", TOO_FEW, normal)
        if gap is not None or part >= NEAR:
            continue
        others = [parts[other] for other in parts if other != host]
        beside = (f", the other {plural(len(others), 'node')} of its kind at up to "
                  f"{percent(max(others))}" if others else ", the only node of its kind")
        text = f"at {percent(part)} of the predicted speed{beside}; {LOOK}"
        found[host] = reason("slow", text, [run["run"] for run in runs], False, TOO_FEW)
    return found


def clock_of(run):
    """MHz under load of the only host of a run, None where unknown."""
    return (run.get("mhz") or {}).get(run["hosts"][0])


def throttled(measure, host):
    """What the clock of a slow host says; None if it is not the clock."""
    def mean(name):
        found = [clock_of(run) for run in measure.runs.get(name, [])]
        found = [mhz for mhz in found if mhz]
        return sum(found) / len(found) if found else None

    mine = mean(host)
    peers = sorted(filter(None, map(mean, measure.of.peers)))
    if not mine or len(peers) < FEW or mine >= COOL * peers[len(peers) // 2]:
        return None
    return (f"throttled: its clock under load was {mine:.0f} MHz, the median of its kind "
            f"is {peers[len(peers) // 2]:.0f} MHz")


# ---- all -----------------------------------------------------------------------------


def speed(found, runs, kinds, slow, chance):
    """Add what the speed of runs says to the reasons found so far."""
    all_of, sizes = measures(runs, kinds, slow), by_size(runs)
    judged, slow_alone = compared_alone(all_of), set()

    def look(measure, host):
        if measure.what == "rate":
            return where_to_look(sizes, host, slow)
        return CABLE, "alone the node is as fast as others" * (host in judged - slow_alone)

    for measure in sorted(all_of, key=lambda m: m.of.is_few()):
        if not measure.of.is_few():
            told = slow_reasons(measure, chance, look)
        else:
            told = few_reasons(measure, look) if measure.what == "rate" else {}
        for host, why in told.items():
            # It was slow alone as well; or was compared with more at another size.
            if measure.what == "rate in pairs" and is_told(found[host], "slow") or \
                    measure.of.is_few() and host in judged:
                continue
            text = throttled(measure, host) if why["class"] == "slow" else None
            if text:
                found[host].append(reason("hot", text, why["runs"], why["certain"]))
            found[host].append(why)
            if measure.what == "rate" and why["class"] == "slow":
                slow_alone.add(host)


def is_told(reasons, *classes):
    return any(x["class"] in classes for x in reasons)


def silent(name, inventory, ran):
    """Reasons from a host that did not answer, or never ran."""
    error = (inventory.get(name) or {}).get("error")
    odd = ((inventory.get(name) or {}).get("facts") or {}).get("nonsense")
    if odd:
        return [reason("unknown", f"what it says of itself is wrong: {odd}", [], False)]
    if error and not ran and BUSY.search(error):
        return [reason("unknown", f"Slurm did not give it: {error}", [], False)]
    if error and not ran:
        return [reason("not started", f"it does not answer: {error}", [], True)]
    if error:
        return [reason("ok", f"the inventory failed: {error}", [], False)]
    return [] if ran else [reason("unknown", "no run of it has ended", [], False)]


def without_result(runs):
    """Reason of a host whose runs alone all ended without telling how."""
    if not runs or any(run["outcome"] != "unknown" for run in runs):
        return []
    said = [line for run in runs for line in run.get("evidence") or []]
    return [reason("unknown", said[0] if said else "its run has no result",
                   [run["run"] for run in runs], False)]


def failure_reasons(names, runs, inventory):
    """{host: [reason]} of what failed."""
    failures = Failures(runs)
    left = opened(failures)
    found = {}
    for name in names:
        blames = [failures.bad[name]] if name in failures.bad else []
        mine = failures.alone.get(name, [])
        found[name] = [reason(x.outcome, x.text, x.runs, x.certain) for x in blames]
        found[name] += [reason(x.outcome, x.text, x.runs, False)
                        for x in left.get(name, [])]
        found[name] += without_result(mine)
        if not is_told(found[name], "not started"):  # a run has said why
            found[name] += silent(name, inventory, mine or failures.company.get(name))
    return found


def differences(names, inventory, kinds):
    """{host: [text]}: hosts of a kind against each other, those of a small kind
    against all."""
    told = {name: inventory[name] for name in names if name in inventory}
    members = {}
    for name in told:
        members.setdefault(kinds[name], []).append(name)
    found = {}
    for mine in members.values():
        among = {name: told[name] for name in mine} if len(mine) >= FEW else told
        among = facts_of.differences(among) if len(among) > 1 else {}
        found.update({name: among[name] for name in mine if name in among})
    return found


def class_of(reasons):
    """The worst that is certain; else the worst."""
    certain = [x["class"] for x in reasons if x["certain"]]
    if certain:
        return min(certain, key=CLASSES.index)
    return min((x["class"] for x in reasons), key=CLASSES.index, default="ok")


def judge(hosts, runs, inventory=None, slow=SLOW, chance=CHANCE):
    """{host: Verdict} of all hosts.

    hosts      names, or objects that have them
    runs       that ended, in this order: start and end events joined
    inventory  {host: {"facts": {...}, "error": text or None}}
    slow       the part below the median of its kind that makes a host slow
    chance     that a good host of a kind is called slow, of any of them
    """
    names, inventory = names_of(hosts), inventory or {}
    kinds = kinds_of(names, inventory)
    found = failure_reasons(names, runs, inventory)
    speed(found, runs, kinds, slow, chance)
    for host, klass, text, run, certain, detail in heat.reasons(runs):
        found[host].append(reason(klass, text, [run], certain, detail))
    unlike = differences(names, inventory, kinds)
    return {name: Verdict(class_of(reasons), reasons, unlike.get(name, []))
            for name, reasons in found.items()}
