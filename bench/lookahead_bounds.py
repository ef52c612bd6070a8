# SPDX-License-Identifier: BSD-3-Clause
"""How much time look-ahead can hide, computed from the iterations of a run
without overlap: rows of --iterations with lookahead=0."""
from dataclasses import dataclass

EXCHANGE = ("swap", "solve", "exchange", "wait_exchange")


@dataclass(frozen=True)
class Bounds:
    """Seconds that updates could hide."""

    panel: float  # by mode 1
    exchange: float  # by mode 2 besides: swaps and solves

    def __add__(self, other):
        return Bounds(self.panel + other.panel, self.exchange + other.exchange)


def number(row, name):
    """A cell; an empty one is 0."""
    return float(row[name] or 0)


def seconds_of_next(row):
    """The host's time for the next panel's columns, which no mode hides.

    The host updates these first; where devices get the rest, only these.
    """
    nb, columns = number(row, "nb"), number(row, "columns_left")
    rest = (1 - number(row, "share_used")) * max(0, columns - nb)
    return number(row, "update_host") * nb / (nb + rest)


def of_iteration(row):
    """min(panel, update - next panel's columns); what the update has left hides
    swaps and solves."""
    panel = number(row, "panel")
    exchange = sum(number(row, name) for name in EXCHANGE)
    rest = number(row, "seconds") - panel - exchange - seconds_of_next(row)
    under = min(panel, max(0, rest))
    return Bounds(under, min(exchange, max(0, rest) - under))


def of_run(rows):
    """The bounds of all iterations together."""
    return sum(map(of_iteration, rows), Bounds(0, 0))
