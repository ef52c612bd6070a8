# SPDX-License-Identifier: BSD-3-Clause
"""A value that is an index to who gets it is damaged in a message: the job ends
and says who sent it."""
import re

import pytest

import jobs
from sabotage import DAMAGE, library, on_rank, preloaded

# Of the input, as another process gets it, the number of Ns is another.
DAMAGED_BROADCAST = """
#include <mpi.h>
#include <stdlib.h>

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int error = PMPI_Bcast(data, count, type, root, comm);
    static int seen;

    if (seen++ == 0)
        for (int i = 0; i + 4 <= count; i += 4)
            if (*(int *)((char *)data + i) == 5431) /* N, after its count */
                ((int *)((char *)data + i))[-1] ^= 1 << 20;
    return error;
}
"""

NB = 32
KEY, ROW, OWNER, HAS_CURRENT = range(4)  # of a proposal
DINFO, DPIV = -1, -1 - NB  # of a panel
ANY = (-64.0, "nan")
PROPOSALS = [(place, value) for place in (KEY, ROW, OWNER, HAS_CURRENT) for value in ANY]
PROPOSALS += [(ROW, 500.0), (ROW, 2.5), (OWNER, 2.0), (OWNER, 0.0), (HAS_CURRENT, 2.0)]
PANELS = [(place, value) for place in (DPIV, DPIV + NB - 1, DINFO) for value in ANY]
PANELS += [(DPIV, 500.0), (DPIV, 4e300), (DPIV + NB - 1, NB - 2.0), (DINFO, NB + 1.0)]


def with_solvers(damages):
    """Each solver in turn: what they find is found in code that they share."""
    return [(damage, ("default", "reference")[i % 2]) for i, damage in enumerate(damages)]


def damaged(folder, p, q, damage, solver):
    """A run on two processes. Rank 1 damages the third proposal of a pivot if it
    is the column's second, else rank 0 damages the first panel."""
    at, value = damage
    where = f"DAMAGED_MESSAGE={3 if p > 1 else 1} DAMAGE_AT={at} DAMAGE={value}"
    load = f"export LD_PRELOAD={library(folder, DAMAGE)} {where}"
    program = on_rank(folder, p - 1, load)
    words = ["-n", 500, "-nb", NB, "-p", p, "-q", q, "--bcast", "1ring"]
    words += [] if solver == "default" else ["--set", f"solver={solver}"]
    env = {"XHPL_TRUST": "off"}  # the first messages are the run's
    return jobs.run(jobs.launched(2, [program, *words]), folder, env)


def assert_blames(outcome, rank):
    """It ended by a run-time error, on one line, which names rank."""
    outcome.ended(3)
    said = [x for x in outcome.stderr.splitlines() if x.startswith("HPL ERROR")]
    assert len(said) == 1, str(outcome)
    assert re.search(rf"from process # {1 - rank} on \S+,.*rank {rank} on \S+ sent",
                     said[0]), str(outcome)  # fmt: skip
    assert "End of Tests" not in outcome.stdout


@pytest.mark.few(5)
@preloaded
@pytest.mark.parametrize("damage, solver", with_solvers(PROPOSALS))
def test_a_damaged_proposal_of_a_pivot_names_its_sender(tmp_path, damage, solver):
    assert_blames(damaged(tmp_path, 2, 1, damage, solver), 1)


@pytest.mark.few(5)
@preloaded
@pytest.mark.parametrize("damage, solver", with_solvers(PANELS))
def test_a_damaged_panel_names_who_factored_it(tmp_path, damage, solver):
    assert_blames(damaged(tmp_path, 1, 2, damage, solver), 0)


@preloaded
def test_a_damaged_count_of_the_input_ends_the_job(tmp_path):
    load = f"export LD_PRELOAD={library(tmp_path, DAMAGED_BROADCAST)}"
    words = ["-n", 5431, "-nb", 64, "-p", 1, "-q", 2]
    program = on_rank(tmp_path, 1, load)
    outcome = jobs.run(jobs.launched(2, [program, *words]), tmp_path)
    assert not outcome.timed_out, str(outcome)
    assert outcome.status == 3, str(outcome)
    assert "rank 0 sent values that cannot be the order of the matrix" in outcome.stderr, str(outcome)
    assert outcome.stdout == "", str(outcome)
