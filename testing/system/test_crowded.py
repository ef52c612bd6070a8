# SPDX-License-Identifier: BSD-3-Clause
"""Other programs on the cores of a run: it says so, and blames nothing else."""
import json
import os
import re
from contextlib import contextmanager

import pytest

import jobs
from busy import retried
from report_page import call
from test_plan import measures

pytestmark = [pytest.mark.long, measures]


@contextmanager
def busy_loops(count):
    """Programs that compute until the block is left."""
    loops = []
    try:
        for _ in range(count):
            loops.append(jobs.subprocess.Popen(["sh", "-c", "while :; do :; done"]))
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@retried
def test_a_run_among_others_says_so_and_blames_no_library(xhpl):
    if not os.path.exists("/proc/thread-self/schedstat"):
        pytest.skip("this system does not tell who had the cores")
    options = ["-n", 2500, "--nb", 64, "-p", 1, "-q", 1, "--json", "run.json"]
    with busy_loops(2 * os.cpu_count()):
        outcome = xhpl(*options, "--progress", "on", "--set", "kernel=portable",
                       "--set", "predict=on", "--set", "plan_seconds=1")  # fmt: skip
    outcome.succeeded()
    record = json.loads((xhpl.directory / "run.json").read_text())
    said = [finding["text"] for finding in record["findings"]]
    assert record["tests"][0]["ranks"][0]["others"] > 0.1, str(outcome)
    pattern = r"others had these cores \d+% of the time of (N = 2500|measuring)"
    found = {match[1] for match in map(re.compile(pattern).search, said) if match}
    assert found == {"N = 2500", "measuring"}, str(outcome)
    assert not [text for text in said if "DGEMM" in text], str(outcome)
    assert "planned under load" in outcome.stderr and "% of plan" not in outcome.stderr
    verdict = call(xhpl.directory, "--verdict", "run.json").stdout
    assert "BLAS" not in verdict and "had these cores" in verdict, verdict
