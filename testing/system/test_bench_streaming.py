# SPDX-License-Identifier: BSD-3-Clause
"""The bench of matrices that stream through a device."""
import pytest

import jobs
from busy import retried

pytestmark = pytest.mark.scripts
SCRIPT = jobs.SOURCE / "bench/streaming"


@pytest.fixture(scope="module")
def bench():
    return jobs.module(SCRIPT)


def test_the_rate_is_that_of_the_first_half(bench):
    """Of 10 s: 4 s at 100, 2 s at 50, and then what does not count."""
    begins, seconds, rates = (1, 5, 7, 9), (4, 2, 2, 2), (100, 50, 9, 1)
    rows = [
        {"begin": str(b), "seconds": str(s), "gflops": str(r)}
        for b, s, r in zip(begins, seconds, rates)
    ]
    assert bench.half_rate(rows) == pytest.approx((4 * 100 + 2 * 50) / 6)


@pytest.mark.more
@retried
def test_a_run_stands_beside_its_bounds(tmp_path):
    words = ["--device", "emu:1", "--n", "600", "--nb", "48,96", "--repeat", "1"]
    outcome = jobs.run([SCRIPT, *words, jobs.BIN], tmp_path).succeeded()
    rows = [x for x in outcome.stdout.splitlines() if "to the smaller" in x]
    assert len(rows) == 2, str(outcome)
    for row in rows:
        measured, reference, ratio = map(float, row.split("smaller")[1].split()[:3])
        assert ratio == pytest.approx(measured / reference, rel=0.1), str(outcome)


def test_without_a_gpu_there_is_nothing_to_measure(tmp_path):
    listed = jobs.run([jobs.BIN / "xdgemm", "--list-devices"], tmp_path)
    if "\ncuda:" in f"\n{listed.stdout}":
        pytest.skip("there is a GPU")
    outcome = jobs.run([SCRIPT, jobs.BIN], tmp_path).succeeded()
    assert outcome.stdout == "no GPU: nothing to measure\n"
