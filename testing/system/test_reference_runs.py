# SPDX-License-Identifier: BSD-3-Clause
"""The output of HPL 2.3, line by line."""
import re

import pytest

import jobs
import report

# Six devices are dealt 2, 2, 1 and 1; cores and devices get half each.
DEVICES = "devices=emu:6 emu_memory=16 threads=2 tile=16 split=fixed:0.5"
ORDER = "35"  # of those with devices
SOLVERS = {
    "864": (864, ()),
    "864-reference": (864, ("--set", "solver=reference")),
    "216-devices": (216, ("-n", ORDER, *jobs.sets(DEVICES))),
}
# The first, of the default solver, is a part of make test.
LONG = [
    pytest.param(
        "default", "864-rows", count, options, id=name,
        marks=pytest.mark.long if options else pytest.mark.surface,
    )
    for name, (count, options) in SOLVERS.items()
]
LONG += [pytest.param("variants", "variants-rows", 1152, (), id="1152",
                      marks=pytest.mark.long)]  # fmt: skip
WHOLE = {"2x2-n500": 0, "failed": 1, "threshold0": 0}


def expected(name):
    return (jobs.REFERENCE / f"upstream-{name}.out").read_text()


@pytest.mark.parametrize("name, csv, count, options", LONG)
def test_every_row_is_upstreams_and_every_residual_passes(
    reference_run, name, csv, count, options
):
    wanted = report.expected_rows(jobs.REFERENCE / f"upstream-{csv}.csv")
    if "-n" in options:
        wanted = [row for row in wanted if str(row[1]) == ORDER]
    outcome = reference_run(name, *options)
    assert len(wanted) == count
    hybrid = "solver=reference" not in options
    assert ("solver: hybrid" in outcome.stderr) == hybrid, str(outcome)
    assert ("devices emu:" in outcome.stderr) == ("tile=16" in options)
    rows = [row[:5] for row in report.rows(outcome.stdout)]
    assert rows == wanted, str(outcome)
    assert re.findall("PASSED|FAILED", outcome.stdout) == ["PASSED"] * count
    residuals = report.residuals(outcome.stdout)
    assert len(residuals) == count and max(residuals) < 1, str(outcome)
    assert report.counts(outcome.stdout) == {
        "finished": count, "passed": count, "failed": 0, "skipped": 0}  # fmt: skip
    assert outcome.status == 0


@pytest.mark.parametrize("name", WHOLE)
def test_stdout_is_upstreams_line_by_line(reference_run, name):
    outcome = reference_run(name)
    wanted = report.comparable(expected(name))
    assert report.comparable(outcome.stdout) == wanted, str(outcome)


@pytest.mark.parametrize("name", WHOLE)
def test_the_exit_status_says_whether_all_passed(reference_run, name):
    reference_run(name).ended(WHOLE[name])


@pytest.mark.long
def test_the_head_over_every_list_is_upstreams(reference_run):
    wanted = report.comparable(expected("variants-head"))
    outcome = reference_run("variants")
    head = report.comparable(outcome.stdout)[: len(wanted)]
    assert head == wanted, str(outcome)


def test_the_banner_keeps_the_number_of_its_lines(reference_run):
    rule = "=" * 80
    ours = reference_run("2x2-n500").stdout.splitlines()
    upstreams = expected("2x2-n500").splitlines()
    assert ours.index(rule, 1) == upstreams.index(rule, 1)


def test_the_words_that_parsers_look_for_stand_nowhere_else(reference_run):
    outcome = reference_run("failed")
    lines = outcome.stdout.splitlines()
    rows = [line for line in lines if re.search("WR|WC", line)]
    residuals = [line for line in lines if re.search("PASS|FAIL|_oo/", line)]
    assert len(rows) == len(residuals) == 2
    assert all(report.ROW.match(line) for line in rows)
    assert all(report.RESIDUAL.match(line) for line in residuals)


def test_start_and_end_times_are_dates_of_ctime(reference_run):
    stdout = reference_run("2x2-n500").stdout
    for word in ("start time", "end time  "):
        assert re.search(rf"^HPL_pdgesv\(\) {word} {report.DATE}\n\n", stdout, re.MULTILINE)
