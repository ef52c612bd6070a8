# SPDX-License-Identifier: BSD-3-Clause
"""Who is slow: processes that are stopped and continued while they run."""
import os
import re
import signal
import threading
import time
from pathlib import Path

import pytest

import hpl_dat
import jobs
from test_failures import ranks_of
from test_failures import wait_for_ranks as wait_until_busy

DAT = hpl_dat.text(n="4400", nb="128", p="2", q="2", depth="1", threshold="0")
# So slow that it takes some seconds, and the same on every processor.
SLOW = {
    "XHPL_KERNEL": "portable",
    "XHPL_THREADS": "1",
    "XHPL_BLAS_CHECK": "off",
}


def rank_of(pid):
    """The rank of a process, as its launcher tells it."""
    pairs = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    env = dict(pair.split(b"=", 1) for pair in pairs if b"=" in pair)
    names = (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK", b"PMIX_RANK")
    return int(next(env[name] for name in names if name in env))


def wait_for_ranks(job, count, seconds=30):
    """The ids of count xhpl processes, soon after they are there."""
    until = time.monotonic() + seconds
    while len(ranks_of(job)) < count and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    return ranks_of(job)


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


def start(directory, processes, dat, **settings):
    """Start a run; give the job and its processes, in the order of ranks."""
    (directory / "HPL.dat").write_text(dat)
    job = jobs.start(
        jobs.launched(processes, [jobs.XHPL]),
        directory,
        {**SLOW, **settings},
    )
    return job, sorted(wait_for_ranks(job, processes), key=rank_of)


def warnings(directory, stopped):
    """The warnings of a run, some of whose four processes are stopped."""
    job, pids = start(directory, 4, DAT)
    over = threading.Event()
    try:
        pids = [pids[rank] for rank in stopped]
        thread = threading.Thread(target=stop_by_turns, args=(pids, over))
        thread.start()
        job.wait(jobs.LIMIT)
    finally:
        over.set()
        outcome = jobs.finish(job)
    thread.join()
    assert outcome.status == 0, str(outcome)
    return [x for x in outcome.stderr.splitlines() if "warning: " in x]


@pytest.mark.long
def test_of_four_processes_the_one_that_is_held_up_is_named(tmp_path):
    said = warnings(tmp_path, [2])
    assert said and all("rank 2 on " in line for line in said), said
    assert all(": slow: " in line for line in said), said


@pytest.mark.long
def test_four_that_are_held_up_are_throttled(tmp_path):
    said = warnings(tmp_path, [0, 1, 2, 3])
    assert said and all("throttling: all" in line for line in said), said
    assert all("rank" not in line for line in said), said


@pytest.mark.long
def test_of_processes_left_alone_nothing_is_said(tmp_path):
    assert warnings(tmp_path, []) == []


@pytest.mark.long
def test_a_stall_is_told_by_the_process_that_waits(tmp_path):
    dat = hpl_dat.text(n="4000", nb="128", q="2", depth="1", threshold="0")
    settings = {"XHPL_WATCHDOG": "1", "XHPL_DIAGNOSIS": "off"}
    job, pids = start(tmp_path, 2, dat, **settings)
    try:
        wait_until_busy(job, 2)
        os.kill(pids[1], signal.SIGSTOP)
        time.sleep(2.5)
        os.kill(pids[1], signal.SIGCONT)
    finally:
        outcome = jobs.finish(job)
    assert outcome.status == 0, str(outcome)
    said = [x for x in outcome.stderr.splitlines() if " rank " in x]
    place = r"iteration \d+ of 32, in the (broadcast|panel|update|exchange): "
    assert re.search(r"rank 0 on \S+: no progress for 1 s, " + place, said[0])
    assert re.search(r"rank 0 on \S+: it goes on, after \d+ s", said[1])
    assert len(said) == 2, str(outcome)
