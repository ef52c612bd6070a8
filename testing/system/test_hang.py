# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that hang: who is waited for is named, with its phase, and the job ends."""
import json
import os
import random
import re
import resource
import signal
import socket
import time

import pytest

import hpl_dat
import jobs
import records
from busy import retried
from sabotage import library, on_rank, preloaded, ranks_of, wait_for_ranks

pytestmark = [pytest.mark.surface, preloaded]

# At a call of HANG_CALL, the one of number HANG_AFTER with at least HANG_LEAST and
# at most HANG_MOST entries, the process does what HANG_HOW says.
HANGING = """
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? atoi(text) : otherwise;
}

static void reach(const char *call, int count)
{
    static int calls;

    if (strcmp(getenv("HANG_CALL"), call) != 0 || count < number("HANG_LEAST", 0) ||
        count > number("HANG_MOST", 1 << 30) || ++calls != number("HANG_AFTER", 1))
        return;
    if (strcmp(getenv("HANG_HOW"), "loop") == 0)
        for (;;)
            usleep(1000);
    if (strcmp(getenv("HANG_HOW"), "leave") == 0)
        _exit(0);
    raise(SIGSTOP);
}

#define HANGS(name, count, parameters, arguments) \\
    int name parameters { reach(#name, count); return P##name arguments; }

HANGS(MPI_Isend, n, (const void *d, int n, MPI_Datatype t, int to, int tag,
                     MPI_Comm c, MPI_Request *r), (d, n, t, to, tag, c, r))
HANGS(MPI_Reduce, n, (const void *s, void *d, int n, MPI_Datatype t, MPI_Op o, int to,
                      MPI_Comm c), (s, d, n, t, o, to, c))
HANGS(MPI_Recv, n, (void *d, int n, MPI_Datatype t, int from, int tag, MPI_Comm c,
                    MPI_Status *s), (d, n, t, from, tag, c, s))
HANGS(MPI_Send, n, (const void *d, int n, MPI_Datatype t, int to, int tag, MPI_Comm c),
      (d, n, t, to, tag, c))
HANGS(MPI_Barrier, 0, (MPI_Comm c), (c))
HANGS(MPI_Comm_split, 0, (MPI_Comm c, int x, int k, MPI_Comm *n), (c, x, k, n))
"""

STOPPED = "does not answer while its host does: it is stopped"
STANDS = "waits for no process and makes no progress"
PANEL = "in the panel: its factorization"


def hang(folder, grid, rank, how, call, limit=2, **more):
    """The outcome of a run of which one process hangs, and what its record says."""
    settings = {"HANG_CALL": call, "HANG_HOW": how,
                "LD_PRELOAD": library(folder, HANGING),
                **{f"HANG_{name.upper()}": value for name, value in more.items()}}
    exports = " ".join(f"{name}={value}" for name, value in settings.items())
    program = on_rank(folder, rank, f"export {exports}")
    rows, columns = grid
    (folder / "HPL.dat").write_text(
        hpl_dat.text(n="1200", nb="64", p=str(rows), q=str(columns), depth="1"))
    words = [program, "--json", "run.json", "--set", "watchdog=1", "--set",
             f"hang={limit}", "--set", "threads=1", "--set", "trust=off"]
    outcome = records.run(jobs.launched(rows * columns, words), folder).ended(3)
    found = json.loads((folder / "run.json").read_text())
    return outcome, found


def assert_named(folder, rank, how, phase, case):
    outcome, found = hang(folder, *case[0], **case[1])
    named = re.search(r"all wait for rank (\d+) on (\S+), which (.*)", outcome.stderr)
    assert named and int(named[1]) == rank, str(outcome)
    assert how in named[3] and re.search(phase, named[3]), str(outcome)
    assert found["exit_status"] == 3 and found["end"], str(outcome)
    assert found["hang"]["rank"] == rank and found["hang"]["ended"]
    assert found["hang"]["host"] == named[2]


def case(grid, rank, how, call, **more):
    return (grid, rank, how, call), more


@retried
def test_one_that_is_stopped_is_named(tmp_path):
    assert_named(tmp_path, 1, STOPPED, "for it: panel",
                 case((1, 2), 1, "stop", "MPI_Isend", least=501, after=3))


@retried
def test_one_that_loops_is_named(tmp_path):
    assert_named(tmp_path, 1, STANDS, PANEL,
                 case((2, 1), 1, "loop", "MPI_Isend", most=500, after=300))


# ---- stopped from outside, at any moment ------------------------------------------


def computing(folder, grid, n, *settings):
    """A job of that grid that computes, and its processes by rank."""
    rows, columns = grid
    (folder / "HPL.dat").write_text(
        hpl_dat.text(n=str(n), nb="64", p=str(rows), q=str(columns), depth="1"))
    words = [jobs.XHPL, "--json", "run.json"]
    for setting in ("threads=1", "kernel=portable", *settings):
        words += ["--set", setting]
    job = jobs.start(jobs.launched(rows * columns, words), folder)
    return job, wait_for_ranks(job, rows * columns)


@pytest.mark.parametrize("grid, devices", [
    ((3, 1), "none"),
    pytest.param((1, 3), "none", marks=pytest.mark.more),
    pytest.param((2, 2), "none", marks=pytest.mark.more),
    pytest.param((3, 1), "emu:1", marks=pytest.mark.more),
    pytest.param((1, 3), "emu:1", marks=pytest.mark.more),
    ((2, 2), "emu:1"),
])
@retried
def test_one_that_is_stopped_at_any_moment_is_named(tmp_path, grid, devices):
    job, pids = computing(tmp_path, grid, 8000, "watchdog=2", "hang=4", f"devices={devices}")
    rank = random.randrange(1, len(pids))
    time.sleep(random.random())
    os.kill(pids[rank], signal.SIGSTOP)
    outcome = jobs.finish(job)
    named = re.findall(r"all wait for (rank \d+|others)", outcome.stderr)
    assert named and set(named) == {f"rank {rank}"}, f"stopped: {rank}; {outcome}"
    # 9: the launcher of MPICH may tell of the process that it killed.
    assert outcome.status in (3, 9) and STOPPED in outcome.stderr, str(outcome)


# ---- the listener ----------------------------------------------------------------


def listeners(pid):
    """Where a process listens: addresses as the system writes them, and ports."""
    mine, found = set(), []
    for entry in os.scandir(f"/proc/{pid}/fd"):
        mine.add(os.readlink(entry.path))
    for name in ("tcp", "tcp6"):
        with open(f"/proc/{pid}/net/{name}", encoding="ascii") as file:
            rows = [line.split() for line in file.readlines()[1:]]
        for row in rows:
            if row[3] == "0A" and f"socket:[{row[9]}]" in mine:
                address, port = row[1].split(":")
                found.append((address, int(port, 16)))
    return found


def crowd(port, count):
    """So many connections to a port that say nothing, and some that say nonsense."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, count + 500)), hard))
    found = []
    for i in range(count):
        found.append(socket.create_connection(("127.0.0.1", port)))
        if i % 10 == 0:
            found[-1].sendall(os.urandom(4000))
    return found


def test_strangers_end_no_job_and_reach_it_on_loopback_only(tmp_path):
    job, pids = computing(tmp_path, (2, 1), 5000, "watchdog=2", "hang=4")
    local = [port for address, port in listeners(pids[0]) if address == "0100007F"]
    assert local, listeners(pids[0])
    strangers = [one for port in local for one in crowd(port, 700)]
    assert len(ranks_of(job)) == 2, "the job is over"
    time.sleep(1)
    for one in strangers:
        one.close()
    outcome = jobs.finish(job).succeeded()
    assert "PASSED" in outcome.stdout and "ended" not in outcome.stderr, str(outcome)


# These keep the cores busy for longer.
def test_where_too_few_files_may_be_open_each_reports_on_itself(xhpl):
    program = on_rank(xhpl.directory, 0, "ulimit -n 300")
    (xhpl.directory / "HPL.dat").write_text(hpl_dat.text(n="200", q="2"))
    outcome = jobs.run(jobs.launched(2, [program]), xhpl.directory)
    assert "open files and the system allows 300 (ulimit -Hn)" in outcome.succeeded().stderr


@pytest.mark.clusters
@pytest.mark.parametrize("grid", [(2, 1), (2, 2)])
@pytest.mark.parametrize("call, most, least, phase", [
    ("MPI_Isend", 500, 0, "for it: pivot of iteration .*panel"),
    ("MPI_Isend", 1 << 30, 501, "for it: (rows|panel)"),
])
@retried
def test_one_that_is_stopped_in_a_phase_is_named(tmp_path, grid, call, most, least, phase):
    rank = grid[0] * grid[1] - 1
    assert_named(tmp_path, rank, STOPPED, phase, case(
        grid, rank, "stop", call, most=most, least=least, after=40))


@pytest.mark.clusters
@pytest.mark.parametrize("grid, call, count, after, phase", [
    ((1, 2), "MPI_Reduce", 64, 3, "in the back-substitution"),
    ((2, 2), "MPI_Reduce", 64, 3, "in the back-substitution"),
    ((1, 2), "MPI_Send", 1200, 1, "in the verification"),
    ((1, 2), "MPI_Send", 1, 1, "between two phases"),
    ((2, 2), "MPI_Barrier", 0, 2, "between two phases"),
])
@retried
def test_one_that_is_stopped_outside_of_the_loop_is_named(
        tmp_path, grid, call, count, after, phase):
    rank = grid[0] * grid[1] - 1
    assert_named(tmp_path, rank, STOPPED, phase, case(
        grid, rank, "stop", call, least=count, most=count, after=after))


@pytest.mark.clusters
@retried
def test_a_first_process_that_is_stopped_is_named_by_others(tmp_path):
    outcome, _ = hang(tmp_path, (1, 2), 0, "stop", "MPI_Isend", least=501, after=3)
    said = rf"rank 1 on .*waits for rank 0 on .*rank 0 on \S+ {STOPPED}"
    assert re.search(said, outcome.stderr), str(outcome)
