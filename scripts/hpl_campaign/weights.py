# SPDX-License-Identifier: BSD-3-Clause
"""Columns by speed, for a full run on hosts that are not equally fast: xhpl --weights."""
import math
from typing import NamedTuple

from hpl_report.foreign import Refused

from . import stages

FILE = "rates"  # in the folder of a campaign, what xhpl reads


class Share(NamedTuple):
    """A full run that deals columns by speed.

    weights  {host: weight}, the fastest first: so hosts of a column are alike
    rate     flop/s that it is predicted to reach, if nothing but speed counts
    room     the part of the memory of all hosts that it can fill: the fastest are
             full first
    """

    weights: dict
    rate: float
    room: float


def rounded(rates, slow):
    """{host: weight}: 1 within a part `slow` of the median, others in steps of twice
    that, so that equal hosts stay equal."""
    middle = sorted(rates.values())[len(rates) // 2]
    step = -2 * math.log(1 - slow)
    return {host: math.exp(step * round(math.log(rate / middle) / step))
            for host, rate in rates.items()}


def shared(weights, rates, ranks):
    """The run with these hosts. A process column goes at the speed of its slowest."""
    order = sorted(weights, key=lambda host: -weights[host])
    processes = [host for host in order for _ in range(ranks)]
    p, q = stages.grid(len(processes))
    column = [weights[processes[(j + 1) * p - 1]] for j in range(q)]
    slowest = min(rates[host] / column[i // p] for i, host in enumerate(processes))
    return Share({host: weights[host] for host in order},
                 p * sum(column) * slowest / ranks, sum(column) / q / column[0])


def best(hosts, measured, ranks, slow, leave_out=False):
    """The fastest run that deals columns by speed, without the slowest hosts if these
    may be left out; None if all hosts are alike."""
    known = sorted(measured[host] for host in hosts if measured.get(host))
    if not known:
        return None
    rates = {host: measured.get(host) or known[len(known) // 2] for host in hosts}
    weights = rounded(rates, slow)
    levels = sorted(set(weights.values()))
    found = [shared({host: weight for host, weight in weights.items() if weight >= least},
                    rates, ranks) for least in levels[:-1]]
    if not leave_out:
        found = found[:1]
    return max(found, key=lambda share: share.rate, default=None)


def names(hosts, inventory):
    """{host: name that xhpl sees}, by the inventory; None where that is unknown, or
    not a name of its own."""
    found = {}
    for host in hosts:
        facts = (inventory.get(host) or {}).get("facts") or {}
        found[host] = facts.get("host", "").partition(".")[0]
    told = set(found.values())
    is_clear = len(told) == len(found) and not any(
        not name or name.isdigit() for name in told)
    return found if is_clear else None


def text(weights, inventory):
    """The file of rates."""
    called = names(weights, inventory)
    if called is None:
        raise Refused("columns go by speed, but the inventory has no names of its nodes: "
                      "begin another campaign")
    return "".join(f"{called[host]} {weight:.4f}\n" for host, weight in weights.items())
