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
pytestmark = [pytest.mark.surface,
              pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture
def cluster(tmp_path):
    running = cluster_net.Cluster(tmp_path)
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
    return cluster.outside([
        sys.executable, CAMPAIGN, "run", "-C", cluster.folder / "c", "--hosts",
        "n[01-04]", "--stages", "single", "--xhpl", xhpl, "--rate", "100",
        "--memory", "64M"])


def running_on(cluster, host):
    """How many fakes run on a host."""
    return int(cluster.on(host, f"pgrep -fc '^[^ ]*python.* {FAKE}' || true"))


def until(holds):
    end = time.monotonic() + 180
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.1)


@pytest.mark.more
def test_what_a_killed_campaign_left_on_other_hosts_is_ended(cluster):
    """The fakes lock their hosts: a second one would die."""
    xhpl = fake(cluster, 3600)
    job = jobs.start(words(cluster, xhpl), cluster.folder, ROOT)
    until(lambda: all(running_on(cluster, host) == 1 for host in cluster_net.HOSTS[:4]))
    (campaign,) = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    os.kill(int(campaign), signal.SIGKILL)
    jobs.finish(job)
    assert running_on(cluster, "n03") == 1
    fake(cluster, 0.1)
    done = jobs.run(words(cluster, xhpl), cluster.folder, ROOT)
    assert done.status == 0 and "4 runs had not ended" in done.stderr, str(done)
    assert [running_on(cluster, host) for host in cluster_net.HOSTS[:4]] == [0] * 4
