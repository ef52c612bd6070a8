# SPDX-License-Identifier: BSD-3-Clause
"""Which runs a stage has, how large they are, and how long they should take.

A stage is a list of rounds, a round a list of runs on disjoint hosts.
"""
import math
from typing import NamedTuple, Optional

from .run import Run, label, run_id

EFFICIENCY = 0.9  # of several hosts, until it is measured
START = 3.0  # s, from the launcher's start to the first matrix
LINK = 5.0  # s, in which a pair measures its link
BYTES_A_SECOND = 2e9  # of a host, generating the matrix and checking the solution

TORTURE = "torture"  # a stage that is there if it is asked for
TORTURE_N = 8192  # of its product, a cube


class Sizing(NamedTuple):
    """What one host can do, the weakest of them.

    n, rate          of a run that fills its memory: order and flop/s
    half             the order at which half of the highest rate is reached
    nb               width of a panel
    ranks            processes on a host
    """

    n: int
    rate: float
    nb: int
    half: float = 0.0
    ranks: int = 1


class Bounds(NamedTuple):
    """How long a run may take: bound times its prediction, and grace seconds."""

    bound: float = 3.0
    grace: float = 60.0


def sizing(rows, ranks=1):
    """From two measured rows (n, nb, rate): of a short run, and of one that fills
    memory. 1 / rate is linear in 1 / n."""
    (n1, _, r1), (n2, nb, r2) = sorted(rows)[0], sorted(rows)[-1]
    half = 0.0
    if n1 < n2 and r1 < r2:
        slope = (1 / r1 - 1 / r2) / (1 / n1 - 1 / n2)
        level = 1 / r2 - slope / n2
        half = slope / level if level > 0 else 0.0
    return Sizing(n2, r2, nb, half, ranks)


def grid(processes):
    """The grid nearest to square that is not taller than wide."""
    p = math.isqrt(processes) if hasattr(math, "isqrt") else int(processes**0.5)
    while processes % p:
        p -= 1
    return p, processes // p


def flop(n):
    return 2 / 3 * n**3 + 1.5 * n**2


def rate(size, hosts, n, efficiency):
    """flop/s of so many hosts with a matrix of order n."""
    local = max(n, 1) / math.sqrt(hosts)
    one = size.rate * (1 + size.half / size.n) / (1 + size.half / local)
    return one * hosts * (efficiency if hosts > 1 else 1.0)


def solve_seconds(size, hosts, n, efficiency=EFFICIENCY):
    return flop(n) / rate(size, hosts, n, efficiency)


def around(run):
    """Seconds of a run before and after it computes."""
    link = LINK if len(run.hosts) == 2 else 0.0
    return START + link + 8 * run.n * run.n / len(run.hosts) / BYTES_A_SECOND


def whole(run):
    """Seconds of a run from its start to its end."""
    return around(run) + (run.predicted or 0.0)


def quiet(run):
    """Seconds in which a run may say nothing though all is well: it makes or checks the
    matrix; it computes between two words of progress."""
    return around(run) + 0.1 * (run.predicted or 0.0)


def order(size, hosts, seconds, efficiency=EFFICIENCY):
    """The largest n that fits, and takes so many seconds at most if they are given,
    with which all processes hold equally much."""
    p, q = grid(hosts * size.ranks)
    unit = size.nb * p * q // math.gcd(p, q)
    most = int(size.n * math.sqrt(hosts)) // unit
    if seconds is None:
        return max(1, most) * unit
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if solve_seconds(size, hosts, middle * unit, efficiency) <= seconds:
            least = middle
        else:
            most = middle - 1
    return max(1, least) * unit


class Planner(NamedTuple):
    """Makes runs from the names of hosts."""

    size: Sizing
    bounds: Bounds = Bounds()

    def run(self, stage, hosts, seconds, attempt=1, name=None,
            efficiency=EFFICIENCY):
        """A run of at most so many seconds, None for one that fills memory."""
        n = order(self.size, len(hosts), seconds, efficiency)
        predicted = solve_seconds(self.size, len(hosts), n, efficiency)
        p, q = grid(len(hosts) * self.size.ranks)
        run = Run(run_id(stage, attempt, name or label(hosts)), stage, tuple(hosts),
                  attempt, n, self.size.nb, p, q, round(predicted, 3), 0.0)
        return run._replace(
            limit=round(self.bounds.bound * whole(run) + self.bounds.grace, 3))


def single(planner, hosts, seconds, repeats=1):
    """Every host alone, all at once."""
    return [[planner.run("single", [host], seconds, attempt) for host in hosts]
            for attempt in range(1, repeats + 1)]


def torture(planner, hosts, seconds):
    """Every host alone multiplies for so many seconds matrices of order n."""
    n = min(TORTURE_N, max(1, planner.size.n // 2))
    limit = planner.bounds.bound * (seconds + START) + planner.bounds.grace
    return [[Run(run_id(TORTURE, 1, host), TORTURE, (host,), 1, n, n, 1, 1, seconds, limit)
             for host in hosts]]


def tournament(hosts, rounds=None):
    """Rounds of disjoint pairs; no pair meets twice. Without a number of rounds there
    are log2 of the hosts; all of them are one fewer than hosts."""
    circle = list(hosts) + [None] * (len(hosts) % 2)
    turns = len(circle) - 1
    if turns < 1:
        return []
    wanted = min(turns, rounds or max(1, math.ceil(math.log2(len(hosts)))))
    return [pairs_of_turn(circle, index * turns // wanted) for index in range(wanted)]


def pairs_of_turn(circle, turn):
    """One turn of the circle method; who meets None rests."""
    last, others = circle[-1], circle[:-1]
    size = len(others)
    met = [(others[turn], last)]
    met += [(others[(turn + i) % size], others[(turn - i) % size])
            for i in range(1, (size + 1) // 2)]
    return [pair for pair in met if None not in pair]


def pairs(planner, hosts, seconds, rounds=None):
    place = {host: index for index, host in enumerate(hosts)}
    return [[planner.run("pairs", sorted(pair, key=place.get), seconds)
             for pair in met] for met in tournament(hosts, rounds)]


def blocks(hosts, size):
    """Equal neighbouring parts of about so many hosts, two at least."""
    count = max(1, round(len(hosts) / max(2, size)))
    cuts = [len(hosts) * i // count for i in range(count + 1)]
    return [hosts[a:b] for a, b in zip(cuts, cuts[1:])]


def racks(hosts, group_of):
    """{name: hosts} of racks or switches; without any, of neighbours, about as many
    blocks as hosts in one."""
    if not hosts:
        return {}
    named = {}
    for host in hosts:
        if group_of.get(host):
            named.setdefault(group_of[host], []).append(host)
    if named:
        return named
    parts = blocks(hosts, math.sqrt(len(hosts)))
    return {f"{part[0]}-{part[-1]}": part for part in parts}


def across(named):
    """As many groups as racks, each with hosts of every rack."""
    dealt = {}
    for members in named.values():
        for index, host in enumerate(members):
            dealt.setdefault(index % len(named), []).append(host)
    return {f"across{index + 1}": hosts for index, hosts in sorted(dealt.items())}


def groups(planner, hosts, seconds, group_of):
    """Racks or switches, then groups across them, then halves of all. What would be
    one host, or all of them, is left out, and so is what was there before."""
    named = racks(hosts, group_of)
    middle = (len(hosts) + 1) // 2
    halves = {"half1": hosts[:middle], "half2": hosts[middle:]}
    rounds, seen = [], set()
    for parts in (named, across(named) if len(named) > 1 else {}, halves):
        kept = {name: part for name, part in parts.items()
                if 1 < len(part) < len(hosts) and frozenset(part) not in seen}
        seen |= {frozenset(part) for part in kept.values()}
        if kept:
            rounds.append([planner.run("groups", part, seconds, name=name)
                           for name, part in kept.items()])
    return rounds


class Choice(NamedTuple):
    """The hosts of the full run.

    hosts     that take part
    left_out  slow ones that do not
    gain      the part by which the rate is predicted to be higher without them
    """

    hosts: list
    left_out: list
    gain: float


def leave_out(hosts, measured):
    """Which hosts a full run is faster without: all go at the speed of the slowest.
    measured is {host: rate} alone; who has none counts as the median."""
    known = sorted(measured[h] for h in hosts if measured.get(h))
    if not known:
        return Choice(list(hosts), [], 0.0)
    middle = known[len(known) // 2]
    slowest_first = sorted(hosts, key=lambda h: measured.get(h) or middle)
    rates = [(measured.get(host) or middle) * (len(hosts) - index)
             for index, host in enumerate(slowest_first)]
    best = rates.index(max(rates))
    out = slowest_first[:best]
    gone = set(out)
    return Choice([h for h in hosts if h not in gone], out,
                  rates[best] / rates[0] - 1)


def everything(planner, hosts, seconds, efficiency=EFFICIENCY):
    """The full run."""
    if len(hosts) < 2:
        return []
    return [[planner.run("all", hosts, seconds, name="all", efficiency=efficiency)]]


def disjoint(runs):
    """Runs in rounds: in each no host has two."""
    rounds = []
    for run in runs:
        for entry in rounds:
            if not entry[0] & set(run.hosts):
                break
        else:
            entry = (set(), [])
            rounds.append(entry)
        entry[0].update(run.hosts)
        entry[1].append(run)
    return [found for _, found in rounds]


def node_hours(rounds):
    return sum(whole(run) * len(run.hosts) for found in rounds for run in found) / 3600


def seconds(rounds, at_once: Optional[int] = None):
    """How long rounds take that run one after the other."""
    total = 0.0
    for found in rounds:
        turns = math.ceil(len(found) / at_once) if at_once else 1
        total += turns * max(map(whole, found))
    return total
