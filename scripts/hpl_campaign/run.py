# SPDX-License-Identifier: BSD-3-Clause
"""Hosts, and the runs that a campaign asks for."""
import re
import zlib
from typing import NamedTuple, Optional, Tuple

STAGES = ("inventory", "single", "pairs", "groups", "all")

# How a run ended. That it was slow is judged from all runs of its kind.
OUTCOMES = ("ok", "wrong", "died", "hung", "hot", "not started", "unknown")

NAMED = 4  # hosts that the id of a run names, at most


class Host(NamedTuple):
    """A host, and the rack or switch that it hangs on, None where unknown."""

    name: str
    group: Optional[str] = None


class Run(NamedTuple):
    """One xhpl on some hosts.

    id         stage-attempt-label; the name of its folder, too
    hosts      names; processes are dealt to them in this order
    attempt    1 for the first time that a stage tries something
    n, nb      order of the matrix and width of a panel
    p, q       rows and columns of processes
    predicted  seconds that it computes, None where unknown; compare the time that it
               reports
    limit      seconds after which it is ended
    """

    id: str
    stage: str
    hosts: Tuple[str, ...]
    attempt: int
    n: int
    nb: int
    p: int
    q: int
    predicted: Optional[float]
    limit: float


def label(hosts):
    """Hosts in the id of a run: their names while they are few."""
    if len(hosts) <= NAMED:
        return "+".join(hosts)
    return f"{hosts[0]}+{len(hosts) - 1}-{zlib.crc32(' '.join(hosts).encode()):08x}"


def run_id(stage, attempt, name):
    """The id of a run; name is a label of hosts, or a group's, as far as it is fit for
    a folder."""
    return f"{stage}-{attempt}-" + re.sub(r"[^\w+@:.-]", "_", name)
