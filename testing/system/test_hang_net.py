# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that hang on hosts with networks of their own, over ssh and TCP."""
import json
import re
import time

import pytest

import cluster_net
import jobs
from busy import retried

WHY_NOT = cluster_net.why_not()
pytestmark = [pytest.mark.surface, pytest.mark.clusters,
              pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]

# The launcher learns by these that a host is cut off, after 19 s, and ends the job. If
# it has to end one before, it waits for that host's daemon, for a quarter of an hour.
PATIENCE = {"time": 10, "intvl": 3, "probes": 3}
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        **{f"OMPI_MCA_oob_tcp_keepalive_{name}": value for name, value in PATIENCE.items()}}
CUT_OFF = "does not answer, nor does its host: that is down or cut off"
STOPPED = "does not answer while its host does: it is stopped"


@pytest.fixture
def cluster(tmp_path):
    yield from cluster_net.clusters(tmp_path)


def launched(cluster, order, watchdog, hang):
    """The command of a run on four hosts, begun on the first."""
    hosts = ",".join(f"{host}:1" for host in cluster_net.HOSTS[:4])
    variables = {**ROOT, "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self",
                 "OMPI_MCA_mpi_yield_when_idle": 1, "OMPI_MCA_btl_tcp_if_include": "eth0",
                 "OMPI_MCA_oob_tcp_if_include": "eth0"}
    settings = {"diagnosis": "off", "threads": 1,
                "kernel": "portable", "watchdog": watchdog, "hang": hang}
    words = ["env", *(f"{name}={value}" for name, value in variables.items()),
             "mpirun", "--host", hosts, "-np", "4", "--wdir", cluster.folder, jobs.XHPL,
             "-n", order, "-nb", "64", "-p", "2", "-q", "2", "--json", "run.json"]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    return cluster.outside(words, "n01")


def running(cluster):
    """How many processes of the job there are."""
    return sum(int(cluster.on(host, "pgrep -xc xhpl || true"))
               for host in cluster_net.HOSTS[:4])


def after(cluster, fault, order=9000, watchdog=5, hang=60):
    """The outcome of a run with a fault that begins while it computes."""
    job = jobs.start(launched(cluster, order, watchdog, hang), cluster.folder)
    until = time.monotonic() + 60
    while running(cluster) < 4 and time.monotonic() < until:
        time.sleep(0.2)
    time.sleep(5)
    fault()
    return jobs.finish(job)


def assert_named(cluster, outcome, rank, how):
    """Who was named, and that nothing of the job is left."""
    named = re.search(rf"all wait for rank {rank} on n0{rank + 1}, which (.*)", outcome.stderr)
    assert named and how in named[1], str(outcome)
    assert re.search("iteration|a barrier", named[1]), str(outcome)
    until = time.monotonic() + 60  # the host that is cut off looks after itself
    while running(cluster) and time.monotonic() < until:
        time.sleep(0.2)
    assert running(cluster) == 0
    found = json.loads((cluster.folder / "run.json").read_text())
    assert found["exit_status"] in (3, 143) and found["end"], str(outcome)
    assert found["hang"]["rank"] == rank
    return found


@pytest.mark.parametrize("host, words, rank", (
    ("n03", "ip link set eth0 down", 2),
    (None, "ip link set n04 nomaster", 3)))  # all packets are lost
@retried
def test_a_host_that_is_cut_off_is_named(cluster, host, words, rank):
    one = cluster()
    outcome = after(one, lambda: one.on(host, words))
    assert_named(one, outcome, rank, CUT_OFF)


@retried
def test_a_process_that_is_stopped_on_another_host_is_named(cluster):
    one = cluster()
    outcome = after(one, lambda: one.on("n02", "pkill -STOP -x xhpl"), hang=10)
    found = assert_named(one, outcome, 1, STOPPED)
    assert outcome.status == found["exit_status"] == 3 and found["hang"]["ended"]


@retried
def test_a_link_on_which_packets_wait_is_no_hang(cluster):
    """Each waits for up to a second behind others."""
    one = cluster()

    def slow():
        shape = "root tbf rate 40mbit burst 16k latency 1s"
        one.on("n03", f"tc qdisc add dev eth0 {shape}")
        one.on(None, f"tc qdisc add dev n03 {shape}")

    outcome = after(one, slow, order=4000, watchdog=10, hang=20).succeeded()
    assert "all wait for" not in outcome.stderr, str(outcome)
    assert "PASSED" in outcome.stdout
