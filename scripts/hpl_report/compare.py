# SPDX-License-Identifier: BSD-3-Clause
"""Several tests, and several runs, beside each other."""
import json
from collections import namedtuple
from statistics import mean, median, stdev

from . import html, series
from .run import counts
from .verdict import BAD, STATES, judge, sentence, state
from .words import NBSP, NONE, duration, moment, percent, plural, significant

NAMED = 20  # runs that are not good for the same reason
BARS = 40
WORDS = 4  # that describe a test
FEW = 3  # settings that a bar names
CURVES = 8
LETTERS = 40  # of a word in the label of a run
SAME_AS_STATE = ("wrong result", "no result", "not checked")  # kinds of reasons
SLOW = 0.97  # of the median of equal tests
# Settings that do not change how fast a test is; and folders: that there is one does.
WATCHING = ("progress", "watchdog", "hang", "hang_sockets", "plugin_dir", "memory_reserve",
            "trust", "plan_seconds", "predict")
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


def telling(words):
    """Of each line the words that are not the same in all of them."""
    tells = [len(set(column)) > 1 for column in zip(*words)]
    return [[word for word, tell in zip(line, tells) if tell] for line in words]


def short_names(solved):
    """A name for each entry, of what is not the same for all of them."""
    words = telling([
        [label, *describe(test), *more]
        for (label, _, test), more in zip(solved, choices(solved))
    ])
    return [", ".join(line) or f"test {number}" for number, line in enumerate(words, 1)]


def full_labels(runs):
    """The label of each run, and what it has unlike others: host, best test, settings."""
    found = [(label, run, run.best) for label, run in zip(labels(runs), runs)]
    words = telling([
        [run.where(), *(describe(test) if test else [NONE] * WORDS), *more]
        for (_, run, test), more in zip(found, choices(found))
    ])
    more = [", ".join(w[:LETTERS] for w in line if w != NONE) for line in words]
    return [f"{label} ({said})" if said else label
            for (label, _, _), said in zip(found, more)]


def best_of(runs):
    """The number of the run with the fastest test that counts; 0 without any."""
    rates = [run.best["gflops"] if run.best and is_sound(run, run.best) else -1
             for run in runs]
    return rates.index(max(rates))


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


def repeats(runs):
    """Groups of entries whose tests are equal, and ran under equal conditions."""
    equal = {}
    for label, run, test in entries(runs):
        equal.setdefault((conditions(run), *describe(test)), []).append((label, run, test))
    return [group for group in equal.values() if len(group) > 1]


def equal_tests(runs):
    """Groups of tests that can be compared: description, label and rate of each."""
    return [
        [(describe(test), label, test["gflops"]) for label, _, test in group]
        for group in repeats(runs)
        if len(group) >= TO_COMPARE and len({label for label, _, _ in group}) > 1]


def spread(runs):
    """Mean and spread of tests that were repeated."""
    groups = repeats(runs)[:BARS]
    if not groups:
        return ""
    rows = []
    for group, more in zip(groups, choices([group[0] for group in groups])):
        rates = [test["gflops"] for _, _, test in group]
        rows.append([
            ", ".join([*describe(group[0][2]), *more]), len(rates),
            significant(mean(rates), 4), percent(stdev(rates) / (mean(rates) or 1)),
            significant(min(rates), 4), significant(max(rates), 4)])
    return html.table("Tests that were repeated", [
        "Test", "Times", "Mean, Gflop/s", "Standard deviation", "Least", "Most"], rows)


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


Judged = namedtuple("Judged", "state kind text see")  # kind: of the reason


def judged(runs):
    """The state of each run, beside the others, and the sentence about it. What
    nobody knows of a run alone, equal ones may tell."""
    compared = {label for group in equal_tests(runs) for _, label, _ in group}
    below = {label: part for part, label, _ in reversed(slow_ones(runs))}
    found = []
    for label, run in zip(labels(runs), runs):
        of, verdict, more = state(run), judge(run), ""
        kind, see = verdict.kind, verdict.see
        if label in below:
            if of not in BAD:
                of, kind, see = "slow", "below equal tests", None
            more = f" It reached {percent(below[label])} of the median of equal tests."
        elif of == "unknown" and label in compared and not run.software_devices():
            of = "good"
        text = f"{label} on {run.where()}: {sentence(run, see=False)}{more}"
        found.append(Judged(of, kind, text.replace(NBSP, " "), see))
    return found


def tally(runs):
    """How many are good, slow, wrong: on a line."""
    states = [one.state for one in judged(runs)]
    counted = [(states.count(of), of) for of in STATES]
    return f"{plural(len(runs), 'run')}: " + ", ".join(
        f"{count} {of}" for count, of in counted if count or of == "good")


def named(runs):
    """The runs that are not good, by reason, the worst first."""
    groups = {}
    for one in judged(runs):
        if one.state in BAD:
            groups.setdefault((BAD.index(one.state), one.kind, one.see), []).append(one)
    parts = []
    order = sorted(groups.items(), key=lambda group: (group[0][0], -len(group[1])))
    for (of, kind, see), found in order:
        lines = [one.text for one in found[:NAMED]]
        if len(found) > NAMED:
            lines.append(f"{len(found) - NAMED} more")
        more = "" if kind in SAME_AS_STATE else f": {kind}"
        parts.append(html.reason(f"{BAD[of]}, {plural(len(found), 'run')}{more}", see)
                     + html.listing(lines))
    return "\n".join(parts)


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
        for label, run in zip(full_labels(runs), runs)
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
    if value in (None, "", []):
        return NONE
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def differences(runs):
    """What was chosen differently."""
    facts = [flat(run.record) for run in runs]
    names = dict.fromkeys(name for fact in facts for name in fact)
    names = [n for n in names if any(f.get(n) != facts[0].get(n) for f in facts)]
    if not names:
        return html.paragraph(
            "All settings and values of the runs are the same.")
    rows = [[label, *(shown(fact.get(name)) for name in names)]
            for label, fact in zip(labels(runs), facts)]
    return html.table("What differs between the runs", ["Run", *names], rows)


def section(runs, data):
    """Nothing where there is one test alone."""
    if sum(len(run.tests) for run in runs) < 2 and len(runs) < 2:
        return ""
    return html.section(
        "comparison", "Comparison", bars(runs, data), slow_list(runs), spread(runs),
        table(runs, "All tests", sound=True),
        table(runs, "Tests that do not count", sound=False),
        curves(runs, data) if len(runs) > 1 else "",
        differences(runs) if len(runs) > 1 else "")
