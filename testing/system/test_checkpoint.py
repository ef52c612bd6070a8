# SPDX-License-Identifier: BSD-3-Clause
"""Runs that write checkpoints, are killed at any moment, and go on."""
import os

import pytest

from checkpoints import Campaign

KILLS = int(os.environ.get("TEST_XHPL_KILLS", 2))
SLOW = ("--checkpoint-bandwidth", "60M")  # columns of a boundary are spread
CASES = [(1, 1, SLOW), (1, 2, SLOW), (2, 1, ()), (2, 2, SLOW)]


@pytest.mark.parametrize("p,q,options", CASES)
def test_killed_at_random_moments_it_ends_with_the_bits_of_a_clean_run(
        tmp_path, p, q, options):
    campaign = Campaign(tmp_path, p, q, 1200, 16, *options, seed=p + 10 * q)
    campaign.run_undisturbed()
    while campaign.kills < KILLS:
        campaign.round(min(2, KILLS - campaign.kills))
    print(f"{p} x {q}: {campaign.kills} kills, {campaign.restarts} restarts, "
          f"{campaign.orphans} orphans, {campaign.leftovers} files too many")
    assert (campaign.orphans, campaign.leftovers) == (0, 0)
