# SPDX-License-Identifier: BSD-3-Clause
"""A run's time from a few panels of it."""
from bisect import bisect_right


def slopes(x, y):
    """At the points of a cubic that rises where they do (Fritsch and Carlson)."""
    step = [b - a for a, b in zip(x, x[1:])]
    rise = [(b - a) / h for a, b, h in zip(y, y[1:], step)]
    inner = []
    for i in range(1, len(step)):
        w, v = 2 * step[i] + step[i - 1], step[i] + 2 * step[i - 1]
        turns = rise[i - 1] * rise[i] <= 0
        inner.append(0.0 if turns else (w + v) / (w / rise[i - 1] + v / rise[i]))
    return [rise[0], *inner, rise[-1]]


def curve(points):
    """y(x) through points (x, y), x rising; straight beyond the ends."""
    x, y = zip(*points)
    slope = slopes(x, y)

    def value(at):
        if at <= x[0]:
            return y[0] + slope[0] * (at - x[0])
        if at >= x[-1]:
            return y[-1] + slope[-1] * (at - x[-1])
        i = bisect_right(x, at) - 1
        h = x[i + 1] - x[i]
        t = (at - x[i]) / h
        return (
            (1 + 2 * t) * (1 - t) ** 2 * y[i]
            + t * (1 - t) ** 2 * h * slope[i]
            + t * t * (3 - 2 * t) * y[i + 1]
            + t * t * (t - 1) * h * slope[i + 1]
        )

    return value


def total(points, n, nb):
    """Seconds from the first panel of order n to the last one, from those between some
    panels and the next ones: points (order left, seconds)."""
    seconds = curve(sorted(points))
    return sum(max(seconds(n - first), 0.0) for first in range(0, n - nb, nb))


def error(points, n, nb):
    """How far the total moves without one of the points, at most, as a part of it."""
    whole = total(points, n, nb)
    return max(
        abs(total(points[:i] + points[i + 1 :], n, nb) / whole - 1.0)
        for i in range(len(points))
    )


def orders(n, nb, count):
    """Orders of systems whose first panels are simulated: whole panels."""
    panels = n // nb
    return [max(panels * (i + 1) // count, 1) * nb for i in range(count)]
