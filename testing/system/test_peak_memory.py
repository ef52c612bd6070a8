# SPDX-License-Identifier: BSD-3-Clause
"""What memory the processes of a run take, beside their share of the matrix."""
import re
import sys

import pytest

import jobs

pytestmark = [
    pytest.mark.surface,
    pytest.mark.skipif(
        jobs.sanitized(), reason="the sanitizer takes memory of its own"
    ),
]

N = 4000
MEASURED = """\
import resource, subprocess, sys
ended = subprocess.run(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"peak {peak} KiB", file=sys.stderr, flush=True)
sys.exit(ended.returncode)
"""


@pytest.mark.parametrize("nprow, npcol", [(1, 1), (1, 2), (2, 1)])
def test_the_peak_is_within_a_twentieth_and_100_mb_of_the_share(
    tmp_path, nprow, npcol
):
    share = 8 * N**2 / (nprow * npcol)
    xhpl = [jobs.XHPL, "-n", N, "--nb", 192, "-p", nprow, "-q", npcol]
    outcome = jobs.run(
        jobs.launched(nprow * npcol, [sys.executable, "-c", MEASURED, *xhpl]),
        tmp_path,
        {"XHPL_BLAS_CHECK": "off"},
    )
    assert outcome.status == 0, str(outcome)
    peaks = re.findall(r"peak (\d+) KiB", outcome.stderr)
    assert len(peaks) == nprow * npcol, str(outcome)
    assert max(1024 * int(p) for p in peaks) <= 1.05 * share + 100e6, str(outcome)
    assert max(1024 * int(p) for p in peaks) > share  # it was the matrix's
