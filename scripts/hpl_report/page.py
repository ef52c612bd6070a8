# SPDX-License-Identifier: BSD-3-Clause
"""The page as a whole."""
from pathlib import Path
from string import Template

from . import compare, sections
from .html import embedded, escape
from .verdict import judge
from .words import moment, rate

HERE = Path(__file__).resolve().parent
ECHARTS = "echarts/echarts.min.js"
JUDGED = ("good", "fair", "low")  # grades of a rate that counts


def part(name):
    return (HERE / name).read_text("utf-8")


def headline(run):
    return rate(run.best["gflops"]) if run.best else "No result"


def kind_of(status, grade):
    """Of a result, for the style: green only where the rate counts."""
    if status == "FAILED":
        return "failed"
    return "passed" if status == "PASSED" and grade in JUDGED else "other"


def hero(run, tag="h1"):
    """The result, and whether it is good."""
    verdict = judge(run)
    status = run.best["status"] if run.best else "NO RESULT"
    tiles = "".join(sections.tile(*t) for t in sections.tiles(run))
    return Template(part("hero.html")).substitute(
        tag=tag, name=escape(run.name), where=escape(run.where()),
        start=escape(moment(run.record["start"])), rate=escape(headline(run)),
        status=escape(status), kind=kind_of(status, verdict.grade),
        grade=verdict.grade, meter=sections.meter(run),
        answer=escape(verdict.answer), reason=escape(verdict.reason),
        see=escape(f" See {verdict.see}." if verdict.see else ""),
        tiles=f'<dl class="tiles">{tiles}</dl>' if tiles else "",
    )


def single(run, trace, data):
    page = sections.Page(run, 1, 2, trace)
    parts = sections.parts(page)
    data.update(page.data)
    return hero(run) + compare.section([run], data) + "\n".join(parts)


def folded(number, run, label, trace, is_open, data):
    """One of several runs."""
    page = sections.Page(run, number, 3, trace)
    parts = sections.parts(page)
    data.update(page.data)
    return (
        f'<details class="run"{" open" if is_open else ""}><summary><h2>'
        f"{escape(label)}: {escape(headline(run))}</h2></summary>\n{hero(run, 'h3')}"
        + "\n".join(parts) + "</details>"
    )


def several(runs, trace, data):
    """How many are good, comparison, each run; the trace is that of the first."""
    intro = (
        f'<header class="several"><h1>{escape(compare.tally(runs))}</h1></header>'
        + compare.named(runs)
    )
    best, traces = compare.best_of(runs), [trace] + [None] * len(runs)
    return intro + compare.section(runs, data) + "\n".join(
        folded(number + 1, run, label, traces[number], number == best, data)
        for number, (run, label) in enumerate(zip(runs, compare.full_labels(runs)))
    )


def whole(program, title, content, data, style="", script=""):
    """A page that stands alone; style and script are added to those of reports."""
    return Template(part("template.html")).substitute(
        program=program, title=escape(title), style=part("report.css") + style,
        content=content, data=embedded(data), echarts=part(ECHARTS),
        script=script + part("report.js"),
    )


def make(runs, trace):
    """The page of runs; trace, that of the first, may be None."""
    data = {}
    if len(runs) == 1:
        content = single(runs[0], trace, data)
        title = f"{headline(runs[0])} on {runs[0].where()}"
    else:
        content = several(runs, trace, data)
        title = compare.tally(runs)
    return whole("hpl-report", title, content, data)
