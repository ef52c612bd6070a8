# SPDX-License-Identifier: BSD-3-Clause
"""The programs that read HPL's output, as they do it, on ours."""
import re

import pytest

import report

pytestmark = pytest.mark.surface

# Where each looks for the rate. SJTU wants 1 Gflop/s, which a small N may not reach.
RATES = {
    "Phoronix": ("WR01R2R4", "600", r"^WR01R2R4 +600 +64 +1 +1 +\S+ +(\S+)$"),
    "SuperBench": ("WR01R2R4", "600", r"T/V.*Gflops\n.*\n(?:\S+ +){6}(\S+)$"),
    "Virtual Client": ("WR01R2R4", "600", r"(?<=WR)\S+(?: +\S+){5} +(\S+)(?=\n)"),
    "ReFrame at CSCS": ("WR05L2L8", "600", r"WR05L2L8(?:\s+\d+(?:.\d+)?){5}\s+(\S+)"),
    "ReFrame at StackHPC": ("WR01R2R4", "600", r"^W[R|C].* (\S+)$"),
    "ReFrame at SJTU": ("WR11C2R8", "2000", r"^WR.* (\d+\.\d+e\+\d+)$"),
}


@pytest.mark.parametrize("tag, n, pattern", RATES.values(), ids=RATES)
def test_the_rate_is_where_it_is_looked_for(tagged_run, tag, n, pattern):
    stdout = tagged_run(tag, n).stdout
    (row,) = report.rows(stdout)
    assert re.findall(pattern, stdout, re.M) == [f"{row.gflops:.4e}"], stdout


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


# EasyBuild, ReFrame at StackHPC, and those who ask grep or awk for verdicts.
@pytest.mark.more
@pytest.mark.parametrize("name, passed, failed", [("2x2-n500", 1, 0), ("failed", 0, 2)])
def test_counts_and_verdicts_are_found(reference_run, name, passed, failed):
    stdout = reference_run(name).stdout
    for word, count in (("passed", passed), ("failed", failed)):
        found = re.findall(rf"(\d+) tests completed and {word} residual checks", stdout)
        assert found == [str(count)]
    assert re.search(r"0 tests skipped because of illegal input values\.", stdout)
    fourth = [line.split()[3] for line in stdout.splitlines() if "_oo/" in line]
    assert fourth == ["PASSED"] * passed + ["FAILED"] * failed
    assert sum("PASSED" in line for line in stdout.splitlines()) == passed


def test_open_mpi_mtt_finds_the_version(tagged_run):
    stdout = tagged_run("WR01R2R4").stdout
    assert re.findall(r"HPLinpack\s+(\d+[\.\d]+)\s", stdout) == ["2.3"]
