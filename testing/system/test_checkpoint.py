# SPDX-License-Identifier: BSD-3-Clause
"""Runs that write checkpoints, are killed at any moment, and go on."""
import os

import pytest

import jobs
from checkpoints import Campaign, Disks, SETTINGS, bits, whole, words

KILLS = int(os.environ.get("TEST_XHPL_KILLS", 2))
SLOW = ("--checkpoint-bandwidth", "60M")  # columns of a boundary are spread
DEVICE = ("--set", "devices=emu", "--set", "home=device", "--set", "panel=device")
CASES = [pytest.param(2, 2, SLOW, marks=pytest.mark.long),
         pytest.param(2, 1, DEVICE, marks=pytest.mark.surface)]


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


@pytest.mark.long
def test_a_device_waits_for_the_place_of_l1_while_columns_are_saved(tmp_path):
    """A slow disk holds columns that need L1 of the last panel but one."""
    slow = ("--checkpoint", "d", "--every", "0.01s", "--checkpoint-bandwidth", "3M")
    jobs.run(words(2, 1, 1200, 16, *DEVICE), tmp_path, SETTINGS).succeeded()
    clean = bits(tmp_path)
    jobs.run(words(2, 1, 1200, 16, *DEVICE, *slow), tmp_path, SETTINGS).succeeded()
    assert bits(tmp_path) == clean


def lose_device(system, folder):
    """Fail later and later, until a checkpoint is whole before."""
    for calls in range(200, 2000, 150):
        fault = ("--set", f"emu_fault=0:fail@gemm:{calls}")
        lost = jobs.run([*system, *fault], folder, SETTINGS)
        assert lost.status == 3 and "is lost" in lost.stderr, str(lost)
        if whole(folder, 1):
            return lost
    raise AssertionError("no checkpoint came to be")


@pytest.mark.long
def test_after_the_loss_of_a_device_with_columns_a_restart_goes_on(tmp_path):
    options = ("--checkpoint", "d", "--every", "0.001s")
    # seconds long, so that a checkpoint is on the disk before the end
    system = words(1, 1, 1600, 16, *DEVICE, "--set", "emu_rate=1")
    jobs.run(system, tmp_path, SETTINGS).succeeded()
    clean = bits(tmp_path)
    lost = lose_device([*system, *options], tmp_path)
    assert "--restart goes on from the last checkpoint" in lost.stderr, str(lost)
    jobs.run([*system, *options, "--restart", "d"], tmp_path, SETTINGS).succeeded()
    assert bits(tmp_path) == clean


SAVING = ("--checkpoint", "d", "--every", "0.01s")
RARELY = ("--checkpoint", "d", "--every", "10s")


@pytest.mark.more
def test_what_was_on_a_lost_disk_comes_from_the_partners_copies(tmp_path):
    disks = Disks(tmp_path, 2, 1, 1600, 16, "--set", "verify=online")
    jobs.finish(disks.start()).succeeded()
    clean = disks.bits()
    disks.interrupt(*SAVING)
    disks.lose(1)
    restarted = disks.start(*RARELY, "--restart", "d")
    outcome = jobs.finish(restarted).succeeded()
    assert "restarts with iteration" in outcome.stderr, str(outcome)
    assert "d is on 2 disks" in outcome.stderr, str(outcome)
    assert disks.bits() == clean
    assert disks.names() == []


@pytest.mark.long
def test_after_a_restart_on_other_hosts_the_next_loss_costs_nothing_either(tmp_path):
    disks = Disks(tmp_path, 1, 2, 1600, 16)
    jobs.finish(disks.start()).succeeded()
    clean = disks.bits()
    disks.interrupt(*SAVING)
    disks.swap(0, 1)
    disks.lose(0)
    disks.interrupt(*SAVING, "--restart", "d")
    disks.lose(1)
    jobs.finish(disks.start(*RARELY, "--restart", "d")).succeeded()
    assert disks.bits() == clean
    assert disks.names() == []


@pytest.mark.more
def test_a_folder_that_is_the_restarts_on_some_hosts_only_is_refused(tmp_path):
    disks = Disks(tmp_path, 1, 2, 1600, 16)
    disks.interrupt(*SAVING)
    found = disks.names()
    (tmp_path / "disk1/e").symlink_to("d")
    options = ("--restart", "d", "--checkpoint", "e")
    refused = jobs.finish(disks.start(*options))
    assert refused.status == 2, str(refused)
    assert "is the folder of --restart on some hosts only" in refused.stderr
    assert disks.names() == found


@pytest.mark.more
def test_a_run_that_is_refused_removes_nothing_on_any_disk(tmp_path):
    """Only some of the disks have files that say whose they are."""
    disks = Disks(tmp_path, 2, 2, 1600, 16)
    disks.interrupt(*SAVING)
    disks.swap(1, 3)
    found = disks.names()
    disks.grid = ["-p", 1, "-q", 4]
    refused = jobs.finish(disks.start(*SAVING))
    assert refused.status == 2, str(refused)
    assert "holds checkpoints of another grid" in refused.stderr, str(refused)
    assert disks.names() == found
