# SPDX-License-Identifier: BSD-3-Clause
"""The program that times look-ahead: what it refuses, and its rows."""
import csv
import json

import pytest

import jobs

XLOOKAHEAD = jobs.BIN / "xlookahead"
SMALL = ("-n", "120", "--nb", "32", "-p", "1")
FIELDS = {"run", "lookahead", "n", "nb", "p", "q", "seconds", "info", "residual"}


def run(directory, processes, *options):
    command = jobs.launched(processes, [XLOOKAHEAD, *options])
    return jobs.run(command, directory, {"XHPL_BLAS_CHECK": "off"})


REFUSED = {
    "no number of runs": (SMALL, "usage: xlookahead RUNS"),
    "no run": (("0", *SMALL, "-q", "1"), "usage: xlookahead RUNS"),
    "too many runs": (("1001", *SMALL, "-q", "1"), "RUNS from 1 to 1000"),
    "an unknown option": (("1", *SMALL, "-q", "1", "--sep"), "--sep"),
    "an unknown mode": (("1", *SMALL, "-q", "1", "--set", "lookahead=3"), "lookahead"),
    "too few processes": (("1", *SMALL, "-q", "2"), "at least 2 processes"),
}  # fmt: skip


@pytest.mark.few(2)
@pytest.mark.surface
@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused(tmp_path, case):
    options, said = REFUSED[case]
    outcome = run(tmp_path, 1, *options)
    assert outcome.status == 2, str(outcome)
    assert outcome.stdout == "", str(outcome)
    assert said in outcome.stderr, str(outcome)


@pytest.mark.surface
def test_no_process_may_be_idle(tmp_path):
    outcome = run(tmp_path, 2, "1", *SMALL, "-q", "1")
    assert outcome.status == 2, str(outcome)
    assert "a grid of 1 x 1; allowed: 2 processes" in outcome.stderr, str(outcome)


def test_every_mode_has_a_row_in_each_run(tmp_path):
    outcome = run(tmp_path, 2, "2", *SMALL, "-q", "2").succeeded()
    rows = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert [row["lookahead"] for row in rows] == ["0", "1", "2", "mixed"] * 2
    assert [row["run"] for row in rows] == list(range(8))
    assert all(set(row) == FIELDS for row in rows), str(outcome)
    assert all(row["info"] == 0 and row["residual"] < 1 for row in rows)
    assert all((row["n"], row["nb"], row["q"]) == (120, 32, 2) for row in rows)


def test_the_iterations_of_a_run_are_in_its_mode(tmp_path):
    options = ("-q", "1", "--iterations", "iterations.csv")
    outcome = run(tmp_path, 1, "2", *SMALL, *options).succeeded()
    with (tmp_path / "iterations.csv").open() as file:
        found = {(int(x["run"]), x["mode"], x["reason"]) for x in csv.DictReader(file)}
    forced = {x for x in found if x[0] % 4 != 3}
    expected = {(run, str(run % 4), "forced") for run in (0, 1, 2, 4, 5, 6)}
    assert forced == expected, str(outcome)


def test_times_of_dry_devices_come_without_residuals(tmp_path):
    devices = ("devices=emu:1", "emu_dry=on", "emu_rate=50", "lookahead=1")
    words = [word for pair in devices for word in ("--set", pair)]
    outcome = run(tmp_path, 1, "1", *SMALL, "-q", "1", *words, "--threshold", "0")
    assert outcome.status == 0, str(outcome)
    (row,) = (json.loads(line) for line in outcome.stdout.splitlines())
    assert row["lookahead"] == "1" and row["residual"] is None
