# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints that cannot be written, or used: nothing is lost, or it is said."""
import json
import os
import random
import shutil
import struct
import subprocess
import sys

import pytest

import hpl_dat
import jobs
import checkpoints
from checkpoints import SETTINGS, bits, files, whole, words

SYSTEM = (1, 2, 720, 16)  # P, Q, N, NB
RANDOM = random.Random(4)
RESTARTS, BEGUN, MOMENT, CHECK = 96, 168, 176, 216  # bytes before them, in a header


def run(folder, *options, system=SYSTEM, threshold="16.0"):
    (folder / "HPL.dat").write_text(hpl_dat.text(threshold=threshold))
    return jobs.run(words(*system, *options), folder, SETTINGS)


@pytest.fixture(scope="module")
def left(tmp_path_factory):
    """A folder with the last two checkpoints of a run that nobody checked."""
    folder = tmp_path_factory.mktemp("left")
    for _ in range(20):
        shutil.rmtree(folder / "d", ignore_errors=True)
        run(folder, "--checkpoint", "d", "--every", "0.001s", threshold="0").succeeded()
        if len(whole(folder, 2)) == 2:
            return folder
    raise AssertionError(f"two checkpoints never came to be: {files(folder)}")


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clean")
    run(folder).succeeded()
    return bits(folder)


@pytest.fixture
def copy(left, tmp_path):
    shutil.copytree(left / "d", tmp_path / "d")
    return tmp_path


def newest(folder, place="r0-c0"):
    return folder / f"d/xhpl-{place}.{whole(folder, 2)[-1]}"


def test_only_the_last_two_stay(left):
    found = whole(left, 2)
    assert len(files(left)) == 2 * (len(found) + 1), files(left)  # alive


def test_a_restart_ends_with_the_bits_of_a_clean_run_and_says_so(copy, clean):
    first = whole(copy, 2)[-1]
    outcome = run(copy, "--restart", "d").succeeded()
    found = json.loads((copy / "run.json").read_text())["tests"][0]
    assert bits(copy) == clean and files(copy) == []
    assert f"restarts with iteration {first} of 45 from d" in outcome.stderr, str(outcome)
    restarted = found["restarted"]
    assert (restarted["times"], restarted["iteration"]) == (1, first)
    assert restarted["between_seconds"] > 0 and restarted["lost_seconds"] >= 0
    assert restarted["before_seconds"] < found["seconds"] and restarted["clocks_agree"]


def rewrite(path, change):
    """The same checkpoint with another header, which is sealed."""
    data = bytearray(path.read_bytes())
    change(data)
    check = 0xCBF29CE484222325  # FNV-1a
    for byte in data[:CHECK]:
        check = (check ^ byte) * 0x100000001B3 % 2**64
    data[CHECK:CHECK + 8] = check.to_bytes(8, sys.byteorder)
    path.write_bytes(data)


def after_another_restart(data):
    data[RESTARTS] += 1


def by_a_clock_600_s_ahead(data):
    for at in (BEGUN, MOMENT):
        (seconds,) = struct.unpack_from("d", data, at)
        struct.pack_into("d", data, at, seconds + 600)


def test_a_clock_that_is_behind_makes_no_run_faster(copy, clean):
    """Nor its time negative: what was seen to pass counts."""
    for place in ("r0-c0", "r0-c1"):
        rewrite(newest(copy, place), by_a_clock_600_s_ahead)
    outcome = run(copy, "--restart", "d").succeeded()
    assert "the clock of this host is behind the times" in outcome.stderr, str(outcome)
    test = checkpoints.test_of(copy)
    assert not test["restarted"]["clocks_agree"]
    assert 0 < test["restarted"]["before_seconds"] <= test["seconds"] < 300
    assert bits(copy) == clean


def damage(folder):
    path = newest(folder, RANDOM.choice(["r0-c0", "r0-c1"]))
    data = bytearray(path.read_bytes())
    data[RANDOM.randrange(len(data))] ^= 0x10
    path.write_bytes(data)


def cut(folder):
    os.truncate(newest(folder), RANDOM.randrange(newest(folder).stat().st_size))


def lose(folder):
    newest(folder, "r0-c1").unlink()


def restart_between(folder):
    rewrite(newest(folder, "r0-c1"), after_another_restart)


def take_older(folder):
    shutil.copy(folder / f"d/xhpl-r0-c0.{whole(folder, 2)[0]}", newest(folder))


@pytest.mark.few(3)
@pytest.mark.parametrize("spoil, said", [
    (damage, ""),
    (cut, "it ends too early"),
    (lose, "No such file or directory"),
    (restart_between, "some processes wrote their part before a restart, others after it"),
    (take_older, "it is that of another iteration"),
])
def test_without_the_newest_one_the_one_before_is_used(copy, clean, spoil, said):
    older, last = whole(copy, 2)
    spoil(copy)
    outcome = run(copy, "--restart", "d").succeeded()
    assert f"the checkpoint of iteration {last} cannot be used: " in outcome.stderr
    assert said in outcome.stderr, str(outcome)
    assert f"restarts with iteration {older} " in outcome.stderr, str(outcome)
    assert bits(copy) == clean


def test_files_stay_where_the_report_is_lost(copy, clean):
    (copy / "HPL.out").symlink_to("/dev/full")
    (copy / "HPL.dat").write_text(hpl_dat.text(device="8"))
    jobs.run(words(*SYSTEM, "--restart", "d"), copy, SETTINGS).ended(3)
    assert len(whole(copy, 2)) == 2
    run(copy, "--restart", "d").succeeded()
    assert bits(copy) == clean and files(copy) == []


def test_a_run_that_had_ended_while_its_files_went_begins_anew(copy, clean):
    for path in copy.glob("d/xhpl-r0-c1.*"):
        path.unlink()
    (copy / "d/xhpl-r0-c0.done").touch()
    outcome = run(copy, "--restart", "d", "--checkpoint", "d").succeeded()
    assert "ended and wrote its results; this run starts" in outcome.stderr, str(outcome)
    assert bits(copy) == clean and files(copy) == []


@pytest.mark.surface
def test_a_folder_that_others_may_write_is_refused(copy):
    (copy / "d").chmod(0o777)
    for option in ("--restart", "--checkpoint"):
        refused(run(copy, option, "d"), "d", "everybody may write it")
    (copy / "d").chmod(0o700)
    try:
        shutil.chown(copy / "d", 4321)
    except PermissionError:
        return  # only root can give files away
    for option in ("--restart", "--checkpoint"):
        refused(run(copy, option, "d"), "it belongs to user 4321")
    assert len(whole(copy, 2)) == 2


@pytest.mark.parametrize("kind", ["symlink", "hardlink"])
def test_a_link_in_the_folder_leads_to_no_file_that_is_written(copy, kind):
    victim = copy / "victim"
    victim.write_text("mine\n")
    for name in ("part", "alive"):
        path = copy / f"d/xhpl-r0-c0.{name}"
        path.unlink(missing_ok=True)
        getattr(path, f"{kind}_to")(victim)
    run(copy, "--restart", "d", "--checkpoint", "d", "--every", "0.01s")
    run(copy, "--checkpoint", "d", "--every", "0.01s")
    assert victim.read_text() == "mine\n"


def refused(outcome, *said):
    assert outcome.status == 2, str(outcome)
    assert [x for x in said if x not in outcome.stderr] == [], str(outcome)


def test_the_file_of_another_rank_is_refused(copy):
    for iteration in whole(copy, 2):
        shutil.copy(copy / f"d/xhpl-r0-c0.{iteration}", copy / f"d/xhpl-r0-c1.{iteration}")
    before = files(copy)
    refused(run(copy, "--restart", "d"), "the process column = 0, not 1",
            "holds no checkpoint that all processes of this grid can read")
    assert files(copy) == before


@pytest.mark.few(2)
@pytest.mark.parametrize("system,said", [
    ((1, 2, 704, 16), "N = 720, not 704"),
    ((1, 2, 720, 32), "NB = 16, not 32"),
    ((2, 1, 720, 16), "holds no checkpoint that all processes"),
    ((1, 1, 720, 16), "Q = 2, not 1"),
])
def test_another_system_is_refused(copy, system, said):
    before = files(copy)
    refused(run(copy, "--restart", "d", system=system), said)
    refused(run(copy, "--checkpoint", "d", system=system), "--checkpoint: ")
    assert files(copy) == before


def test_a_run_from_the_start_leaves_them_alone(copy):
    refused(run(copy, "--checkpoint", "d"), "add --restart d to continue from the newest")
    assert len(whole(copy, 2)) == 2


@pytest.mark.surface
def test_another_variant_is_said_to_round_otherwise(copy):
    (copy / "HPL.dat").write_text(hpl_dat.text(pfact="0", nbmin="2"))
    outcome = jobs.run(words(*SYSTEM, "--restart", "d"), copy, SETTINGS).succeeded()
    assert "the last bits of the result may differ" in outcome.stderr


@pytest.mark.surface
@pytest.mark.few(2)
@pytest.mark.parametrize("options,said", [
    (("--every", "soon"), "--every: 'soon' is not allowed"),
    (("--checkpoint", "d", "-nb", "16,32"), "need exactly one test, not 2"),
    (("--restart", "d", "--set", "solver=reference"), "need solver=hybrid"),
    (("--checkpoint", "no/d"), "cannot write to the folder no/d"),
    (("--checkpoint", "/sys/kernel"), "cannot write to the folder /sys/kernel"),
    (("--restart", "d"), "--restart: the folder d cannot be used: No such file"),
])
def test_options_that_make_no_sense_are_refused(tmp_path, options, said):
    run(tmp_path, *options).ended(2, said)


def test_on_a_full_disk_the_run_goes_on_and_says_so(tmp_path):
    limit = "trap '' XFSZ; ulimit -f 4000; exec \"$@\""
    program = ["sh", "-c", limit, "sh"]
    system = words(1, 1, 720, 16, "--checkpoint", "e", "--every", "0.01s")
    outcome = jobs.run([*program, *system], tmp_path, SETTINGS).succeeded()
    assert "the checkpoint of iteration" in outcome.stderr
    assert "File too large; the run goes on" in outcome.stderr
    saved = checkpoints.test_of(tmp_path)["checkpoints"]
    assert saved["written"] == [] and saved["failed"] > 0, str(outcome)
    assert list(tmp_path.glob("e/*")) == []


@pytest.fixture
def small_disk(tmp_path):
    """The folder d, which takes one checkpoint and some of the next one."""
    (tmp_path / "d").mkdir(mode=0o700)
    disk = ["mount", "-t", "tmpfs", "-o", "size=4700k,mode=0700", "tmpfs", tmp_path / "d"]
    if os.geteuid() != 0 or subprocess.run(disk, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small disk")
    yield tmp_path
    subprocess.run(["umount", tmp_path / "d"], check=True)


@pytest.mark.more
def test_a_disk_that_is_full_keeps_the_checkpoint_before(small_disk, clean):
    outcome = run(small_disk, "--checkpoint", "d", "--every", "0.001s",
                  threshold="0").succeeded()  # fmt: skip
    assert "No space left on device; the run goes on" in outcome.stderr, str(outcome)
    assert len(whole(small_disk, 2)) == 1, files(small_disk)
    assert not [x for x in files(small_disk) if x.endswith(".part")]
    run(small_disk, "--restart", "d").succeeded()
    assert bits(small_disk) == clean
