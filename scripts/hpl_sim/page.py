# SPDX-License-Identifier: BSD-3-Clause
"""A page of pictures of simulated runs, with what draws reports of real ones."""
from hpl_report import html
from hpl_report.page import whole
from hpl_report.words import duration, percent, significant

PARTS = {  # names that begin as the report's colours do
    "products": "update",
    "solves": "solve",
    "panels": "panel",
    "rows": "swap",
    "pivots": "wait for pivots",
}
REST = "wait for others"
POINTS = 160  # of a curve
CURVES = 8


def flop(n):
    return 2 / 3 * n**3 + 3 / 2 * n**2


def gflops(case):
    _, options, outcome = case
    return flop(options.n) / outcome.seconds / 1e9


def efficiency(case, rate):
    return gflops(case) * 1e9 / (case[1].p * case[1].q * rate)


def parts(case):
    """Of the time of all processes, each part of its sum."""
    report = case[2].report
    found = [report[name] / report["seconds"] for name in PARTS]
    return [*found, 1 - sum(found)]


def bars(found, data):
    """The rate of each case."""
    if len(found) < 2:
        return ""
    data["bars"] = [{"name": case[0], "gflops": gflops(case), "passed": True}
                    for case in found]
    best = max(found, key=gflops)
    return html.figure("bars", "bars", "Rate of each case",
                       f"The fastest is: {best[0]}, {significant(gflops(best))} Gflop/s.")


def curve(case):
    """Gflop/s over the part of the matrix's columns that is done."""
    _, options, outcome = case
    points = sorted(outcome.points, reverse=True)
    step = -(-len(points) // POINTS)
    groups = [points[i:i + step] for i in range(0, len(points), step)]
    return [[round(1 - group[0][0] / options.n, 5),
             sum(2e-9 * left * left * options.nb for left, _ in group)
             / max(sum(seconds for _, seconds in group), 1e-12)] for group in groups]


def curves(found, data):
    data["curves"] = [{"name": case[0], "points": curve(case)} for case in found[:CURVES]]
    points = data["curves"][0]["points"]
    best = max(rate for _, rate in points)
    return html.figure(
        "curves", "curves", "Rate while the matrix is factored",
        f"As asked for: at most {significant(best)} Gflop/s, at the end "
        f"{significant(points[-1][1])}. With few columns left there is less to compute, "
        f"but panels and messages take as long.")


def losses(found, data):
    names = [*PARTS.values(), REST]
    shares = [parts(case) for case in found]
    of_one = [case[2].report["seconds"] / case[1].p / case[1].q for case in found]
    data["work"] = {"rows": [case[0] for case in found], "names": names,
                    "seconds": [[mine[i] * s for mine, s in zip(shares, of_one)]
                                for i in range(len(names))]}
    numbers = html.table("Parts of the time", ["Case", *names],
                         [[case[0], *map(percent, mine)]
                          for case, mine in zip(found, shares)])
    most = max(range(1, len(names)), key=lambda i: shares[0][i])
    of = ("" if found[0][1].panels is None else " Of the first panels, which were "
          "simulated whole.")
    return html.figure(
        "work", "work", "Where the time of a process goes",
        f"The mean of all processes. As asked for: products take "
        f"{percent(shares[0][0])}; most of the rest is {names[most]}, "
        f"{percent(shares[0][most])}.{of}", numbers)


def head(case, rate):
    _, options, outcome = case
    told = [
        ("Efficiency", f"{percent(efficiency(case, rate))} of {rate / 1e12:g} Tflop/s a "
         "process"),
        ("Time", duration(outcome.seconds)),
        ("System", f"N {options.n}, NB {options.nb}"),
        ("Grid", f"{options.p} x {options.q} processes on {options.nodes} nodes"),
        ("Network", f"{options.topology}, {options.link}, {options.latency}"),
        ("Messages", f"{outcome.report['messages']:.0f}"),
    ]
    if outcome.error:
        told.append(("Interpolated", f"moves by up to {percent(outcome.error)} without one "
                     "of the orders"))
    return (f'<header class="several"><h1>{significant(gflops(case))} Gflop/s, '
            f"simulated</h1></header>" + html.facts(told))


def make(options, found, rate):
    """found: name, options and outcome of each case, as asked for the first."""
    data = {}
    content = head(found[0], rate) + "".join(
        html.section(name, title, part(found, data)) for name, title, part in (
            ("cases", "What if", bars),
            ("rates", "Rate", curves),
            ("time", "Time", losses)))
    return whole("xhpl-sim", f"xhpl-sim: N {options.n} on {options.p} x {options.q}",
                 content, data)
