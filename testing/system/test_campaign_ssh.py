# SPDX-License-Identifier: BSD-3-Clause
"""A campaign over ssh that is killed: what it left on other hosts is ended first."""
import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

import cluster_net
import jobs
from campaign_site import CAMPAIGN, FAKE

WHY_NOT = cluster_net.why_not()
pytestmark = [pytest.mark.surface, pytest.mark.more,
              pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
HOSTS = cluster_net.HOSTS[:2]


@pytest.fixture
def cluster(tmp_path):
    running = cluster_net.Cluster(tmp_path, len(HOSTS))
    yield running
    running.close()


def fake(cluster, seconds):
    """A fake xhpl on all hosts, whose runs lock their hosts."""
    told = json.dumps({"seconds": seconds})
    return jobs.program(
        cluster.folder / "bin/xhpl",
        f"export FAKE_XHPL='{told}' FAKE_LOCKS={cluster.folder}\n"
        f'exec {sys.executable} {FAKE} "$@"\n')


def words(cluster, xhpl):
    """A campaign that waits for hosts however slow they are, and ends no run itself."""
    return cluster.outside([
        sys.executable, CAMPAIGN, "run", "-C", cluster.folder / "c", "--hosts",
        "n[01-02]", "--stages", "single", "--xhpl", xhpl, "--rate", "100",
        "--memory", "64M", "--silence", "9999", "--grace", "9999",
        "--ssh", "ssh -o BatchMode=yes -o ConnectTimeout=300"])


def running_on(cluster, host):
    """How many fakes run on a host."""
    return int(cluster.on(host, f"pgrep -fc '^[^ ]*python.* {FAKE}' || true"))


def wait_for_locks(cluster, job):
    """Until a fake runs on each host."""
    end = time.monotonic() + 5 * jobs.LIMIT
    while not all((cluster.folder / f"{host}.lock").exists() for host in HOSTS):
        assert job.poll() is None and time.monotonic() < end, str(jobs.finish(job, 0))
        time.sleep(0.1)


def test_what_a_killed_campaign_left_on_other_hosts_is_ended(cluster):
    """The fakes lock their hosts: a second one would die."""
    xhpl = fake(cluster, 3600)
    job = jobs.start(words(cluster, xhpl), cluster.folder, ROOT)
    wait_for_locks(cluster, job)
    (campaign,) = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    os.kill(int(campaign), signal.SIGKILL)
    jobs.finish(job)
    assert [running_on(cluster, host) for host in HOSTS] == [1, 1]
    fake(cluster, 0.1)
    jobs.run(words(cluster, xhpl), cluster.folder, ROOT).ended(0, "2 runs had not ended")
    assert [running_on(cluster, host) for host in HOSTS] == [0, 0]
