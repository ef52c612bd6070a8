# SPDX-License-Identifier: BSD-3-Clause
"""A run's time from a few panels of it."""


def solve(matrix, right):
    """The solution of a small system, by elimination with pivots."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for c in range(size):
        pivot = max(range(c, size), key=lambda r: abs(rows[r][c]))
        rows[c], rows[pivot] = rows[pivot], rows[c]
        for r in range(size):
            if r != c:
                part = rows[r][c] / rows[c][c]
                rows[r] = [x - part * y for x, y in zip(rows[r], rows[c])]
    return [row[size] / row[c] for c, row in enumerate(rows)]


def fit(points, degree):
    """Coefficients of the polynomial nearest to points (x, y) in relative terms."""
    powers = [[x**i / y for i in range(degree + 1)] for x, y in points]
    size = degree + 1
    normal = [
        [sum(row[i] * row[j] for row in powers) for j in range(size)]
        for i in range(size)
    ]
    return solve(normal, [sum(row[i] for row in powers) for i in range(size)])


def total(points, n, nb):
    """Seconds of all panels of order n, from those of some: points (order left,
    seconds of a panel)."""
    scaled = [(x / n, y) for x, y in points]
    coefficients = fit(scaled, 2)
    return sum(
        max(sum(c * ((n - first) / n) ** i for i, c in enumerate(coefficients)), 0.0)
        for first in range(0, n, nb)
    )


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
