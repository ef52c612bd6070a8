# SPDX-License-Identifier: BSD-3-Clause
"""The bounds that bench/lookahead prints, from records made up by hand; the
order that it chooses."""
import sys

import pytest

import jobs

bench = jobs.module(jobs.SOURCE / "bench/lookahead")

pytestmark = pytest.mark.scripts

# One iteration: 1 s of panel, 0.5 s of swap and solve, 6.5 s of update, of
# which the next panel's columns take 2 s of the host; the device has the rest.
ROW = {
    "nb": "100", "columns_left": "1000", "seconds": "8", "share_used": "1",
    "panel": "1", "swap": "0.25", "solve": "0.25", "exchange": "0",
    "wait_exchange": "", "update_host": "2",
}  # fmt: skip


# Other cells, and what hides of panel, and of swap and solve.
HIDDEN = {
    "all under a long update": ({}, (1, 0.5)),
    "a panel no longer than the update lasts": ({"panel": "5"}, (0.5, 0)),
    "swaps under what panels leave": ({"panel": "5", "seconds": "12.75"}, (5, 0.25)),
    "nothing where the next columns are all": ({"seconds": "3.5"}, (0, 0)),
    "waiting for rows of others is exchange":
        ({"exchange": "0.5", "wait_exchange": "1", "seconds": "9.5"}, (1, 2)),
}  # fmt: skip


@pytest.mark.parametrize("case", HIDDEN)
def test_of_an_iteration_hides(case):
    changes, expected = HIDDEN[case]
    found = bench.of_iteration({**ROW, **changes})
    assert (found.panel, found.exchange) == expected


def test_only_the_next_columns_of_the_host_come_off_the_update():
    # half of the other columns are the host's, too: 100 of 550
    row = {**ROW, "share_used": "0.5", "update_host": "5.5"}
    assert bench.seconds_of_next(row) == pytest.approx(1)


def test_a_run_is_the_sum_of_its_iterations():
    found = bench.of_run([ROW, {**ROW, "panel": "0.5"}])
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


# The memory, and the largest order with what a larger one lacks: 8 n^2 bytes in
# three quarters of the memory.
LARGEST = {
    "memory": (2**30, ("--minutes", "1e9"), 10000, "memory: 75% of 1.0 GiB"),
    "nothing": (2**50, ("--minutes", "1e9"), 32000, None),
}


@pytest.mark.parametrize("case", LARGEST)
def test_the_largest_order_fits(options, case):
    memory, words, *expected = LARGEST[case]
    assert [*bench.largest_n(50, options(*words), memory)] == expected


def test_short_time_is_said_to_limit_the_order(options):
    n, why = bench.largest_n(50, options(MINUTES="12", REPEAT="4"), 2**50)
    assert 1000 < n < 32000
    assert why == "time: 12 minutes, repeat 4"
