# SPDX-License-Identifier: BSD-3-Clause
"""Runs that cannot go on: memory, lost processes."""
import os
import re
import signal
import time
from pathlib import Path

import pytest

import hpl_dat
import jobs

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


def test_an_order_too_large_for_the_node_is_refused(xhpl):
    dat = hpl_dat.text(n=str(HUGE), nb="192")
    fits = assert_refused_for_memory(xhpl(dat=dat))
    assert 8 * fits**2 < memory_available() * 1.1
    assert 8 * fits**2 > memory_available() * 0.2 or limited_by_cgroup()


def limited_by_cgroup():
    """Whether a memory cgroup leaves less than the system has."""
    names = ("memory.max", "memory/memory.limit_in_bytes")
    for path in (Path("/sys/fs/cgroup") / name for name in names):
        if path.exists() and path.read_text().strip() != "max":
            return int(path.read_text()) < memory_available()
    return False


def test_a_huge_order_late_in_a_list_is_refused_before_the_first(xhpl):
    dat = hpl_dat.text(n=f"40 {HUGE}", nb="192")
    assert_refused_for_memory(xhpl(dat=dat))


def test_processes_of_one_node_add_up(xhpl):
    half = int((memory_available() * 0.7 / 8) ** 0.5)
    dat = hpl_dat.text(n=str(2 * half), nb="192", p="2", q="2")
    fits = assert_refused_for_memory(xhpl(dat=dat, processes=4))
    assert 8 * fits**2 < memory_available() * 1.1


def test_an_order_a_tenth_above_what_fits_is_refused_too(xhpl):
    dat = hpl_dat.text(n=str(HUGE), nb="192")
    fits = assert_refused_for_memory(xhpl(dat=dat))
    more = hpl_dat.text(n=f"{fits * 11 // 10}", nb="192")
    assert_refused_for_memory(xhpl(dat=more))


@pytest.mark.skipif(
    jobs.sanitized(), reason="the sanitizer needs all of the address space"
)
def test_a_process_without_memory_ends_the_job(xhpl):
    script = xhpl.directory / "limited"
    script.write_text(
        "#!/bin/bash\n"
        'rank=${OMPI_COMM_WORLD_RANK-${PMI_RANK-${PMIX_RANK-0}}}\n'
        '[ "$rank" = 1 ] && ulimit -v 2000000\n'
        f"exec {jobs.XHPL}\n"
    )
    script.chmod(0o755)
    dat = hpl_dat.text(n="26000", nb="192", q="2")
    (xhpl.directory / "HPL.dat").write_text(dat)
    outcome = jobs.run(
        jobs.launched(2, [script]),
        xhpl.directory,
        {"XHPL_MEMORY_CHECK": "off", "XHPL_BLAS_CHECK": "off"},
    )
    assert outcome.status == 2, str(outcome)
    assert not outcome.timed_out
    named = re.search(r"error: rank 1 on \S+: .*allocate", outcome.stderr)
    assert named, str(outcome)
    assert "PASSED" not in outcome.stdout


def ranks_of(job):
    """Process ids of the xhpl processes that a job has started."""
    found = []
    for pid in jobs.session_members(job.pid):
        try:
            if Path(f"/proc/{pid}/exe").resolve() == jobs.XHPL.resolve():
                found.append(pid)
        except OSError:
            continue
    return sorted(found)


def wait_for_ranks(job, count, seconds=30):
    """The ids of count xhpl processes, as soon as they have computed."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pids = ranks_of(job)
        if len(pids) == count and all(busy(pid) for pid in pids):
            return pids
        time.sleep(0.1)
    raise AssertionError("the processes did not start")


def busy(pid):
    """Whether a process has had a second of a processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]) > os.sysconf("SC_CLK_TCK")


def test_a_killed_process_takes_the_job_down(xhpl):
    dat = hpl_dat.text(n="12000", nb="128", p="2", q="2")
    (xhpl.directory / "HPL.dat").write_text(dat)
    job = jobs.start(jobs.launched(4, [jobs.XHPL]), xhpl.directory)
    try:
        os.kill(wait_for_ranks(job, 4)[2], signal.SIGKILL)
    finally:
        outcome = jobs.finish(job)
    assert not outcome.timed_out, str(outcome)
    assert outcome.status not in (0, 1, 2), str(outcome)
    assert "End of Tests" not in outcome.stdout
    said = re.findall(r".*signal:? 9\b.*", outcome.stderr, re.IGNORECASE)
    assert len(said) == 1, str(outcome)
    assert "error:" not in outcome.stderr, str(outcome)
    assert ranks_of(job) == []


# The messages of one process cannot be sent any more, from so many on.
BROKEN_SEND = """
#include <mpi.h>

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    static int sent;

    if (++sent == 60)
        MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}
"""


@pytest.mark.skipif(
    jobs.sanitized(), reason="the sanitizer has to be loaded first"
)
def test_an_error_of_one_process_is_said_once_and_ends_the_job(xhpl):
    (xhpl.directory / "send.c").write_text(BROKEN_SEND)
    compiler = ["mpicc", "-shared", "-fPIC", "-o", "send.so", "send.c"]
    assert jobs.run(compiler, xhpl.directory).status == 0
    script = xhpl.directory / "broken"
    script.write_text(
        "#!/bin/bash\n"
        "rank=${OMPI_COMM_WORLD_RANK-${PMI_RANK-${PMIX_RANK-0}}}\n"
        f'[ "$rank" = 1 ] && export LD_PRELOAD={xhpl.directory}/send.so\n'
        f"exec {jobs.XHPL} -n 4000 --nb 64 -p 2 -q 2\n"
    )
    script.chmod(0o755)
    outcome = jobs.run(
        jobs.launched(4, [script]),
        xhpl.directory,
        {"XHPL_BLAS_CHECK": "off"},
    )
    assert not outcome.timed_out, str(outcome)
    assert outcome.status == 3, str(outcome)
    said = [x for x in outcome.stderr.splitlines() if "error:" in x]
    assert len(said) == 1 and "rank 1 on" in said[0], str(outcome)
    assert "End of Tests" not in outcome.stdout
