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


def between(points, left, end, nb):
    """Seconds of the panels while the order left falls from left to end: points (order
    left, seconds until the next panel), in any order."""
    seconds = curve(sorted(points))
    whole = int((left - end) / nb)
    part = (left - end) / nb - whole
    steps = sum(max(seconds(left - k * nb), 0.0) for k in range(whole))
    return steps + part * max(seconds(left - whole * nb), 0.0)


def of_panels(report, n, nb):
    """Points of a whole run's report."""
    known = [report["began"], *(report[f"panel{k}"] for k in range(1, -(-n // nb)))]
    return [(n - k * nb, end - begin) for k, (begin, end) in
            enumerate(zip(known, known[1:]))]


def error(points, left, end, nb):
    """How far that moves without one of the points but the first and last, at most."""
    points = sorted(points)
    whole = between(points, left, end, nb)
    return max(
        abs(between(points[:i] + points[i + 1 :], left, end, nb) - whole)
        for i in range(1, len(points) - 1)
    )


def orders(n, nb, least, count):
    """Orders of systems whose first panels are simulated, the largest first: whole
    panels but for n, at least so many."""
    panels = {least, *(n // nb * (i + 1) // count for i in range(1, count - 1))}
    return [n, *(k * nb for k in sorted(panels, reverse=True) if least <= k < n // nb)]
