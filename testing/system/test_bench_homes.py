# SPDX-License-Identifier: BSD-3-Clause
"""The bench of matrices that live on a device: its cases and rows."""
import pytest

import jobs

pytestmark = pytest.mark.scripts
SCRIPT = jobs.SOURCE / "bench/homes"


@pytest.fixture(scope="module")
def bench():
    return jobs.module(SCRIPT)


def outcomes(bench, *seconds, homes=(20, 20)):
    return [bench.Outcome(x, homes) for x in seconds]


def test_rates_are_of_the_median_run_and_ratios_to_what_bounds_them(bench):
    problem = bench.Problem(1000, 10, 1, 1)
    cases = bench.dry_cases(problem, 100)
    unit = problem.flop / 100e9  # seconds at the device's rate
    found = {key: outcomes(bench, 2 * unit) for key in cases}
    found["resident"] = outcomes(bench, unit / 0.9, 9 * unit, unit)
    found["fast panels"] = outcomes(bench, unit / 0.9 - unit / 10)
    rows = {row.name: row for row in bench.dry_rows(found, cases, 100)}
    whole, half = rows["resident, to the device"], rows[
        "half (20 of 40 block columns live there), to resident"]  # fmt: skip
    assert whole.ratio == pytest.approx(0.9)
    assert half.ratio == pytest.approx(0.5 / 0.9)
    assert half.verdict(half.goal) == "below"
    exposed = rows["exposed panels, seconds, to the run"]
    assert exposed.ratio == pytest.approx(0.09)
    assert exposed.verdict(exposed.goal) == "above"


def test_the_link_is_scaled_with_the_device(bench):
    """60 Tflop/s have 50 GB/s."""
    cases = bench.dry_cases(bench.Problem(1000, 10, 1, 1), 60000)
    assert all("emu_link=50.000000" in x.settings for x in cases.values())


@pytest.mark.more
def test_a_quick_run_has_half_of_the_blocks_on_the_device(tmp_path):
    outcome = jobs.run([SCRIPT, "--quick", jobs.BIN], tmp_path).succeeded()
    said = outcome.stdout
    assert "half (21 of 41 block columns live there)" in said, str(outcome)
    for begin in ("resident", "streaming", "computes"):
        assert f"\n{begin}" in said, str(outcome)
    assert "not measured" not in said, str(outcome)
