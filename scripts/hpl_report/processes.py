# SPDX-License-Identifier: BSD-3-Clause
"""Who worked how long, and who was slow."""
from . import hosts, html, series
from .words import NONE, duration, percent, plural, significant

PHASES = ("update", "panel", "swap", "solve", "broadcast", "exchange", "wait")
SLOW = 0.9  # of the rate of a thread of the middle process
NAMED = 10  # slow processes
SLOWEST = 20  # of many, that are drawn; of the others as many, evenly


def ranks_of(run):
    """What the record has of each process in the best test."""
    return (run.best or {}).get("ranks") or []


def work_of(ranks):
    """Of each process: seconds by phase, of those that took time anywhere."""
    used = [p for p in PHASES if any(rank[p] > 0 for rank in ranks)]
    return {rank["rank"]: {p: rank[p] for p in used} for rank in ranks}


def host_names(run):
    return {
        rank["rank"]: host["name"]
        for host in run.record["hosts"] for rank in host["ranks"]
    }


def rates_of(ranks):
    """Gflop/s of a thread of each process, where it is known."""
    return {r["rank"]: r["thread_gflops"] for r in ranks if r.get("thread_gflops")}


def shown(order):
    """Whom to draw: those that worked longest, and of many others some, evenly."""
    first, others = order[:SLOWEST], order[SLOWEST:]
    step = -(-len(others) // SLOWEST) or 1
    return first + others[step - 1 :: step]


# ---- slow ones ---------------------------------------------------------------


def slow(run):
    """Processes whose threads are clearly slower than those of the middle one."""
    rates, where = rates_of(ranks_of(run)), host_names(run)
    order = sorted(rates, key=rates.get)
    if len(order) < 2:
        return []
    middle = rates[order[len(order) // 2]]
    found = [process for process in order if rates[process] < SLOW * middle]
    said = [
        f"Process {p} on {where.get(p, NONE)} updated at "
        f"{percent(rates[p] / middle)} of the rate of the middle process, "
        f"{significant(rates[p])} Gflop/s per thread."
        for p in found[:NAMED]
    ]
    more = len(found) - len(said)
    return said + ([f"{plural(more, 'more process')} below {percent(SLOW)} of it."]
                   if more else [])


# ---- work --------------------------------------------------------------------


def work_text(where, order, ahead):
    if len(order) < 2:
        return "One process alone: there is nobody to compare it with."
    first = f"process {order[0]} on {where.get(order[0], NONE)}"
    other = "the other" if len(order) == 2 else "the middle one"
    if ahead > 1.05:
        return (
            f"The slowest is {first}: it worked {percent(ahead - 1)} longer "
            f"than {other}, which waited for it."
        )
    return (
        f"No process stands out: {first} worked longest, {percent(ahead - 1)} longer "
        f"than {other}."
    )


def left_out(order, drawn):
    rest = len(order) - len(drawn)
    if not rest:
        return ""
    return (
        f" This chart shows the {SLOWEST} that worked longest, and some others, "
        f"without {plural(rest, 'more process')}."
    )


def table(caption, drawn, names, by_process, run):
    where, rates = host_names(run), rates_of(ranks_of(run))
    rows = [
        [p, where.get(p, NONE), duration(series.busy(by_process[p])),
         significant(rates.get(p))]
        + [duration(by_process[p].get(n, 0)) for n in names] for p in drawn
    ]
    head = ["Process", "Host", "Worked", "Gflop/s per thread", *names]
    return html.table(caption, head, rows)


def work_figure(page, by_process, names, means):
    """Seconds of each process by what it did; names in the order of drawing."""
    where = host_names(page.run)
    order, ahead = series.slowest(by_process)
    drawn = shown(order)
    data = {
        "rows": [f"{p}: {where.get(p, NONE)}" for p in drawn],
        "names": names,
        "seconds": [
            [series.short(by_process[p].get(n, 0)) for p in drawn] for n in names
        ],
    }
    caption = f"Work of processes, the longest first; means over {means}"
    return html.figure(
        "work", page.keep("work", data), caption,
        work_text(where, order, ahead) + left_out(order, drawn),
        table(caption, drawn, names, by_process, page.run))


def work(page):
    """From the trace, which has devices, too, else from the record."""
    if page.trace:
        spans = page.trace[0]
        return work_figure(
            page, series.work(spans), series.names_of(spans, spans),
            "threads and devices")
    by_process = work_of(ranks_of(page.run))
    names = list(next(iter(by_process.values()), ()))
    if len(by_process) < 2 or not names:
        return ""
    return work_figure(page, by_process, names, "threads")


def section(page):
    found = slow(page.run) + hosts.slow_hosts(page.run.record["hosts"])
    drawn = work(page)
    if not drawn and page.run.record["mpi"]["processes"] > 1:
        drawn = html.paragraph(
            "The record does not say what each process did. To see which one the "
            "others wait for, run with --trace and give its file here.", "note")
    return page.section(
        "processes", "Slow processes", html.listing(found) if found else "", drawn)
