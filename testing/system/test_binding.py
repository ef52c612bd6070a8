# SPDX-License-Identifier: BSD-3-Clause
"""The cores that xhpl uses, and what it says of them and of HPL.dat."""
import os
import re
import shutil
import subprocess
from collections import namedtuple
from pathlib import Path

import pytest

import hpl_dat
import jobs
import records
import report

pytestmark = pytest.mark.surface

Solver = namedtuple("Solver", "threads cores")

SOLVER = re.compile(
    r"^xhpl: solver: hybrid, .*?(\d+) threads? on cores? ([\d,-]+), "
    r"kernel \w+, .*device",
    re.M,
)


def binding(policy):
    """The environment in which Open MPI, 4 and 5, binds so.

    With core it does what mpirun -np 1 does by itself.
    """
    return {
        "OMPI_MCA_hwloc_base_binding_policy": policy,
        "PRTE_MCA_hwloc_default_binding_policy": policy,
    }


def numbers_of(listed):
    """The numbers of a text list."""
    found = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", listed):
        found |= set(range(int(first), int(last or first) + 1))
    return found


def solver_of(outcome):
    """What the line about the solver says."""
    assert outcome.status == 0, str(outcome)
    lines = SOLVER.findall(outcome.stderr)
    assert len(lines) == 1, str(outcome)
    threads, listed = lines[0]
    return Solver(int(threads), numbers_of(listed))


def warnings_of(outcome):
    """The lines that warn of cores left unused."""
    pattern = "^xhpl: warning: .* are bound to .*$"
    return re.findall(pattern, outcome.stderr, re.M)


def lines_about(outcome, word):
    return [line for line in outcome.stderr.splitlines() if word in line]


def time_is_limited():
    """Whether a control group grants less than all cores all the time."""
    files = [
        (Path("/sys/fs/cgroup/cpu.max"), "max"),
        (Path("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), "-1"),
    ]
    return any(
        path.exists() and path.read_text().split()[0] != unlimited
        for path, unlimited in files
    )


@pytest.fixture
def cores(xhpl):
    """The cores of this node, more than one."""
    if time_is_limited():
        pytest.skip("a control group limits how many cores are worth using")
    found = solver_of(xhpl(dat=hpl_dat.text())).cores
    if len(found) < 2:
        pytest.skip("one core: no binding can leave another unused")
    return found


@pytest.fixture
def confined(xhpl, cores):
    """Run xhpl with all its processes on one core."""
    if shutil.which("taskset") is None:
        pytest.skip("no taskset")
    core = max(cores)

    def run(*options, processes=1, q="1"):
        (xhpl.directory / "HPL.dat").write_text(hpl_dat.text(q=q))
        command = ["taskset", "-c", core, jobs.XHPL, "--set", "devices=none"]
        return jobs.run(jobs.launched(processes, [*command, *options]), xhpl.directory)

    return run


def launcher_is_open_mpi():
    """Whether jobs are started by Open MPI."""
    name = shutil.which(os.environ.get("MPIRUN", "mpirun").split()[0])
    if name is None:
        return False
    shown = subprocess.run([name, "--version"], capture_output=True, text=True)
    return "Open MPI" in shown.stdout


# ---- binding -----------------------------------------------------------------


@pytest.mark.skipif(not launcher_is_open_mpi(), reason="no mpirun of Open MPI")
def test_one_process_that_open_mpi_bound_names_the_options_that_mend_it(xhpl, cores):
    one = {"dat": hpl_dat.text(), "processes": 1}
    outcome = xhpl(**one, env=binding("core"))
    assert solver_of(outcome).threads == 1
    (warning,) = warnings_of(outcome)
    assert f"bound to 1 of {len(cores)} cores: " in warning
    assert "mpirun --bind-to none or --set bind=node" in warning
    options = ["--set", "devices=none"]
    for outcome in (xhpl(*options, "--set", "bind=node", **one, env=binding("core")),
                    xhpl(*options, **one, env=binding("none")),
                    xhpl(*options, dat=hpl_dat.text())):  # fmt: skip
        assert solver_of(outcome) == Solver(len(cores), cores)
        assert warnings_of(outcome) == []


def host_of(xhpl):
    """The one host of the record run.json."""
    (host,) = records.valid((xhpl.directory / "run.json").read_text())["hosts"]
    return host


def test_one_process_speaks_for_all_of_a_node(confined, cores, xhpl):
    """And the record counts no core that the mask takes away."""
    outcome = confined("--json", "run.json", processes=3, q="3")
    (warning,) = warnings_of(outcome)
    assert "rank 0 on " in warning
    assert f"bound to 1 of {len(cores)} cores: " in warning
    assert "solver: hybrid, 3 processes, the first with 1 " in outcome.stderr
    host = host_of(xhpl)
    assert {rank["cpus_taken"] for rank in host["ranks"]} == {str(max(cores))}
    assert host["fma_ceiling"]["cores"] == 1


@pytest.mark.parametrize("processes", [pytest.param(1, marks=pytest.mark.more), 2])
def test_bind_node_shares_all_cores_among_the_processes(confined, cores, xhpl, processes):
    options = ["--set", "bind=node", "--json", "run.json"]
    outcome = confined(*options, processes=processes, q=str(processes))
    assert warnings_of(outcome) == []
    first, host = solver_of(outcome), host_of(xhpl)
    assert first.threads == len(first.cores)
    assert abs(processes * len(first.cores) - len(cores)) <= processes - 1
    taken = [numbers_of(rank["cpus_taken"]) for rank in host["ranks"]]
    assert taken[0] == first.cores and set().union(*taken) == cores
    assert [rank["threads"] for rank in host["ranks"]] == list(map(len, taken))
    assert {rank["cpus_allowed"] for rank in host["ranks"]} == {str(max(cores))}
    assert host["fma_ceiling"]["cores"] == len(cores)


# ---- binding -----------------------------------------------------------------


def test_more_threads_than_the_mask_has_cores_are_warned_of(confined, cores):
    outcome = confined("--set", "threads=2")
    assert solver_of(outcome).threads == 2
    (warning,) = warnings_of(outcome)
    said = f"bound to 1 of {len(cores)} cores, all of their 2 threads: "
    assert said in warning and "bind=node" in warning


# ---- lines of HPL.dat --------------------------------------------------------


def test_a_depth_above_2_is_said_once(xhpl):
    outcome = xhpl(dat=hpl_dat.text(depth="1 5 7", bcast="0 1"))
    assert report.counts(outcome.stdout)["passed"] == 6
    (line,) = lines_about(outcome, "DEPTH")
    assert line == "xhpl: DEPTH 5 works like DEPTH 2, as all values above 2 do"


@pytest.mark.few(1)
@pytest.mark.parametrize("l1, u", [("0", "1"), ("1", "0"), ("1", "1")])
def test_forms_that_were_chosen_are_said_once(xhpl, l1, u):
    dat = hpl_dat.text(l1=l1, u=u, n="40 50", p="2")
    outcome = xhpl(dat=dat, processes=2)
    assert report.counts(outcome.stdout)["passed"] == 2
    (line,) = lines_about(outcome, "L1")
    assert "own form" in line
