# SPDX-License-Identifier: BSD-3-Clause
"""The command line of xhpl-sim."""
import argparse
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from hpl_sim import platform, record, run, sample

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
    add("--topology", default="ideal", help=f"{names}, or a file of SimGrid's")
    add("--link", default="25GBps", help="of a node (default 25GBps)")
    add("--latency", default="1.5us", help="of a link (default 1.5us)")
    add("--node-record", metavar="FILE", help="a real run's record, for the rates")
    add("--model", default="", help='numbers of the model, such as "rate=2e12"')
    add("-n", type=int, required=True, help="order of the matrix")
    add("--nb", type=int, default=256, help="width of a panel (default 256)")
    add("-p", type=int, required=True, help="rows of processes")
    add("-q", type=int, required=True, help="columns of processes")
    add("--panels", metavar="FIRST:LAST", help="simulate these panels alone ...")
    add("--orders", type=int, default=6, help="... of so many orders (default 6)")
    cores = len(os.sched_getaffinity(0))
    add("--jobs", type=int, default=cores, help=f"... so many at once (default {cores})")
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
        options.panels = first, last
    if not run.XHPL.exists() or shutil.which("smpirun") is None:
        parser.error("there is no build/sim/xhpl, or no smpirun: make sim")


def model_of(options):
    numbers = record.model(options.node_record) if options.node_record else {}
    for word in options.model.split():
        name, value = word.split("=")
        numbers[name] = float(value)
    return numbers


def words_of(options, n, rest):
    return [f"-n={n}", f"--nb={options.nb}", f"-p={options.p}", f"-q={options.q}", *rest]


def panels(options, model, n, rest):
    """The first panels of order n: a point of sample.total, the report, and words."""
    first, last = options.panels
    last = min(last, n // options.nb - 1)
    model = dict(model, first=first, last=last)
    _, report = run.simulate(options, model, words_of(options, n, rest))
    seconds = (report[f"panel{last}"] - report[f"panel{first}"]) / (last - first)
    left = n - (first + last - 1) / 2 * options.nb
    ranks, rate = options.p * options.q, model.get("rate", RATE)
    efficiency = 200 * left * left * options.nb / ranks / rate / seconds
    said = (
        f"panels of order {left:.0f}: {1e3 * seconds:.4f} ms each, "
        f"efficiency {efficiency:.1f}%"
    )
    return (left, seconds), report, said


def sampled(options, model, rest):
    """Seconds of the run: until the first panel is known, until the last one is, and
    of the back-substitution; and the report of the largest order's panels."""
    points = []
    orders = sample.orders(options.n, options.nb, options.orders)
    orders = [n for n in orders if n // options.nb - 1 > options.panels[0]]
    with ThreadPoolExecutor(options.jobs) as pool:
        for point, report, said in pool.map(
            lambda n: panels(options, model, n, rest), orders
        ):
            print(said)
            points.append(point)
    solve, _ = run.simulate(
        options, dict(model, factor=0), words_of(options, options.n, rest)
    )
    first = report["panel0"] - report["began"]
    part = sample.error(points, options.n, options.nb)
    print(f"back-substitution: {solve:.6g} s")
    print(f"interpolated; without any one order it differs by up to {100 * part:.2f}%")
    return first + sample.total(points, options.n, options.nb) + solve, report


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


def say(options, model, seconds):
    ranks, rate = options.p * options.q, model.get("rate", RATE)
    reached = flop(options.n) / seconds
    print(f"{seconds:.9g} seconds, {reached / 1e9:.6g} Gflop/s")
    efficiency = 100 * reached / ranks / rate
    print(f"efficiency {efficiency:.1f}% of {rate / 1e12:g} Tflop/s a process")


def main():
    options, rest = arguments(sys.argv[1:])
    model = model_of(options)
    began = time.monotonic()
    try:
        if options.panels is None:
            words = words_of(options, options.n, rest)
            seconds, report = run.simulate(options, model, words)
        else:
            seconds, report = sampled(options, model, rest)
    except run.Failed as failure:
        print(failure, file=sys.stderr)
        return 3
    say(options, model, seconds)
    say_parts(report)
    print(f"{report['messages']:.0f} messages, {report['bytes']:.0f} bytes")
    print(f"simulated in {time.monotonic() - began:.1f} s")
    return 0
