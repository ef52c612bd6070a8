# SPDX-License-Identifier: BSD-3-Clause
"""Runs that write checkpoints, are killed at any moment, and go on."""
import os

import pytest

from checkpoints import Campaign

KILLS = int(os.environ.get("TEST_XHPL_KILLS", 2))
GRIDS = [(1, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize("p,q", GRIDS)
def test_killed_at_random_moments_it_ends_with_the_bits_of_a_clean_run(tmp_path, p, q):
    campaign = Campaign(tmp_path, p, q, 800, 16, seed=p + 10 * q)
    campaign.run_undisturbed()
    while campaign.kills < KILLS:
        campaign.round(min(2, KILLS - campaign.kills))
    print(f"{p} x {q}: {campaign.kills} kills, {campaign.restarts} restarts, "
          f"{campaign.orphans} orphans, {campaign.leftovers} files too many")
    assert (campaign.orphans, campaign.leftovers) == (0, 0)
