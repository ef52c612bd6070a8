# SPDX-License-Identifier: BSD-3-Clause
"""The command line of xhpl-sim."""
import argparse
import os
import random
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from hpl_sim import page, platform, record, run, sample, whatif

RATE = 2e12  # the model's, without a record
KINDS = {
    "products": "C := C - L2 U",
    "solves": "U := L1^-1 U",
    "panels": "factoring panels",
    "rows": "moving rows in memory",
    "pivots": "waiting for pivots",
}


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="xhpl-sim", description=sys.modules["__main__"].__doc__
    )
    add = parser.add_argument
    add("--nodes", type=int, help="number of nodes (default: P x Q)")
    add("--ranks-per-node", type=int, default=1, help="processes of a node")
    names = ", ".join(platform.TOPOLOGIES)
    add("--cores", type=int, help="of a node, which its processes share (default: each "
        "has its own)")
    add("--topology", default="ideal", help=f"{names}, or a file of SimGrid's")
    add("--link", default="25GBps", help="of a node (default 25GBps)")
    add("--latency", default="1.5us", help="of a link (default 1.5us)")
    add("--node-record", metavar="FILE", help="a real run's record, for the rates")
    add("--model", default="", help='numbers of the model, such as "rate=2e12"')
    add("--spread", type=float, help="nodes differ by up to this part (default 0)")
    add("--rates", dest="rates_file", metavar="FILE",
        help="the part of the rate that each node reaches, one a line; of several in "
        "a line each is that of every so many-th process there")
    add("--cfg", action="append", default=[], metavar="NAME:VALUE", help="of SimGrid's")
    add("-n", type=int, required=True, help="order of the matrix")
    add("--nb", type=int, default=256, help="width of a panel (default 256)")
    add("-p", type=int, required=True, help="rows of processes")
    add("-q", type=int, required=True, help="columns of processes")
    add("--panels", metavar="FIRST:LAST", help="simulate these panels alone ...")
    add("--orders", type=int, default=6, help="... of so many orders (default 6)")
    cores = len(os.sched_getaffinity(0))
    add("--jobs", type=int, default=cores, help=f"... so many at once (default {cores})")
    kinds = ", ".join(f"{kind}=..." for kind in whatif.KINDS)
    add("--page", metavar="FILE", help="a page of pictures, in HTML")
    add("--what-if", action="append", default=[], metavar="CASE", help=f"{kinds} or all")
    options, rest = parser.parse_known_args(words)
    complete(parser, options)
    return options, rest


def complete(parser, options):
    ranks = options.p * options.q
    if options.nodes is None:
        options.nodes = -(-ranks // options.ranks_per_node)
    if options.nodes * options.ranks_per_node < ranks:
        parser.error(f"{options.p} x {options.q} processes do not fit the nodes")
    if options.panels is not None:
        try:
            first, last = map(int, options.panels.split(":"))
        except ValueError:
            parser.error("--panels wants FIRST:LAST, such as 4:12")
        if not 0 <= first < last or options.orders < 4:
            parser.error("--panels wants FIRST < LAST, and --orders 4 at least")
        if options.n // options.nb < 2 * (last + 1):
            parser.error("so few panels are simulated whole: without --panels")
        options.panels = first, last
    try:
        take_rates(options)
        whatif.cases(options)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if not run.XHPL.exists() or shutil.which("smpirun") is None:
        parser.error("there is no build/sim/xhpl, or no smpirun: make sim")


def least(parts):
    return min(parts, default=0)


def take_rates(options):
    """The part of the rate that each node reaches: --rates, else by chance."""
    test = record.largest_test(options.node_record) if options.node_record else None
    spread = options.spread or 0.0
    if options.spread is None and test is not None:
        spread = record.spread(test)
    drawn = random.Random(1)
    options.rates = [(1 + spread * drawn.uniform(-1, 1),) for _ in range(options.nodes)]
    if options.rates_file is not None:
        with open(options.rates_file, encoding="ascii") as file:
            options.rates = [tuple(map(float, line.split())) for line in file]
    if len(options.rates) != options.nodes or min(map(least, options.rates)) <= 0:
        raise ValueError(f"--rates wants {options.nodes} lines of numbers above 0")
    options.slow_link = 1.0


def model_of(options):
    numbers = {}
    if options.node_record:
        test = record.largest_test(options.node_record)
        numbers = record.rates(test, options.cores is not None)
    for word in options.model.split():
        name, value = word.split("=")
        numbers[name] = float(value)
    if options.cores is not None:
        numbers["cores"] = options.cores
    return numbers


def words_of(options, n, rest):
    return [f"-n={n}", f"--nb={options.nb}", f"-p={options.p}", f"-q={options.q}", *rest]


def panels(options, model, n, rest):
    """When the first panels of order n are known, by number, and the report."""
    first, last = options.panels
    model = dict(model, first=first, last=min(last, -(-n // options.nb) - 1))
    _, report = run.simulate(options, model, words_of(options, n, rest))
    return n, report


def point(options, n, report):
    """The order left in the middle of the panels, and seconds of each."""
    first, last = options.panels
    seconds = (report[f"panel{last}"] - report[f"panel{first}"]) / (last - first)
    return n - (first + last - 1) / 2 * options.nb, seconds


def say_point(options, model, left, seconds):
    ranks, rate = options.p * options.q, model.get("rate", RATE)
    efficiency = 200 * left * left * options.nb / ranks / rate / seconds
    print(
        f"panels of order {left:.0f}: {1e3 * seconds:.4f} ms each, "
        f"efficiency {efficiency:.1f}%"
    )


class Outcome(NamedTuple):
    seconds: float
    report: dict  # of the first panels, if these alone were simulated
    points: list  # the order left, and seconds until the next panel
    after: float = 0.0  # of seconds: back-substitution, if it was simulated alone
    error: float = 0.0  # a part of seconds


def sampled(options, model, rest):
    """The run: its first panels, those between by a curve, the last ones as those of a
    small system."""
    (first, last), n, nb = options.panels, options.n, options.nb
    orders = sample.orders(n, nb, last + 1, options.orders)
    with ThreadPoolExecutor(options.jobs) as pool:
        whole = pool.submit(
            run.simulate, options, dict(model, factor=0), words_of(options, n, rest)
        )
        done = list(pool.map(lambda m: panels(options, model, m, rest), orders))
    points = [point(options, *each) for each in done]
    report, small = done[0][1], done[-1][1]
    head = report[f"panel{last}"] - report["began"]
    tail = small[f"panel{last}"] - small[f"panel{first}"]
    ends = n - last * nb, orders[-1] - first * nb, nb
    after = whole.result()[0]
    seconds = head + sample.between(points, *ends) + tail + after
    return Outcome(seconds, report, points, after, sample.error(points, *ends) / seconds)


def simulated(options, model, rest):
    """All of the run."""
    words = words_of(options, options.n, rest)
    seconds, report = run.simulate(options, model, words)
    return Outcome(seconds, report, sample.of_panels(report, options.n, options.nb))


def flop(n):
    return 2 / 3 * n**3 + 3 / 2 * n**2


def say_parts(report):
    print("Where the time of processes goes:")
    spent = 0.0
    for name, what in KINDS.items():
        part = 100 * report[name] / report["seconds"]
        spent += part
        print(f"  {part:5.1f}%  {what}")
    print(f"  {100 - spent:5.1f}%  other waiting, for panels, rows and the last one")


def say_sample(options, model, outcome):
    for each in outcome.points:
        say_point(options, model, *each)
    print(f"back-substitution: {outcome.after:.6g} s")
    part = 100 * outcome.error
    print(f"interpolated; without any one order it differs by up to {part:.2f}%")


def say(options, model, outcome):
    ranks, rate = options.p * options.q, model.get("rate", RATE)
    reached = flop(options.n) / outcome.seconds
    print(f"{outcome.seconds:.9g} seconds, {reached / 1e9:.6g} Gflop/s")
    efficiency = 100 * reached / ranks / rate
    print(f"efficiency {efficiency:.1f}% of {rate / 1e12:g} Tflop/s a process")
    say_parts(outcome.report)
    messages, volume = outcome.report["messages"], outcome.report["bytes"]
    print(f"{messages:.0f} messages, {volume:.0f} bytes")


def outcome_of(options, model, rest):
    return (sampled if options.panels else simulated)(options, model, rest)


def answer(options, rest):
    """Print it; each case, its options, and what came out."""
    model = model_of(options)
    if options.what_if:
        return whatif.answer(
            options,
            lambda changed: outcome_of(changed, model, rest),
            lambda outcome: flop(options.n) / outcome.seconds / 1e9,
        )
    outcome = outcome_of(options, model, rest)
    if options.panels:
        say_sample(options, model, outcome)
    say(options, model, outcome)
    return [("as asked for", options, outcome)]


def draw(options, found):
    rate = model_of(options).get("rate", RATE)
    Path(options.page).write_text(page.make(options, found, rate), "utf-8")
    print(options.page)


def main():
    options, rest = arguments(sys.argv[1:])
    began = time.monotonic()
    try:
        found = answer(options, rest)
        if options.page:
            draw(options, found)
    except (run.Failed, OSError) as failure:
        print(failure, file=sys.stderr)
        return 3
    print(f"simulated in {time.monotonic() - began:.1f} s")
    return 0
