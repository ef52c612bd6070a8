# SPDX-License-Identifier: BSD-3-Clause
"""What memory the processes of a run take, beside their share of the matrix."""
import re
import sys
from pathlib import Path

import pytest

import jobs

pytestmark = [
    pytest.mark.surface,
    pytest.mark.skipif(
        jobs.sanitized(), reason="the sanitizer takes memory of its own"
    ),
]

N = 4000
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
MEASURED = """\
import resource, subprocess, sys
ended = subprocess.run(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"peak {peak} KiB", file=sys.stderr, flush=True)
sys.exit(ended.returncode)
"""


def peak(folder, nprow, npcol, *options):
    """Bytes of the process that takes most."""
    xhpl = [jobs.XHPL, "-n", N, "-p", nprow, "-q", npcol, *options]
    outcome = jobs.run(
        jobs.launched(nprow * npcol, [sys.executable, "-c", MEASURED, *xhpl]),
        folder,
    ).succeeded()
    peaks = re.findall(r"peak (\d+) KiB", outcome.stderr)
    assert len(peaks) == nprow * npcol, str(outcome)
    return 1024 * max(map(int, peaks))


@pytest.mark.few(1)
@pytest.mark.parametrize("nprow, npcol", [(1, 1), (2, 1)])
def test_it_is_within_a_twentieth_and_100_mb_of_the_share(tmp_path, nprow, npcol):
    share = 8 * N**2 / (nprow * npcol)
    found = peak(tmp_path, nprow, npcol, "-nb", 192)
    assert share < found <= 1.05 * share + 100e6


@pytest.mark.more
def test_columns_on_a_device_leave_diagonal_blocks_on_the_host(tmp_path):
    """The emulated device's memory, a share of the matrix, is the host's, too."""
    share, nb = 8 * N**2 / 2, 64
    devices = ("--set", "devices=emu:2", "--set", "home=device")
    found = peak(tmp_path, 2, 1, "-nb", nb, *devices)
    assert share < found <= 1.05 * share + 100e6 + 8 * N * nb


@pytest.mark.more
def test_u_of_a_whole_iteration_takes_none_of_its_own(tmp_path):
    """With DEPTH 1 it waits for its update, with DEPTH 2 it need not."""
    nb = 256
    waits, need_not = (peak(tmp_path, 2, 1, "-nb", nb, "--depth", depth) for depth in (1, 2))
    assert waits < need_not + 8 * nb * N / 2


WITHOUT_HUGE_PAGES = """\
import ctypes, os, sys
PR_SET_THP_DISABLE = 41
ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.skipif(not HUGE_PAGES.exists(), reason="this system has no huge pages")
def test_a_matrix_in_small_pages_is_warned_of(tmp_path):
    program = [sys.executable, "-c", WITHOUT_HUGE_PAGES]
    job = jobs.start([*program, jobs.XHPL, "-n", "6000"], tmp_path)
    said = next((line for line in job.stderr if "huge pages" in line), "")
    jobs.kill_session(job.pid)
    jobs.finish(job)
    assert "huge pages back only " in said and "PR_SET_THP_DISABLE" in said
