# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns on eight hosts with networks of their own, over ssh and TCP, on which
faults are planted: all of them are named, with the right class, and nobody else."""
import pytest

import cluster_net
import faults
import jobs
from busy import retried
from cluster_net import classes, result

WHY_NOT = cluster_net.why_not()
pytestmark = [pytest.mark.surface,
              pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]
CAMPAIGN = jobs.SOURCE / "scripts/xhpl-campaign"

# A host has a fifth of a core: what is slow there is so by far more than 15%.
SIZE = ["--xhpl", jobs.XHPL, "--rate", "15", "--memory", "100M", "--nb", "128",
        "--seconds", "2", "--short", "1", "--silence", "4", "--grace", "20",
        "--slow", "15%"]
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture
def cluster(tmp_path):
    yield from cluster_net.clusters(tmp_path)


def campaign(cluster, *options):
    """The outcome of a campaign on all hosts, and its campaign.json."""
    words = [CAMPAIGN, "run", "--hosts", "n[01-08]", "-C", cluster.folder / "campaign",
             *SIZE, *options]
    outcome = jobs.run(cluster.outside(words), cluster.folder, ROOT, limit=150)
    return outcome, result(cluster.folder / "campaign", outcome)


def reasons(found, name):
    """Why a host has its class, and in what it differs from the others."""
    (host,) = (host for host in found["hosts"] if host["name"] == name)
    return "\n".join([reason["text"] for reason in host["reasons"]] + host["differences"])


@pytest.mark.clusters
@retried
def test_nodes_that_are_slow_wrong_and_die_alone(cluster):
    running = cluster()
    faults.half_speed(running, "n02")
    faults.wrong(running, "n05")
    faults.dies(running, "n07")
    outcome, found = campaign(running, "--stages", "inventory,single", "--retries", "1")
    assert classes(found) == {"n02": "slow", "n05": "wrong", "n07": "died"}, str(outcome)
    assert "exited on signal 9" in reasons(found, "n07")
    assert outcome.status == 1


@pytest.mark.clusters
@retried
def test_nodes_that_hang_lack_memory_and_cannot_be_reached(cluster):
    running = cluster()
    faults.hangs(running, "n01")
    faults.little_memory(running, "n04")
    faults.unreachable(running, "n08")
    outcome, found = campaign(running, "--stages", "inventory,single", "--retries", "0")
    assert classes(found) == {"n01": "hung", "n04": "not started",
                              "n08": "not started"}, str(outcome)  # fmt: skip
    assert "needs 0.13 GiB" in reasons(found, "n04")
    assert "memory is" in reasons(found, "n04")
    assert "it does not answer" in reasons(found, "n08")


@pytest.mark.clusters
@retried
def test_the_link_of_one_node_is_slow(cluster):
    running = cluster()
    faults.slow_link(running, "n06")
    outcome, found = campaign(running, "--stages", "pairs", "--retries", "1",
                              "--silence", "15")
    assert classes(found) == {"n06": "slow"}, str(outcome)
    assert "bandwidth" in reasons(found, "n06")


@pytest.mark.more
def test_nodes_that_are_another_are_named_with_the_difference(cluster):
    """Without load: another BLAS, and a disk that is full."""
    running = cluster()
    folder = running.folder / "campaign"
    faults.other_blas(running, "n03", jobs.XHPL)
    faults.full_disk(running, "n06", folder)
    _, found = campaign(running, "--stages", "inventory")
    assert "blas is" in reasons(found, "n03")
    assert "No space left on device" in reasons(found, "n06")
    assert [h["name"] for h in found["hosts"] if h["differences"]] == ["n03", "n06"]
