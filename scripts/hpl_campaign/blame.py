# SPDX-License-Identifier: BSD-3-Clause
"""Who is to blame for runs that failed, and which runs would make that certain.

A run of one host blames this host. A run of several blames the one that fails with
other, good partners as well; a host that has since been good with others is cleared.
"""
import math
from typing import NamedTuple

from hpl_report.words import listed

from . import measures, stages
from .compare import SURE, is_slow, is_suspect
from .run import Run, label, run_id

FAILED = ("wrong", "died", "hung", "hot", "not started")
NAMED = 8  # hosts that a reason names
CLEAN = 2  # good runs alone that follow a failure: it may not come again
TRIED = 8  # hosts of a failed run that are tried one by one; more are halved
SLOW = 0.03  # below the median of its kind, of a host that is slow
CHANCE = 0.02  # that any host of a kind is called slow though it is not


class Blame(NamedTuple):
    """What failures say of a host; certain if it is to blame and stays so."""

    outcome: str
    certain: bool
    text: str
    runs: list


def names_of(hosts):
    """The names of hosts that are names, objects or members of a state file."""
    return [host if isinstance(host, str) else
            host["name"] if isinstance(host, dict) else host.name for host in hosts]


def is_failure(run):
    return run["outcome"] in FAILED


def worst(runs):
    """The outcome that weighs most."""
    return min((run["outcome"] for run in runs), key=FAILED.index)


def first_evidence(runs):
    """A sentence of what a run left, to be appended to another."""
    said = [line for run in runs for line in run.get("evidence") or []]
    signals = [line for line in said if "signal" in line]
    if signals and "signal" not in said[0]:
        return f": {said[0]}; {signals[0]}"
    return f": {said[0]}" if said else ""


class Failures:
    """Runs in the order in which they ended, by hosts.

    alone, company   {host: [run]}
    members, same    {run: its hosts as a set}, {hosts as a set: [run]}
    failed           of several hosts
    open, open_of    failed runs of several hosts, none of which is known to be bad;
                     the same by hosts
    bad              {host: Blame} of hosts that are to blame
    """

    def __init__(self, runs):
        self.alone, self.company = {}, {}
        for run in runs:
            kept = self.alone if len(run["hosts"]) == 1 else self.company
            for host in run["hosts"]:
                kept.setdefault(host, []).append(run)
        self.members = {run["run"]: frozenset(run["hosts"]) for run in runs}
        self.same = {}
        for run in runs:
            self.same.setdefault(self.members[run["run"]], []).append(run)
        self.place = {run["run"]: index for index, run in enumerate(runs)}
        self.bad = {}
        for host, found in self.alone.items():
            blame = blame_alone(found)
            if blame:
                self.bad[host] = blame
        self.failed = [run for run in runs if is_failure(run) and len(run["hosts"]) > 1]
        self.open = self.failed
        self.explain()
        while self.blame_another():
            self.explain()

    def explain(self):
        """A failed run is explained by a host that is to blame in it."""
        self.open = [run for run in self.open
                     if not any(host in self.bad for host in run["hosts"])]
        self.open_of = {}
        for run in self.open:
            for host in run["hosts"]:
                self.open_of.setdefault(host, []).append(run)

    def after(self, run, among):
        """Those of some runs that ended after this one."""
        return [x for x in among if self.place[x["run"]] > self.place[run["run"]]]

    def again(self, run, hosts=None):
        """Runs after this one of exactly these hosts, its own by default."""
        hosts = self.members[run["run"]] if hosts is None else frozenset(hosts)
        return self.after(run, self.same.get(hosts, []))

    def is_cleared(self, host, run):
        """Whether it was good with others."""
        members = self.members[run["run"]]
        return any(x["outcome"] == "ok" and self.members[x["run"]] != members
                   for x in self.company.get(host, []))

    def suspects(self, run):
        return [host for host in run["hosts"] if not self.is_cleared(host, run)]

    def with_cleared(self, host):
        """Its open runs in which all others are cleared."""
        return [run for run in self.open_of[host] if all(
            self.is_cleared(other, run) for other in run["hosts"] if other != host)]

    def blame_another(self):
        """Find one more host to blame, the one with most failures: the only one that
        several runs have in common, in each of which all others are cleared. False if
        there is none."""
        guilty, found = None, []
        for host in self.open_of:
            runs = self.with_cleared(host)
            if len(runs) > max(1, len(found)) and frozenset.intersection(
                    *(self.members[run["run"]] for run in runs)) == {host}:
                guilty, found = host, runs
        if not guilty:
            return False
        others = sorted({x for run in found for x in run["hosts"]} - {guilty})
        what = worst(found)
        self.bad[guilty] = Blame(
            what, True, f"with {listed(others, NAMED)}, which are good with others"
            + first_evidence(found), [run["run"] for run in found])
        return True


def blame_alone(found):
    """What the runs of a host alone say; None if all is well."""
    failed = [run for run in found if is_failure(run)]
    if not failed:
        return None
    clean = len([run for run in found[found.index(failed[-1]):]
                 if run["outcome"] == "ok"])
    what = worst(failed)
    if what == "not started" and clean:
        return None
    certain = what == "wrong" or len(failed) > 1 or clean == 0
    times = f"{len(failed)} of {len(found)} runs" if len(found) > 1 else "its run"
    text = f"in {times} alone"
    if not certain:
        text += ", and not again"
    return Blame(what, certain, text + first_evidence(failed),
                 [run["run"] for run in failed])


def opened(failures):
    """{host: [Blame]} of runs whose blame is open: "unknown", or "ok" if all are good
    since. Runs of a host of which the same is to be said share one, most runs first."""
    alike = {}
    for run in failures.open:
        suspects = failures.suspects(run)
        again = failures.again(run)
        klass = "unknown"
        if suspects:
            said = "and nobody knows whose fault it was"
        elif again and again[-1]["outcome"] == "ok":
            klass, said = "ok", "and not again"
        else:
            said = "but each is good with others: perhaps the link between them"
        for host in suspects or run["hosts"]:
            key = klass, run["outcome"], said
            alike.setdefault(host, {}).setdefault(key, []).append(run)
    return {host: [open_blame(host, runs, *key) for key, runs in
                   sorted(of.items(), key=lambda item: -len(item[1]))]
            for host, of in alike.items()}


def open_blame(host, runs, klass, outcome, said):
    """What is said of a host for runs whose blame is open."""
    others = list(dict.fromkeys(x for run in runs for x in run["hosts"] if x != host))
    times = f" in {len(runs)} runs" if len(runs) > 1 else ""
    return Blame(klass, False, f"{outcome}{times} with {listed(others, NAMED)}, {said}"
                 + first_evidence(runs), [run["run"] for run in runs])


# ---- more runs ----------------------------------------------------------------------


class Requests:
    """Runs that are asked for; each host is in one at most."""

    def __init__(self, runs):
        self.runs, self.found, self.busy = runs, [], set()
        self.attempts = {}  # of stage and hosts, so far
        for run in runs:
            key = run["stage"], frozenset(run["hosts"])
            self.attempts[key] = max(self.attempts.get(key, 0), run["attempt"])

    def add(self, stage, hosts, like):
        """Ask for a run; it is as large as another if that has as many hosts."""
        if self.busy & set(hosts):
            return
        attempt = self.attempts.get((stage, frozenset(hosts)), 0) + 1
        n, p, q = scaled(like, len(hosts))
        self.busy |= set(hosts)
        self.found.append(Run(
            run_id(stage, attempt, name_of(like, stage, hosts)), stage, tuple(hosts),
            attempt, n, like["nb"], p, q, like["predicted"], like["limit"]))

    def like(self, stage, count, default):
        """A run of that stage and so many hosts, or the default."""
        return next((run for run in self.runs if run["stage"] == stage
                     and len(run["hosts"]) == count), default)


def name_of(like, stage, hosts):
    """What an id says of its hosts; a repeated run keeps its name."""
    if like["stage"] == stage and list(like["hosts"]) == list(hosts):
        return like["run"].split("-", 2)[2]
    return label(hosts)


def scaled(like, count):
    """n, p, q of a run on so many hosts, with as much memory on each."""
    before = len(like["hosts"])
    if before == count:
        return like["n"], like["p"], like["q"]
    p, q = stages.grid(max(1, like["p"] * like["q"] // before) * count)
    unit = like["nb"] * p * q // math.gcd(p, q)
    n = int(like["n"] * math.sqrt(count / before)) // unit * unit
    return max(n, unit), p, q


def ask_alone(failures, asked):
    """Hosts that failed alone, until it came again or did not for a while."""
    for host, found in failures.alone.items():
        failed = [run for run in found if is_failure(run)]
        if len(failed) != 1 or failed[0]["outcome"] == "wrong":
            continue
        if len(found) - found.index(failed[0]) - 1 < CLEAN:
            asked.add(failed[0]["stage"], [host], failed[0])


def partner(failures, host, good, busy):
    """A good host that was no pair with it yet, or None."""
    met = {x for run in failures.company.get(host, []) if len(run["hosts"]) == 2
           for x in run["hosts"]}
    return next((x for x in good if x not in busy and x != host and x not in met), None)


def ask_each(failures, run, good, asked):
    """Hosts of a failed run: alone, then with other partners, then together again."""
    waits = False
    for host in run["hosts"]:
        if not failures.after(run, failures.alone.get(host, [])):
            asked.add("single", [host], asked.like("single", 1, run))
            waits = True
    if waits:
        return
    for host in failures.suspects(run):
        other = partner(failures, host, good, asked.busy)
        if other and host not in asked.busy:
            asked.add("pairs", [host, other], asked.like("pairs", 2, run))
            waits = True
    if not waits and not failures.again(run):
        asked.add(run["stage"], run["hosts"], run)


def ask_halves(failures, run, asked):
    """Halves of a failed run, then all of it again; a half that fails goes on by
    itself."""
    if any(failures.members[x["run"]] < failures.members[run["run"]]
           for x in failures.after(run, failures.failed)):
        return
    middle = len(run["hosts"]) // 2
    parts = [part for part in (run["hosts"][:middle], run["hosts"][middle:])
             if not failures.again(run, part)]
    for part in parts:
        asked.add("groups", part, run)
    if not parts and not failures.again(run):
        asked.add(run["stage"], run["hosts"], run)


def ask_failures(failures, names, asked):
    """What would tell who made runs fail."""
    ask_alone(failures, asked)
    in_doubt = {host for run in failures.open for host in failures.suspects(run)}
    good = [name for name in names if name not in failures.bad
            and name not in in_doubt and failures.alone.get(name, failures.company)]
    seen = set()
    for run in failures.open:
        if frozenset(run["hosts"]) in seen:
            continue
        seen.add(frozenset(run["hosts"]))
        if len(run["hosts"]) <= TRIED:
            ask_each(failures, run, good, asked)
        else:
            ask_halves(failures, run, asked)


def suspected(measure, bad_already, chance):
    """Hosts that are slow for certain, and those that may be."""
    of, certain, open_yet = measure.of, [], []
    if of.is_few():
        return [], behind_few(measure, bad_already)
    for host in of.values:
        if host not in bad_already and is_suspect(of.gap(host), measure.part):
            is_sure = (len(of.values[host]) >= SURE
                       and is_slow(of.find(host), measure.part, chance))
            (certain if is_sure else open_yet).append(host)
    return certain, open_yet


def behind_few(measure, bad_already):
    """Hosts of a kind of few that are clearly below the fastest, until they have SURE
    runs."""
    if measure.what != "rate":
        return []
    return [host for host, values in measure.of.values.items()
            if host not in bad_already and len(values) < SURE
            and measure.of.clearly_below(host, measure.part) is not None]


def ask_slow(measure, hosts, asked):
    """One more run for hosts that may be slow, and for their peers if these have
    fewer."""
    if not hosts:
        return
    of = measure.of
    wanted = min(len(of.values[host]) for host in hosts) + 1
    behind = [host for host in dict.fromkeys([*hosts, *of.peers])
              if len(of.values[host]) < wanted]
    if measure.what == "rate":
        for host in behind:
            asked.add("single", [host], measure.runs[host][0])
    else:
        ask_pairs(measure, behind, asked)


def ask_pairs(measure, behind, asked):
    """Pairs of hosts that did not meet yet."""
    met = {frozenset(run["hosts"]) for found in measure.runs.values() for run in found}
    like = next(iter(measure.runs.values()))[0]
    left = [host for host in behind if host not in asked.busy]
    others = [host for host in measure.of.values if host not in behind]
    while left:
        host = left.pop(0)
        other = next((x for x in left + others if x not in asked.busy
                      and frozenset((host, x)) not in met), None)
        if other:
            asked.add("pairs", [host, other], like)
            left = [x for x in left if x != other]


def further(hosts, runs, inventory=None, slow=SLOW, chance=CHANCE):
    """The runs that are needed before the blame is certain; none if it is, or stays
    open. No two have a host in common.

    hosts      of the campaign
    runs       that ended, in this order: start and end events joined
    inventory  {host: {"facts": {...}, "error": ...}}
    slow       the part below the median of its kind that makes a host slow
    """
    names = names_of(hosts)
    failures, asked = Failures(runs), Requests(runs)
    ask_failures(failures, names, asked)
    kinds = measures.kinds_of(names, inventory or {})
    known = set(failures.bad)
    found = measures.measures(runs, kinds, slow)
    compared = measures.compared_alone(found)
    for measure in found:
        if measure.what == "rate in pairs":
            continue  # what it shows, the rate alone and the link show as well
        certain, open_yet = suspected(
            measure, known | compared if measure.of.is_few() else known, chance)
        ask_slow(measure, open_yet, asked)
        known.update(certain)  # its link need not be tried as well
    return asked.found
