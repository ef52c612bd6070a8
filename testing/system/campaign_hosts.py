# SPDX-License-Identifier: BSD-3-Clause
"""What campaigns on clusters of this machine have in common: a cluster for each try,
and what a campaign has found."""
import json
from pathlib import Path


def clusters(tmp_path, kind):
    """For a fixture: a function that starts a cluster of this class, each time a new
    one; the last one is gone when the test ends."""
    running = []

    def start():
        while running:
            running.pop().close()
        folder = tmp_path / f"cluster{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        running.append(kind(folder))
        return running[0]

    yield start
    while running:
        running.pop().close()


def result(folder, outcome):
    """The campaign.json in folder of a campaign with this outcome."""
    path = Path(folder, "campaign.json")
    assert path.exists(), str(outcome)
    return json.loads(path.read_text())


def classes(found):
    """Those of hosts that are not ok."""
    return {host["name"]: host["class"] for host in found["hosts"]
            if host["class"] != "ok"}
