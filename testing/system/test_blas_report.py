# SPDX-License-Identifier: BSD-3-Clause
"""What xhpl says of the BLAS it computes with."""
import re
from pathlib import Path

import pytest

import hpl_dat

FLAGS = Path("/proc/cpuinfo").read_text()


def blas_line(outcome):
    """The line of stderr that names the BLAS."""
    lines = [x for x in outcome.stderr.splitlines() if re.search("(?i)blas", x)]
    assert lines, outcome
    return lines[0]


def warnings(outcome):
    return [x for x in outcome.stderr.splitlines() if "warning:" in x]


def test_library_version_kernel_and_threads_are_named(xhpl):
    outcome = xhpl(dat=hpl_dat.text(), env={"OPENBLAS_CORETYPE": "Prescott"})
    line = blas_line(outcome)
    assert re.search(r"OpenBLAS \d+\.\d+", line), outcome
    assert "Prescott" in line, outcome
    assert re.search(r"\b1 thread\b", line), outcome


def test_it_is_said_once_by_a_launched_job(xhpl):
    outcome = xhpl(dat=hpl_dat.text(p="2", q="2"), processes=4)
    assert len(re.findall(r"OpenBLAS \d", outcome.stderr)) == 1, outcome


def test_the_number_of_threads_is_the_settings(xhpl):
    outcome = xhpl("--set", "blas_threads=2", dat=hpl_dat.text())
    assert re.search(r"\b2 threads\b", blas_line(outcome)), outcome


@pytest.mark.skipif("avx2" not in FLAGS, reason="no AVX2 on this machine")
def test_a_kernel_far_below_the_core_is_warned_of_with_its_variable(xhpl):
    outcome = xhpl(dat=hpl_dat.text(), env={"OPENBLAS_CORETYPE": "Prescott"})
    assert outcome.status == 0
    assert len(warnings(outcome)) == 1, outcome
    assert "OPENBLAS_CORETYPE" in warnings(outcome)[0]


def test_no_variable_is_blamed_when_none_is_set(xhpl):
    outcome = xhpl(dat=hpl_dat.text())
    assert "OPENBLAS_CORETYPE=" not in outcome.stderr, outcome
    assert not any("CORETYPE" in line for line in warnings(outcome)), outcome


def test_the_report_itself_names_no_blas(xhpl):
    assert "BLAS" not in xhpl(dat=hpl_dat.text()).stdout
