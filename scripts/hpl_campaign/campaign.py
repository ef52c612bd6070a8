# SPDX-License-Identifier: BSD-3-Clause
"""A campaign from its first stage to its last. What the state file has is not done
again, so that the same steps begin one and go on with one."""
import math
import os
import re
import shlex
import statistics
import tempfile

from hpl_report import files
from hpl_report.words import NBSP, listed, rate

from . import blame, company, inventory, judge, planning, stages, weights
from .ceiling import Ceiling
from .live import duration
from .measures import kinds_of
from .run import Host
from .runner import Runner

# Hosts of these classes take no part in what comes after.
UNFIT = ("wrong", "died", "hung", "hot", "not started")

WORTH = 0.005  # a gain that is less is none
DIFFERENT = 20  # hosts that are named for it
LOG_LIMIT = 20.0  # s in which a host says what its kernel said


def words_of(options, state):
    """The command line of the program for a run."""
    watchdog = f"watchdog={max(1, int(options.silence / 2))}"

    def words(run):
        more = shlex.split(options.xhpl_options)
        if run.stage == stages.TORTURE:
            return [*shlex.split(options.xdgemm), "-m", str(run.n),
                    "--torture", str(run.predicted), "--json", "record.json"]
        if len(run.hosts) == 2:  # measure the link before the run
            more = ["--set", "predict=on", "--set", "plan_seconds=2", *more]
        if run.stage == "all" and state.stages["all"].get("weights"):
            more = ["--weights", os.path.join(options.directory, weights.FILE),
                    "--pmap", "column", *more]
        return [*shlex.split(options.xhpl), "-n", str(run.n), "--nb", str(run.nb),
                "-p", str(run.p), "-q", str(run.q), "--json", "record.json",
                "--progress", "on", "--set", watchdog, *more]

    return words


def stages_of(options):
    """The names of all stages, torture behind single."""
    found = list(options.stages)
    if options.torture:
        found.insert(len([x for x in ("inventory", "single") if x in found]),
                     stages.TORTURE)
    return found


def rounds_of(stage, planner, options, hosts, group_of, efficiency):
    """The rounds of a stage."""
    seconds = None if options.full else options.seconds
    short = min(filter(None, (options.seconds, options.short)))
    if stage == "single":
        return stages.single(planner, hosts, seconds, options.repeats)
    if stage == stages.TORTURE:
        return stages.torture(planner, hosts, options.torture)
    if stage == "pairs":
        return stages.pairs(planner, hosts, short, options.rounds)
    if stage == "groups":
        return stages.groups(planner, hosts, short, group_of)
    return stages.everything(planner, hosts, seconds, efficiency)


def rates_alone(runs, size):
    """{host: flop/s} of the hosts alone, the median of their good runs, as the model
    expects it of runs that fill memory."""
    found = {}
    for run in runs:
        if run["stage"] == "single" and run["outcome"] == "ok" and run["gflops"]:
            scale = size.rate / stages.rate(size, 1, run["n"], 1.0)
            found.setdefault(run["hosts"][0], []).append(run["gflops"] * 1e9 * scale)
    return {host: statistics.median(rates) for host, rates in found.items()}


def measured_efficiency(runs, alone, size):
    """What the largest groups reached of the sum of their hosts, each as fast as the
    slowest of them; None where unknown."""
    parts = [run for run in runs if run["stage"] in ("groups", "pairs")
             and run["outcome"] == "ok" and run["gflops"]
             and all(host in alone for host in run["hosts"])]
    most = max((len(run["hosts"]) for run in parts), default=0)
    found = []
    for run in parts:
        if len(run["hosts"]) == most:
            found.append(run["gflops"] * 1e9 / company.expected(run, alone, size))
    return min(1.0, statistics.median(found)) if found else None


class Campaign:
    """options of the command line, an open State, a launcher, a View."""

    def __init__(self, options, state, launcher, view, **rest):
        self.options, self.state = options, state
        self.launcher, self.view = launcher, view
        self.hosts = [Host(**host) for host in state.hosts]
        self.names = [host.name for host in self.hosts]
        self.runner = Runner(
            state, launcher, words_of(options, state),
            os.path.join(options.directory, "runs"), silence=options.silence,
            ramp=options.ramp, view=view, witness=self.witness,
            ceiling=options.ceiling and Ceiling(options.ceiling, launcher), **rest)

    def run(self):
        """All stages, unless no host answers. Errors: planning.NoPlan."""
        self.clear()
        if self.nobody_answers():  # when it was interrupted
            self.take_inventory(self.names)
        try:
            for stage in stages_of(self.options):
                if stage == "inventory":
                    self.take_inventory(self.not_asked())
                elif not self.nobody_answers():
                    self.carry_out(stage)
        except planning.NoPlan:
            self.take_inventory(self.not_asked())
            if not self.nobody_answers():
                raise
        if self.nobody_answers():
            self.view.say("no host answers")

    def nobody_answers(self):
        return not self.state.ended and all(
            self.state.inventory.get(name, {}).get("error") for name in self.names)

    def verdicts(self):
        return judge.judge(self.hosts, self.state.runs(), self.state.inventory,
                           self.options.slow, self.options.chance)

    def clear(self):
        """End what an interrupted xhpl-campaign left."""
        left = self.state.unfinished()
        if left:
            self.view.say(f"{len(left)} runs had not ended: they run again")
            self.launcher.sweep(left, self.runner.folder)

    # ---- inventory ---------------------------------------------------------------

    def not_asked(self):
        return [name for name in self.names if name not in self.state.inventory]

    def take_inventory(self, hosts):
        """Ask these hosts what they are."""
        if not hosts:
            return
        self.view.say(f"inventory: {len(hosts)} hosts")
        request = inventory.request(self.options.directory, self.options.xhpl)
        for host, facts, error in inventory.gather(
                hosts, lambda host: self.launcher.remote(host, request)):
            self.state.add({"event": "inventory", "host": host, "facts": facts or {},
                            "error": error})
            if error:
                self.view.say(f"  {host}: {error}")
        self.tell_differences()

    def tell_differences(self):
        """Name the hosts that differ from the others, the first of them."""
        found = judge.differences(self.names, self.state.inventory,
                                  kinds_of(self.names, self.state.inventory))
        for host, texts in list(found.items())[:DIFFERENT]:
            self.view.say(f"  {host} differs: {'; '.join(texts)}")
        if len(found) > DIFFERENT:
            self.view.say(f"  and {len(found) - DIFFERENT} more")

    def witness(self, run, seconds):
        """What the kernels of a run's hosts said meanwhile."""
        request = inventory.request_log(seconds + 1)
        said = []
        for host in run.hosts[:4]:
            line, _ = inventory.ask(self.launcher.remote(host, request), LOG_LIMIT)
            said += [f"{host}: {text}" for text in inventory.log_of(line or b"")][:4]
        return said

    # ---- stages ------------------------------------------------------------------

    def planner(self):
        """By the plan, which is made once."""
        if self.state.plan is None:
            size, host = planning.sizing(
                self.launcher, self.state.inventory, self.names,
                shlex.split(self.options.xhpl), self.options, self.options.directory)
            self.state.add({"event": "plan", "host": host, **size._asdict()})
        size = stages.Sizing(*(self.state.plan[name] for name in stages.Sizing._fields))
        return stages.Planner(size, stages.Bounds(self.options.bound,
                                                  self.options.grace))

    def carry_out(self, stage):
        """One stage, and what its failures ask for."""
        planner = self.planner()
        begun = self.state.stages.get(stage) or self.begin(stage, planner)
        self.write_rates(begun)
        rounds = rounds_of(stage, self.scaled(planner, begun), self.options,
                           begun["hosts"], {h.name: h.group for h in self.hosts},
                           begun["efficiency"])
        left = [[run for run in found if run.id not in self.state.ended]
                for found in rounds]
        left = [found for found in left if found]
        if left:
            self.view.enter(stage, sum(map(len, left)), stages.seconds(
                left, self.launcher.at_once))
        for found in left:
            self.runner.carry_out(found)
        self.settle(stage)

    def begin(self, stage, planner):
        """Decide who takes part, and note it: it stays so when the campaign goes on."""
        classes = {name: verdict.klass for name, verdict in self.verdicts().items()}
        fit = [name for name in self.names if classes[name] not in UNFIT]
        event = {"event": "stage", "stage": stage, "hosts": fit,
                 "efficiency": stages.EFFICIENCY, "rate": None, "left_out": [],
                 "gain": 0.0, "weights": None, "weights_gain": 0.0}
        if stage == "all":
            self.consider(event, planner.size)
        self.state.add(event)
        out = [name for name in self.names if name not in event["hosts"]]
        if out:
            self.view.say(f"{stage}: without {', '.join(out[:10])}"
                          + f" and {len(out) - 10} more" * (len(out) > 10))
        return event

    def consider(self, event, size):
        """Plan the full run from what was measured."""
        alone = rates_alone(self.state.runs(), size)
        event["efficiency"] = (measured_efficiency(self.state.runs(), alone, size)
                               or stages.EFFICIENCY)
        everyone, worth = event["hosts"], self.worth(alone, size)
        self.without_slow(event, worth)
        known = [worth[name] for name in event["hosts"] if name in worth]
        event["rate"] = min(known) if known else None
        if self.options.leave_out:  # a bad link is no matter of columns
            everyone = [name for name in everyone if name in event["hosts"]
                        or worth.get(name) == alone.get(name)]
        if known and self.may_share(everyone):
            self.by_speed(event, everyone, alone, worth)

    def worth(self, alone, size):
        """{host: flop/s} in a run of many."""
        slow = [name for name, verdict in self.verdicts().items()
                if verdict.klass == "slow"]
        return company.rates(self.state.runs(), alone, size, slow)

    def without_slow(self, event, worth):
        """Say what it costs to wait for slow hosts, and leave them out if asked to."""
        choice = stages.leave_out(event["hosts"], worth)
        event["left_out"], event["gain"] = choice.left_out, round(choice.gain, 4)
        if choice.gain < WORTH:
            return
        self.view.say(f"all: leaving out {listed(choice.left_out, 10)} gives "
                      f"{100 * choice.gain:.0f}% more")
        if self.options.leave_out:
            event["hosts"] = choice.hosts

    def may_share(self, hosts):
        """Whether columns can be dealt by speed."""
        own = re.search("weights|restart", self.options.xhpl_options)
        return (self.options.weights == "auto" and not own
                and weights.names(hosts, self.state.inventory))

    def by_speed(self, event, everyone, alone, worth):
        """Deal columns by speed if that is faster than what was planned."""
        share = weights.best(everyone, alone, self.options.ranks_per_node,
                             self.options.slow, self.options.leave_out)
        slowest = min((alone[name] for name in event["hosts"] if name in alone), default=0)
        if share is None or share.rate < (1 + WORTH) * slowest * len(event["hosts"]):
            return
        link = min([1.0] + [worth[name] / alone[name] for name in share.weights
                            if name in alone])
        equal = min(alone[name] for name in everyone if name in alone) * len(everyone)
        event["weights_gain"] = round(share.rate / equal - 1, 4)
        self.view.say(f"all: columns by speed give {100 * event['weights_gain']:.0f}% "
                      "more, so the run uses them")
        event["hosts"], event["weights"] = list(share.weights), share.weights
        event["rate"] = link * share.rate / len(share.weights)
        event["room"] = share.room

    def scaled(self, planner, begun):
        """The planner by the rate that was measured, if it was."""
        if not begun["rate"]:
            return planner
        size = planner.size._replace(rate=begun["rate"])
        if begun.get("weights"):
            n = int(size.n * math.sqrt(begun["room"]))
            size = size._replace(n=n, rate=stages.rate(size, 1, n, 1.0))
        return planner._replace(size=size)

    def write_rates(self, begun):
        """What xhpl --weights reads; also if the campaign goes on."""
        if begun.get("weights"):
            files.replace(os.path.join(self.options.directory, weights.FILE),
                          weights.text(begun["weights"], self.state.inventory))

    def settle(self, stage):
        """Runs that make the blame certain, until there are none, or too many."""
        while True:
            asked = self.state.further.get(stage, [])
            for runs in asked:
                for found in stages.disjoint(runs):
                    self.runner.carry_out(found)
            if len(asked) >= self.options.retries:
                return
            wanted = [run for run in blame.further(
                self.hosts, self.state.runs(), self.state.inventory, self.options.slow,
                self.options.chance) if run.id not in self.state.ended]
            if not wanted:
                return
            self.view.say(f"{stage}: {len(wanted)} more runs to find who is to blame")
            self.state.add({"event": "further", "stage": stage,
                            "runs": [run._asdict() for run in wanted]})


# ---- the plan of a campaign --------------------------------------------------------

HEAD = ("stage", "runs", "nodes a run", "N", "NB", "P x Q", "time", "node hours")
INVENTORY = 0.2  # s of a node, at 64 nodes at a time


def between(values):
    """As "2", or "2 to 8"."""
    least, most = min(values), max(values)
    return str(least) if least == most else f"{least} to {most}"


def plan_row(stage, rounds, at_once):
    """A stage in words."""
    runs = [run for found in rounds for run in found]
    grids = sorted({(run.p, run.q) for run in runs})
    return (stage, str(len(runs)), between([len(run.hosts) for run in runs]),
            between([run.n for run in runs]), between([run.nb for run in runs]),
            " to ".join(f"{p} x {q}" for p, q in dict.fromkeys((grids[0], grids[-1]))),
            duration(stages.seconds(rounds, at_once)), f"{stages.node_hours(rounds):.1f}")


def table(rows):
    """Columns, the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *(
        word.rjust(width) for word, width in zip(row[1:], widths[1:]))]) for row in rows)


def plan_text(options, hosts, launcher):
    """What a campaign would run, and how long that should take."""
    names = [host.name for host in hosts]
    with tempfile.TemporaryDirectory(prefix="plan-", dir=os.getcwd()) as folder:
        size, host = planning.sizing(launcher, {}, names, shlex.split(options.xhpl),
                                     options, folder)
    planner = stages.Planner(size, stages.Bounds(options.bound, options.grace))
    rows, total, hours = [HEAD], 0.0, 0.0
    for stage in stages_of(options):
        if stage == "inventory":
            time = 1 + INVENTORY * len(hosts)
            rows.append((stage, str(len(hosts)), "1", "", "", "", duration(time), "0.0"))
            total += time
            continue
        rounds = rounds_of(stage, planner, options, names,
                           {host.name: host.group for host in hosts}, stages.EFFICIENCY)
        if any(rounds):
            rows.append(plan_row(stage, rounds, launcher.at_once))
            total += stages.seconds(rounds, launcher.at_once)
            hours += stages.node_hours(rounds)
    rows.append(("all stages", "", "", "", "", "", duration(total), f"{hours:.1f}"))
    return "\n".join([*basis(size, host), "", table(rows)])


def basis(size, host):
    """What a plan is based on."""
    where = f"as measured on {host}" if host else "as given"
    reached = rate(size.rate / 1e9).replace(NBSP, " ")
    return [f"a node: {reached} at N = {size.n}, {where}",
            f"processes on a node: {size.ranks}"]
