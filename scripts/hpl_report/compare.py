# SPDX-License-Identifier: BSD-3-Clause
"""Several tests, and several runs, beside each other."""
import json
from statistics import median

from . import html, series
from .run import counts
from .verdict import BAD, STATES, sentence, state
from .words import NBSP, NONE, duration, moment, percent, plural, significant

NAMED = 40  # runs that are not good
BARS = 40
FEW = 3  # settings that a bar names
CURVES = 8
SLOW = 0.97  # of the median of equal tests
# Settings that do not change how fast a test is; and folders: that there is one does.
WATCHING = ("progress", "watchdog", "hang", "hang_sockets", "memory_check", "plugin_dir",
            "memory_reserve", "blas_check", "trust", "plan_seconds", "predict")
FOLDERS = ("checkpoint", "restart")
TO_COMPARE = 3  # equal tests; of two nobody knows which is as it should be


def labels(runs):
    """A name for each run; numbers where files have the same name."""
    names = [run.name for run in runs]
    return [
        name if names.count(name) == 1 else f"{name} ({number})"
        for number, name in enumerate(names, 1)
    ]


def is_sound(run, test):
    """May it stand beside others? Not what is wrong, was not solved or not checked, or
    belongs to a run that broke off."""
    return counts(test) and not run.broke_off()


def entries(runs, sound=True):
    """Label, run and test of all tests that are sound, or of the others; fastest
    first."""
    found = [
        (label, run, test)
        for label, run in zip(labels(runs), runs) for test in run.tests
        if is_sound(run, test) == sound
    ]
    return sorted(found, key=lambda e: e[2]["gflops"] or 0, reverse=True)


def status_of(run, test):
    return f"{test['status']}, run broke off" if run.broke_off() else test["status"]


def of_ceiling(run, test):
    part = run.efficiency(test)
    return NONE if part is None else f"{percent(part)} of {plural(run.cores, 'core')}"


def table(runs, caption, sound):
    """The rate comes first: a phone shows three columns."""
    rows = [
        [label, significant(test["gflops"], 4), of_ceiling(run, test),
         status_of(run, test), duration(test["seconds"]), test["n"], test["nb"],
         f"{test['p']} x {test['q']}", test["tag"], moment(test["start"])]
        for label, run, test in entries(runs, sound)
    ]
    head = ["Run", "Gflop/s", "Of the ceiling", "Status", "Time", "N", "NB", "P x Q",
            "Variant", "Start"]
    return html.table(caption, head, rows) if rows else ""


def describe(test):
    """What may tell one test from another."""
    return [
        test["tag"], f"N {test['n']}", f"NB {test['nb']}",
        f"{test['p']} x {test['q']}",
    ]


def choices(solved):
    """Of each entry the settings that are not the same for all, if these are few."""
    values = [
        {name: setting.get("value") for name, setting in run.record["settings"].items()
         if isinstance(setting, dict)} for _, run, _ in solved
    ]
    names = [n for n in values[0] if any(v.get(n) != values[0][n] for v in values)]
    return [
        [f"{n} {shown(v.get(n))}" for n in names if len(names) <= FEW] for v in values
    ]


def short_names(solved):
    """A name for each entry, of what is not the same for all of them."""
    words = [
        [label, *describe(test), *more]
        for (label, _, test), more in zip(solved, choices(solved))
    ]
    telling = [len(set(column)) > 1 for column in zip(*words)]
    return [
        ", ".join(word for word, tells in zip(line, telling) if tells)
        or f"test {number}"
        for number, line in enumerate(words, 1)
    ]


def ends(found):
    """Of many, the first and the last."""
    half = BARS // 2
    return found if len(found) <= BARS else found[:half] + found[-half:]


def bars(runs, data):
    """The rate of each test, fastest first."""
    solved = entries(runs)
    if len(solved) < 2:
        return ""
    data["bars"] = [
        {"name": name, "gflops": t["gflops"], "passed": t["status"] == "PASSED"}
        for name, (_, _, t) in ends(list(zip(short_names(solved), solved)))
    ]
    first, last = solved[0][2]["gflops"], solved[-1][2]["gflops"]
    left_out = (
        f" The {BARS // 2} fastest and the {BARS // 2} slowest are drawn."
        if len(solved) > BARS else ""
    )
    return html.figure(
        "bars", "bars", "Rate of each test",
        f"{len(solved)} tests, from {significant(last)} to {significant(first)} "
        f"Gflop/s.{left_out}")


def conditions(run):
    """What makes the rates of equal tests differ, but for the machine: solver, kernel,
    threads, devices, settings."""
    record = run.record
    threads = sorted(rank["threads"] or 0 for host in record["hosts"]
                     for rank in host["ranks"])
    models = sorted(device["model"] for device in record["devices"] or [])
    settings = {name: bool(setting["value"]) if name in FOLDERS else setting["value"]
                for name, setting in record["settings"].items() if name not in WATCHING}
    return json.dumps([record["solver"], record["kernel"], threads, models, settings],
                      sort_keys=True)


def equal_tests(runs):
    """Groups of tests that can be compared: description, label and rate of each."""
    equal = {}
    for label, run, test in entries(runs):
        words = describe(test)
        equal.setdefault((conditions(run), *words), []).append(
            (words, label, test["gflops"]))
    return [group for group in equal.values() if len(group) >= TO_COMPARE
            and len({label for _, label, _ in group}) > 1]


def slow_ones(runs):
    """Rate to the median, label and description, of equal tests of several runs."""
    found = []
    for group in equal_tests(runs):
        middle = median(gflops for _, _, gflops in group)
        found += [
            (gflops / middle, label, ", ".join(words))
            for words, label, gflops in group if gflops < SLOW * middle
        ]
    return sorted(found)


def judged(runs):
    """The state of each run, beside the others, and the sentence about it. What
    nobody knows of a run alone, equal ones may tell."""
    compared = {label for group in equal_tests(runs) for _, label, _ in group}
    below = {label: part for part, label, _ in reversed(slow_ones(runs))}
    found = []
    for label, run in zip(labels(runs), runs):
        of, said = state(run), f"{label} on {run.where()}: {sentence(run)}"
        if label in below:
            of = "slow" if of not in BAD else of
            said += f" It reached {percent(below[label])} of the median of equal tests."
        elif of == "unknown" and label in compared:
            of = "good"
        found.append((of, said.replace(NBSP, " ")))
    return found


def tally(runs):
    """How many are good, slow, wrong: on a line."""
    states = [of for of, _ in judged(runs)]
    counted = [(states.count(of), of) for of in STATES]
    return f"{plural(len(runs), 'run')}: " + ", ".join(
        f"{count} {of}" for count, of in counted if count or of == "good")


def named(runs):
    """The runs that are not good, the worst first, with the reason."""
    bad = sorted((found for found in judged(runs) if found[0] in BAD),
                 key=lambda found: BAD.index(found[0]))
    lines = [f"{of}: {said}" for of, said in bad[:NAMED]]
    if len(bad) > NAMED:
        lines.append(f"{len(bad) - NAMED} more")
    return html.listing(lines) if lines else ""


def slow_list(runs):
    """Who is slower than others at the same."""
    found = slow_ones(runs)
    if not found:
        return ""
    lines = [
        f"{label}: {percent(part)} of the median ({words})"
        for part, label, words in found[:BARS]
    ]
    if len(found) > BARS:
        lines.append(f"{len(found) - BARS} more")
    return html.paragraph(
        f"Below {percent(SLOW)} of the median of equal tests:") + html.listing(lines)


def curves(runs, data):
    """Rates over the iterations, of the best test of each run."""
    found = [
        {"name": label, "points": series.curve(run)}
        for label, run in zip(labels(runs), runs)
        if run.rows and is_sound(run, run.best)
    ][:CURVES]
    if len(found) < 2:
        return ""
    data["curves"] = found
    return html.figure(
        "curves", "curves", "Rate over the run",
        "The best test of each run, its iterations from first to last: the rate of "
        "process 0 times the number of processes.")


def flat(record):
    """What may differ between runs, by name."""
    found = {
        "program": f"{record['program']['version']} {record['program']['revision']}",
        "compiler": record["program"]["compiler"],
        "solver": record["solver"],
        "kernel": record.get("kernel"),
        "mpi": record["mpi"]["library"],
        "processes": record["mpi"]["processes"],
        "hosts": ", ".join(host["name"] for host in record["hosts"])[:80],
    }
    for name, value in (record["blas"] or {}).items():
        found[f"blas {name}"] = value
    for name, value in (record["hpl_dat"] or {}).items():
        found[f"HPL.dat {name}"] = value
    for name, setting in record["settings"].items():
        if isinstance(setting, dict):
            found[f"setting {name}"] = setting.get("value")
    for name, value in (record.get("environment") or {}).items():
        found[f"variable {name}"] = value
    return found


def shown(value):
    if value is None:
        return NONE
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def differences(runs):
    """What was chosen differently."""
    facts = [flat(run.record) for run in runs]
    names = dict.fromkeys(name for fact in facts for name in fact)
    rows = [
        [name, *(shown(fact.get(name)) for fact in facts)]
        for name in names if any(f.get(name) != facts[0].get(name) for f in facts)
    ]
    if not rows:
        return html.paragraph(
            "All settings and values of the runs are the same.")
    return html.table("What differs between the runs", ["", *labels(runs)], rows)


def section(runs, data):
    """Nothing where there is one test alone."""
    if sum(len(run.tests) for run in runs) < 2 and len(runs) < 2:
        return ""
    return html.section(
        "comparison", "Comparison", bars(runs, data), slow_list(runs),
        table(runs, "All tests", sound=True),
        table(runs, "Tests that do not count", sound=False),
        curves(runs, data) if len(runs) > 1 else "",
        differences(runs) if len(runs) > 1 else "")
