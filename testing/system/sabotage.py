# SPDX-License-Identifier: BSD-3-Clause
"""Runs of xhpl in which functions of libraries are ours, or a process differs;
and the processes of such runs."""
import os
import re
import time
from pathlib import Path

import pytest

import jobs

preloaded = pytest.mark.skipif(jobs.sanitized(), reason="the sanitizer has to be loaded first")

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

DGEMM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef void dgemm_t(const char *, const char *, const int *, const int *,
                     const int *, const double *, const double *, const int *,
                     const double *, const int *, const double *, double *,
                     const int *);

void dgemm_(const char *ta, const char *tb, const int *m, const int *n,
            const int *k, const double *alpha, const double *a, const int *lda,
            const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc)
{
    dgemm_t *real = (dgemm_t *)dlsym(RTLD_NEXT, "dgemm_");
    BEFORE

    real(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    AFTER
}
"""


def dgemm(after, before=""):
    """DGEMM between xhpl and the real library, with statements of C after the real
    one, and before it."""
    return DGEMM.replace("BEFORE", before).replace("AFTER", after)


# Of one message of doubles one value is another. Negative places count from the
# end.
DAMAGE = """
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static long number(const char *name)
{
    return strtol(getenv(name), NULL, 0);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    static long left = -1;
    long at = number("DAMAGE_AT");
    double *copy;

    if (left < 0)
        left = number("DAMAGED_MESSAGE");
    if (type != MPI_DOUBLE || left == 0 || --left != 0)
        return PMPI_Isend(data, count, type, to, tag, comm, request);
    copy = malloc((size_t)count * sizeof(*copy)); /* as long as it is sent */
    memcpy(copy, data, (size_t)count * sizeof(*copy));
    copy[at < 0 ? count + at : at] = strtod(getenv("DAMAGE"), NULL);
    return PMPI_Isend(copy, count, type, to, tag, comm, request);
}
"""


def library(folder, source):
    """The path of one of this source, for LD_PRELOAD."""
    (folder / "ours.c").write_text(source)
    compiler = (jobs.BUILD / "commands").read_text().split()[0]
    words = [compiler, "-O1", "-shared", "-fPIC", "-o", "ours.so", "ours.c", "-ldl"]
    jobs.run(words, folder).succeeded()
    return folder / "ours.so"


def on_rank(folder, rank, command):
    """A program that is xhpl, but for what one process does before."""
    mine = "${OMPI_COMM_WORLD_RANK-${PMI_RANK-${PMIX_RANK-0}}}"
    text = f'[ "{mine}" = {rank} ] && {command}\nexec {jobs.XHPL} "$@"\n'
    return jobs.program(folder / "on_rank", text)


def ranks_of(job):
    """Process ids of the xhpl processes that a job has started."""
    found = []
    for pid in jobs.members({job.pid}):
        try:
            if Path(f"/proc/{pid}/exe").resolve() == jobs.XHPL.resolve():
                found.append(pid)
        except OSError:
            continue
    return sorted(found)


def has_computed(pid):
    """Whether a process has had a second of a processor."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return int(fields[11]) + int(fields[12]) > os.sysconf("SC_CLK_TCK")


def rank_of(pid):
    """The rank of a process, as its launcher told it, if it has one."""
    environment = Path(f"/proc/{pid}/environ").read_bytes()
    found = re.search(rb"(?:OMPI_COMM_WORLD_RANK|PMI_RANK|PMIX_RANK)=(\d+)", environment)
    return int(found[1]) if found else 0


def wait_for_ranks(job, count, ready=has_computed):
    """The ids of count xhpl processes, by rank, as soon as they all are ready."""
    until = time.monotonic() + jobs.LIMIT
    while time.monotonic() < until:
        if job.poll() is not None:
            raise AssertionError("the job ended before all processes had started")
        pids = ranks_of(job)
        if len(pids) == count and all(map(ready, pids)):
            return sorted(pids, key=rank_of)
        time.sleep(0.05)
    raise AssertionError("the processes did not start")
