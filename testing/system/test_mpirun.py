# SPDX-License-Identifier: BSD-3-Clause
"""scripts/mpirun: which launcher it takes, and how it calls it."""
import shutil

import pytest

import hpl_dat
import jobs
import report

pytestmark = pytest.mark.scripts

MPIRUN = jobs.SOURCE / "scripts/mpirun"
ECHO = 'echo "${0##*/} $*"\n'


@pytest.fixture
def launch(tmp_path):
    """Run scripts/mpirun where there are only launchers of the given names,
    which say how they were called."""

    def run(*launchers, env=None):
        for name in ("nproc", "id", "grep"):
            (tmp_path / name).symlink_to(shutil.which(name))
        for name in launchers:
            jobs.program(tmp_path / name, ECHO)
        words = ["/bin/sh", MPIRUN, "-np", 2, "xhpl", "-n"]
        env = {"MPIRUN": "", **(env or {}), "PATH": str(tmp_path)}
        return jobs.run(words, tmp_path, env).succeeded().stdout

    return run


CALLS = [
    ("mpirun mpiexec srun", "", "mpirun -np 2 xhpl -n\n"),
    ("mpiexec srun", "", "mpiexec -np 2 xhpl -n\n"),
    ("srun", "", "srun -n 2 xhpl -n\n"),
    ("mpirun srun", "srun --mpi=pmix", "srun --mpi=pmix -n 2 xhpl -n\n"),
]


@pytest.mark.parametrize("launchers, named, called", CALLS)
def test_the_one_that_is_named_or_there_is_called_in_its_dialect(launch, launchers, named, called):
    assert launch(*launchers.split(), env={"MPIRUN": named}) == called


@pytest.mark.parametrize("library, launcher", (
    ("libmpich.so.12 => /lib/libmpich.so.12", "mpiexec.mpich"),
    ("libmpi.so.40 => /lib/libmpi.so.40", "mpirun.openmpi"),
    ("libc.so.6 => /lib/libc.so.6", "mpirun"),
))  # fmt: skip
def test_where_there_are_several_it_is_that_of_the_program(
        launch, tmp_path, library, launcher):
    jobs.program(tmp_path / "ldd", f"echo '{library}'\n")
    found = launch("mpirun", "mpiexec.mpich", "mpirun.openmpi", "xhpl")
    assert found == f"{launcher} -np 2 xhpl -n\n"


def test_a_launcher_that_is_this_script_is_refused(tmp_path):
    (tmp_path / "mpirun").symlink_to(MPIRUN)
    for env in ({"MPIRUN": str(MPIRUN)}, {"PATH": f"{tmp_path}:/usr/bin:/bin"}):
        words = [MPIRUN, "-np", 1, "true"]
        jobs.run(words, tmp_path, {"MPIRUN": "", **env}).ended(2, "is this script")


def test_xhpl_runs_under_srun(tmp_path):
    """One that has mpirun start the processes, which count themselves."""
    text = f'[ "$1" = -n ] || exit 9\nshift\nunset MPIRUN\n{MPIRUN} -np "$@"\n'
    srun = jobs.program(tmp_path / "srun", text)
    (tmp_path / "HPL.dat").write_text(hpl_dat.text(p="2"))
    env = {"MPIRUN": str(srun)}
    outcome = jobs.run([MPIRUN, "-np", 2, jobs.XHPL], tmp_path, env).succeeded()
    assert report.counts(outcome.stdout)["passed"] == 1, str(outcome)
