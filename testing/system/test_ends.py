# SPDX-License-Identifier: BSD-3-Clause
"""What a run of several tests says at its end, and when it is interrupted."""
import re
import signal

import pytest

import hpl_dat
import jobs
import report
from conftest import UNMEASURED
from sabotage import wait_for_ranks

pytestmark = pytest.mark.surface

BEST = re.compile(r"xhpl: best: N = (\d+), NB = (\d+), (\d) x (\d) processes: (\S+) Gflop/s")


def test_the_end_names_the_best_of_several_tests(xhpl):
    outcome = xhpl(dat=hpl_dat.text(n="50 600 100", nb="16 64")).succeeded()
    (best,) = BEST.findall(outcome.stderr)
    rows = max(report.rows(outcome.stdout), key=lambda row: row.gflops)
    assert [int(x) for x in best[:4]] == [*rows[1:5]], str(outcome)
    assert float(best[4]) == pytest.approx(rows.gflops, rel=1e-3)
    assert "best:" not in xhpl(dat=hpl_dat.text(n="50")).succeeded().stderr


def test_a_wrong_result_is_not_the_best(xhpl):
    outcome = xhpl(dat=hpl_dat.text(n="50 60", threshold="1e-9"))
    assert outcome.status == 1 and "best:" not in outcome.stderr, str(outcome)


def test_with_a_record_the_best_is_held_against_the_ceiling(xhpl):
    outcome = xhpl("--json", "run.json", dat=hpl_dat.text(n="200"))
    if "built without jansson" in outcome.stderr:
        pytest.skip("built with JSON=no")
    share = r"Gflop/s, \d+% of the \S+ that these cores reach in multiply-adds alone\n"
    assert re.search(share, outcome.succeeded().stderr), str(outcome)


@pytest.mark.parametrize("processes", [1, 2])
def test_an_interrupted_run_says_what_was_finished(tmp_path, processes):
    dat = hpl_dat.text(n="100 200 9000", nb="64", q=str(processes))
    (tmp_path / "HPL.dat").write_text(dat)
    words = [jobs.XHPL] if processes == 1 else jobs.launched(processes, [jobs.XHPL])
    settings = {**UNMEASURED, "XHPL_KERNEL": "portable"}
    job = jobs.start(words, tmp_path, settings)
    try:
        said = []
        for line in job.stdout:
            said.append(line)
            if line.startswith("WR") and " 200 " in line:
                break
        wait_for_ranks(job, processes)
        job.send_signal(signal.SIGINT)
        _, stderr = job.communicate(timeout=60)
    finally:
        jobs.kill_session(job.pid)
    assert "interrupted: 2 of 3 tests finished, test 3 under way: N = 9000" in stderr
    assert re.search(r"the best: N = [12]00, ", stderr), stderr
    assert job.returncode != 0
