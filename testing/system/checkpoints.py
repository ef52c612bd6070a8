# SPDX-License-Identifier: BSD-3-Clause
"""Runs that write checkpoints, are killed, and go on."""
import json
import os
import random
import shutil
import signal
import time
from pathlib import Path

import jobs

# kernel=auto may choose another one for each run, which rounds otherwise.
SETTINGS = {"XHPL_PREDICT": "off", "XHPL_THREADS": "1",
            "XHPL_KERNEL": "portable"}
GONE = 60  # seconds in which all processes of a killed job have ended


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


def has_begun(folder, ranks, since):
    return sum(modified(x) > since for x in folder.glob("d/*.alive")) == ranks


def modified(path):
    """When it was; 0: it is gone."""
    try:
        return path.stat().st_mtime
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
        self.words = lambda *more: words(p, q, n, nb, *options, *more)
        self.random = random.Random(seed)
        self.kills = self.restarts = self.orphans = self.leftovers = 0
        self.clean, self.seconds = None, 0.0

    def run_undisturbed(self):
        """Without checkpoints, and with, which takes longer."""
        jobs.run(self.words(), self.folder, SETTINGS).succeeded()
        self.clean = bits(self.folder)
        self.finish()
        self.seconds = test_of(self.folder)["seconds"]

    def start(self):
        more = ["--checkpoint", "d", "--every", "0.01s"]
        if whole(self.folder, self.ranks):
            more += ["--restart", "d"]
            self.restarts += 1
        return jobs.start(self.words(*more), self.folder, SETTINGS)

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
        since, before = time.time(), whole(self.folder, self.ranks)
        has_new = lambda: whole(self.folder, self.ranks) != before
        begun = lambda: has_begun(self.folder, self.ranks, since)
        job = self.start()
        moment = self.random.choice([begun, has_new])
        while job.poll() is None and not moment():
            time.sleep(0.002)
        time.sleep(self.random.uniform(0.0, (1.2 if moment is begun else 0.3) * self.seconds))
        if job.poll() is None:
            self.kill_one(job)
        outcome = jobs.finish(job)
        self.leftovers += len(whole(self.folder, self.ranks)) > 3
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


class Disks:
    """One system, whose processes have folders of their own: hosts' disks."""

    ENTER = ('cd "disk${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" || exit 2; exec "$@"')

    def __init__(self, folder, p, q, n, nb, *options):
        self.folder, self.ranks = folder, p * q
        system = ["-n", n, "-nb", nb, "--json", "run.json", *options]
        self.words = [jobs.XHPL, *system]
        self.grid = ["-p", p, "-q", q]
        self.make(range(self.ranks))

    def make(self, ranks):
        for rank in ranks:
            (self.folder / f"disk{rank}").mkdir()

    def lose(self, rank):
        """With a new disk in its place."""
        shutil.rmtree(self.folder / f"disk{rank}")
        self.make([rank])

    def swap(self, a, b):
        """Processes are on other hosts than before."""
        a, b = (self.folder / f"disk{x}" for x in (a, b))
        spare = self.folder / "spare"
        for old, new in ((a, spare), (b, a), (spare, b)):
            old.rename(new)

    def start(self, *more):
        words = map(str, [*self.words, *self.grid])
        command = ["sh", "-c", self.ENTER, "sh", *words, *more]
        return jobs.start(jobs.launched(self.ranks, command), self.folder, SETTINGS)

    def bits(self):
        return bits(self.folder / "disk0")

    def names(self):
        return sorted(path.name for path in self.folder.glob("disk*/d/*"))

    def iterations(self, mark):
        """Of checkpoints that all have, or that copies are there of all."""
        found = [x.rpartition(mark)[2] for x in self.names() if mark in x]
        return {x for x in found if x.isdigit() and found.count(x) == self.ranks}

    def interrupt(self, *more, tries=5):
        """Kill it once a checkpoint and its copies are whole. Where others have the
        cores that may be too late: again, unless there is nothing left to restart."""
        job = self.start(*more)
        while job.poll() is None and not (self.iterations(".") & self.iterations("copy-")):
            time.sleep(0.01)
        if job.poll() is not None:
            outcome = jobs.finish(job)
            assert tries > 1 and "--restart" not in more, str(outcome)
            return self.interrupt(*more, tries=tries - 1)
        for pid in members(job):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        jobs.finish(job)
