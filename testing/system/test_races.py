# SPDX-License-Identifier: BSD-3-Clause
"""Threads of the solver beside MPI, for the thread sanitizer.

Small runs with every look-ahead. Without the sanitizer they only have to pass;
with it, not a word may come from it.
"""
import pytest

# grid, emulated devices of all processes
RUNS = [(1, 1, "none"), (1, 1, "emu:3"), (1, 2, "emu:2"), (2, 2, "none"),
        (2, 2, "emu:4")]  # fmt: skip
# The trial of kernel and BLAS library is long under the sanitizer.
SETTINGS = ("threads=2", "tile=24", "emu_memory=4", "kernel=portable")


@pytest.mark.races
@pytest.mark.parametrize("nprow, npcol, devices", RUNS)
def test_threads_do_not_race(xhpl, nprow, npcol, devices):
    settings = (*SETTINGS, f"devices={devices}")
    words = [word for pair in settings for word in ("--set", pair)]
    system = ("-n", 150, "--nb", 16, "--depth", "0,1,2", "--bcast", "1,4")
    grid = ("-p", nprow, "-q", npcol)
    outcome = xhpl(*system, *grid, *words, processes=nprow * npcol)
    assert outcome.status == 0, str(outcome)
    assert "6 tests completed and passed" in outcome.stdout, str(outcome)
    assert "ThreadSanitizer" not in outcome.stderr, str(outcome)
