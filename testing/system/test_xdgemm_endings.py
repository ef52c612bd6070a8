# SPDX-License-Identifier: BSD-3-Clause
"""What xdgemm tells of a run that does not end as it should."""
import json
import re
import signal
import time

import pytest

import jobs
from busy import retried

XDGEMM = jobs.BIN / "xdgemm"

pytestmark = pytest.mark.skipif(not XDGEMM.exists(), reason="built without hybrid/")

# The host works on C while the device writes into it.
SHARED = ["--devices", "emu:1", "--set", "tile=32", "--set", "split=fixed:0.8"]
LONG = ["-m", "100", "--torture", "60", "--json", "x.json"]


@pytest.fixture
def start(tmp_path):
    """Start xdgemm in a fresh directory, with a cache of its own."""

    def started(*options):
        cache = {"XDG_CACHE_HOME": str(tmp_path)}
        return jobs.start([XDGEMM, *options], tmp_path, cache)

    return started


def record(folder):
    return json.loads((folder / "x.json").read_text())


def totals(outcome):
    """Products that were checked, and wrong ones."""
    said = re.search(r"^verified: (\d+) products, (\d+) wrong$", outcome.stdout, re.M)
    assert said, str(outcome)
    return int(said[1]), int(said[2])


def stopped(job, number):
    """How it ends by a signal that comes after its first line of rates."""
    seen = []
    for line in job.stderr:
        seen.append(line)
        if " s: host " in line:
            job.send_signal(number)
            break
    outcome = jobs.finish(job)
    outcome.stderr = "".join(seen) + outcome.stderr
    return outcome


# ---- failures ---------------------------------------------------------------


def products_of(folder):
    """Of all executors of a torture."""
    return sum(x["products"] for x in record(folder)["torture"]["executors"])


def test_a_failure_leaves_the_figures_of_torture(start, tmp_path):
    outcome = jobs.finish(start(*LONG, "--devices", "emu:1", "--set", "emu_fault=fail@gemm:200"))
    assert outcome.status == 3, str(outcome)
    checked, wrong = totals(outcome)
    assert checked > 0 and wrong == 0
    assert record(tmp_path)["exit_status"] == 3
    assert products_of(tmp_path) == checked
    assert re.search(r"^emu:0 +\d+ .* lost$", outcome.stdout, re.M)
    assert re.search(r"error: emu:0 is lost: ", outcome.stderr), str(outcome)
    outcome = jobs.finish(start(*LONG, "--devices", "emu:1", "--set", "emu_fault=fail@gemm:1"))
    assert outcome.status == 3 and "nan" not in outcome.stdout, str(outcome)
    device = record(tmp_path)["torture"]["executors"][1]
    assert device["products"] == 0 and device["end_rate"] is None


def test_a_failure_leaves_the_rates_measured_until_then(start, tmp_path):
    outcome = jobs.finish(start(
        "-m", "128", "-k", "16", "--repeat", "1000", "--verify", "--json",
        "x.json", *SHARED, "--set", "emu_fault=fail@gemm:300",
    ))  # fmt: skip
    assert outcome.status == 3, str(outcome)
    found = record(tmp_path)
    assert found["exit_status"] == 3
    host = found["rates"][0]
    assert 0 < len(host["seconds"]) < 1000
    assert sorted(host["seconds"])[(len(host["seconds"]) - 1) // 2] == (host["median_seconds"])
    assert found["verified"]["wrong"] == 0
    assert found["verified"]["products"] > 0


# ---- signals ----------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_torture_with_what_was_found(start, tmp_path, number):
    outcome = stopped(start(*LONG, "--devices", "emu:1"), number)
    assert outcome.status == 128 + number, str(outcome)
    checked, wrong = totals(outcome)
    assert checked > 0 and wrong == 0
    assert f"signal {number:d} ends the run" in outcome.stderr
    found = record(tmp_path)
    assert found["exit_status"] == 128 + number
    assert products_of(tmp_path) == checked
    assert found["torture"]["seconds"] < 60


def test_a_wrong_product_tells_more_than_a_signal(start, tmp_path):
    outcome = stopped(
        start(*LONG, "--devices", "emu:1", "--set", "emu_fault=flip@gemm:1"), signal.SIGINT
    )  # fmt: skip
    assert outcome.status == 1, str(outcome)
    assert totals(outcome)[1] == 1
    assert record(tmp_path)["exit_status"] == 1


# The product that stalls does not end before long.
STALL = ["--devices", "emu:1", "--set", "stall_seconds=100", "--set",
         "emu_fault=stall@gemm:9"]  # fmt: skip


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
@retried
def test_a_second_signal_ends_it_at_once(start, second):
    job = start(*LONG, *STALL)
    assert any("stall@gemm" in line for line in job.stderr)
    for _ in range(2):  # as timeout sends it
        job.send_signal(signal.SIGINT)
    time.sleep(1)
    goes_on = job.poll() is None
    job.send_signal(second)
    outcome = jobs.finish(job, limit=50)
    assert goes_on, str(outcome)
    assert outcome.status == -second and not outcome.timed_out, str(outcome)
    assert "verified:" not in outcome.stdout


@pytest.mark.more
def test_a_signal_that_is_ignored_stays_so(tmp_path):
    command = [XDGEMM, "-m", "100", "--torture", "3", "--devices", "none"]
    words = " ".join(map(str, command))
    job = jobs.start(["sh", "-c", f"trap '' INT; exec {words}"], tmp_path)
    stopped(job, signal.SIGINT).succeeded()


# ---- the list of devices ----------------------------------------------------


def test_the_list_of_devices_is_written_as_json(start, tmp_path):
    outcome = jobs.finish(start("--list-devices", "--json", "x.json")).succeeded()
    found = record(tmp_path)
    assert found["program"] == "xdgemm" and found["version"]
    assert found["host"]["cores"] >= 1
    assert found["host"]["found"] in outcome.stdout
    backends = {x["name"]: x for x in found["backends"]}
    assert backends["emu"]["emulated"] and backends["emu"]["count"] >= 1
    for name, backend in backends.items():
        if "none" in backend:
            assert f"no devices: {backend['none']}" in outcome.stdout, name
        for device in backend["devices"]:
            assert device["executor"] in outcome.stdout
