# SPDX-License-Identifier: BSD-3-Clause
"""What the record of a run measured of processes and hosts while a test ran."""
import os
import re

import pytest

import jobs

pytestmark = pytest.mark.surface

ONE = ["-n", "200", "-nb", "16", "-p", "1", "-q", "1"]

# ---- what each process did ---------------------------------------------------

PHASES = ("panel", "swap", "solve", "update", "broadcast", "exchange", "wait")
LEADER = {
    "swap": ["swap"], "solve": ["solve"], "update": ["update_host"],
    "exchange": ["exchange"],
    "wait": ["wait_panel", "wait_exchange", "wait_device"],
}


def hybrid(found):
    """Its solver measures; skips the test where it does not."""
    if found["solver"] == "reference":
        pytest.skip("the reference solver measures nothing")
    return found


@pytest.mark.parametrize("pmap", ["row", "column"])
def test_every_process_of_a_grid_tells_what_it_did(recorded, pmap):
    grid = ["-p", "2", "-q", "2", "--pmap", pmap]
    _, found = recorded("-n", "400", "-nb", "16", *grid, processes=5)
    (test,) = hybrid(found)["tests"]
    ranks = test["ranks"]
    assert [rank["rank"] for rank in ranks] == [0, 1, 2, 3]
    for rank in ranks:
        assert 0 < sum(rank[p] for p in PHASES) <= 1.001 * test["seconds"]
        assert rank["panel"] > 0 and rank["update"] > 0 and rank["exchange"] > 0
    most = 2 / 3 * 400**3 / 1e9
    assert 0.8 * most < sum(rank["gflop"] for rank in ranks) <= most


def test_a_process_of_one_thread_did_what_its_iterations_say(recorded):
    options = ["-n", "1500", "-nb", "128", "-p", "1", "-q", "2"]
    _, found = recorded(*options, "--set", "threads=1", processes=2)
    (test,), rows = hybrid(found)["tests"], found["iterations"]
    first = test["ranks"][0]
    for name, columns in LEADER.items():
        spent = sum(row[c] for row in rows for c in columns)
        assert first[name] == pytest.approx(spent, abs=1e-3), name
    gflop = sum(row["gflops"] * row["seconds"] for row in rows)
    assert first["gflop"] == pytest.approx(gflop, rel=1e-3)
    assert first["thread_gflops"] > 0


def test_tests_of_one_run_are_measured_apart(recorded):
    _, found = recorded("-n", "600,60", *ONE[2:])
    large, small = (test["ranks"] for test in hybrid(found)["tests"])
    assert small[0]["gflop"] < 0.01 * large[0]["gflop"]
    assert small[0]["thread_gflops"] is None


emulates = pytest.mark.skipif(
    not (jobs.BIN / "libhyb_emu.so").exists(), reason="built without hybrid/"
)


@emulates
def test_what_devices_multiplied_counts(recorded):
    _, found = recorded("-n", "600", *ONE[2:], "--set", "devices=emu:1")
    (rank,) = found["tests"][0]["ranks"]
    most = 2 / 3 * 600**3 / 1e9
    assert 0.9 * most < rank["gflop"] <= most
    assert rank["link_down_bytes"] > 0 and rank["planned_down_bytes"] is None


@pytest.mark.few(2)
@emulates
@pytest.mark.parametrize("p, q, mpi, panel", [
    (1, 1, "off", "host"), (2, 1, "off", "device"), (2, 2, "off", "host"),
    (2, 2, "on", "device")])
def test_what_crosses_links_is_what_was_planned(recorded, p, q, mpi, panel):
    devices = jobs.sets(f"devices=emu:{p * q} home=device panel={panel} device_mpi={mpi}")
    grid = ["-nb", "32", "-p", str(p), "-q", str(q)]
    outcome, found = recorded("-n", "600", *grid, *devices, processes=p * q)
    (test,) = found["tests"]
    # Of times nothing is known: what has no columns has no line.
    homes = re.findall("^xhpl: homes: (.*?) +\\d+ +-$", outcome.stderr, re.M)
    assert homes == ["host", "emu:0", "all"], str(outcome)
    for rank in test["ranks"]:
        for way in ("up", "down"):
            planned = rank[f"planned_{way}_bytes"]
            assert rank[f"link_{way}_bytes"] == pytest.approx(planned, rel=0.05)
        if p > 1 and panel == "device":  # of rows alone 0.5 MB
            assert (rank["link_up_bytes"] < 8e5) == (mpi == "on")
    plan = test["plan"]
    blocks = {row["where"]: row["blocks"] for row in plan["rows"]}
    assert plan["home"] == "device" and blocks["host"] == 0
    assert blocks["emu:0"] == blocks["all"] >= 19 // q


@pytest.mark.few(2)
@emulates
@pytest.mark.parametrize("p, q, peer", [(1, 1, 0), (1, 1, 100), (2, 1, 100), (1, 2, 100)])
def test_devices_that_reach_each_other_spare_their_links(recorded, p, q, peer):
    sets = jobs.sets(f"devices=emu:{3 * p * q} home=device panel=device emu_peer={peer}")
    grid = ["-nb", "32", "-p", str(p), "-q", str(q)]
    _, found = recorded("-n", "600", *grid, *sets, processes=p * q)
    (test,) = found["tests"]
    half = 8 * 600 * 600 / 2  # of the matrix: L2 of all panels
    for rank in test["ranks"]:
        for way in ("up", "down"):
            planned = rank[f"planned_{way}_bytes"]
            assert rank[f"link_{way}_bytes"] == pytest.approx(planned, rel=0.05)
        if p * q == 1:
            assert (rank["link_up_bytes"] < half) == (peer > 0)
            assert (rank["link_down_bytes"] < half) == (peer > 0)


@emulates
@pytest.mark.parametrize("memory", [64, 1024])
def test_an_iteration_queues_few_operations(recorded, memory):
    """A driver's queue holds about 1,000, and then blocks. A dry device has no solution."""
    sets = jobs.sets(
        f"devices=emu:1 emu_dry=on emu_rate=4000 emu_link=8 emu_memory={memory} "
        "home=device verify=end trust=off threads=1"
    )
    size = ["-n", "4096", "-nb", "64", "-p", "1", "-q", "1"]
    _, found = recorded(*size, *sets)
    (test,) = found["tests"]
    (rank,) = test["ranks"]
    has_guests = "guests of these" in [row["where"] for row in test["plan"]["rows"]]
    assert has_guests == (memory == 64)  # the matrix takes 128 MiB
    # Panels up and down, and for each near block, and all far blocks, one swap, one solve and one
    # product; a guest's solve and its copies in parts are many operations.
    most = 400 if has_guests else 60
    panels = 4096 // 64
    assert 0 < rank["iteration_operations"] <= most
    assert rank["operations"] <= panels * most
    # Each panel is swapped, solved and multiplied at least once.
    assert rank["operations"] >= 3 * (panels - 1)


@emulates
def test_a_plan_has_a_time_for_each_phase(recorded):
    """Where the device's rate is known, here as a setting says it."""
    devices = jobs.sets("devices=emu:1 emu_rate=1e6")
    outcome, found = recorded("-n", "600", *ONE[2:], *devices)
    plan = {row["where"]: row for row in found["tests"][0]["plan"]["rows"]}
    assert plan["host"]["blocks"] == 0
    assert 0 < plan["all"]["seconds"] < plan["all on the host"]["seconds"]
    assert "homes: emu:0 " in outcome.stderr


# ---- clocks ------------------------------------------------------------------


def test_clocks_of_a_test_are_those_of_its_hosts(recorded):
    _, found = recorded("-n", "200", "-nb", "16", "-p", "1", "-q", "2", processes=3)
    (test,) = hybrid(found)["tests"]
    names = [clocks["host"] for clocks in test["clocks"]]
    assert names == [host["name"] for host in found["hosts"]]
    for clocks in test["clocks"]:
        if clocks["mhz_mean"] is not None:
            assert clocks["mhz_least"] <= clocks["mhz_mean"] <= clocks["mhz_most"]


# ---- the machine -------------------------------------------------------------


def made_up(text):
    """The environment of a run on a machine of this description."""
    return {"HWLOC_SYNTHETIC": text, "HWLOC_COMPONENTS": "synthetic,-opencl"}


def topologies(found):
    return [host["machine"]["topology"] for host in found["hosts"]]


@pytest.mark.skipif(
    0 not in os.sched_getaffinity(0), reason="a made-up machine has processor 0"
)
def test_a_machine_is_described_so_that_it_can_be_made_again(recorded):
    _, found = recorded(*ONE, env=made_up("pack:1 l2:1 core:1 pu:1"))
    (text,) = topologies(hybrid(found))
    assert text.startswith("Package:1 ") and "L2Cache:1" in text
    _, again = recorded(*ONE, env=made_up(text))
    assert topologies(again) == [text]
