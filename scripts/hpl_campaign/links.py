# SPDX-License-Identifier: BSD-3-Clause
"""What pairs of hosts tell of each one: the rows of the matrix of pairs.

The value of a pair is level + a row's share + the other row's share. A host whose
link or port is bad is low in its whole row; its partners are not, since each has
other partners as well.
"""
from statistics import median

SWEEPS = 4  # over all rows; shares hardly change after the second


def rows_of(pairs):
    """{host: [(index of the pair, other host)]}"""
    rows = {}
    for index, (one, other, _) in enumerate(pairs):
        rows.setdefault(one, []).append((index, other))
        rows.setdefault(other, []).append((index, one))
    return rows


def left(pairs, rows, level, share):
    """(host, what its pairs leave for it) of each."""
    return [(host, [pairs[index][2] - level - share[other] for index, other in row])
            for host, row in rows.items()]


def shares(pairs):
    """{host: [value of each of its pairs, less the share of the other host]}, by the
    median of each row (Tukey's median polish).

    pairs   [(host, host, value)] in the order of the runs
    """
    if not pairs:
        return {}
    level = median(value for _, _, value in pairs)
    rows = rows_of(pairs)
    share = dict.fromkeys(rows, 0.0)
    for _ in range(SWEEPS):
        share = {host: median(row) for host, row in left(pairs, rows, level, share)}
        middle = median(share.values())
        share = {host: value - middle for host, value in share.items()}
        level += middle
    return dict(left(pairs, rows, level, share))
