# SPDX-License-Identifier: BSD-3-Clause
"""Columns dealt by speed: files of rates, measured ones, what is refused."""
import json
import os

import pytest

import checkpoints
import hpl_dat
import jobs
import records

SETTINGS = {"XHPL_THREADS": "1"}
TWO = ("-n", 1000, "--nb", 32, "-p", 1, "-q", 2)
FOUR = ("-n", 601, "--nb", 32, "-p", 2, "-q", 2)


def run(folder, system, *options, processes=2):
    command = jobs.launched(processes, (jobs.XHPL, *system, *options))
    return records.run(command, folder, SETTINGS)


def weights(folder):
    (test,) = json.loads((folder / "r.json").read_text())["tests"]
    assert test["status"] == "PASSED"
    return test["weights"]


@pytest.mark.few(1)
@pytest.mark.parametrize("options", ((), ("--set", "solver=reference"),
                                     ("--set", "verify=online")))  # fmt: skip
def test_a_file_of_ranks_deals_columns(options, tmp_path):
    (tmp_path / "rates").write_text("0 3\n1 1 # slow\n")
    outcome = run(tmp_path, TWO, "--weights", "rates", "--json", "r.json", *options)
    assert ("column 1 gets the smallest part of the matrix, 25.0%, and column 0 the largest, 75.0%"
            in outcome.succeeded().stderr), str(outcome)
    found = weights(tmp_path)
    assert found["source"] == "rates" and found["rates"] == [3.0, 1.0]
    assert sum(found["columns"]) == 1000 and 730 < found["columns"][0] < 780


def rows(outcome):
    """The last lines of a table of choices, by the words behind their numbers."""
    lines = outcome.succeeded().stdout.partition("Processes of unequal speed:\n")[2]
    lines = lines.partition("\n\n")[0]
    found = {}
    for line in lines.strip().splitlines():
        numbers = line.split(maxsplit=9)
        found[numbers[9]] = [float(x) for x in numbers[:9]]
    return found


def plan(folder, text, *options):
    (folder / "rates").write_text(text)
    return run(folder, ("--plan", "--memory", "200M", "--nb", 64, "--force"), "--weights", "rates",
               "--set", "plan_seconds=0.1", *options)  # fmt: skip


@pytest.mark.surface
def test_plans_and_predictions_say_what_weights_give(tmp_path):
    """But a plan for other processes knows no weights."""
    outcome = plan(tmp_path, "0 4\n1 1\n", "--nodes", 4).succeeded()
    assert "weights belong to the 2 processes that were started" in outcome.stderr, str(outcome)
    assert "unequal speed" not in outcome.stdout
    (tmp_path / "rates").write_text("0 3\n1 1\n")
    outcome = run(tmp_path, TWO, "--predict", "--weights", "rates",
                  "--force", "--set", "plan_seconds=0.1").succeeded()  # fmt: skip
    assert "at most 2.00 times as fast as with equal columns" in outcome.stderr


@pytest.mark.surface
def test_a_plan_compares_weights_and_leaving_the_slowest_out(tmp_path):
    found = rows(plan(tmp_path, "0 4\n1 1\n", "--write", "HPL.dat"))
    assert list(found) == ["equal columns", "by weights", "without the slowest (1 of 2)"]
    n, nb, p, q, *_, size = found["by weights"]
    assert (p, q) == (1, 2) and size < 0.1
    assert n < found["equal columns"][0]
    assert found["without the slowest (1 of 2)"][2:4] == [1, 1]
    assert f"{int(n)} " in (tmp_path / "HPL.dat").read_text()


def test_a_file_of_hosts_makes_equal_ones_equal(tmp_path):
    name = os.uname().nodename.partition(".")[0]
    (tmp_path / "rates").write_text(f"elsewhere 1\n{name} 7\n")
    outcome = run(tmp_path, TWO, "--weights", "rates", "--json", "r.json").succeeded()
    assert "all process columns are equally fast" in outcome.stderr, str(outcome)
    assert weights(tmp_path)["columns"] == [512, 488]


def test_unlike_processes_of_a_column_are_named(tmp_path):
    (tmp_path / "rates").write_text("0 4\n1 2\n2 4\n3 1\n")
    outcome = run(tmp_path, FOUR, "--weights", "rates", "--json", "r.json", processes=4)
    assert ("in process column 1, rank 3 has 50% of the speed of rank 1"
            in outcome.succeeded().stderr), str(outcome)
    assert weights(tmp_path)["rates"] == [4.0, 1.0]


@pytest.mark.parametrize("devices", (
    (), pytest.param(jobs.sets("devices=emu home=host"), marks=pytest.mark.more)))
def test_rates_are_measured_also_of_unknown_devices(tmp_path, devices):
    run(tmp_path, TWO, "--weights", "measure", "--json", "r.json", *devices).succeeded()
    found = weights(tmp_path)
    assert found["source"] == "measure" and len(found["rates"]) == 2
    assert sum(found["columns"]) == 1000 and min(found["rates"]) > 0


@pytest.mark.few(2)
@pytest.mark.parametrize("text, said", (
    ("0 1\n", "no rate for rank 1 on host"), (None, "cannot read 'rates': No such file"),
    ("0 1\n1 much\n", "rates:2: '1' needs one rate above 0"),
    ("0 1\n2 1\n", "this run has no rank 2")))
def test_what_cannot_be_is_refused(text, said, tmp_path):
    if text is not None:
        (tmp_path / "rates").write_text(text)
    outcome = run(tmp_path, TWO, "--weights", "rates").ended(2, said)
    assert "T/V" not in outcome.stdout


# ---- checkpoints ---------------------------------------------------------------------


def saving(folder, *options, threshold="16.0"):
    """A run of which checkpoints stay, unless it was checked."""
    (folder / "HPL.dat").write_text(hpl_dat.text(threshold=threshold))
    return jobs.run(checkpoints.words(1, 2, 1200, 16, *options), folder, checkpoints.SETTINGS)


def leave_checkpoints(folder, how):
    for _ in range(20):
        saving(folder, "--weights", how, "--checkpoint", "d", "--every", "0.001s",
               threshold="0").succeeded()  # fmt: skip
        if checkpoints.whole(folder, 2):
            return
    raise AssertionError(f"no checkpoint came to be: {checkpoints.files(folder)}")


@pytest.mark.more
def test_a_restart_has_the_bits_and_no_other_weights(tmp_path):
    (tmp_path / "rates").write_text("0 3\n1 1\n")
    (tmp_path / "others").write_text("0 1\n1 2\n")
    saving(tmp_path, "--weights", "rates").succeeded()
    clean = checkpoints.bits(tmp_path)
    leave_checkpoints(tmp_path, "rates")
    for how in ("off", "others"):
        outcome = saving(tmp_path, "--weights", how, "--restart", "d").ended(2)
        assert "its columns are dealt by other weights" in outcome.stderr, str(outcome)
    outcome = saving(tmp_path, "--weights", "rates", "--restart", "d").succeeded()
    assert "restarts with iteration" in outcome.stderr, str(outcome)
    assert checkpoints.bits(tmp_path) == clean and checkpoints.files(tmp_path) == []


@pytest.mark.more
def test_a_restart_takes_the_rates_that_were_measured(tmp_path):
    leave_checkpoints(tmp_path, "measure")
    saved = (tmp_path / "d/xhpl-weights").read_text()
    (tmp_path / "d/xhpl-weights").write_text("0 3\n1 1\n")
    outcome = saving(tmp_path, "--weights", "measure", "--restart", "d").ended(2)
    assert "dealt by other weights" in outcome.stderr, str(outcome)
    (tmp_path / "d/xhpl-weights").write_text(saved)
    (tmp_path / "rates").write_text(saved)
    outcome = saving(tmp_path, "--weights", "measure", "--restart", "d").succeeded()
    assert "restarts with iteration" in outcome.stderr, str(outcome)
    found = checkpoints.bits(tmp_path)
    assert checkpoints.files(tmp_path) == []
    saving(tmp_path, "--weights", "rates").succeeded()
    assert checkpoints.bits(tmp_path) == found
