# SPDX-License-Identifier: BSD-3-Clause
"""A launcher that this program's MPI library does not know starts processes that
are alone. Their environment shows it."""
import os
import re

import pytest

import jobs

pytestmark = pytest.mark.surface
OPTIONS = ["-n", "40", "-nb", "8", "-p", "1", "-q", "1"]
FOUR = {
    "mpirun of Open MPI": {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"},
    "mpiexec of MPICH": {"PMI_SIZE": "4", "PMI_RANK": "0"},
    "srun of Slurm": {"SLURM_STEP_NUM_TASKS": "4", "SLURM_NTASKS": "4",
                      "SLURM_PROCID": "0"},
}  # fmt: skip
# What came with MPI 4, which not all libraries have.
OF_MPI_4 = re.compile(r"_c$|_init$|Session|P(send|recv|ready|arrived)|Isendrecv|"
                      r"Info_(get_string|create_env)|idup_with_info|_from_group")


def mpi_library():
    """The line of ldd about the library that xhpl is linked to, and where that is."""
    lines = jobs.run(["ldd", jobs.XHPL], "/").succeeded().stdout
    return re.search(r"libmpi(?:ch)?\.so\S* => (\S+)", lines)


def symbols(kind, path):
    lines = jobs.run(["nm", "-D", kind, path], "/").succeeded().stdout
    return set(re.findall(r" [A-Za-z] (\w+)", lines))


@pytest.fixture
def alone(tmp_path):
    """Run xhpl without a launcher, in the environment of one."""

    def run(env, *options):
        words = [jobs.XHPL, *options]
        return jobs.run(words, tmp_path, env)

    return run


@pytest.mark.parametrize("launcher, side", zip(FOUR, "121"))
def test_one_of_four_that_is_alone_is_refused(alone, tmp_path, launcher, side):
    outcome = alone(FOUR[launcher], *OPTIONS[:4], "-p", side, "-q", side, "--json", "run.json")
    outcome.refused(f"{launcher}", "started 4 processes, but each runs alone")
    assert outcome.stderr.count("error:") == 1, str(outcome)
    assert os.listdir(tmp_path) == []
    library = re.search(r"was built with (\S+)", outcome.stderr)[1]
    assert (library == "MPICH") == ("libmpich" in mpi_library()[0]), str(outcome)


@pytest.mark.parametrize("env", (
    {"SLURM_NTASKS": "4", "SLURM_PROCID": "0"},  # a batch script
    {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0", "PMI_SIZE": "1"},
    {"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"},
    {"OMPI_COMM_WORLD_SIZE": "1"},
))  # fmt: skip
def test_a_process_that_was_started_alone_runs(alone, env):
    assert "1 tests completed and passed" in alone(env, *OPTIONS).succeeded().stdout


def test_a_launcher_that_is_known_starts_several(xhpl):
    env = {"PMI_SIZE": "4", "SLURM_STEP_NUM_TASKS": "4"}
    xhpl(*OPTIONS[:4], "-p", 1, "-q", 2, processes=2, env=env).succeeded()


def test_it_takes_functions_of_mpi_3_alone():
    """Open MPI has them, and so has all that shares MPICH's binary interface."""
    library = mpi_library()[1]
    taken = symbols("--undefined-only", jobs.XHPL) & symbols("--defined-only", library)
    taken = {x for x in taken if not x.startswith("ompi_")}  # Open MPI's constants
    assert {"MPI_Init_thread", "MPI_Isend"} <= taken
    assert [x for x in taken
            if not re.match("MPI_[A-Z][a-z_]+$", x) or OF_MPI_4.search(x)] == []
