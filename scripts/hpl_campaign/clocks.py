# SPDX-License-Identifier: BSD-3-Clause
"""The clocks under load that records have, for slow hosts and their peers."""
import os

from hpl_report import files
from hpl_report.foreign import ANY, TEXT, Maybe, Refused, check, parsed, within

from .compare import PEERS

LARGEST = 1 << 28  # bytes of a record
SHAPE = {"tests": [ANY]}
TEST = {"clocks": Maybe([{"host": TEXT, "mhz_mean": Maybe(within(0.0, 1e6))}])}


def of_record(path):
    """{host: MHz, the mean of its cores} of the first test of a record; {} if it
    cannot be read or has none."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
            return {}
        record = parsed(files.read(path))
        check(record, SHAPE)
        for test in record["tests"][:1]:
            check(test, TEST)
            return {found["host"]: found["mhz_mean"] for found in test["clocks"] or []
                    if found["mhz_mean"]}
    except (Refused, OSError, ValueError):
        pass
    return {}


def added(runs, slow):
    """Runs alone of slow hosts and of as many others have their clocks, as "mhz";
    nothing is read if nobody is slow.

    slow   names of hosts
    """
    if not slow:
        return runs
    others = list(dict.fromkeys(run["hosts"][0] for run in runs
                                if len(run["hosts"]) == 1))
    step = max(1, len(others) // PEERS)
    wanted = set(slow) | set(others[::step])
    return [with_clock(run) if len(run["hosts"]) == 1 and run["hosts"][0] in wanted
            and run.get("record") else run for run in runs]


def with_clock(run):
    """A run of one host, whose record may call the host by a longer name or by its
    own one."""
    mhz = list(of_record(run["record"]).values())
    return {**run, "mhz": {run["hosts"][0]: mhz[0]}} if len(mhz) == 1 else run
