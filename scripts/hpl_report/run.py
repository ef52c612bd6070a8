# SPDX-License-Identifier: BSD-3-Clause
"""One run: its record, and what follows from it."""
import re
from collections import namedtuple
from pathlib import Path

from .foreign import shown, whole

PHASES = (
    "update_host", "panel", "swap", "solve", "broadcast", "exchange",
    "wait_panel", "wait_exchange", "wait_device",
)
RUN_TIME = 3  # exit status of a failure at run time; above are signals
THRESHOLD = 16  # of the scaled residual
SOFTWARE = "emu:"  # names of devices that cores play begin so
BOUND = r"\bprocesses are bound to (\d+) of (\d+) cores"  # as the solver says it
RIVALS = re.compile(r"other programs (?:have|had) [^(]*\((.+)\)")
SAID_BY = re.compile(  # a finding of one process, or of HPL_pabort
    r"(?:HPL ERROR from process #|rank) (?P<rank>\d+) on (?P<host>[^\s,:]+)"
    r"(?:,? (?:on line \d+ of|in) function [^\s:]+)?: (?:iteration (?P<when>\d+): )?")

Home = namedtuple("Home", "host all")  # block columns of process 0: in host memory; all


def total(values):
    """The sum; None if a value is missing, or there is none."""
    values = list(values)
    return None if not values or None in values else sum(values)


def counts(test):
    """Has it a result by HPL's own threshold, whatever the run's was?"""
    return test["status"] == "PASSED" and test["residual"] < THRESHOLD


def is_wrong(test):
    """Was something computed wrongly?"""
    return test["status"] == "FAILED" or (
        test["status"] == "PASSED" and not counts(test))


def clocks_agree(test):
    """Is its time one that clocks agree on, whatever restarts there were?"""
    return (test.get("restarted") or {}).get("clocks_agree", True)


def plain(text):
    """A finding, what happened first, then where."""
    by = SAID_BY.match(text)
    if not by:
        return text
    when = f" in iteration {by['when']}" if by["when"] else ""
    return f"{text[by.end():]}{when} (process {by['rank']} on {by['host']})"


class Run:
    """A record with what the sections ask of it."""

    def __init__(self, path, record):
        self.name = shown(Path(path).name)
        self.record = record
        self.tests = record["tests"]
        self.solved = [t for t in self.tests
                       if t["seconds"] is not None and t["gflops"] is not None]
        self.best = self.choose()
        self.ceiling = self.over_hosts("gflops")
        self.cores = self.over_hosts("cores")
        self.rows = self.rows_of(self.best)
        self.findings = record.get("findings") or []

    def where(self):
        """The host that it ran on, or how many."""
        hosts = self.record["hosts"]
        more = f" and {len(hosts) - 1} more hosts" if len(hosts) > 1 else ""
        return hosts[0]["name"] + more if hosts else "an unknown host"

    def broke_off(self):
        """Did it end otherwise than after its last test?"""
        status = self.record["exit_status"]
        return status is None or status >= RUN_TIME

    def over_hosts(self, member):
        return total(
            (host.get("fma_ceiling") or {}).get(member)
            for host in self.record["hosts"]
        )

    def said(self, *levels):
        """The findings of these levels, in order, what happened first."""
        return [plain(f["text"]) for f in self.findings if f["level"] in levels]

    def bound(self):
        """Cores that were used, and those there were; None where they are the same.

        One process of each node says so, and quotas are counted there.
        """
        said = {f["text"] for f in self.findings if f["level"] == "warning"}
        counts = [
            (whole(found[1]), whole(found[2]))
            for found in map(re.compile(BOUND).search, said) if found
        ]
        counts = [pair for pair in counts if None not in pair]
        if not counts:
            return None
        used = self.cores or sum(used for used, _ in counts)
        return used, used + sum(there - used for used, there in counts)

    def others(self, test):
        """The part of the time that others had the cores of a process, the worst one."""
        return max((r.get("others") or 0 for r in test.get("ranks") or []), default=0)

    def rivals(self):
        """The programs that had the cores, as the run names them; "" if it does not."""
        found = [RIVALS.search(finding["text"]) for finding in self.findings]
        return next((match[1] for match in found if match), "")

    def threads(self):
        """Of all processes; None if unknown."""
        return total(
            rank.get("threads") for host in self.record["hosts"]
            for rank in host["ranks"]
        )

    def choose(self):
        """The fastest test that counts, else the fastest; None without any."""
        return max(
            self.solved, key=lambda t: (counts(t), t["gflops"]), default=None
        )

    def rows_of(self, test):
        """The iterations of a test, in order."""
        number = next((i for i, t in enumerate(self.solved) if t is test), None)
        rows = [r for r in self.record["iterations"] if r["run"] == number]
        return sorted(rows, key=lambda r: r["iteration"])

    def efficiency(self, test):
        """Of the ceiling of all cores; None where it is not known."""
        if test is None or not test["gflops"] or not self.ceiling or self.devices():
            return None
        return test["gflops"] / self.ceiling

    def devices(self):
        """How many devices took part, or process 0 had work for."""
        if self.record.get("devices"):
            return len(self.record["devices"])
        names = {k for row in self.rows for k, value in row.items() if value is not None}
        return sum(name.startswith("update_device_") for name in names)

    def software_devices(self):
        """The names of devices that cores play, for tests; each name once."""
        names = [device["name"] for device in self.record.get("devices") or []]
        return list(dict.fromkeys(n for n in names if n.startswith(SOFTWARE)))

    def home(self, test):
        """Where the block columns of a test lived, as its plan says; None: unknown."""
        rows = (test.get("plan") or {}).get("rows") or []
        blocks = {row["where"]: row["blocks"] or 0 for row in rows}
        if not blocks.get("all") or "host" not in blocks:
            return None
        return Home(blocks["host"] + blocks.get("guests of these", 0), blocks["all"])

    def lives_on_devices(self, test):
        """Did the whole matrix live there, so that the cores had little to do?"""
        home = self.home(test)
        return home is not None and home.host == 0

    def products(self, test):
        """Gflop/s of all devices in products; None where one was not measured."""
        return total(device["gflops"] for device in test.get("devices") or [])

    def emulates(self):
        """Did devices emulate double precision, as a setting allowed them to?"""
        setting = self.record["settings"].get("fp64") or {}
        return setting.get("value") == "emulated" and self.devices() > 0

    def filled(self, test):
        """The part of the free memory that the matrix took."""
        memory = total(
            host.get("memory_available_bytes") for host in self.record["hosts"]
        )
        return 8 * test["n"] ** 2 / memory if memory else None

    def part(self, *phases):
        """The part of process 0's time that phases took."""
        seconds = sum(row["seconds"] for row in self.rows)
        if not seconds:
            return None
        return sum(row.get(p) or 0 for row in self.rows for p in phases) / seconds

    def high_rate(self, test):
        """What iterations reach at best, as a part of the ceiling.

        The rate that a tenth of the time was faster than, of process 0 times
        the number of processes.
        """
        rows = sorted(self.rows, key=lambda r: r.get("gflops") or 0, reverse=True)
        left = 0.1 * sum(row["seconds"] for row in rows)
        for row in rows:
            left -= row["seconds"]
            if left <= 0 and self.ceiling:
                rate = (row.get("gflops") or 0) * test["p"] * test["q"]
                return rate / self.ceiling
        return None
