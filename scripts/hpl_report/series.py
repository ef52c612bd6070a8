# SPDX-License-Identifier: BSD-3-Clause
"""What the charts draw, small enough for a page: iterations and time lines."""
from collections import defaultdict
from math import inf

from .run import PHASES

POINTS = 160  # of iterations; more are joined
ACTORS = 24  # rows of a time line
RECTANGLES = 4000  # of a time line, about
DEVICES = 8  # of a process, in iterations
ZOOM = 4  # iterations
ZOOM_SPANS = 3000
WORDS = {"update_host": "update by cores", "wait_panel": "wait for panel",
         "wait_exchange": "wait for rows"}
WITH_OTHERS = ("wait", "broadcast", "exchange")


# ---- iterations --------------------------------------------------------------


def words_of(phase, devices):
    """What a page calls a phase: where there are no devices, none is waited for."""
    if phase == "wait_device":
        return "wait for threads or devices" if devices else "wait for threads"
    return WORDS.get(phase, phase)


def phases_of(rows, devices):
    """Seconds by phase, in words, and what no phase accounts for."""
    seconds = {}
    for row in rows:
        for phase in phase_names(row):
            name = words_of(phase, devices)
            seconds[name] = seconds.get(name, 0) + (row.get(phase) or 0)
    rest = sum(row["seconds"] for row in rows) - sum(seconds.values())
    seconds["other"] = max(0, rest)
    return seconds


def phase_names(row):
    return [phase for phase in PHASES if row.get(phase) is not None]


def join(rows, devices):
    """Iterations in a row as one: means by time, sums of phases."""
    seconds = sum(row["seconds"] for row in rows)
    flop = sum((row.get("gflops") or 0) * row["seconds"] for row in rows)
    modes = [row.get("mode") for row in rows]
    return {
        "first": rows[0]["iteration"],
        "last": rows[-1]["iteration"],
        "begin": rows[0]["begin"],
        "seconds": seconds,
        "gflops": flop / seconds if seconds else 0,
        "mode": max(set(modes), key=modes.count),
        "columns": rows[0].get("columns_left"),
        "phases": phases_of(rows, devices),
    }


def profile(rows, devices=0):
    """At most POINTS points of iterations of a run with so many devices, and how many
    each joins."""
    step = -(-len(rows) // POINTS) or 1
    points = [join(rows[i : i + step], devices) for i in range(0, len(rows), step)]
    used = {p for point in points for p, s in point["phases"].items() if s > 0}
    order = (words_of(p, devices) for p in (*PHASES, "other"))
    names = [p for p in order if p in used]
    return {"points": points, "phases": names, "step": step}


# Parts from 0 to 1 that a row of iterations may have, and what a chart calls them.
SHARES = {
    "share_used": "share used", "share_measured": "share that would have balanced",
}
BUSY = {f"update_device_{i}": f"device {i} multiplies" for i in range(DEVICES)}
USES = {"share_used": "as used", "share_measured": "as it would have balanced"}


def part_of(row, name):
    """One value of SHARES or BUSY; None where the row has none."""
    value = row.get(name)
    if value is None or name in SHARES:
        return value
    return min(1, value / row["seconds"]) if row["seconds"] else None


def mean_part(rows, name):
    """Mean over time of part_of."""
    known = [(part_of(row, name), row["seconds"]) for row in rows]
    known = [(part, seconds) for part, seconds in known if part is not None]
    total = sum(seconds for _, seconds in known)
    return short(sum(part * s for part, s in known) / total) if total else None


def device_parts(rows):
    """Lines over the points of profile: the devices' share of the update, and the part of
    the time in which each device multiplied. None without devices."""
    step = profile(rows)["step"]
    joined = [rows[i : i + step] for i in range(0, len(rows), step)]
    lines = [
        {"name": label, "parts": [mean_part(some, name) for some in joined]}
        for name, label in (SHARES | BUSY).items()
        if any(row.get(name) is not None for row in rows)
    ]
    labels = [[some[0]["iteration"], some[-1]["iteration"]] for some in joined]
    return {"iterations": labels, "lines": lines} if lines else None


def parts_caption(lines):
    """What the lines of device_parts show, as a sentence."""
    names = {line["name"] for line in lines}
    uses = [USES[name] for name, label in SHARES.items() if label in names]
    shown = [f"the devices' share of each update, {' and '.join(uses)}"] * bool(uses) + [
        "the part of an iteration in which each device multiplied"] * bool(
            names & set(BUSY.values()))
    said = ", and ".join(shown)
    return f"{said[0].upper()}{said[1:]}."


def curve(run):
    """Rate over the part of the iterations that is done, for comparisons.

    That of process 0 times the number of processes.
    """
    rows, processes = run.rows, run.best["p"] * run.best["q"]
    points = profile(rows)["points"]
    return [
        [point["first"] / max(1, len(rows) - 1), processes * point["gflops"]]
        for point in points
    ]


# ---- time lines --------------------------------------------------------------


def of_best(spans, run):
    """The spans of the run's best test. Iterations of all tests have the same numbers,
    and each process's clock another zero than the record's: its last end tells it."""
    times = [run.rows_of(test) for test in run.solved]
    if len(times) < 2 or not all(times):
        return spans
    last = defaultdict(float)
    for (process, _), line in spans.items():
        last[process] = max([last[process], *(span.end for span in line)])
    begins = [rows[0]["begin"] for rows in times]
    ends = [rows[-1]["begin"] + rows[-1]["seconds"] for rows in times]
    number = next(i for i, test in enumerate(run.solved) if test is run.best)
    cuts = [-inf, *((a + b) / 2 for a, b in zip(ends, begins[1:])), inf]
    low, high = (cut - ends[-1] for cut in cuts[number : number + 2])
    kept = {
        actor: [s for s in line if low <= s.begin - last[actor[0]] < high]
        for actor, line in spans.items()
    }
    return {actor: line for actor, line in kept.items() if line} or spans


def short(x):
    return float(f"{x:.6g}")


def from_iterations(run):
    """A time line of process 0 alone; within an iteration, sizes only."""
    found = profile(run.rows, run.devices())
    points, names = found["points"], found["phases"]
    start = points[0]["begin"]
    boxes = []
    for point in points:
        x, bottom = point["begin"] - start, 0
        for number, name in enumerate(names):
            part = point["phases"].get(name, 0) / (point["seconds"] or 1)
            if part > 0:
                boxes.append(
                    [0, number, short(x), short(x + point["seconds"]),
                     short(bottom), short(min(1, bottom + part))]
                )
            bottom += part
    return {"rows": ["process 0"], "names": names, "boxes": boxes}


def choose_actors(spans):
    """All actors if they fit, else the first of the processes that worked most."""
    actors = sorted(spans)
    if len(actors) <= ACTORS:
        return actors
    first = {}
    for actor in actors:
        first.setdefault(actor[0], actor)
    order, _ = slowest(work(spans))
    return sorted(first[process] for process in order[:ACTORS])


def names_of(spans, actors):
    """The names of spans, most time first."""
    seconds = defaultdict(float)
    for actor in actors:
        for span in spans[actor]:
            seconds[span.name] += span.end - span.begin
    return sorted(seconds, key=seconds.get, reverse=True)


def coverage(spans, begin, length, bins):
    """For each name, the part of each bin that its spans cover."""
    covered = defaultdict(lambda: [0.0] * bins)
    for span in spans:
        left, right = (span.begin - begin) / length, (span.end - begin) / length
        line = covered[span.name]
        for i in range(max(0, int(left)), min(bins, int(right) + 1)):
            line[i] += max(0, min(right, i + 1) - max(left, i))
    return covered


def overview(spans, names_of_actors):
    """Who did what: time in pieces, names share the height by their time."""
    actors = choose_actors(spans)
    names = names_of(spans, actors)
    begin = min(span.begin for a in actors for span in spans[a])
    end = max(span.end for a in actors for span in spans[a])
    bins = max(100, min(400, RECTANGLES // len(actors)))
    length = (end - begin) / bins or 1
    boxes = []
    for y, actor in enumerate(actors):
        covered = coverage(spans[actor], begin, length, bins)
        for i in range(bins):
            boxes += stack(covered, names, y, i, length)
    return {
        "rows": [label(a, names_of_actors) for a in actors],
        "names": names, "boxes": boxes, "actors": len(spans),
    }


def stack(covered, names, y, i, length):
    """One piece of time of one actor: its names on top of each other."""
    scale = max(1, sum(line[i] for line in covered.values()))
    bottom = 0
    for number, name in enumerate(names):
        part = covered[name][i] / scale if name in covered else 0
        if part > 0.004:
            yield [y, number, short(i * length), short((i + 1) * length),
                   short(bottom), short(bottom + part)]
            bottom += part


def label(actor, names):
    return f"{actor[0]}: {names.get(actor, f'actor {actor[1]}')}"


def window(spans):
    """The time of some iterations in the middle, as all actors see them."""
    last = max((s.iteration for line in spans.values() for s in line), default=-1)
    first = max(0, (last + 1 - ZOOM) // 2)
    inside = [
        s for line in spans.values() for s in line
        if first <= s.iteration < first + ZOOM
    ]
    if last < 0 or not inside:
        return None
    return min(s.begin for s in inside), max(s.end for s in inside), first


def zoom(spans, names_of_actors):
    """Every span of some iterations; None where there are none."""
    found = window(spans)
    if found is None:
        return None
    begin, end, first = found
    actors = choose_actors(spans)
    names = names_of(spans, actors)
    inside = [
        (y, span) for y, actor in enumerate(actors) for span in spans[actor]
        if span.end > begin and span.begin < end
    ]
    inside.sort(key=lambda item: item[1].begin - item[1].end)  # long ones below
    boxes = [
        [y, names.index(s.name), short(max(0, s.begin - begin)),
         short(min(s.end, end) - begin), 0, 1]
        for y, s in inside[:ZOOM_SPANS]
    ]
    return {
        "rows": [label(a, names_of_actors) for a in actors],
        "names": names, "boxes": boxes, "first": first, "last": first + ZOOM - 1,
    }


# ---- processes ---------------------------------------------------------------


def work(spans):
    """Of each process: seconds by name, means over its actors."""
    seconds, actors = {}, defaultdict(int)
    for (process, _), line in spans.items():
        actors[process] += 1
        mine = seconds.setdefault(process, defaultdict(float))
        for span in line:
            mine[span.name] += span.end - span.begin
    return {
        process: {name: s / actors[process] for name, s in seconds[process].items()}
        for process in sorted(seconds)
    }


def busy(names):
    """Seconds in which a process neither waited nor exchanged messages."""
    return sum(s for name, s in names.items() if not name.startswith(WITH_OTHERS))


def slowest(by_process):
    """Who worked longest, and how much longer than the middle one did."""
    order = sorted(by_process, key=lambda p: busy(by_process[p]), reverse=True)
    middle = busy(by_process[order[len(order) // 2]])
    return order, busy(by_process[order[0]]) / middle if middle else 1
