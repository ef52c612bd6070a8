# SPDX-License-Identifier: BSD-3-Clause
"""The parts of the page about one run."""
import shlex

from . import devices, hosts, html, processes, series, submission
from .run import Run
from .verdict import WAITS, scale
from .words import NBSP, NONE, duration, listed, moment, percent, plural, rate, significant, size

TABLE_ROWS = 40  # of numbers below a chart
WORTHLESS = "this prediction is worthless"  # as a warning of the run says it


class Page:
    """What the parts of one run share: names, heading level, data of charts."""

    def __init__(self, run: Run, number, level, trace=None):
        self.run = run
        self.prefix = f"run-{number}-"
        self.level = level
        self.trace = trace and (series.of_best(trace[0], run), trace[1])
        self.data = {}

    def keep(self, name, data):
        """Take data of a chart along; its key."""
        self.data[self.prefix + name] = data
        return self.prefix + name

    def section(self, name, title, *parts):
        return html.section(self.prefix + name, title, *parts, level=self.level)


def every(items):
    """At most TABLE_ROWS of items, evenly."""
    step = -(-len(items) // TABLE_ROWS) or 1
    return items[::step]


# ---- iterations --------------------------------------------------------------


def spent(profile):
    """Phases by their part of the time, most first."""
    points = profile["points"]
    seconds = sum(point["seconds"] for point in points) or 1
    parts = {name: sum(point["phases"].get(name, 0) for point in points) / seconds
             for name in profile["phases"] if name != "other"}
    order = sorted((n for n in parts if parts[n] >= 0.0005), key=parts.get, reverse=True)
    return [f"{name} {percent(parts[name])}" for name in order]


def idle_host(run):
    """Why the cores of process 0 waited, where they had little else to do."""
    if run.best is None or not run.lives_on_devices(run.best):
        return ""
    return (" The matrix lives on devices, which compute it: cores that wait for them "
            "slow nothing down.")


def how_to_read(run):
    """What rates of iterations tell."""
    if run.best is not None and run.lives_on_devices(run.best):
        return ("An iteration counts as done once its work is queued on the devices: rates "
                "of the first ones are too high, those behind them too low.")
    return ("Towards the end every run is slower, as little of the matrix is left"
            f"{' for devices' if run.devices() else ''}.")


def rate_text(run, points):
    best = max(point["gflops"] for point in points)
    whole = points[0]["first"], points[-1]["last"]
    return (
        f"Process 0, iterations {whole[0]} to {whole[1]}: {rate(points[0]['gflops'])} "
        f"in the first, at most {rate(best)}. {how_to_read(run)}"
    )


def numbers(profile):
    names = profile["phases"]
    rows = [
        [f"{p['first']}–{p['last']}" if p["last"] > p["first"] else p["first"],
         duration(p["seconds"]), significant(p["gflops"]),
         NONE if p["mode"] is None else p["mode"]]
        + [duration(p["phases"].get(n, 0)) for n in names]
        for p in every(profile["points"])
    ]
    head = ["Iteration", "Time", "Gflop/s", "Look-ahead", *names]
    return html.table("Iterations of process 0", head, rows)


def share_of_devices(page):
    """What devices had of the update, and how busy they were; nothing without any."""
    found = series.device_parts(page.run.rows)
    if not found:
        return ""
    return html.figure(
        "parts", page.keep("parts", found), "Devices of process 0",
        series.parts_caption(found["lines"]))


def iterations(page):
    run = page.run
    if not run.rows:
        why = (
            "The reference solver notes no iterations."
            if run.record["solver"] == "reference"
            else "The record has no iterations of a solved test."
        )
        return page.section("iterations", "Iterations", html.paragraph(why))
    profile = series.profile(run.rows, run.devices())
    key = page.keep("profile", profile)
    joins = (
        f" Each point joins {profile['step']} iterations." if profile["step"] > 1
        else ""
    )
    return page.section(
        "iterations", "Iterations",
        html.figure("rate", key, "Rate of each iteration",
                    rate_text(run, profile["points"]) + joins),
        html.figure("phases", key, "Where the time of each iteration went",
                    f"Process 0: {', '.join(spent(profile))}."
                    f"{idle_host(run)}{joins}",
                    numbers(profile)),
        share_of_devices(page),
    )


# ---- time line ---------------------------------------------------------------


def traced(page):
    spans, names = page.trace
    whole = series.overview(spans, names)
    near = series.zoom(spans, names)
    shown = (
        f" Of {whole['actors']} threads and devices {len(whole['rows'])} are shown, "
        "each the first of a process, of those that worked longest."
        if len(whole["rows"]) < whole["actors"] else ""
    )
    figures = [html.figure(
        "timeline", page.keep("whole", whole), "Who computed what",
        "Each row is a thread or a device. Time is cut in pieces; the height of a "
        "colour is its part of a piece, and what is empty was idle or not "
        "recorded." + shown)]
    if near:
        figures.append(html.figure(
            "timeline", page.keep("near", near),
            f"Iterations {near['first']} to {near['last']} close up",
            "Every span in full; where one contains others, these lie on top."))
    return figures


def time_line(page):
    if page.trace:
        return page.section("timeline", "Time line", *traced(page))
    if not page.run.rows:
        return ""
    return page.section("timeline", "Time line", html.figure(
        "timeline", page.keep("whole", series.from_iterations(page.run)),
        "What process 0 did when",
        "From the iterations of the record: heights are parts of an iteration, "
        "their order is unknown. To see every thread and device of all processes, "
        "run xhpl with --trace FILE, then hpl-report with --trace FILE."))


# ---- what was noticed, and where ---------------------------------------------


def finding_text(finding):
    """A finding with its time of day, UTC."""
    return f"{finding['time'][11:19]} {finding['level']}: {finding['text']}"


def findings(page):
    found = [finding_text(f) for f in page.run.findings]
    if not found:
        return ""
    return page.section(
        "findings", "What the run noticed", html.listing(found))


def topology(page):
    found = page.run.record["hosts"]
    return page.section(
        "topology", "Hosts and processes", hosts.table(found, page.run.best),
        hosts.devices(page.run.record.get("devices") or []),
        devices.table(page.run.best),
        hosts.picture(found), hosts.grid(page.run, page.prefix + "grid"))


# ---- how it was run ----------------------------------------------------------


def changed(record):
    rows = [
        [name, s.get("value"), s.get("default"), s.get("source")]
        for name, s in record["settings"].items()
        if isinstance(s, dict) and s.get("changed")
    ]
    if not rows:
        return html.paragraph("All settings have their defaults.", "note")
    return html.table(
        "Settings that were changed", ["Setting", "Value", "Default", "From"], rows)


def environment(record):
    rows = list((record.get("environment") or {}).items())
    if not rows:
        return ""
    return html.table(
        "Variables of the environment that may matter", ["Name", "Value"], rows)


def all_of(value):
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def choices(record):
    dat = record["hpl_dat"] or {}
    if not dat:
        return ""
    pairs = [({"device": "output unit"}.get(name, name), NONE if v is None else all_of(v))
             for name, v in dat.items()]
    return "<h4>HPL.dat, after the options</h4>" + html.facts(pairs)


def provenance(page):
    record = page.run.record
    program, blas = record["program"], record["blas"] or {}
    pairs = [
        ("Command", " ".join(map(shlex.quote, record["command_line"]))),
        ("Start and end", f"{moment(record['start'])} to {moment(record['end'])}"),
        ("Exit status", NONE if record["exit_status"] is None
         else record["exit_status"]),
        ("Program", f"{program['name']} {program['version']}, source "
         f"{program['revision']}"),
        ("Solver", ", ".join(filter(None, (
            record["solver"],
            record.get("kernel") and f"kernel {record['kernel']}"))) or NONE),
        ("Compiler", program["compiler"]),
        ("BLAS", ", ".join(filter(None, (
            blas.get("name"), blas.get("version"),
            blas.get("kernel") and f"kernel {blas['kernel']}"))) or NONE),
        ("MPI", f"{record['mpi']['library']}; standard {record['mpi']['standard']}"),
        ("Processes", record["mpi"]["processes"]),
    ]
    return page.section(
        "how", "How it was run", html.facts(pairs, "long"), changed(record),
        environment(record), choices(record))


def submit(page):
    why = ""
    if page.run.software_devices():
        why = "software devices took part."
    elif page.run.emulates():
        why = ("devices emulated double precision (fp64=emulated), and the lists ask for "
               "64-bit floating point arithmetic.")
    if why:
        return page.section("submission", "For a Top500 or Green500 entry",
                            html.paragraph(f"None: {why}"))
    block = page.prefix + "fields"
    return page.section(
        "submission", "For a Top500 or Green500 entry",
        html.paragraph(
            "Known from the record, or left for you to fill in. The power figure "
            "of a list is unknown: what processors measure of themselves does not meet "
            "the metering rules."),
        f'<div class="copy"><button type="button" data-copy="{block}">Copy</button>'
        f'<span role="status"></span><pre id="{block}" tabindex="0">'
        f"{html.escape(submission.text(page.run))}</pre></div>")


# ---- the first look ----------------------------------------------------------


def restarts(found):
    lost, between = found["lost_seconds"], found["between_seconds"]
    told = ("" if found.get("clocks_agree", True)
            else "; clocks do not agree: the time is a lower bound")
    return ("Restarted", plural(found["times"], "time"),
            f"{duration(lost)} lost, {duration(between)} between are in the time{told}")


def where_it_waits(run, test):
    """What process 0 waited; of no interest where devices hold the matrix."""
    if run.lives_on_devices(test):
        count = run.devices()
        return ("Devices", count, "device holds the whole matrix" if count == 1 else
                "devices hold the whole matrix")
    on = ["other threads", *["devices"] * (run.devices() > 0),
          *["messages"] * (run.record["mpi"]["processes"] > 1)]
    return ("Waiting", percent(run.part(*WAITS)), f"of process 0's time, for {listed(on)}")


def where_it_lives(run, test):
    """The part that the matrix takes of the memory in which it lives."""
    memory = sum(device["memory_bytes"] for device in run.record.get("devices") or [])
    if run.lives_on_devices(test) and memory:
        whose = "device's" if run.devices() == 1 else "devices'"
        return f"{percent(8 * test['n'] ** 2 / memory)} of the {whose} memory"
    return f"{percent(run.filled(test))} of the free memory"


def prediction(run, found):
    worthless = " (worthless: see below)" * any(
        WORTHLESS in finding["text"] for finding in run.findings)
    number, _, unit = rate(found["gflops"]).partition(NBSP)
    return ("Predicted", number, f"{unit} in {duration(found['seconds'])}{worthless}")


def tiles(run):
    test = run.best
    if test is None:
        return []
    energy, predicted = submission.joules(test), test.get("prediction")
    found = [
        ("Time", duration(test["seconds"]), "of the slowest process"),
        ("N", test["n"], f"NB {test['nb']}, {test['p']} x {test['q']} processes"),
        ("Matrix", size(8 * test["n"] ** 2), where_it_lives(run, test)),
        ("Residual", significant(test["residual"]), test["status"]),
        where_it_waits(run, test),
        ("Hosts", len(run.record["hosts"]),
         plural(run.record["mpi"]["processes"], "process")),
    ]
    if test.get("restarted"):
        found.append(restarts(test["restarted"]))
    if predicted:
        found.append(prediction(run, predicted))
    if energy:
        found.append(("Energy", f"{significant(energy)} J",
                      test["energy"]["source"]))
    return found


def tile(name, value, more):
    return (
        f'<div class="tile"><dt>{html.escape(name)}</dt>'
        f"<dd><b>{html.escape(str(value))}</b>"
        f"<span>{html.escape(more)}</span></dd></div>"
    )


def meter(run):
    """The rate as a part of what it is judged by, with the marks of the verdict."""
    found = scale(run)
    if not found:
        return ""
    shown, fair, good = min(100, 100 * found.part), 100 * found.fair, 100 * found.good
    return (
        f'<div class="meter" role="img" aria-label="{percent(found.part)} of {found.of}; '
        f'marks at {percent(found.fair)} and {percent(found.good)}">'
        f'<i style="width:{shown:.1f}%"></i><s style="left:{fair:.0f}%"></s>'
        f'<s style="left:{good:.0f}%"></s></div>'
        f'<p class="scale"><span>0</span><span style="left:{fair:.0f}%">'
        f'fair</span><span style="left:{good:.0f}%">good</span>'
        f"<span>{percent(1)}</span></p>"
    )


def parts(page):
    """All parts, in the order in which they are read."""
    makers = (
        findings, iterations, time_line, processes.section, topology, submit, provenance
    )
    return [maker(page) for maker in makers]
