# SPDX-License-Identifier: BSD-3-Clause
"""Input that is refused: one error that tells what to change, and status 2.

All that can be wrong in a line, an option or a setting is in unit/xhpl/test_hpl_dat.c,
unit/xhpl/test_command_line.c and unit/device/test_settings.c.
"""
import re

import pytest

import hpl_dat
import jobs
import report

pytestmark = pytest.mark.surface


def assert_refused(outcome, *patterns):
    """One error that matches all patterns, nothing on stdout, status 2."""
    outcome.refused()
    (error,) = [line for line in outcome.stderr.splitlines() if "error:" in line]
    assert [x for x in patterns if not re.search(x, error)] == [], str(outcome)


# A line of HPL.dat, what is written there; the line and what it has in the message.
BAD_LINES = [
    (6, "1e3 Ns", 6, "1e3"),
    (5, "2 # of N", 6, "Ns"),  # the list has one
    (31, "eight", 31, "eight"),
]


@pytest.mark.parametrize("line, content, said_at, found", BAD_LINES)
def test_the_message_names_file_line_and_found(xhpl, line, content, said_at, found):
    outcome = xhpl(dat=hpl_dat.with_line(line, content))
    assert_refused(outcome, rf"HPL\.dat, line {said_at}\b", rf"'{found}'")


UPSTREAM = (jobs.REFERENCE / "upstream-default.HPL.dat").read_text().splitlines(True)


@pytest.mark.few(4)
@pytest.mark.parametrize("number", range(2, 32))
def test_a_deleted_line_is_named_itself(xhpl, number):
    left = UPSTREAM[: number - 1] + UPSTREAM[number:]
    outcome = xhpl(dat="".join(left))
    missing = re.escape(UPSTREAM[number - 1][13:].strip()) if number > 2 else "missing"
    if number < 31:
        assert_refused(outcome, rf"HPL\.dat, line {number}: .*missing", missing)
    else:
        assert_refused(outcome, r"HPL\.dat, line 31: the file ends after 30 lines")


@pytest.mark.parametrize("first, count", [(3, 2), (20, 4)])
def test_several_deleted_lines_are_named(xhpl, first, count):
    left = UPSTREAM[: first - 1] + UPSTREAM[first - 1 + count :]
    said = rf"line {first}: lines {first} to {first + count - 1} are missing"
    assert_refused(xhpl(dat="".join(left)), said)


def test_lines_too_many_are_named_where_the_first_one_is_moved_to(xhpl):
    more = [*UPSTREAM[:4], "one more\n", *UPSTREAM[4:]]
    assert_refused(xhpl(dat="".join(more)), "line 5: found 'one'")
    more = [UPSTREAM[0], "one more\n", *UPSTREAM[1:]]
    assert_refused(xhpl(dat="".join(more)), "line 4: found the value of line 3, ")


# Line, a value that HPL 2.3 has no name for, what it computes with, its header's word.
TAKEN = (
    (9, "2", "0 (Row-major", "PMAP : Row-major"),
    (15, "3", "2 (Right)", "PFACT : Right"),
    (21, "-1", "2 (Right)", "RFACT : Right"),
    (23, "7", "1 (1ringM)", "BCAST : 1ringM"),
    (26, "5", "1 (Spread-roll (long))", "SWAP : Spread-roll (long)"),
    (27, "-3", "0", "SWAP : Mix (threshold = 0)"),
    (28, "5", "0 (transposed form)", "L1 : transposed"),
    (29, "-2", "0 (transposed form)", "U : transposed"),
    (30, "3", "1 (yes)", "EQUIL : yes"),
    (31, "0", "4", "ALIGN : 4 double"),
)


def test_values_that_upstream_runs_run_as_there_with_a_warning(xhpl):
    dat = hpl_dat.text(swap="2")
    for line, value, _, _ in TAKEN:
        if line != 27:  # of SWAP 2 alone
            dat = hpl_dat.with_line(line, value, dat)
    mixed = hpl_dat.with_line(27, "-3", hpl_dat.text(swap="2"))
    outcome, other = xhpl(dat=dat).succeeded(), xhpl(dat=mixed).succeeded()
    for line, value, taken, shown in TAKEN:
        told = other if line == 27 else outcome
        said = f"warning: HPL.dat, line {line}: '{value}' is taken as {taken}"
        assert said in told.stderr.replace("rank 0 on ", ""), str(told)
        assert shown in re.sub(" +", " ", told.stdout), str(told)


def test_a_wrong_value_is_no_missing_line(xhpl):
    for number in range(4, 32, 5):
        lines = [*UPSTREAM]
        lines[number - 1] = "x " + lines[number - 1]
        outcome = xhpl(dat="".join(lines))
        assert_refused(outcome, rf"HPL\.dat, line {number}: found 'x'")


def test_a_file_that_cannot_be_read_is_refused_by_name(xhpl):
    assert_refused(xhpl(), r"HPL\.dat")
    assert_refused(xhpl("--dat", "elsewhere.dat"), r"elsewhere\.dat")
    (xhpl.directory / "HPL.dat").mkdir()
    assert_refused(xhpl(), r"HPL\.dat")


def test_an_unwritable_output_file_is_refused_by_name(xhpl):
    dat = hpl_dat.text(device="8")
    dat = hpl_dat.with_line(3, "no/such/folder/HPL.out file", dat)
    assert_refused(xhpl(dat=dat), r"no/such/folder/HPL\.out", "No such file")


def test_a_refused_run_leaves_an_older_output_file_alone(xhpl):
    older = xhpl.directory / "HPL.out"
    older.write_text("results of last week\n")
    dat = hpl_dat.text(device="8", nb="0")
    assert_refused(xhpl(dat=dat), r"HPL\.dat")
    assert older.read_text() == "results of last week\n"


@pytest.mark.parametrize(
    "p, q, processes, said",
    [
        ("2", "2", None, "Need at least 4 processes for these tests"),
        ("1 1 3", "1 2 2", None, "Need at least 6 processes for these tests"),
        ("2", "3", 3, "Need at least 6 processes for these tests .there are 3.: .* -p 1 -q 3,"),
        ("65536", "65537", None, "4295032832|65536|65537"),
    ],
)
def test_a_grid_larger_than_the_job_is_refused(xhpl, p, q, processes, said):
    dat = hpl_dat.text(p=p, q=q)
    assert_refused(xhpl(dat=dat, processes=processes), said)


def test_a_grid_smaller_than_the_job_runs_with_one_warning(xhpl):
    outcome = xhpl(dat=hpl_dat.text(), processes=3).succeeded()
    assert report.counts(outcome.stdout)["passed"] == 1
    assert len(re.findall("warning: .*2 .*(idle|process)", outcome.stderr)) == 1


def test_a_setting_of_the_environment_is_refused_as_set_is(xhpl):
    refused = xhpl(dat=hpl_dat.text(), env={"XHPL_BLAS_THREAD": "1"})
    assert_refused(refused, "XHPL_BLAS_THREAD", "(?i)blas_threads")


def test_the_launched_job_refuses_with_one_message(xhpl):
    assert_refused(xhpl("--blocks", "8", dat=hpl_dat.text(), processes=4))
