# SPDX-License-Identifier: BSD-3-Clause
"""Runs that write checkpoints, are killed, and go on."""
import json
import os
import random
import signal
import time
from pathlib import Path

import jobs

# kernel=auto may choose another one for each run, which rounds otherwise.
SETTINGS = {"XHPL_PREDICT": "off", "XHPL_THREADS": "1", "XHPL_KERNEL": "portable"}
GONE = 60  # seconds in which all processes of a killed job have ended
SAVING = ("--checkpoint", "d", "--every", "0.01s")


def words(p, q, n, nb, *options):
    system = ["-n", n, "-nb", nb, "-p", p, "-q", q, "--json", "run.json"]
    command = [jobs.XHPL, *system, *options]
    return jobs.launched(p * q, command) if p * q > 1 else command


def test_of(folder):
    return json.loads((folder / "run.json").read_text())["tests"][0]


def bits(folder):
    """Those of x, and what follows from them."""
    test = test_of(folder)
    assert test["status"] == "PASSED"
    return test["x_bits"], test["norms"], test["residual"]


def files(folder):
    return sorted(path.name for path in folder.glob("d/*"))


def whole(folder, ranks):
    """The iterations of checkpoints that all processes have."""
    numbers = [name.rpartition(".")[2] for name in files(folder)]
    return sorted({int(x) for x in numbers if x.isdigit() and numbers.count(x) == ranks})


def size(path):
    """In bytes; 0: it is gone."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def members(job):
    return [x for x in jobs.members({job.pid}) if name_of(x)]


def name_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


class Campaign:
    """One system on one grid, killed at random moments until it is done."""

    def __init__(self, folder, p, q, n, nb, *options, seed=1):
        self.folder, self.ranks = folder, p * q
        self.part = 8 * n * n // self.ranks  # bytes of a process's checkpoint
        self.words = lambda *more: words(p, q, n, nb, *options, *more)
        self.random = random.Random(seed)
        self.kills = self.restarts = self.orphans = self.leftovers = 0
        self.partial = 0
        self.clean, self.seconds = None, 0.0

    def run_undisturbed(self):
        """Without checkpoints, and with, which takes longer."""
        jobs.run(self.words(), self.folder, SETTINGS).succeeded()
        self.clean = bits(self.folder)
        self.finish()
        self.seconds = test_of(self.folder)["seconds"]

    def start(self):
        more = list(SAVING)
        if whole(self.folder, self.ranks):
            more += ["--restart", "d"]
            self.restarts += 1
        elif any(x.rpartition(".")[2].isdigit() for x in files(self.folder)):
            self.partial += 1  # killed while the first one got its names
            self.clear()
        return jobs.start(self.words(*more), self.folder, SETTINGS)

    def moment(self):
        """Of a kill: any, of a new checkpoint, or while one is being written."""
        before, bytes_ = whole(self.folder, self.ranks), self.random.randrange(self.part)
        end = time.monotonic() + self.random.uniform(0.0, 1.5) * self.seconds + 0.5
        return self.random.choice([
            lambda: time.monotonic() > end,
            lambda: whole(self.folder, self.ranks) != before,
            lambda: any(size(x) > bytes_ for x in self.folder.glob("d/*.part")),
        ])

    def kill_one(self, job):
        """Kill a process of the job, its launcher included; all others end."""
        victims = [x for x in members(job) if name_of(x) in ("xhpl", "mpirun", "orterun")]
        if not victims:
            return
        try:
            os.kill(self.random.choice(victims), signal.SIGKILL)
        except ProcessLookupError:  # it has just ended
            return
        self.kills += 1
        until = time.monotonic() + GONE
        while members(job) and time.monotonic() < until:
            time.sleep(0.02)
        for pid in members(job):
            print(f"orphan {pid}: {name_of(pid)}")
            self.orphans += 1

    def disturb(self):
        """Start it and kill it; false: it was done before."""
        job, has_come = self.start(), self.moment()
        while job.poll() is None and not has_come():
            time.sleep(0.001)
        if job.poll() is None:
            self.kill_one(job)
        outcome = jobs.finish(job)
        self.leftovers += len(whole(self.folder, self.ranks)) > 2
        return "PASSED" not in outcome.stdout

    def finish(self):
        """Let it come to its end, with the bits of the undisturbed run."""
        outcome = jobs.finish(self.start()).succeeded()
        assert bits(self.folder) == self.clean, str(outcome)
        assert files(self.folder) == [], str(outcome)
        return outcome

    def clear(self):
        for path in self.folder.glob("d/*"):
            path.unlink()

    def round(self, kills):
        """Kill it so many times, then let it end."""
        self.clear()
        for _ in range(kills):
            if not self.disturb():
                self.clear()
        self.finish()
