# SPDX-License-Identifier: BSD-3-Clause
"""Threads of the solver beside MPI, for the thread sanitizer.

Small runs with every look-ahead. Without the sanitizer they only have to pass;
with it, not a word may come from it.
"""
import pytest

# grid, emulated devices of all processes, a setting more
RUNS = [(1, 1, "none", None), (1, 1, "emu:3", None), (1, 2, "emu:2", None),
        (2, 2, "none", None), (2, 2, "emu:4", None), (1, 2, "none", None),
        (2, 2, "none", "schedule=static"), (1, 2, "none", "kernel=blas"),
        (2, 1, "none", "lookahead=mixed")]  # fmt: skip
# The trial of kernel and BLAS library is long under the sanitizer.
SETTINGS = ("threads=2", "tile=24", "emu_memory=4", "kernel=portable")


@pytest.mark.races
@pytest.mark.parametrize("nprow, npcol, devices, more", RUNS)
def test_threads_do_not_race(xhpl, nprow, npcol, devices, more):
    settings = (*SETTINGS, f"devices={devices}", more)
    words = [word for pair in settings if pair for word in ("--set", pair)]
    system = ("-n", 150, "--nb", 16, "--depth", "0,1,2", "--bcast", "1,4")
    grid = ("-p", nprow, "-q", npcol)
    outcome = xhpl(*system, *grid, *words, processes=nprow * npcol)
    assert outcome.status == 0, str(outcome)
    assert "6 tests completed and passed" in outcome.stdout, str(outcome)
    assert "ThreadSanitizer" not in outcome.stderr, str(outcome)
