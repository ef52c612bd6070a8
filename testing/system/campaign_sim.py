# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns on simulated hosts: rates are drawn, nothing runs.

    campaign_sim.py [--nodes 500] [--campaigns 20] [--noise 0.02] [--spread 0]
        [--slow 5] [--page FILE]

prints how many good hosts were called slow, how many slow ones were found, what
the verdicts take, and how large the page is.
"""
import argparse
import math
import random
import resource
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from hpl_campaign import blame, judge, page, stages, summary  # noqa: E402
from hpl_campaign.run import Run, run_id  # noqa: E402

RATE = 2000.0  # Gflop/s of a host
N, NB, SECONDS = 60000, 192, 60.0
FACTS = {"processor": "Simulated 64-core", "cores": 64, "governor": "8 x performance",
         "memory_bytes": 270e9, "kernel": "6.1.0"}
BEGAN = 1.79e9  # s since 1970


class World(NamedTuple):
    """Hosts, and what is wrong with them.

    noise     standard deviation of the rate from run to run, as a part
    spread    the same from host to host
    slow      {host: part of the usual rate}
    dies      {host: outcome alone}
    company   {host: outcome with others}
    link      {host: part of the usual bandwidth}
    hiccups   the part of runs that are disturbed: 10 % slower
    """

    hosts: list
    noise: float = 0.02
    spread: float = 0.0
    slow: dict = {}
    dies: dict = {}
    company: dict = {}
    link: dict = {}
    hiccups: float = 0.0


class Simulated:
    """A campaign in such a world; it has what summary.build asks of a State. What runs
    a stage returns the campaign."""

    def __init__(self, world, seed=0, racks=None):
        self.world, self.random = world, random.Random(seed)
        self.hosts = [{"name": name, "group": racks(i) if racks else None}
                      for i, name in enumerate(world.hosts)]
        self.own = {name: world.slow.get(name, 1.0) * self.factor(world.spread)
                    for name in world.hosts}
        self.inventory = {name: {"facts": dict(FACTS), "error": None} for name in world.hosts}
        self.campaign = {"name": "simulated", "time": BEGAN, "options": {"retries": 8},
                         "command": ["xhpl-campaign", "run", "--repeats", "3"]}
        self.stages, self.ended, self.now = {}, [], BEGAN
        self.rounds = 0  # of further runs

    def runs(self):
        return self.ended

    def factor(self, noise):
        return math.exp(self.random.gauss(0, noise)) if noise else 1.0

    def outcome(self, hosts):
        if len(hosts) == 1:
            return self.world.dies.get(hosts[0], "ok")
        return next((self.world.company[host] for host in hosts
                     if host in self.world.company), "ok")

    def end(self, run):
        """Draw how a run ends."""
        hosts, outcome = list(run.hosts), self.outcome(run.hosts)
        rate = len(hosts) * RATE * (0.9 if len(hosts) > 1 else 1.0)
        rate *= min(self.own[host] for host in hosts) * self.factor(self.world.noise)
        if self.random.random() < self.world.hiccups:
            rate *= 0.9
        part = min(self.world.link.get(host, 1.0) for host in hosts)
        is_pair = len(hosts) == 2 and outcome == "ok"
        self.now += 0.001
        self.ended.append({
            "run": run.id, **{k: v for k, v in run._asdict().items() if k != "id"},
            "hosts": hosts, "outcome": outcome, "time": self.now + SECONDS,
            "started": self.now, "status": 0 if outcome == "ok" else 1,
            "seconds": 2 / 3 * run.n**3 / rate / 1e9 if outcome == "ok" else None,
            "gflops": rate if outcome == "ok" else None,
            "latency": 2e-6 / part * self.factor(0.02) if is_pair else None,
            "bandwidth": 12e9 * part * self.factor(0.02) if is_pair else None,
            "evidence": [] if outcome == "ok" else [f"the simulation: {outcome}"],
            "record": None, "log": None, "argv": [], "dir": f"runs/{run.id}"})

    def single(self, repeats=3):
        for attempt in range(1, repeats + 1):
            for name in self.world.hosts:
                self.end(Run(run_id("single", attempt, name), "single", (name,), attempt,
                             N, NB, 1, 1, 70.0, 300.0))
        return self

    def pairs(self):
        for met in stages.tournament(self.world.hosts):
            for pair in met:
                self.end(Run(run_id("pairs", 1, "+".join(pair)), "pairs", pair, 1,
                             N, NB, 1, 2, 70.0, 300.0))
        return self

    def all(self):
        self.end(Run("all-1-all", "all", tuple(self.world.hosts), 1, 10 * N, NB, 20,
                     len(self.world.hosts) // 20 or 1, 3600.0, 10800.0))
        return self

    def settle(self, retries=8):
        """The further runs that are asked for."""
        for _ in range(retries):
            wanted = blame.further(self.hosts, self.ended, self.inventory)
            if not wanted:
                break
            self.rounds += 1
            for run in wanted:
                self.end(run)
        return self

    def verdicts(self):
        return judge.judge(self.hosts, self.ended, self.inventory)


def named(count):
    return [f"n{i:04d}" for i in range(count)]


def classes(found):
    """{host: class} of verdicts."""
    return {host: verdict.klass for host, verdict in found.items()}


class Tally(NamedTuple):
    """Of campaigns: hosts that are good, and those of them that were called slow;
    campaigns in which that happened to any; hosts that are slow, and those found."""

    good: int
    blamed: int
    campaigns: int
    with_blame: int
    slow: int
    found: int


def tally(hosts, campaigns, slow, part=0.95, repeats=3, retries=8, seed=1, **world):
    """Simulate campaigns in which so many hosts, drawn, have a part of the rate."""
    draw, names = random.Random(seed), named(hosts)
    counts = [0] * 6
    for number in range(campaigns):
        bad = {name: part for name in draw.sample(names, slow)}
        one = Simulated(World(names, slow=bad, **world), seed=(seed << 20) + number)
        one.single(repeats).settle(retries)
        called = {name for name, klass in classes(one.verdicts()).items() if klass == "slow"}
        for i, more in enumerate((hosts - slow, len(called - set(bad)), 1,
                                  bool(called - set(bad)), slow,
                                  len(called & set(bad)))):
            counts[i] += more
    return Tally(*counts)


def in_words(found):
    return (f"of {found.good} good hosts in {found.campaigns} campaigns {found.blamed} "
            f"were called slow ({found.blamed / max(1, found.good):.3%}), in "
            f"{found.with_blame} campaigns; of {found.slow} slow ones {found.found} were "
            f"found ({found.found / max(1, found.slow):.1%})")


def large(hosts, seed=7):
    """A campaign with all stages and some faults, hosts in racks of 40."""
    names = named(hosts)
    draw = random.Random(seed).sample(names, 6)
    world = World(names, noise=0.006, spread=0.004, slow={draw[0]: 0.93, draw[1]: 0.8},
                  dies={draw[2]: "wrong", draw[3]: "died"}, company={draw[4]: "hung"},
                  link={draw[5]: 0.4})
    one = Simulated(world, seed, racks=lambda i: f"rack{i // 40 + 1}")
    return one.single().pairs().all().settle()


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(what, call, *words):
    begun = time.process_time()
    found = call(*words)
    print(f"{what}: {time.process_time() - begun:.2f} s of processor time")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, kind, value in (("nodes", int, 500), ("campaigns", int, 20),
                              ("noise", float, 0.02), ("spread", float, 0.0),
                              ("slow", int, 5), ("repeats", int, 3), ("retries", int, 8),
                              ("hiccups", float, 0.0), ("seed", int, 1)):
        parser.add_argument(f"--{name}", type=kind, default=value)
    parser.add_argument("--page", metavar="FILE", help="write the page of a campaign "
                        "with all stages, too")
    given = parser.parse_args()
    if given.campaigns:
        print(in_words(timed("campaigns", lambda: tally(
            given.nodes, given.campaigns, given.slow, repeats=given.repeats,
            retries=given.retries, seed=given.seed, noise=given.noise,
            spread=given.spread, hiccups=given.hiccups))))
    if given.page:
        one = timed("runs are drawn", large, given.nodes)
        timed("verdicts", one.verdicts)
        timed("further runs", blame.further, one.hosts, one.ended, one.inventory)
        found = timed("campaign.json", summary.build, one)
        text = timed("its text", summary.text, found)
        made = timed("page", page.make, found)
        Path(given.page).write_text(made)
        print(f"{len(one.ended)} runs; campaign.json {len(text) / 1e6:.1f} MB, page "
              f"{len(made) / 1e6:.1f} MB; {megabytes():.0f} MB of memory at most")
        print(found["counts"])


if __name__ == "__main__":
    main()
