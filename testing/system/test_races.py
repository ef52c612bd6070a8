# SPDX-License-Identifier: BSD-3-Clause
"""Threads of the solver beside MPI, for the thread sanitizer.

Small runs with every look-ahead, and some that lose a device on the way. Without
the sanitizer they only have to pass; with it, not a word may come from it.
"""
import re

import pytest

import jobs
from busy import patience, retried

# grid, emulated devices of all processes, a setting more; four processes with devices
# are slow under the sanitizer and have one look-ahead
RUNS = [(1, 1, "none", None), (1, 1, "emu:3", None), (2, 2, "none", None),
        (2, 2, "emu:4", None), (1, 2, "none", "kernel=blas"),
        (2, 1, "none", "lookahead=mixed"),
        (1, 1, "emu:1", "home=device panel=device"),
        (1, 2, "emu:4", "home=device panel=device emu_peer=100"),
        (2, 2, "emu:4", "home=device panel=device"),
        (2, 2, "emu:4", "home=device device_mpi=on")]  # fmt: skip
# The trial of kernel and BLAS library is long under the sanitizer.
SETTINGS = ("threads=2", "tile=24", "emu_memory=4", "kernel=portable")


def solve(xhpl, system, grid, *settings, status=0):
    """A run of xhpl in which the sanitizer finds nothing."""
    nprow, npcol = grid
    words = jobs.sets(*SETTINGS, *settings)
    system = (*system, "-p", nprow, "-q", npcol)
    outcome = xhpl(*system, *words, processes=nprow * npcol).ended(status)
    assert "ThreadSanitizer" not in outcome.stderr, str(outcome)
    return outcome


@pytest.mark.races
@pytest.mark.parametrize("nprow, npcol, devices, more", RUNS)
def test_threads_do_not_race(xhpl, nprow, npcol, devices, more):
    depths = ["1"] if devices != "none" and nprow * npcol == 4 else ["0", "1", "2"]
    system = ("-n", 100, "--nb", 12, "--depth", ",".join(depths), "--bcast", "4")
    settings = [f"devices={devices}", *(more or "").split()]
    outcome = solve(xhpl, system, (nprow, npcol), *settings)
    assert f"{len(depths)} tests completed and passed" in outcome.stdout, str(outcome)


@pytest.mark.races
def test_threads_do_not_race_where_host_and_devices_hold_columns(xhpl):
    system = ("-n", 460, "--nb", 20, "--depth", "0,1,2")
    home = ("devices=emu:4", "home=device", "emu_memory=1")
    outcome = solve(xhpl, system, (2, 1), *home)
    assert "3 tests completed and passed" in outcome.stdout, str(outcome)


# What becomes of the second process's device in the factorization, and what is
# said of that. A device may be slow under the sanitizer, and is not stalled.
LOSSES = [
    ("fail@copy_in:12", "fault on demand"),
    ("fail@gemm:9", "fault on demand"),
    ("fail@copy_out:9", "fault on demand"),
    ("stall@gemm:9", "it stalled"),
    ("stall@copy_out:9", "it stalled"),
    ("oom@copy_in:12", "not enough memory"),
]


@pytest.mark.races
@pytest.mark.parametrize("fault, cause", LOSSES)
@retried
def test_threads_do_not_race_when_a_device_is_lost(xhpl, fault, cause):
    outcome = solve(
        xhpl, ("-n", 120, "--nb", 16, "--depth", 1), (1, 2),
        "devices=emu:2", "split=fixed:0.9", patience(fault, 2),
        f"emu_fault=1:{fault}", "trust=off", status=3,
    )  # fmt: skip
    named = [x for x in outcome.stderr.splitlines() if "emu device 1" in x]
    assert any(cause in x for x in named), str(outcome)
    said = "iteration .*: a device is lost: emu device 1 "
    assert re.search(said, outcome.stderr), str(outcome)
