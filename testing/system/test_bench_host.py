# SPDX-License-Identifier: BSD-3-Clause
"""bench/host: the program it measures with, and whole runs."""
import re
import sys

import pytest

import jobs

BENCH = jobs.SOURCE / "bench"
XHOST = jobs.BIN / "xhost"

pytestmark = [
    pytest.mark.scripts,
    pytest.mark.skipif(not XHOST.exists(), reason="built without hybrid/"),
]


def xhost(tmp_path, words):
    return jobs.run([XHOST, *words.split()], tmp_path)


# ---- xhost ------------------------------------------------------------------


MEASURED = {
    "ceiling": ["1 10", "2 10"],
    "update": ["1 1 1 1", "2 301 203 37", "3 77 500 400"],
    "panel": ["1 5 5", "2 400 32", "3 90 7"],
    "swap": ["1 1 1 1", "2 301 203 37", "3 77 500 400"],
    "pass": ["2 301 203"],
}


@pytest.mark.few(6)
@pytest.mark.parametrize("kernel", ["auto", "portable"])
@pytest.mark.parametrize("part, sizes", [(x, y) for x in MEASURED for y in MEASURED[x]])
def test_xhost_says_a_rate_and_the_kernel(tmp_path, part, sizes, kernel):
    outcome = xhost(tmp_path, f"{part} {kernel} {sizes}").succeeded()
    said = re.fullmatch(rf"kernel (\w+)\n{part} (\S+)\n", outcome.stdout)
    assert said and float(said[2]) > 0, str(outcome)
    assert said[1] == kernel or kernel == "auto"


@pytest.mark.parametrize(
    "words, complaint",
    [
        ("", "how to call it"),
        ("update auto 1 10 10", "how to call it"),
        ("update blas 1 10 10 10", "'blas' is no kernel"),
        ("update auto 0 10 10 10", "'0' is not a number"),
        ("update auto 1 10 -3 10", "'-3' is not a number"),
        ("panel auto 1 10 11", "a panel of 11 columns"),
        ("update auto 1 9999999 9999999 1", "cannot allocate"),
    ],
)
def test_xhost_refuses_what_it_cannot_measure(tmp_path, words, complaint):
    xhost(tmp_path, words).refused(complaint)


# ---- whole runs -------------------------------------------------------------


def bench_host(tmp_path, *words, env=None):
    command = [sys.executable, BENCH / "host", "--quick", jobs.BIN]
    return jobs.run([*command, *words], tmp_path, env, limit=240)


@pytest.mark.long
def test_a_quick_run_measures_every_row(tmp_path):
    env = {"ORDERS": "80:16"}
    outcome = bench_host(tmp_path, jobs.XHPL, env=env).succeeded()
    said = outcome.stdout
    for begin in ("Gflop/s, medians of 1", "FMA ceiling", "update alone", "panel alone",
                  "row swap", "xhpl, N = 80", "xhpl, N = 150", "generation",
                  "to reference", "to baseline", "1000 x residual",
                  r"\d+ threads?, \d+\.\d minutes$"):  # fmt: skip
        assert re.search(rf"^{begin}", said, re.M), str(outcome)
    assert "not measured" not in said, str(outcome)
