# SPDX-License-Identifier: BSD-3-Clause
"""Devices that are lost, too small, or wrong, inside a run of xhpl."""
import re

import pytest

import jobs
from busy import patience, retried

# Several iterations, each with many columns for the devices.
SYSTEM = ("-n", 500, "--nb", 48, "--depth", 1)
SHARED = ("threads=1", "split=fixed:0.9", "emu_memory=16")
GRIDS = {1: ("-p", 1, "-q", 1), 4: ("-p", 2, "-q", 2)}


@pytest.fixture
def xhpl(xhpl):
    """Nothing runs on devices before the work in which faults are counted."""
    def run(*words, **how):
        return xhpl("--set", "trust=off", *words, **how)

    run.directory = xhpl.directory
    return run


def solve(xhpl, processes, devices, *settings, system=SYSTEM):
    """A run with so many emulated devices on each process."""
    words = jobs.sets(f"devices=emu:{devices * processes}", *SHARED, *settings)
    return xhpl(*system, *GRIDS[processes], *words, processes=processes)


def assert_passed(outcome):
    assert outcome.status == 0, str(outcome)
    assert "1 tests completed and passed" in outcome.stdout, str(outcome)


# What has to be said of a device, with the fault that leads to it.
LOSSES = [
    (1, 1, "fault on demand", ("emu_fault=0:fail@gemm:4",)),
    (4, 1, "fault on demand", ("emu_fault=0:fail@copy_in:5",)),
    (1, 2, "not enough memory", ("emu_fault=0:oom@copy_in:5",)),
    (4, 1, "it stalled", ("emu_fault=0:stall@gemm:2", "stall_seconds=0.3")),
]


@pytest.mark.few(2)
@pytest.mark.parametrize("processes, devices, cause, settings", LOSSES)
@retried
def test_a_lost_device_that_multiplies_ends_the_run(xhpl, processes, devices, cause, settings):
    outcome = solve(xhpl, processes, devices, *settings)
    ends_for_the_lost_device(outcome)
    assert re.search(rf"emu device 0\b.*{cause}", outcome.stderr), str(outcome)
    assert "from process # 0 on" in outcome.stderr, str(outcome)


def test_where_a_device_fails_before_the_run_all_columns_stay_on_hosts(xhpl):
    """All processes leave their devices, though one alone has lost its own."""
    words = jobs.sets("devices=emu:2 emu_rate=1e6 home=auto trust=on emu_fault=0:fail@gemm:1")
    outcome = xhpl("-n", "600,400", "--nb", 32, "-p", 1, "-q", 2, *words, processes=2)
    assert outcome.status == 0 and outcome.stdout.count("PASSED") == 2, str(outcome)
    assert "emu device 0: fault on demand" in outcome.stderr
    assert outcome.stderr.count("the matrix lives in host memory") == 1, str(outcome)
    assert "homes: where" not in outcome.stderr, str(outcome)


def test_memory_outlives_the_work_that_uses_it(xhpl):
    """Work is still queued where memory for the next is refused."""
    words = jobs.sets("devices=emu:1 emu_fault=oom@trsm:1 home=device trust=on")
    outcome = xhpl("-n", 1500, "--nb", 32, "-p", 1, "-q", 1, *words).succeeded()
    assert "device emu:0: not tested: not enough memory" in outcome.stderr, str(outcome)


def test_columns_on_devices_of_which_one_has_failed_end_the_run_with_its_name(xhpl):
    """Which is no fault of the input: the status of a failure, no skipped test."""
    words = jobs.sets("trust=on devices=emu:2 home=device emu_fault=1:fail@gemm:1")
    outcome = xhpl("-n", 400, "--nb", 32, "-p", 1, "-q", 1, *words).ended(3)
    assert "skipped" not in outcome.stdout + outcome.stderr, str(outcome)
    said = "home=device: all devices of a process are needed, but emu device 1 (emulated "
    assert said in outcome.stderr, str(outcome)


# Every operation that columns on a device need, by grid; also those of panels there,
# and what is agreed on, which goes down and up between a panel's columns.
RESIDENT = {
    (1, 1): "fail@generate:1 oom@copy_in:5 fail@swap_rows:2",
    (1, 2): "fail@copy_out:3 fail@gemv:2 stall@copy_in:20",
    (2, 2): "fail@gemm:4 fail@copy_in:9 stall@gemm:3 fail@gather_rows:3 "
            "fail@scatter_rows:3 stall@gather_rows:3 stall@scatter_rows:2",
}  # fmt: skip
PANELS = {
    (1, 1): "fail@panel_step:3 fail@trsm:2",
    (1, 2): "oom@panel_step:2 stall@panel_step:2",
    (2, 1): "fail@panel_column:3 fail@copy_in:90 stall@copy_out:90 "
            "stall@event_record:90",
    (2, 2): "oom@panel_column:2 stall@panel_column:2 fail@trsm:2 stall@copy_in:90 "
            "fail@copy_out:90 fail@event_record:90",
}  # fmt: skip
LOST = [(*grid, fault + panel) for cases, panel in ((RESIDENT, ""), (PANELS, " panel=device"))
        for grid, faults in cases.items() for fault in faults.split()]  # fmt: skip


def run_with_columns_there(xhpl, p, q, fault, *settings, system=SYSTEM):
    words = jobs.sets(f"devices=emu:{p * q} home=device threads=1", patience(fault),
                      *settings, f"emu_fault=0:{fault}")
    return xhpl(*system, "-p", p, "-q", q, *words, processes=p * q)


def ends_for_the_lost_device(outcome):
    assert outcome.status == 3, str(outcome)
    assert "PASSED" not in outcome.stdout, str(outcome)
    said = (r"iteration \d+: a device is lost: "
            r"emu device 0 \(emulated device")  # fmt: skip
    assert re.search(said, outcome.stderr), str(outcome)


@pytest.mark.few(6)
@pytest.mark.parametrize("p, q, fault", LOST)
@retried
def test_a_lost_device_with_columns_ends_the_run(xhpl, p, q, fault):
    ends_for_the_lost_device(run_with_columns_there(xhpl, p, q, fault))


# Half of the columns live there, the others come in turns.
@pytest.mark.few(3)
@pytest.mark.parametrize("fault", ["fail@copy_in:60", "fail@copy_out:20",
                                   "fail@copy:3", "fail@gemm:150",
                                   "stall@copy_in:50", "stall@copy:5",
                                   "stall@copy_out:20"])  # fmt: skip
@retried
def test_a_device_lost_with_columns_that_come_ends_the_run(xhpl, fault):
    outcome = run_with_columns_there(
        xhpl, 1, 1, fault, "panel=device", "emu_memory=5",
        system=("-n", 1000, "--nb", 32),
    )  # fmt: skip
    assert "guests of these" in outcome.stderr, str(outcome)
    ends_for_the_lost_device(outcome)


# Each operation of columns on a device runs once before the first iteration; two
# process rows have others for their rows.
@pytest.mark.parametrize("p, q, ops", [(1, 1, "copy_in copy_out gemm trsm gemv swap_rows"),
                                       (2, 1, "gather_rows scatter_rows")])
def test_operations_are_tried_before_the_clock_runs(xhpl, p, q, ops):
    for op in ops.split():
        words = jobs.sets(f"devices=emu:{p * q} home=device emu_fault=0:fail@{op}:1")
        outcome = xhpl(*SYSTEM, "-p", p, "-q", q, *words, processes=p * q).ended(3)
        said = "the first work on emu device 0 (emulated device) fails"
        assert said in outcome.stderr, str(outcome)


# The first copy between devices is a try: of a device that cannot, or that
# reads something else.
@pytest.mark.parametrize("fault", ["1:oom@copy:1", "0:flip@copy:1"])
def test_panels_go_by_way_of_the_host_where_devices_do_not_reach_others(xhpl, fault):
    words = jobs.sets(f"devices=emu:2 home=device panel=device emu_peer=100 emu_fault={fault}")
    outcome = xhpl(*SYSTEM, "-p", 1, "-q", 1, *words)
    assert_passed(outcome)
    assert "panels travel through the host" in outcome.stderr, str(outcome)


# Device 0 gives back something else than came.
NO_MPI = [("none", "this process has no device"),
          ("emu:2 emu_fault=0:flip@copy_out:1", "arrived damaged")]


@pytest.mark.parametrize("devices, said", NO_MPI)
def test_mpi_that_does_not_take_device_memory_is_refused(xhpl, devices, said):
    words = jobs.sets(f"device_mpi=on devices={devices}")
    outcome = xhpl(*SYSTEM, "-p", 2, "-q", 1, *words, processes=2)
    outcome.refused("device_mpi=on: ", said)


def test_a_device_that_refuses_memory_takes_no_part(xhpl):
    outcome = solve(xhpl, 4, 2, "emu_fault=0:oom@alloc:1")
    assert_passed(outcome)
    assert outcome.stderr.count("device 0 is not used") == 1, str(outcome)
    assert "given up" not in outcome.stderr, str(outcome)


@pytest.mark.parametrize("processes", GRIDS)
def test_a_large_flipped_bit_fails(xhpl, processes):
    outcome = solve(xhpl, processes, 1, "emu_fault=0:flip@copy_out:3").ended(1)
    assert "1 tests completed and failed" in outcome.stdout, str(outcome)
    assert outcome.stdout.count("FAILED") == 1, str(outcome)


@pytest.mark.more
def test_devices_without_memory_for_two_block_columns_take_no_part(xhpl):
    outcome = solve(xhpl, 4, 1, "emu_memory=1", system=("-n", 1200, "--nb", 300))
    assert_passed(outcome)
    said = re.findall("is not used: panels and 2 block columns need .* MiB", outcome.stderr)
    assert len(said) == 4, str(outcome)


def test_a_wrong_visitor_is_found_while_the_run_is_under_way(xhpl):
    outcome = solve(xhpl, 1, 1, "verify=online", "home=host", "emu_fault=flip@copy_out:5")
    assert outcome.status == 1, str(outcome)
    said = r"error: .*iteration.*: a (row of the matrix|panel) is wrong"
    assert re.search(said, outcome.stderr), str(outcome)
    assert "PASSED" not in outcome.stdout, str(outcome)


# What each operation of the device that holds the columns makes wrong.
WRONG = [(q, panel, fault)
         for q, panel, faults in (
             (1, "host", ("gemm:11", "gemm:30", "copy_in:15", "copy_out:8",
                          "swap_rows:5", "gemv:3")),
             (1, "device", ("gemm:9", "gemm:38", "copy_out:8",
                            "panel_step:3", "swap_rows:6")),
             (2, "host", ("gemm:14", "copy_out:13")),
             (2, "device", ("gemm:14", "panel_step:2")))
         for fault in faults]  # fmt: skip


@pytest.mark.few(6)
@pytest.mark.parametrize("q, panel, fault", WRONG)
def test_a_device_with_columns_that_is_wrong_is_named(xhpl, q, panel, fault):
    words = jobs.sets(f"devices=emu:{2 * q} home=device panel={panel} threads=1 verify=online",
                      f"emu_fault={2 * q - 1}:flip@{fault}")
    outcome = xhpl(*SYSTEM, "-p", 1, "-q", q, *words, processes=q).ended(1)
    said = rf"error: rank {q - 1} .*iteration.*: .* is wrong.*, by device 1"
    assert re.search(said, outcome.stderr), str(outcome)
    assert "PASSED" not in outcome.stdout, str(outcome)


@pytest.mark.parametrize("panel", ("host", "device"))
def test_rows_that_a_device_takes_wrong_are_found_with_two_process_rows(xhpl, panel):
    words = jobs.sets(f"devices=emu:2 home=device panel={panel} threads=1 verify=online",
                      "emu_fault=1:flip@scatter_rows:9")
    outcome = xhpl(*SYSTEM, "-p", 2, "-q", 1, *words, processes=2).ended(1)
    said = r"error: rank 1 .*iteration.*: .* is wrong.*, by device 0"
    assert re.search(said, outcome.stderr), str(outcome)
