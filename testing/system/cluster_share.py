# SPDX-License-Identifier: BSD-3-Clause
"""The part of a core that each host of a cluster on this machine gets, so that all
are equally fast while they compute at the same time, and whatever else runs."""
import os
import time
from pathlib import Path

PERIOD = 20000  # microseconds
QUOTA = 3000    # of these: all hosts together leave time for whatever else runs
WEIGHT = 20     # of the weight that one other process has
ROOT = Path("/sys/fs/cgroup")
OLD = ROOT / "cpu"  # control groups of version 1


def top():
    return OLD if OLD.is_dir() else ROOT


def why_not():
    """Why processes cannot be limited here; None if they can."""
    place = top() / f"xhpl-try-{os.getpid()}"
    try:
        place.mkdir()
        limit(place)
        place.rmdir()
    except OSError as error:
        if place.is_dir():
            place.rmdir()
        return f"no limits by control groups: {error.strerror}"
    return None


def limit(place):
    if top() == OLD:
        (place / "cpu.cfs_period_us").write_text(str(PERIOD))
        (place / "cpu.cfs_quota_us").write_text(str(QUOTA))
        (place / "cpu.shares").write_text(str(1024 * WEIGHT))
    else:
        (place / "cpu.max").write_text(f"{QUOTA} {PERIOD}")
        (place / "cpu.weight").write_text(str(100 * WEIGHT))


class Share:
    """Groups of the given names, one a host."""

    def __init__(self, names):
        self.places = {}
        for number, name in enumerate(names):
            place = top() / f"xhpl-{os.stat('/proc/self/ns/pid').st_ino}-{name}"
            place.mkdir()
            limit(place)
            self.places[name] = place, number % os.cpu_count()

    def enter(self, name):
        """The calling process is of that host from now on."""
        place, core = self.places[name]
        (place / "cgroup.procs").write_text("0")
        os.sched_setaffinity(0, {core})

    def remove(self):
        """Once all processes in them are killed."""
        for place, _ in self.places.values():
            for _ in range(100):
                try:
                    place.rmdir()
                    break
                except OSError:
                    time.sleep(0.05)
