# SPDX-License-Identifier: BSD-3-Clause
"""What a run of several tests says at its end, and when it is interrupted."""
import re
import signal

import pytest

import hpl_dat
import jobs
import report
from busy import retried
from sabotage import library, preloaded, wait_for_ranks
from test_plan import measures

pytestmark = pytest.mark.surface

SMALL = ["-n", "200", "-nb", "16", "-p", "1", "-q", "1", "--quiet"]
BEST = re.compile(r"xhpl: best: N = (\d+), NB = (\d+), (\d) x (\d) processes: (\S+) Gflop/s")


def test_the_end_names_the_best_of_several_tests(xhpl):
    outcome = xhpl(dat=hpl_dat.text(n="50 600 100", nb="16 64")).succeeded()
    (best,) = BEST.findall(outcome.stderr)
    rows = max(report.rows(outcome.stdout), key=lambda row: row.gflops)
    assert [int(x) for x in best[:4]] == [*rows[1:5]], str(outcome)
    assert float(best[4]) == pytest.approx(rows.gflops, rel=1e-3)
    assert "best:" not in xhpl(dat=hpl_dat.text(n="50")).succeeded().stderr


@measures
def test_the_message_of_a_process_alone_is_the_last_line_whatever_mpi_says(xhpl):
    """MPI_Abort would have its daemon print ten lines behind it."""
    outcome = xhpl(*SMALL, "--set", "devices=emu:1", "--set", "home=device", "--set",
                   "trust=off", "--set", "emu_fault=0:fail@swap_rows:3")  # fmt: skip
    assert outcome.status == 3, str(outcome)
    assert outcome.stderr.splitlines()[-1].startswith("HPL ERROR from process # 0 on ")


HOME = ["--set", "devices=emu:2", "--set", "home=device"]


@pytest.mark.parametrize("words, said", [
    ([*HOME, "--set", "trust=on", "--set", "emu_fault=1:fail@gemm:1"], "emu device 1"),
    (["--dat", "full.dat"], "cannot write the report: No space")])
def test_an_error_that_processes_agree_on_aborts_no_job(xhpl, words, said):
    """Of whose lines most would be the launcher's."""
    (xhpl.directory / "full").symlink_to("/dev/full")
    full = hpl_dat.with_line(3, "full", hpl_dat.text(device="8", q="2"))
    (xhpl.directory / "full.dat").write_text(full)
    outcome = xhpl("-n", "200", "--nb", "16", "-p", "1", "-q", "2", *words, processes=2)
    assert outcome.status == 3 and said in outcome.stderr, str(outcome)
    for never in ("MPI_ABORT", "HPL ERROR", "skipped"):
        assert never not in outcome.stderr, str(outcome)


def test_with_a_record_the_best_is_held_against_the_ceiling(xhpl):
    outcome = xhpl("--json", "run.json", dat=hpl_dat.text(n="200"))
    if "built without jansson" in outcome.stderr:
        pytest.skip("built with JSON=no")
    share = r"Gflop/s, \d+% of the \S+ that these cores reach in multiply-adds alone\n"
    assert re.search(share, outcome.succeeded().stderr), str(outcome)


@retried
@pytest.mark.parametrize("processes", [1, 2])
def test_an_interrupted_run_says_what_was_finished(tmp_path, processes):
    dat = hpl_dat.text(n="100 200 9000", nb="64", q=str(processes))
    (tmp_path / "HPL.dat").write_text(dat)
    words = [jobs.XHPL] if processes == 1 else jobs.launched(processes, [jobs.XHPL])
    settings = {"XHPL_KERNEL": "portable"}
    job = jobs.start(words, tmp_path, settings)
    try:
        said = []
        for line in job.stdout:
            said.append(line)
            if line.startswith("WR") and " 200 " in line:
                break
        wait_for_ranks(job, processes)
        job.send_signal(signal.SIGINT)
        _, stderr = job.communicate(timeout=4 * jobs.LIMIT)
    finally:
        jobs.kill_session(job.pid)
    assert "interrupted: 2 of 3 tests finished, test 3 under way: N = 9000" in stderr
    assert re.search(r"the best: N = [12]00, ", stderr), stderr
    assert job.returncode != 0


# A thread of the library crashes while it ends, and before its work is done.
CRASH = """
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void *crash(void *unused)
{
    raise(SIGSEGV);
    return unused;
}

int MPI_Finalize(void)
{
    pthread_t thread;
    int status = PMPI_Finalize();

    pthread_create(&thread, NULL, crash, NULL);
    pthread_join(thread, NULL);
    return status;
}
"""


@pytest.mark.few(2)
@preloaded
@pytest.mark.parametrize("threshold, status", [("16.0", 0), ("1e-9", 1)])
@pytest.mark.parametrize("launched", [False, True])
def test_a_crash_behind_the_results_leaves_the_exit_status(
    tmp_path, launched, threshold, status
):
    (tmp_path / "HPL.dat").write_text(hpl_dat.text(threshold=threshold))
    words = ["env", f"LD_PRELOAD={library(tmp_path, CRASH)}", jobs.XHPL]
    words = jobs.launched(1, words) if launched else words
    outcome = jobs.run(words, tmp_path).ended(status)
    assert "End of Tests" in outcome.stdout
    assert outcome.stderr.count("crashed in MPI_Finalize; the results are complete") == 1


def test_a_limit_of_file_sizes_is_an_error_that_is_said(xhpl):
    """The signal of that limit, unheard, would end the run in silence."""
    words = " ".join(map(str, [jobs.XHPL, *SMALL, "--json", "run.json"]))
    outcome = jobs.run(["sh", "-c", f"ulimit -f 1; exec {words}"], xhpl.directory).ended(3)
    assert "cannot write the file of --json: File too large" in outcome.stderr, str(outcome)


@pytest.mark.parametrize("stream, status", [("stderr", 0), ("stdout", 3)])
def test_a_reader_that_has_gone_ends_no_run_in_silence(xhpl, stream, status):
    to = {"stderr": "2>&1 >report", "stdout": "2>said"}[stream]
    words = " ".join(map(str, [jobs.XHPL, *SMALL]))
    line = f"( sleep 0.3; {words} {to}; echo $? > status ) | true"
    jobs.run(["bash", "-c", line + "; while [ ! -s status ]; do sleep 0.1; done"],
             xhpl.directory)  # fmt: skip
    assert int((xhpl.directory / "status").read_text()) == status
    if stream == "stderr":
        assert "PASSED" in (xhpl.directory / "report").read_text()
    else:
        assert "cannot write the report" in (xhpl.directory / "said").read_text()
