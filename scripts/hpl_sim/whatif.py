# SPDX-License-Identifier: BSD-3-Clause
"""What changes if something else does: one simulation for each case."""
from copy import copy

from hpl_sim import platform

USUAL = ("slow=0.8", "link=0.5", "rails=2", "without=1")


def grids(ranks):
    """P x Q of exactly so many processes, from 1:4 to 1:1."""
    sides = (p for p in range(1, int(ranks**0.5) + 1) if ranks % p == 0)
    return [(p, ranks // p) for p in sides if ranks // p <= 4 * p]


def grid_within(ranks):
    """The most processes that have such a grid, as square as can be."""
    while not grids(ranks):
        ranks -= 1
    return grids(ranks)[-1]


def with_grid(options, value):
    options.p, options.q = map(int, value.split("x"))
    if options.p * options.q > options.nodes * options.ranks_per_node:
        raise ValueError(f"a grid of {value} processes does not fit the nodes")
    return f"{value} processes"


def with_slow_node(options, value):
    slow = tuple(part * float(value) for part in options.rates[0])
    options.rates = [slow, *options.rates[1:]]
    return f"one node at {value} of its rate"


def with_slow_link(options, value):
    if options.topology != "ideal":
        raise ValueError("link= is known for --topology ideal alone")
    options.slow_link = float(value)
    return f"one node's link at {value}"


def with_rails(options, value):
    options.link = f"{platform.bytes_per_second(options.link) * int(value):.6g}Bps"
    return f"{value} links a node"


def without_slowest(options, value):
    left = options.nodes - int(value)
    if left < 1:
        raise ValueError(f"without={value} leaves no node")
    options.rates = sorted(options.rates, key=min, reverse=True)[:left]
    options.nodes = left
    options.p, options.q = grid_within(min(options.p * options.q,
                                           left * options.ranks_per_node))
    return f"without the slowest {value}: {options.p}x{options.q}"


KINDS = {
    "grid": with_grid,
    "slow": with_slow_node,
    "link": with_slow_link,
    "rails": with_rails,
    "without": without_slowest,
}


def words_of(options):
    """The cases asked for; of "all" each grid and one of each other kind."""
    words = []
    for word in options.what_if:
        if word != "all":
            words.append(word)
            continue
        other = [(p, q) for p, q in grids(options.p * options.q)]
        words += [f"grid={p}x{q}" for p, q in other if (p, q) != (options.p, options.q)]
        words += [word for word in USUAL if is_possible(options, word)]
    return words


def is_possible(options, word):
    if word.startswith("link="):
        return options.topology == "ideal"
    return options.nodes > 1 or not word.startswith("without=")


def case(options, word):
    """Options with a change, and what it is in words. Raises ValueError."""
    kind, _, value = word.partition("=")
    if kind not in KINDS:
        raise ValueError(f'--what-if has no "{word}": {", ".join(KINDS)} or all')
    changed = copy(options)
    return changed, KINDS[kind](changed, value)


def cases(options):
    return [case(options, word) for word in words_of(options)]


def answer(options, outcome_of, gflops_of):
    """A row for each case beside the run as asked for; each with its options and what
    came out."""
    print(f"{'':34s} {'seconds':>12s} {'Gflop/s':>12s} {'faster by':>9s}")
    found = []
    for changed, what in [(options, "as asked for"), *cases(options)]:
        outcome = outcome_of(changed)
        found.append((what, changed, outcome))
        gain = f"{100 * (found[0][2].seconds / outcome.seconds - 1):+.1f}%"
        print(f"{what:34s} {outcome.seconds:12.6g} {gflops_of(outcome):12.6g} "
              f"{gain:>9s}", flush=True)
    return found
