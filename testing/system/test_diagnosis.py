# SPDX-License-Identifier: BSD-3-Clause
"""Who is slow: processes that are stopped and continued while they run."""
import json
import os
import re
import signal
import threading
import time
from contextlib import contextmanager

import pytest

import hpl_dat
import jobs
from busy import retried
from sabotage import library, on_rank, preloaded, wait_for_ranks
from test_plan import measures

# Longer than anyone waits for; slow, too, and the same on every processor.
DAT = hpl_dat.text(n="9000", nb="64", p="2", q="2", depth="1", threshold="0")
LIMIT = 60  # seconds until something must have been said
ALONE = 8  # seconds without a word
CROWD = 8  # programs a core
SLOW = {"XHPL_KERNEL": "portable", "XHPL_THREADS": "1"}


def stop_by_turns(pids, over):
    """Stop and continue processes, 10 ms each, until over is set."""
    while not over.is_set():
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in pids:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)


def start(directory, processes, dat, *command, **settings):
    """Start a run, by default of xhpl; the job and its processes, by rank."""
    (directory / "HPL.dat").write_text(dat)
    words = jobs.launched(processes, command or [jobs.XHPL])
    job = jobs.start(words, directory, {**SLOW, **settings})
    try:
        return job, wait_for_ranks(job, processes, ready=lambda pid: True)
    except AssertionError:
        jobs.finish(job, limit=0)
        raise


class Warnings:
    """What a job warns of, as it does, and whether it has got on."""

    def __init__(self, job):
        self.said = []
        self.progress = False
        self.reader = threading.Thread(target=self.read, args=(job.stderr,))
        self.reader.start()

    def read(self, stderr):
        for line in stderr:
            # Of cores, as the tests may be bound themselves, and of the BLAS library.
            other = "are bound to" in line or ": DGEMM of " in line
            if line.startswith("xhpl: warning: ") and not other:
                self.said.append(line.rstrip())
            self.progress |= line.startswith("xhpl: progress: ")

    def wait(self, count, seconds):
        """Until there are count, or time is up."""
        self.until(lambda: len(self.said) >= count, seconds)
        return self.said

    def until(self, condition, seconds):
        """Until the condition holds, the job is over, or time is up."""
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end and self.reader.is_alive():
            time.sleep(0.1)

    def has(self, pattern):
        return any(re.search(pattern, line) for line in list(self.said))

    def first(self, kind=""):
        """The first ones of a kind; among too many programs nobody can tell who is
        slow."""
        self.until(lambda: self.has(kind), LIMIT)
        said = [line for line in self.said if kind in line]
        if not said and os.getloadavg()[0] > CROWD * len(os.sched_getaffinity(0)):
            pytest.skip("too many programs have the cores")
        return said


@contextmanager
def watched(job):
    """Its warnings; the job is ended behind the block."""
    warnings = Warnings(job)
    try:
        yield warnings
        assert job.poll() is None, f"it was over too soon: {warnings.said}"
    finally:
        jobs.kill_session(job.pid)
        warnings.reader.join()
        job.communicate()


@contextmanager
def stopped(pids):
    """Processes that are stopped and continued all the time."""
    over = threading.Event()
    thread = threading.Thread(target=stop_by_turns, args=(pids, over))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.long
@retried
def test_of_four_processes_the_one_that_is_held_up_is_named(tmp_path):
    job, pids = start(tmp_path, 4, DAT)
    with watched(job) as warnings, stopped([pids[2]]):
        said = warnings.first(": slow: ")  # pauses of the machine throttle all
    assert len(said) == 1 and "rank 2 on " in said[0], warnings.said


@pytest.mark.long
@retried
def test_four_that_are_held_up_are_throttled(tmp_path):
    job, pids = start(tmp_path, 4, DAT)
    with watched(job) as warnings, stopped(pids):
        said = warnings.first("throttling: ")
    # the fourth may have been as slow from the start, on cores that others have
    assert said and re.search("throttling: (all|3 of 4) processes", said[0]), said


@pytest.mark.long
@retried
def test_of_processes_left_alone_nothing_is_said(tmp_path):
    job, _ = start(tmp_path, 4, DAT)
    with watched(job) as warnings:
        warnings.wait(2, ALONE)  # four threads may crowd two cores
        assert [x for x in warnings.said if "crowded: " not in x] == []


# Where LATE is set, long messages leave so many seconds after they were sent,
# while their sender goes on. Nobody learns whether others had its cores, as on
# systems that do not tell: a busy machine would keep the diagnosis silent.
SLOW_SEND = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 16, LONG = 1000 };

static struct {
    MPI_Request request;
    double due; /* 0: nothing is held */
} held[MOST];

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    const char *late = getenv("LATE");
    int i = 0;

    while (i < MOST && held[i].due > 0.0)
        i++;
    if (late == NULL || count < LONG || i == MOST)
        return PMPI_Isend(data, count, type, to, tag, comm, request);
    PMPI_Send_init(data, count, type, to, tag, comm, request);
    held[i].request = *request;
    held[i].due = PMPI_Wtime() + atof(late);
    return MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *status)
{
    for (int i = 0; i < MOST; i++) {
        if (held[i].due > 0.0 && PMPI_Wtime() >= held[i].due) {
            PMPI_Start(&held[i].request);
            held[i].due = 0.0;
        }
        for (int r = 0; r < count && held[i].due > 0.0; r++)
            if (requests[r] == held[i].request) {
                *done = 0;
                return MPI_SUCCESS;
            }
    }
    return PMPI_Testall(count, requests, done, status);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    int mode;

    va_start(more, flags);
    mode = (flags & O_CREAT) != 0 ? va_arg(more, int) : 0;
    va_end(more);
    if (strstr(path, "/schedstat") != NULL)
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
"""


@pytest.mark.long
@preloaded
@retried
def test_messages_that_are_long_on_their_way_are_told(tmp_path):
    dat = hpl_dat.text(n="6000", nb="64", q="2", depth="1", threshold="0")
    program = on_rank(tmp_path, 0, "export LATE=1")
    words = ["env", f"LD_PRELOAD={library(tmp_path, SLOW_SEND)}", program]
    job, _ = start(tmp_path, 2, dat, *words, XHPL_TRUST="off")
    with watched(job) as warnings:
        said = warnings.first()
    assert len(said) == 1 and "communication is slow: " in said[0], said
    assert "most of all rank " in said[0], said


@pytest.mark.long
@retried
def test_a_stall_is_told_by_the_process_that_waits(tmp_path):
    dat = hpl_dat.text(n="6500", nb="64", q="2", depth="1", threshold="0")
    settings = {"XHPL_WATCHDOG": "1", "XHPL_DIAGNOSIS": "off"}
    command = [jobs.XHPL, "--progress", "on"]
    job, pids = start(tmp_path, 2, dat, *command, **settings)
    place = r"iteration \d+ of 102, in the (broadcast|panel|update|exchange)\b"
    stall = r"rank 0 on \S+: no progress for \d+ s, " + place
    goes_on = r"the job makes progress again, after \d+ s"
    with watched(job) as warnings:
        warnings.until(lambda: warnings.progress, LIMIT)
        os.kill(pids[1], signal.SIGSTOP)
        warnings.until(lambda: warnings.has(stall), LIMIT)
        told = warnings.has(stall)
        os.kill(pids[1], signal.SIGCONT)
        warnings.until(lambda: warnings.has(goes_on), LIMIT)
    assert told and warnings.has(goes_on), warnings.said


@pytest.mark.long
@measures
@retried
def test_a_stall_while_a_plan_is_measured_is_told(tmp_path):
    words = [jobs.XHPL, "--plan", "--set", "plan_seconds=20"]
    job, pids = start(tmp_path, 2, DAT, *words, XHPL_WATCHDOG="3")
    with watched(job) as warnings:
        wait_for_ranks(job, 2)
        os.kill(pids[1], signal.SIGSTOP)
        stall = r"rank 0 on \S+: no progress for \d+ s, measuring "
        warnings.until(lambda: warnings.has(stall), LIMIT)
        os.kill(pids[1], signal.SIGCONT)
    assert warnings.has(stall), warnings.said


# The start of a process that a firewall keeps from all others, for a while.
LATE = """
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static int calls;
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && calls++ == 0)
        sleep(4);
    return PMPI_Bcast(data, count, type, root, comm);
}
"""


@preloaded
@measures
@retried
def test_who_waits_for_others_at_the_start_says_so(xhpl):
    options = ["-n", "50", "-nb", "8", "-p", "1", "-q", "2", "--quiet"]
    late = f"LD_PRELOAD={library(xhpl.directory, LATE)}"
    words = ["env", late, jobs.XHPL, *options]
    settings = {"XHPL_WATCHDOG": "1"}
    outcome = jobs.run(jobs.launched(2, words), xhpl.directory, settings).succeeded()
    pattern = "warning: no progress for .* starting: rank 0 on .* waits for other"
    assert len(re.findall(pattern, outcome.stderr)) == 1, str(outcome)


# ---- devices ----------------------------------------------------------------


@pytest.mark.long
@pytest.mark.skipif(not (jobs.BIN / "libhyb_emu.so").exists(), reason="built without hybrid/")
@pytest.mark.parametrize("rates, slow", (("1,0.25", True), ("1,0.875", False)))
@retried
def test_a_device_that_is_slow_beside_another_is_named(xhpl, rates, slow):
    words = ["devices=emu:2", f"emu_rate={rates}", "split=fixed:0.8", "tile=128"]
    outcome = xhpl("-n", 1500, "-nb", 64, "-p", 1, "-q", 1, "--json", "run.json",
                   *jobs.sets(*words)).succeeded()
    said = [x for x in outcome.stderr.splitlines() if "of the others of this model" in x]
    found = json.loads((xhpl.directory / "run.json").read_text())["tests"][0]["devices"]
    assert [x["name"] for x in found] == ["emu:0", "emu:1"]
    assert (found[1]["gflops"] < 0.7 * found[0]["gflops"]) == slow, found
    multiplies = [x for x in said if re.search(
        r"warning: rank 0 on \S+: slow: its device emu:1 \(emulated device\) multiplies at "
        r"\d+% of the rate of the others of this model, [01]\S* Gflop/s", x)]  # fmt: skip
    assert len(multiplies) == slow, str(outcome)
