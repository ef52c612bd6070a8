# SPDX-License-Identifier: BSD-3-Clause
"""What a run records of itself."""
import csv
import json
import re

import pytest

import report
import simulated_run

GIVEN = ["-n", "200", "-nb", "16"]


def test_a_trace_is_json_with_every_process(xhpl):
    options = ["-p", "1", "-q", "2", "--trace", "t.json"]
    outcome = xhpl(*GIVEN, *options, processes=2).succeeded()
    events = json.loads((xhpl.directory / "t.json").read_text())["traceEvents"]
    named = {e["pid"] for e in events if e["name"] == "process_name"}
    assert named == {0, 1}
    spans = [event for event in events if event["ph"] == "X"]
    assert all(span["dur"] >= 0 and span["ts"] >= 0 for span in spans)
    assert ("the trace is empty" in outcome.stderr) == (spans == [])


def test_iterations_are_rows_of_every_process_or_there_is_a_warning(xhpl):
    options = ["-p", "1", "-q", "2", "--iterations", "i.csv"]
    outcome = xhpl(*GIVEN, *options, processes=2).succeeded()
    path = xhpl.directory / "i.csv"
    warned = re.search("warning: .*solver keeps no record.*i.csv", outcome.stderr)
    assert path.exists() == (warned is None), str(outcome)
    if path.exists():
        rows = list(csv.DictReader(path.read_text().splitlines()))
        assert set(rows[0]) == set(simulated_run.LINE)
        assert {row["rank"] for row in rows} == {"0", "1"}
        assert {row["n"] for row in rows} == {"200"}


PARTS = (
    "panel broadcast exchange swap solve update_host wait_panel wait_exchange"
    " wait_device"
).split()


@pytest.mark.parametrize("devices", ["none", "emu:4"])
def test_parts_of_an_iteration_add_up_to_no_more_than_it(xhpl, devices):
    options = ["-p", "2", "-q", "2", "--iterations", "i.csv"]
    settings = ["--set", f"devices={devices}", "--set", "split=fixed:0.5"]
    outcome = xhpl(*GIVEN, *options, *settings, processes=4).succeeded()
    path = xhpl.directory / "i.csv"
    if not path.exists():
        pytest.skip("this solver notes no iterations")
    rows = list(csv.DictReader(path.read_text().splitlines()))
    for row in rows:
        parts = [float(row[part]) for part in PARTS]
        assert min(parts) >= 0, row
        assert sum(parts) <= 1.001 * float(row["seconds"]) + 1e-6, row
    for rank in "0123":
        mine = [row for row in rows if row["rank"] == rank]
        for part in ("panel", "broadcast", "exchange", "swap", "update_host"):
            assert sum(float(row[part]) for row in mine) > 0, (rank, part)


@pytest.mark.parametrize("devices", [0, 2])
def test_devices_have_columns_of_their_own(xhpl, devices):
    settings = ["--set", f"devices=emu:{devices}" if devices else "devices=none",
                "--set", "tile=32", "--set", "split=fixed:0.5"]  # fmt: skip
    one = ["-p", "1", "-q", "1", "--iterations", "i.csv"]
    outcome = xhpl(*GIVEN, *one, *settings).succeeded()
    path = xhpl.directory / "i.csv"
    if not path.exists():
        pytest.skip("this solver notes no iterations")
    rows = list(csv.DictReader(path.read_text().splitlines()))
    for column in ("update_device", "device_wait"):
        for d in range(8):
            cells = [row[f"{column}_{d}"] for row in rows]
            known = [float(cell) for cell in cells if cell]
            assert len(known) == (len(rows) if d < devices else 0), (column, d)
            assert min(known, default=0) >= 0, (column, d)
        all_of_it = [float(row[f"{column}_{d}"]) for row in rows for d in range(devices)]
        assert (sum(all_of_it) > 0) == (devices > 0), column


def test_what_is_recorded_does_not_change_the_report(xhpl):
    plain = xhpl(*GIVEN, "-p", "1", "-q", "1")
    traced = xhpl(*GIVEN, "-p", "1", "-q", "1", "--trace", "t.json")
    assert plain.status == 0, str(plain)
    assert traced.status == 0, str(traced)
    assert report.comparable(traced.stdout) == report.comparable(plain.stdout)


@pytest.mark.surface
@pytest.mark.parametrize(
    "options, said",
    [
        (["--trace", "no/folder/t.json"], "no/folder/t.json: No such file"),
        (["--trace", "."], "Is a directory"),
        (["--trace="], "a file's name of 0 characters"),
        (["--iterations", "i" * 5000], "a file's name of 5000 characters"),
        (["--trace"], "needs a value"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_run(xhpl, options, said):
    outcome = xhpl(*GIVEN, "-p", "1", "-q", "1", *options)
    assert (outcome.status, outcome.stdout) == (2, ""), str(outcome)
    assert said in outcome.stderr, str(outcome)
