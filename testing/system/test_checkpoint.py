# SPDX-License-Identifier: BSD-3-Clause
"""Runs that pause for checkpoints, are killed at any moment, and go on."""
import os

import pytest

import hpl_dat
import jobs
import checkpoints
from checkpoints import SAVING, SETTINGS, Campaign, bits, files, whole, words

KILLS = int(os.environ.get("TEST_XHPL_KILLS", 2))
DEVICE = ("--set", "devices=emu", "--set", "home=device", "--set", "panel=device")
# In 4 MiB there is room for panels, seats and few columns; the rest are guests.
GUESTS = (*DEVICE, "--set", "emu_memory=4", "--set", "group=3")
CASES = [pytest.param(1, 1, (), marks=pytest.mark.long),
         pytest.param(1, 2, (), marks=pytest.mark.long),
         pytest.param(2, 2, (), marks=pytest.mark.surface),
         pytest.param(2, 1, DEVICE, marks=pytest.mark.surface)]


@pytest.mark.parametrize("p,q,options", CASES)
def test_killed_at_random_moments_it_ends_with_the_bits_of_a_clean_run(
        tmp_path, p, q, options):
    campaign = Campaign(tmp_path, p, q, 800, 16, *options, seed=p + 10 * q)
    campaign.run_undisturbed()
    while campaign.kills < KILLS:
        campaign.round(min(2, KILLS - campaign.kills))
    print(f"{p} x {q}: {campaign.kills} kills, {campaign.restarts} restarts, "
          f"{campaign.orphans} orphans, {campaign.leftovers} files too many, "
          f"{campaign.partial} in the first one's naming")
    assert (campaign.orphans, campaign.leftovers) == (0, 0)


@pytest.mark.few(5)
@pytest.mark.parametrize("p,q,lookahead,threads,options", [
    (1, 1, "2", 2, ()),
    (2, 1, "0", 1, ()),
    (1, 2, "1", 2, ()),
    (2, 2, "mixed", 2, ()),
    (2, 1, "2", 1, DEVICE),
    (1, 1, "1", 1, (*DEVICE, "--set", "group=4")),
    (1, 1, "1", 1, GUESTS),
    (1, 2, "1", 1, GUESTS),
    (2, 1, "2", 1, (*DEVICE, "--set", "group=4")),
    (2, 1, "2", 1, (*GUESTS, "--set", "group=5")),
])
def test_pauses_change_no_bit_and_raise_no_alarm(tmp_path, p, q, lookahead, threads, options):
    settings = {**SETTINGS, "XHPL_THREADS": str(threads), "XHPL_LOOKAHEAD": lookahead,
                "XHPL_VERIFY": "online", "XHPL_VERIFY_EVERY": "5"}
    has_guests = options[:8] == GUESTS[:8]
    n = 1000 if has_guests else 600
    system = words(p, q, n, 24, *options)
    jobs.run(system, tmp_path, settings).succeeded()
    clean = bits(tmp_path)
    outcome = jobs.run([*system, *SAVING], tmp_path, settings).succeeded()
    saved = checkpoints.test_of(tmp_path)["checkpoints"]
    assert saved["written"] and saved["failed"] == 0, str(outcome)
    assert all(x["seconds"] > 0 and x["bytes"] > 4 * n**2 for x in saved["written"])
    assert bits(tmp_path) == clean, str(outcome)
    assert ("guests of these" in outcome.stderr) == has_guests, str(outcome)


def lose_device(system, folder, processes=1):
    """Fail later and later, until a checkpoint is whole before."""
    system = [*system, "--checkpoint", "d", "--every", "0.001s"]
    for calls in (int(200 * 1.4**i) for i in range(16)):
        fault = ("--set", f"emu_fault=0:fail@gemm:{calls}")
        lost = jobs.run([*system, *fault], folder, SETTINGS).ended(3, "is lost")
        if whole(folder, processes):
            return lost
    raise AssertionError("no checkpoint came to be")


@pytest.mark.long
def test_after_the_loss_of_a_device_with_columns_a_restart_goes_on(tmp_path):
    system = words(1, 1, 1600, 16, *GUESTS)
    jobs.run(system, tmp_path, SETTINGS).succeeded()
    clean = bits(tmp_path)
    lost = lose_device(system, tmp_path)
    assert "--restart goes on from the last checkpoint" in lost.stderr, str(lost)
    jobs.run([*system, *SAVING, "--restart", "d"], tmp_path, SETTINGS).succeeded()
    assert bits(tmp_path) == clean


@pytest.mark.parametrize("p", [1, 2])
def test_a_restart_may_have_other_groups(tmp_path, p):
    """In the middle of one of them it goes on with a new one."""
    system = words(p, 1, 800, 16, *DEVICE)
    lose_device([*system, "--set", "group=6"], tmp_path, p)
    jobs.run([*system, "--set", "group=4", "--restart", "d"], tmp_path, SETTINGS).succeeded()


ON_OWN_DISKS = ["sh", "-c",
                'cd "disk${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" || exit 2; exec "$@"', "sh"]


def swap(folder):
    """Processes are on the other one's host."""
    for old, new in (("disk0", "spare"), ("disk1", "disk0"), ("spare", "disk1")):
        (folder / old).rename(folder / new)


@pytest.mark.more
def test_files_that_another_host_has_are_named_and_nothing_is_removed(tmp_path):
    system = list(map(str, words(1, 1, 1200, 16)))

    def run(*options, threshold="16.0"):
        for rank in (0, 1):
            (tmp_path / f"disk{rank}").mkdir(exist_ok=True)
            dat = tmp_path / f"disk{rank}/HPL.dat"
            dat.write_text(hpl_dat.text(threshold=threshold))
        command = [*ON_OWN_DISKS, *system, "-q", "2", *options]
        return jobs.run(jobs.launched(2, command), tmp_path, SETTINGS)

    run().succeeded()
    clean = bits(tmp_path / "disk0")
    run(*SAVING, threshold="0").succeeded()
    swap(tmp_path)
    before = files(tmp_path / "disk0"), files(tmp_path / "disk1")
    for options in (("--restart", "d"), SAVING):
        refused = run(*options).ended(2)
        assert (files(tmp_path / "disk0"), files(tmp_path / "disk1")) == before
        if "--restart" in options:
            assert "of rank 0 is on " in refused.stderr, str(refused)
            assert "where rank 1 runs" in refused.stderr, str(refused)
    swap(tmp_path)
    run("--restart", "d", *SAVING).succeeded()
    assert bits(tmp_path / "disk0") == clean
    assert files(tmp_path / "disk0") == files(tmp_path / "disk1") == []
