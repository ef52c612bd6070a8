# SPDX-License-Identifier: BSD-3-Clause
"""hpl-report: who worked how long, from a record alone."""
import re

import pytest

from report_page import many_hosts, page_of, read, text_of

pytestmark = pytest.mark.scripts

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
