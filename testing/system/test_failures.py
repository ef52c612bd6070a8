# SPDX-License-Identifier: BSD-3-Clause
"""Runs that cannot go on: memory, lost processes."""
import os
import re
import signal
from pathlib import Path

import hpl_dat
import jobs
from busy import retried
from sabotage import (BROKEN_SEND, library, on_rank, preloaded, ranks_of, wait_for_ranks)

HUGE = 900_000_000  # the order of a matrix that no node holds


def memory_available():
    """Bytes that the system says are available."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    kilobytes = dict(line.split()[:2] for line in lines)
    return 1024 * int(kilobytes["MemAvailable:"])


def assert_refused_for_memory(outcome):
    """The refusal, with the order that it says would fit."""
    assert outcome.status == 2, str(outcome)
    assert outcome.stdout == "", str(outcome)
    lines = [x for x in outcome.stderr.splitlines() if "error:" in x]
    assert len(lines) == 1, str(outcome)
    fits = re.search(r"the largest N that fits .* is (\d+)", lines[0])
    assert fits, str(outcome)
    return int(fits[1])


def order_that_fits(xhpl):
    return assert_refused_for_memory(xhpl(dat=hpl_dat.text(n=str(HUGE), nb="192")))


@retried
def test_an_order_too_large_for_the_node_is_refused(xhpl):
    fits = order_that_fits(xhpl)
    assert 8 * fits**2 < memory_available() * 1.1
    assert 8 * fits**2 > memory_available() * 0.2 or limited_by_cgroup()


def limited_by_cgroup():
    """Whether a memory cgroup leaves less than the system has."""
    names = ("memory.max", "memory/memory.limit_in_bytes")
    for path in (Path("/sys/fs/cgroup") / name for name in names):
        if path.exists() and path.read_text().strip() != "max":
            return int(path.read_text()) < memory_available()
    return False


@retried
def test_processes_of_one_node_add_up(xhpl):
    half = int((memory_available() * 0.7 / 8) ** 0.5)
    dat = hpl_dat.text(n=str(2 * half), nb="192", p="2", q="2")
    fits = assert_refused_for_memory(xhpl(dat=dat, processes=4))
    assert 8 * fits**2 < memory_available() * 1.1


# A system that has no more memory for a matrix, whatever it said before.
NO_MEMORY = """
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset)
{
    if (file < 0 && length > 240000000 && length < 300000000)
        return errno = ENOMEM, MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, length, protection, flags, file, offset);
}
"""


@preloaded
def test_a_process_without_memory_ends_the_job(xhpl):
    preload = library(xhpl.directory, NO_MEMORY)
    # UCX, which MPICH sends with, would put its own mmap in place of this one.
    alone = f"export LD_PRELOAD={preload} UCX_MEM_MMAP_HOOK_MODE=none"
    program = on_rank(xhpl.directory, 1, alone)
    options = ["-n", "8000", "-nb", "192", "-p", "1", "-q", "2"]
    outcome = jobs.run(jobs.launched(2, [program, *options]), xhpl.directory).ended(2)
    named = re.search(r"error: rank 1 on \S+: .*allocate", outcome.stderr)
    assert named, str(outcome)
    assert "PASSED" not in outcome.stdout


def test_a_killed_process_takes_the_job_down(xhpl):
    options = ["-n", "12000", "-nb", "128", "-p", "2", "-q", "2"]
    job = jobs.start(jobs.launched(4, [jobs.XHPL, *options]), xhpl.directory)
    try:
        os.kill(wait_for_ranks(job, 4)[2], signal.SIGKILL)
    finally:
        outcome = jobs.finish(job)
    assert not outcome.timed_out, str(outcome)
    assert outcome.status not in (0, 1, 2), str(outcome)
    assert "End of Tests" not in outcome.stdout
    words = outcome.stderr + outcome.stdout  # where Hydra says it
    said = re.findall(r".*signal:? 9\b.*", words, re.IGNORECASE)
    assert len(said) == 1, str(outcome)
    assert "error:" not in outcome.stderr, str(outcome)
    assert ranks_of(job) == []


@preloaded
def test_an_error_of_one_process_is_said_once_and_ends_the_job(xhpl):
    preload = library(xhpl.directory, BROKEN_SEND)
    program = on_rank(xhpl.directory, 1, f"export LD_PRELOAD={preload}")
    options = ["-n", "4000", "--nb", "64", "-p", "2", "-q", "2"]
    command = jobs.launched(4, [program, *options])
    outcome = jobs.run(command, xhpl.directory).ended(3)
    said = [x for x in outcome.stderr.splitlines() if "error:" in x]
    assert len(said) == 1 and "rank 1 on" in said[0], str(outcome)
    assert "End of Tests" not in outcome.stdout
