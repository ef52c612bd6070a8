# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts are slower than others of their kind, and whether that is chance.

A host is compared with its peers over as many runs as it has: up to PEERS hosts
of its kind, chosen by their place in the list and not by their results. So a
repeated run is compared with others that were repeated as often, at that time.
"""
import math
from statistics import median
from typing import NamedTuple

FEW = 5  # hosts of a kind: with fewer there is too little to judge by
CLEAR = 0.10  # below the fastest of so few hosts: too much to be called good
PEERS = 100  # hosts of a kind that others are compared with
SURE = 3  # runs of a host, before it is slow for certain
LOOKS = 10  # at a host, one after each further run
FAR = 3.0  # standard deviations: peers beyond are no ordinary ones
RARE = 0.00135  # beyond three standard deviations
OF_CENTRE = 1.05  # variance of the centre of values over that of their mean
OF_MAD = 1.4826  # standard deviations in a median of absolute deviations


class Found(NamedTuple):
    """A host beside its peers; values are logarithms, lower is slower.

    gap      its value less the median of its peers
    spread   standard deviation of the ordinary peers
    chance   that the noise from run to run takes any of the hosts compared so far off
    rarity   the part of hosts like its peers that would be so far off
    runs     that were compared
    peers    that it was compared with
    """

    gap: float
    spread: float
    chance: float
    rarity: float
    runs: int
    peers: int


def centre(values):
    """The Hodges-Lehmann estimate: the median of the means of all pairs. One
    disturbed run of several hardly moves it."""
    if len(values) < 3:
        return sum(values) / len(values)
    return median((a + b) / 2 for i, a in enumerate(values) for b in values[i:])


def tail(t, df):
    """Student's t: the chance of more than t > 0 with df degrees of freedom
    (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(df))
    cosine, odd = math.cos(angle), df % 2
    term = cosine if odd else 1.0
    total = term if df > 1 else 0.0
    for i in range(2 + odd, df, 2):
        term *= cosine * cosine * (i - 1) / i
        total += term
    inside = math.sin(angle) * total
    if odd:
        inside = 2 / math.pi * (angle + inside)
    return max(0.0, 1 - inside) / 2


def ordinary(values):
    """Hosts that are not far from the middle; two thirds stay at least.

    values   {host: value}
    """
    middle = median(values.values())
    far = {host: abs(x - middle) for host, x in values.items()}
    near = sorted(far, key=far.get)
    # Of few values the deviation is known badly.
    cut = FAR * (1 + 4 / len(near)) * OF_MAD * far[near[len(near) // 2]]
    least = len(near) - len(near) // 3
    return [host for i, host in enumerate(near) if i < least or far[host] <= cut]


def deviation(values):
    """Mean and standard deviation."""
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((x - mean)**2 for x in values) / (len(values) - 1))


def peers_of(hosts):
    """Some of the hosts of a kind, evenly over their list."""
    if len(hosts) <= PEERS:
        return list(hosts)
    return [hosts[i * len(hosts) // PEERS] for i in range(PEERS)]


class Kind:
    """Hosts that are alike, and the values of their runs."""

    def __init__(self, values):
        """values   {host: [value of each run, in their order]}, none empty"""
        self.values = values
        self.peers = peers_of(list(values))
        self.at = {}  # centres of the peers over a number of runs

    def is_few(self):
        return len(self.values) < FEW

    def fastest(self, but):
        """The host of the highest value but for one; None if there is no other."""
        return max((host for host in self.values if host != but),
                   key=lambda host: centre(self.values[host]), default=None)

    def clearly_below(self, host, part):
        """Its value less the fastest other host's, if that is CLEAR and also this part
        below; None if it is not."""
        best = self.fastest(host)
        if best is None:
            return None
        gap = centre(self.values[host]) - centre(self.values[best])
        return gap if gap < math.log(1 - max(CLEAR, part)) else None

    def centres(self, runs):
        """{peer: centre} over the first runs of those that have so many."""
        if runs not in self.at:
            self.at[runs] = {host: centre(self.values[host][:runs])
                             for host in self.peers
                             if len(self.values[host]) >= runs}
        return self.at[runs]

    def compared(self, host):
        """Over how many runs a host can be compared: most peers need as many."""
        runs = len(self.values[host])
        enough = max(FEW, len(self.peers) // 2)
        while runs > 1 and len(self.centres(runs)) < enough:
            runs -= 1
        return runs

    def gap(self, host):
        """Its value less the median of its peers, over the runs to compare."""
        runs = self.compared(host)
        middle = median(self.centres(runs).values())
        return centre(self.values[host][:runs]) - middle

    def noise(self, runs, names):
        """Variance from run to run of some peers, and its degrees of freedom."""
        total = 0.0
        for name in names:
            values = self.values[name][:runs]
            mean = sum(values) / runs
            total += sum((x - mean)**2 for x in values)
        freedom = len(names) * (runs - 1)
        return total / freedom, freedom

    def find(self, host):
        """A host beside its peers."""
        runs = self.compared(host)
        others = {peer: x for peer, x in self.centres(runs).items() if peer != host}
        kept = ordinary(others)
        mean, spread = deviation([others[peer] for peer in kept])
        below = mean - centre(self.values[host][:runs])
        more = 1 + 1 / len(kept)
        rarity = chance = odds(below, spread**2 * more, len(kept) - 1)
        if runs > 1:
            noise, freedom = self.noise(runs, kept)
            chance = odds(below, noise * more * OF_CENTRE / runs, freedom)
        chance = min(1.0, LOOKS * len(self.values) * chance)
        return Found(self.gap(host), spread, chance, rarity, runs, len(others) + 1)


def odds(below, variance, freedom):
    """The chance of a value so far below."""
    if below <= 0:
        return 1.0
    return tail(below / math.sqrt(max(variance, 1e-18)), freedom)


def is_slow(found, part, alpha):
    """Below the median by this part, neither by chance nor as others of its kind."""
    return found.gap < math.log(1 - part) and found.chance < alpha \
        and found.rarity < RARE


def is_suspect(gap, part):
    """Near enough to slow that more runs are worth it."""
    return gap < math.log(1 - part) / 2
