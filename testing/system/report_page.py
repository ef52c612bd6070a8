# SPDX-License-Identifier: BSD-3-Clause
"""Pages of hpl-report, and records to make them of."""
import copy
import html.parser
import json
import re
import sys

import jobs
from hpl_report import page, series, verdict, words
from hpl_report.foreign import shown
from hpl_report.reading import read_record, read_trace
from hpl_report.run import Run

HPL_REPORT = jobs.SOURCE / "scripts/hpl-report"
VOID = {"meta", "br", "link", "img", "input", "hr"}


def call(folder, *words):
    return jobs.run([sys.executable, HPL_REPORT, *words], folder)


def made(folder, *words):
    """The page of a call that must succeed and say nothing but its name."""
    outcome = call(folder, *words, "-o", "page.html")
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)
    assert outcome.stdout == "page.html\n"
    return (folder / "page.html").read_text()


def page_of(folder, *records, trace=None):
    """The page of records that are written for it, page.html, made here; with the
    trace of the first."""
    paths = [folder / f"r{number}.json" for number in range(len(records))]
    for path, record in zip(paths, records):
        path.write_text(json.dumps(record))
    if trace is not None:
        (folder / "trace.json").write_text(json.dumps(trace))
        trace = read_trace(folder / "trace.json")
    text = page.make([Run(path, read_record(path)) for path in paths], trace)
    (folder / "page.html").write_text(text)
    return text


def copies(record, rates):
    """The same run on many nodes."""
    found = [copy.deepcopy(record) for _ in rates]
    for copied, rate in zip(found, rates):
        copied["tests"][0]["gflops"] = rate
        copied["iterations"] = []
    return found


class Reader(html.parser.HTMLParser):
    """The elements of a page, and its text; refuses tags that do not match."""

    def __init__(self):
        super().__init__()
        self.open, self.elements, self.words, self.data = [], [], [], ""

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        kind = self.open[-1] if self.open else ""
        if kind == "script" and self.elements[-1][1].get("id") == "data":
            self.data = data
        elif kind not in ("script", "style"):
            self.words.append(data)


def read(page):
    """A page's elements, its text in single spaces, and the data of its charts."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    text = re.sub(r"\s+", " ", " ".join(reader.words))
    return reader.elements, text, json.loads(reader.data)


def text_of(page):
    """Its text; a command within a sentence is a part of it."""
    return read(re.sub("</?code>", "", page))[1]


def assert_said(text, *said):
    """All of these in this order."""
    rest = text
    for part in said:
        assert part in rest, f"{part!r} is not in {rest[:3000]}"
        rest = rest.partition(part)[2]


def many_hosts(record, count, ranks):
    (host,) = record["hosts"]
    record["hosts"] = [
        {**copy.deepcopy(host), "name": f"node{i:03}", "ranks": [
            {**host["ranks"][0], "rank": i * ranks + j, "local_rank": j}
            for j in range(ranks)]}
        for i in range(count)
    ]
    record["mpi"]["processes"] = count * ranks
    record["tests"][0].update(p=count, q=ranks)
