# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns on a Slurm of eight nodes, by jobs and within an allocation."""
import json
import os
import shutil
import time
import types

import pytest

import cluster_slurm
import faults
import jobs
from busy import retried
from cluster_net import classes, clusters, result
from hpl_campaign import launch, slurm

WHY_NOT = cluster_slurm.why_not()
on_slurm = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
pytestmark = pytest.mark.surface
SIZE = ["--xhpl", str(jobs.XHPL), "--rate", "15", "--memory", "100M", "--nb", "128",
        "--seconds", "2", "--short", "1", "--slow", "15%", "--retries", "1"]
EXAMPLES = jobs.SOURCE / "examples"


@pytest.fixture
def cluster(tmp_path):
    yield from clusters(tmp_path, cluster_slurm.Slurm)


def at_login(cluster, *words, **env):
    env = {"PATH": f"{jobs.BIN}:{os.environ['PATH']}", **env}
    return jobs.run(cluster.outside(words), cluster.folder, env, limit=150)


@pytest.mark.clusters
@on_slurm
@retried
def test_the_nodes_of_a_partition_are_tried_by_jobs_of_their_own(cluster):
    """One of them is slow, and one is drained."""
    running = cluster()
    faults.half_speed(running, "n03")
    at_login(running, "scontrol", "update", "nodename=n07", "state=drain",
             "reason=dead").succeeded()  # fmt: skip
    outcome = at_login(
        running, jobs.SOURCE / "scripts/xhpl-campaign", "run", "--partition", "all",
        "-C", running.folder / "campaign", "--stages", "inventory,single", *SIZE)
    found = result(running.folder / "campaign", outcome)
    assert classes(found) == {"n03": "slow", "n07": "not started"}, str(outcome)
    groups = {host["name"]: host["group"] for host in found["hosts"]}
    assert groups["n04"] == "left" and groups["n05"] == "right"
    assert at_login(running, "squeue", "-h").stdout == ""


def submitted(cluster, script, *words, **env):
    """A batch script of the kit, submitted as its head says, to its end; what it
    wrote."""
    shutil.copy(EXAMPLES / script, cluster.folder)
    at_login(cluster, "sh", "-c", f"cd {cluster.folder} && sbatch --output=out "
             f"{' '.join(words)} {os.path.basename(script)}", **env).succeeded()
    until = time.monotonic() + 120
    while at_login(cluster, "squeue", "-h").stdout.strip():
        assert time.monotonic() < until
        time.sleep(0.5)
    return (cluster.folder / "out").read_text()


@pytest.mark.clusters
@on_slurm
@retried
def test_a_campaign_runs_within_an_allocation(cluster):
    """Enough nodes to judge by: all share this machine, as no prediction knows."""
    running = cluster()
    out = submitted(running, "slurm/campaign.sbatch", "--nodes=6",
                    CAMPAIGN=str(jobs.SOURCE / "scripts/xhpl-campaign"),
                    OPTIONS=" ".join(["--stages", "inventory,single,pairs", *SIZE]))
    found = result(running.folder / "campaign", out)
    assert classes(found) == {} and len(found["hosts"]) == 6, out
    assert found["pairs"]["hosts"] != []


@pytest.mark.clusters
@on_slurm
@retried
def test_a_batch_script_runs_xhpl_on_several_nodes(cluster):
    running = cluster()
    out = submitted(running, "slurm/cpu.sbatch", "--nodes=4",
                    OPTIONS="-n 1000 --nb 64 -p 2 -q 2")
    assert "1 tests completed and passed residual checks" in out, out


@pytest.mark.clusters
@on_slurm
@retried
def test_processes_are_on_nodes_in_the_order_of_their_speed(cluster):
    """srun sorts a list of nodes. n02 of this reservation is slow, so the full run has
    it last."""
    running = cluster()
    at_login(running, "scontrol", "create", "reservation", "reservationname=night",
             "starttime=now", "duration=60", "users=root", "nodes=n[01-04]").succeeded()
    faults.half_speed(running, "n02")
    outcome = at_login(
        running, jobs.SOURCE / "scripts/xhpl-campaign", "run", "--reservation", "night",
        "-C", running.folder / "campaign", "--stages", "inventory,single,all", *SIZE)
    found = result(running.folder / "campaign", outcome)
    (run,) = (run for run in found["runs"] if run["stage"] == "all")
    assert run["outcome"] == "ok" and run["hosts"][-1] == "n02", str(outcome)
    record = json.loads(open(run["record"]).read())
    ranks = [host["name"] for host in record["hosts"] for _ in host["ranks"]]
    assert ranks.index("n02") == 3 and record["tests"][0]["weights"], record["hosts"]


# ---- what Slurm prints ---------------------------------------------------------------


def test_hosts_hang_on_the_lowest_switch():
    text = ("SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2],gpu1\n"
            "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n3\n"
            "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-3],gpu1 Switches=s1,s2\n")
    assert slurm.switches(text) == {"n1": "s1", "n2": "s1", "gpu1": "s1", "n3": "s2"}


LISTED = "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix ... pmix_v4\n"


@pytest.mark.parametrize("listed, library, wanted", (
    (LISTED, "libmpi.so.40 => /lib/libmpi.so.40", "pmix"),
    (LISTED, "libmpi.so.12 => /lib/libmpi.so.12", "pmi2"),
    (LISTED, "libmpi_gnu_123.so.12 => /opt/cray/libmpi_gnu_123.so.12", "pmi2"),
    ("srun: MPI types are...\nsrun: none\nsrun: pmi2\n", "libmpi.so.40", "pmi2"),
    ("MPI plugin types are...\n\tnone\n", "libmpi.so.40", None),
))  # fmt: skip
def test_srun_gets_what_this_mpi_needs(listed, library, wanted):
    assert slurm.mpi_type(listed, library) == wanted


# ---- what it answers, or does not ----------------------------------------------------


class Told:
    """In place of slurm.printed: answers by the command's name; None fails."""

    def __init__(self, monkeypatch, **answers):
        self.answers, self.calls = answers, []
        monkeypatch.setattr(slurm, "printed", self)
        monkeypatch.setattr(slurm, "SECOND", -1)

    def __call__(self, *words):
        self.calls.append(words)
        answer = self.answers[words[0]]
        return answer.pop(0) if isinstance(answer, list) else answer


def test_a_queue_that_cannot_be_asked_ends_no_job(tmp_path, monkeypatch):
    told = Told(monkeypatch, squeue="7 RUNNING None\n")
    queue = slurm.Queue()
    job = slurm.BatchJob(queue, "7", tmp_path, ["n1"])
    assert job.poll() is None and not job.waiting
    told.answers["squeue"] = None
    later = slurm.BatchJob(queue, "8", tmp_path, ["n2"])
    assert job.poll() is None and not job.waiting
    assert later.poll() is None and later.waiting
    told.answers["squeue"] = ""
    (tmp_path / slurm.STATUS).write_text("0\n")
    assert job.poll() == 0


@pytest.mark.parametrize("reason", (
    "ReqNodeNotAvail, May be reserved for other job",
    "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority "
    "partitions"))  # fmt: skip
def test_a_job_waits_unless_its_node_is_down(tmp_path, monkeypatch, reason):
    Told(monkeypatch, squeue=f"1 PENDING {reason}\n2 PENDING {reason}\n", scancel="",
         sinfo="n1 allocated\nn1 allocated\nn2 drained*\n")
    queue = slurm.Queue()
    busy = slurm.BatchJob(queue, "1", tmp_path, ["n1"])
    drained = slurm.BatchJob(queue, "2", tmp_path, ["n1", "n2"])
    assert busy.poll() is None and busy.waiting
    assert drained.poll() == -9 and "not available" in (tmp_path / "log").read_text()


def test_jobs_are_cancelled_by_their_numbers(monkeypatch):
    told = Told(monkeypatch, squeue=[None, "7\n8\n", ""], scancel="")
    monkeypatch.setattr(slurm, "SECOND", 0)
    slurm.Slurm.cancel(None, ["/a", "/b"])
    assert [words for words in told.calls if words[0] == "scancel"] == [("scancel", "7", "8")]
    assert told.calls[0][-1] == "--name=/a,/b"


@pytest.mark.parametrize("said, error", (
    ("Batch job submission failed: Job violates accounting/QOS policy", launch.Later),
    ("Batch job submission failed: Socket timed out on send/recv", launch.Later),
    ("Batch job submission failed: Requested node configuration is not available",
     OSError),
))  # fmt: skip
def test_a_refusal_is_a_node_s_fault_if_it_names_the_node(tmp_path, monkeypatch, said, error):
    jobs.program(tmp_path / "bin/sbatch", f'echo "$@" >words; echo "{said}" >&2; exit 1\n')
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_MPI_TYPE", "pmix")
    launcher = slurm.Slurm(types.SimpleNamespace(
        slots=None, slurm=None, xhpl="xhpl", ssh=None, mpirun="true", partition="p",
        reservation=None))
    run = types.SimpleNamespace(p=1, q=1, hosts=["n1"], limit=60)
    with pytest.raises(OSError) as found:
        launcher.submit(str(tmp_path), dict(os.environ), run)
    assert isinstance(found.value, launch.Later) == (error is launch.Later)
    assert found.value.strerror == said
    assert "--mem=0" in (tmp_path / "words").read_text().split()
