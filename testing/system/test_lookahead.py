# SPDX-License-Identifier: BSD-3-Clause
"""The bounds that bench-lookahead prints, from records made up by hand."""
import sys

import pytest

import jobs

sys.path.insert(0, str(jobs.SOURCE / "scripts"))

import lookahead_bounds

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
