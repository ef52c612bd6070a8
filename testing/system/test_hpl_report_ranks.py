# SPDX-License-Identifier: BSD-3-Clause
"""hpl-report: who worked how long, from a trace and from a record alone."""
import json
import re

import pytest

from report_page import made, many_hosts, page_of, read, text_of

pytestmark = pytest.mark.scripts

# ---- from a trace ------------------------------------------------------------


@pytest.fixture
def page_of_work(tmp_path, record):
    """The page of a run in which each process worked so long, and waited for the
    rest."""

    def make(seconds):
        events = [
            {"ph": "X", "pid": process, "tid": 0, "args": {"iteration": 0},
             "name": name, "ts": 1e6 * begin, "dur": 1e6 * (end - begin)}
            for process, worked in enumerate(seconds)
            for name, begin, end in (
                ("update", 0, worked), ("wait for panel", worked, max(seconds)))
        ]
        (tmp_path / "r.json").write_text(json.dumps(record))
        (tmp_path / "t.json").write_text(json.dumps({"traceEvents": events}))
        return read(made(tmp_path, "r.json", "--trace", "t.json"))

    return make


SLOW = [
    ((2, 2, 3, 2), "The slowest is process 2 on .*: it worked 50 % longer"),
    ((2, 2.02, 2, 2), "No process stands out: process 1 on"),
    ((2,), "nobody to compare it with"),
]


@pytest.mark.parametrize("seconds, said", SLOW)
def test_a_slow_process_is_named(page_of_work, seconds, said):
    _, text, _ = page_of_work(seconds)
    assert re.search(said, text), text


def test_of_many_processes_the_slow_one_is_drawn(page_of_work):
    seconds = [2.0] * 100
    seconds[77] = 2.5
    _, text, data = page_of_work(seconds)
    assert len(data["run-1-whole"]["rows"]) == 24
    assert "77: actor 0" in data["run-1-whole"]["rows"]
    assert data["run-1-work"]["rows"][0].startswith("77: ")
    assert "without 60 more processes" in text


# ---- from a record alone -----------------------------------------------------

PHASES = ("panel", "swap", "solve", "update", "broadcast", "exchange", "wait")


def ranks_of(record, rates):
    """Processes that had the same to do, at such rates; others waited."""
    slowest = 10.0 / min(rates)
    record["tests"][0]["ranks"] = [
        {**dict.fromkeys(PHASES, 0.0), "rank": rank, "update": 10.0 / rate,
         "wait": slowest - 10.0 / rate, "gflop": 1.0, "thread_gflops": rate}
        for rank, rate in enumerate(rates)
    ]


def slow_lines(text):
    return re.findall(
        r"Process (\d+) on (\S+) updated at (\d+) % of the rate of the middle "
        r"process, ([\d.]+) Gflop/s per thread", text)


def test_a_real_record_shows_its_processes(tmp_path, record):
    _, text, data = read(page_of(tmp_path, record))
    work, ranks = data["run-1-work"], record["tests"][0]["ranks"]
    assert sorted(row.split(":")[0] for row in work["rows"]) == ["0", "1"]
    order = [int(row.split(":")[0]) for row in work["rows"]]
    for name, seconds in zip(work["names"], work["seconds"]):
        assert seconds == pytest.approx([ranks[r][name] for r in order], rel=1e-4)
    assert "Work of processes, the longest first; means over threads" in text


def test_a_slow_process_is_named_with_its_rate(tmp_path, record):
    ranks_of(record, [30.0, 18.0])
    _, text, data = read(page_of(tmp_path, record))
    host = record["hosts"][0]["name"]
    assert slow_lines(text) == [("1", host, "60", "18")]
    assert data["run-1-work"]["rows"] == [f"1: {host}", f"0: {host}"]
    assert data["run-1-work"]["names"] == ["update", "wait"]
    assert "it worked 67 % longer than the other, which waited for it" in text


@pytest.mark.parametrize("rate", [28.0, None])
def test_who_keeps_up_or_has_no_rate_is_not_named(tmp_path, record, rate):
    ranks_of(record, [30.0, 18.0])
    record["tests"][0]["ranks"][1]["thread_gflops"] = rate
    assert slow_lines(text_of(page_of(tmp_path, record))) == []


def test_of_thousands_the_slowest_are_named_and_some_others_drawn(tmp_path, record):
    many_hosts(record, 512, 8)
    rates = [30.0 + i / 4096 for i in range(4096)]
    for rank in range(100, 125):
        rates[rank] = 20.0 + rank / 100
    ranks_of(record, rates)
    page = page_of(tmp_path, record)
    _, text, data = read(page)
    named = [int(rank) for rank, _, _, _ in slow_lines(text)]
    assert named == list(range(100, 110))
    assert "15 more processes below 90 % of it" in text
    drawn = [int(row.split(":")[0]) for row in data["run-1-work"]["rows"]]
    assert drawn[:20] == list(range(100, 120)) and len(drawn) <= 40
    assert drawn[-1] > 3800 and "node" in data["run-1-work"]["rows"][0]
    assert f"{4096 - len(drawn)} more processes" in text
    assert len(page) < 1_500_000


@pytest.mark.parametrize("ranks", [None, "missing"])
def test_without_them_a_trace_is_asked_for(tmp_path, record, ranks):
    record["tests"][0]["ranks"] = None
    if ranks == "missing":
        del record["tests"][0]["ranks"]
    _, text, data = read(page_of(tmp_path, record))
    assert "run with --trace" in text and "run-1-work" not in data
