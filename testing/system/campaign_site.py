# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns that tests run on this machine: hosts are names, and xhpl is
fake_xhpl.py."""
import json
import sys
import time

import pytest

import jobs
import records


CAMPAIGN = jobs.SOURCE / "scripts/xhpl-campaign"
FAKE = jobs.SOURCE / "testing/system/fake_xhpl.py"

SCHEMA = type(records.VALIDATOR)(json.loads(
    (jobs.SOURCE / "docs/campaign.schema.json").read_text()))

# Stages, for options.
ALONE = ("--stages", "single")
LOADS = ("--stages", "single,pairs,groups,all")


class Site:
    """A folder in which campaigns run, with an mpirun that starts one process."""

    def __init__(self, folder):
        self.folder = folder
        self.mpirun = jobs.program(folder / "bin/mpirun", 'shift 2; exec "$@"\n')

    def words(self, *options, hosts="n[1-8]", name="c"):
        return [sys.executable, CAMPAIGN, "run", "-C", self.folder / name,
                "--hosts", hosts, "--launcher", "local", "--slots", "8",
                "--xhpl", FAKE, "--mpirun", self.mpirun, "--rate", "100",
                "--memory", "64M", "--grace", "20", *options]

    def env(self, **told):
        return {"FAKE_XHPL": json.dumps(told), "FAKE_LOCKS": str(self.folder)}

    def run(self, *options, told=None, **rest):
        return jobs.run(self.words(*options, **rest), self.folder, self.env(**(told or {})))

    def events(self, name="c"):
        lines = (self.folder / name / "state.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def ended(self, name="c"):
        """{run: its end event}; no run has ended twice."""
        found = [event for event in self.events(name) if event["event"] == "end"]
        assert len({event["run"] for event in found}) == len(found)
        return {event["run"]: event for event in found}

    def result(self, name="c"):
        """campaign.json, which fits its schema."""
        found = json.loads((self.folder / name / "campaign.json").read_text())
        SCHEMA.validate(found)
        return found

    def classes(self, name="c"):
        return {host["name"]: host["class"] for host in self.result(name)["hosts"]}


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


def wait_for(site, holds, name="c"):
    """Until that holds of its events."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if holds(site.events(name)):
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.01)
    raise AssertionError("it never came to that")
