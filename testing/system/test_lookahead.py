# SPDX-License-Identifier: BSD-3-Clause
"""The bounds that bench/lookahead prints, from records made up by hand; the
order that it chooses."""
import sys

import pytest

import jobs

bench = jobs.module(jobs.SOURCE / "bench/lookahead")
import lookahead_bounds  # noqa: E402 (it is beside that)

pytestmark = pytest.mark.scripts

# One iteration: 1 s of panel, 0.5 s of swap and solve, 6.5 s of update, of
# which the next panel's columns take 2 s of the host; the device has the rest.
ROW = {
    "nb": "100", "columns_left": "1000", "seconds": "8", "share_used": "1",
    "panel": "1", "swap": "0.25", "solve": "0.25", "exchange": "0",
    "wait_exchange": "", "update_host": "2",
}  # fmt: skip


def bounds(**changes):
    found = lookahead_bounds.of_iteration({**ROW, **changes})
    return found.panel, found.exchange


def test_all_hides_under_a_long_update():
    assert bounds() == (1, 0.5)


def test_a_panel_hides_no_longer_than_the_update_lasts():
    assert bounds(panel="5", seconds="8") == (0.5, 0)


def test_swaps_and_solves_hide_under_what_panels_leave():
    assert bounds(panel="5", seconds="12.75") == (5, 0.25)


def test_nothing_hides_where_the_next_columns_are_all():
    assert bounds(seconds="3.5") == (0, 0)


def test_only_the_next_columns_of_the_host_come_off_the_update():
    # half of the other columns are the host's, too: 100 of 550
    row = {**ROW, "share_used": "0.5", "update_host": "5.5"}
    assert lookahead_bounds.seconds_of_next(row) == pytest.approx(1)


def test_waiting_for_rows_of_others_is_exchange():
    assert bounds(exchange="0.5", wait_exchange="1", seconds="9.5") == (1, 2)


def test_a_run_is_the_sum_of_its_iterations():
    found = lookahead_bounds.of_run([ROW, {**ROW, "panel": "0.5"}])
    assert (found.panel, found.exchange) == (1.5, 1.0)


# ---- the order --------------------------------------------------------------

@pytest.fixture
def options(monkeypatch):
    """The options of these words and variables of the environment."""

    def read(*words, **variables):
        for name in ("N", "MINUTES", "REPEAT"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["bench/lookahead", "bin", *words])
        return bench.read_options()

    return read


def test_the_environment_has_defaults_and_options_go_before(options):
    variables = dict(N="9000", MINUTES="2.5", REPEAT="3")
    for given, expected in (
        (options(), (None, 30, 5)),
        (options(**variables), (9000, 2.5, 3)),
        (options("--n", "800", "--repeat", "1", **variables), (800, 2.5, 1)),
    ):
        assert (given.n, given.minutes, given.repeat) == expected


def test_a_variable_that_is_no_number_is_refused(options, capsys):
    with pytest.raises(SystemExit) as end:
        options(REPEAT="many")
    assert end.value.code == 2
    assert "many" in capsys.readouterr().err


def test_short_memory_is_said_to_limit_the_order(options):
    n, why = bench.largest_n(50, options(MINUTES="1e9"), 2**30)
    assert n == 10000  # 8 n^2 bytes in 0.75 GiB
    assert why == "memory: 75% of 1.0 GiB"


def test_short_time_is_said_to_limit_the_order(options):
    n, why = bench.largest_n(50, options(MINUTES="12", REPEAT="4"), 2**50)
    assert 1000 < n < 32000
    assert why == "time: 12 minutes, repeat 4"


def test_the_largest_order_lacks_nothing(options):
    assert bench.largest_n(50, options(MINUTES="1e9"), 2**50) == (32000, None)
