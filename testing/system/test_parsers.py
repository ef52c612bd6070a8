# SPDX-License-Identifier: BSD-3-Clause
"""The programs that read HPL's output, as they do it, on ours."""
import re

import pytest

import report

pytestmark = pytest.mark.surface


def gflops(stdout):
    return f"{report.rows(stdout)[0].gflops:.4e}"


def test_phoronix_finds_its_tag_and_the_seventh_field(tagged_run):
    stdout = tagged_run("WR01R2R4").stdout
    lines = [line for line in stdout.splitlines() if "WR01R2R4" in line]
    assert len(lines) == 1
    fields = lines[0].split()
    assert len(fields) == 7
    assert fields[:5] == ["WR01R2R4", "600", "64", "1", "1"]
    assert fields[6] == gflops(stdout)


def test_superbench_finds_the_row_two_lines_below_the_header(tagged_run):
    stdout = tagged_run("WR01R2R4").stdout
    lines = stdout.splitlines()
    header = next(
        i for i, line in enumerate(lines) if "T/V" in line and "Gflops" in line
    )
    fields = lines[header + 2].split()
    assert float(fields[5]) >= 0
    assert fields[6] == gflops(stdout)
    assert "1 tests completed and passed residual checks" in stdout


def test_virtual_client_finds_rows_by_a_look_behind(tagged_run):
    stdout = tagged_run("WR01R2R4").stdout
    matches = re.findall(r"(?<=WR).*(?=\n)", stdout)
    assert len(matches) == 1
    assert len(matches[0].split()) == 7
    assert matches[0].split()[6] == gflops(stdout)


def test_deepops_finds_rows_verdicts_and_the_end(tagged_run):
    rows = verdicts = ends = 0
    for line in tagged_run("WR01R2R4").stdout.splitlines():
        if re.search("WR", line):
            rows += 1
            assert len(line.split()) == 7
        if re.search(r"_oo/\(eps", line):
            verdicts += 1
            assert line.split()[3] == "PASSED"
        if "End of Tests" in line:
            ends += 1
    assert (rows, verdicts, ends) == (1, 1, 1)


@pytest.mark.more
@pytest.mark.parametrize("name, passed, failed", [("2x2-n500", 1, 0), ("failed", 0, 2)])
def test_easybuild_finds_how_many_passed_and_failed(
    reference_run, name, passed, failed
):
    stdout = reference_run(name).stdout
    for word, count in (("passed", passed), ("failed", failed)):
        found = re.findall(rf"(\d+) tests completed and {word}", stdout)
        assert found == [str(count)]


def test_reframe_at_cscs_finds_the_rate_behind_five_numbers(tagged_run):
    stdout = tagged_run("WR05L2L8").stdout
    found = re.search(r"WR05L2L8(\s+\d+(.\d+)?){5}\s+(?P<perf>\S+)", stdout)
    assert found["perf"] == gflops(stdout)


def test_reframe_at_stackhpc_finds_the_row_and_two_zero_counts(tagged_run):
    stdout = tagged_run("WR01R2R4").stdout
    rows = re.findall(r"^W[R|C].*$", stdout, re.MULTILINE)
    assert len(rows) == 1
    assert re.search(r"0 tests completed and failed residual checks", stdout)
    assert re.search(r"0 tests skipped because of illegal input values\.", stdout)


def test_reframe_at_sjtu_finds_the_rate_at_the_end_of_the_row(tagged_run):
    # It wants 1 Gflop/s, which a small N may not reach on a loaded machine.
    stdout = tagged_run("WR11C2R8", n="2000").stdout
    row = next(line for line in stdout.splitlines() if line.startswith("WR"))
    assert re.search(r"(\d+\.\d+e\+\d+)$", row)[1] == gflops(stdout)


def test_open_mpi_mtt_finds_the_version_and_the_row(tagged_run):
    stdout = tagged_run("WR01R2R4").stdout
    assert re.findall(r"HPLinpack\s+(\d+[\.\d]+)\s", stdout) == ["2.3"]
    assert len(report.rows(stdout)) == 1


def test_awk_prints_the_verdict_of_every_residual(reference_run):
    stdout = reference_run("failed").stdout
    fourth = [line.split()[3] for line in stdout.splitlines() if "_oo/" in line]
    assert fourth == ["FAILED", "FAILED"]


def test_grep_counts_one_line_a_test_that_passed(tagged_run):
    lines = tagged_run("WR05L2L8").stdout.splitlines()
    assert sum("PASSED" in line for line in lines) == 1
