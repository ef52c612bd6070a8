# SPDX-License-Identifier: BSD-3-Clause
"""A table of measurements beside floors (must) and goals (should)."""
from dataclasses import dataclass
from typing import Optional

HEAD = ("measured", "reference", "ratio", "floor", "goal")


@dataclass(frozen=True)
class Row:
    """measured and reference have one unit; floor and goal bound their ratio.

    None: not measured, or no bound.
    """

    name: str
    measured: Optional[float]
    reference: Optional[float] = None
    floor: Optional[float] = None
    goal: Optional[float] = None
    at_most: bool = False  # of the bounds; else the ratio is to be at least

    @property
    def ratio(self):
        if self.measured is None or not self.reference:
            return None
        return self.measured / self.reference

    def verdict(self, bound):
        """ok, or on which side of bound the ratio is."""
        if bound is None:
            return ""
        if self.ratio is None:
            return "not measured"
        if self.at_most:
            return "ok" if self.ratio <= bound else "above"
        return "ok" if self.ratio >= bound else "below"

    def cells(self):
        def figure(value, form):
            return "-" if value is None else form % value

        return (
            self.name,
            figure(self.measured, "%.2f"),
            figure(self.reference, "%.2f"),
            figure(self.ratio, "%.3f"),
            *(
                f"{figure(bound, '%.2f')} {self.verdict(bound)}".strip()
                for bound in (self.floor, self.goal)
            ),
        )


def line(cells, width):
    """Of a table whose names are so wide."""
    name, *figures, floor, goal = cells
    return (
        f"{name:<{width}}"
        + "".join(f"{figure:>11}" for figure in figures)
        + f"   {floor:<12} {goal}".rstrip()
    )


def table(title, rows):
    """The lines of all rows below a title and the columns' names."""
    lines = [(title, *HEAD), *(row.cells() for row in rows)]
    width = max(len(name) for name, *_ in lines)
    return [line(cells, width) for cells in lines]
