# SPDX-License-Identifier: BSD-3-Clause
"""What happened in a campaign: a file of JSON objects, one a line, that only grows.

Each line is on the disk before the campaign goes on. The last line may be torn, by
a crash; it is then dropped, and what it told has not happened.
"""
import fcntl
import json
import os

from .run import Run


class Damaged(Exception):
    """A state file that cannot be understood."""


def parse(data):
    """The events of the bytes of a state file, and the number of bytes that count."""
    whole = data.rfind(b"\n") + 1
    events = []
    for number, line in enumerate(data[:whole].split(b"\n"), 1):
        try:
            events += [json.loads(line)] if line else []
        except ValueError as error:
            raise Damaged(f"line {number} of it is damaged: {error}") from error
    return events, whole


class Busy(Exception):
    """Another program has this state file open."""


def lock(file, path):
    """Keep others from a file until this program ends."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Busy(f"{path}: another xhpl-campaign is at work there") from error


class State:
    """An open state file. Only one program can write it; all can read it.

    campaign   the first event, None before
    hosts      [{"name", "group"}] in their order
    inventory  event of each host, by name
    started    start event of each run, by id; the last one if it was started again
    ended      end event of each run, by id, with the members of its start
    plan       the plan event, None before
    stages     stage event of each stage that has begun, by name
    further    lists of runs that each stage asked for later, by name
    """

    def __init__(self, path, writes=True):
        self.campaign = None
        self.hosts, self.inventory = [], {}
        self.started, self.ended = {}, {}
        self.plan, self.stages, self.further = None, {}, {}
        self.file = open(path, "ab+" if writes else "rb")
        if writes:
            lock(self.file, path)
        self.file.seek(0)
        try:
            events, whole = parse(self.file.read())
        except Damaged as error:
            raise Damaged(f"{path}: {error}") from error
        if writes:
            self.file.truncate(whole)  # what is added goes to the end
        for event in events:
            self.take(event)

    def take(self, event):
        kind = event["event"]
        if kind == "campaign":
            self.campaign = self.campaign or event
        elif kind == "hosts":
            self.hosts = event["hosts"]
        elif kind == "inventory":
            self.inventory[event["host"]] = event
        elif kind == "plan":
            self.plan = event
        elif kind == "stage":
            self.stages[event["stage"]] = event
        elif kind == "further":
            asked = [Run(**{**run, "hosts": tuple(run["hosts"])})
                     for run in event["runs"]]
            self.further.setdefault(event["stage"], []).append(asked)
        elif kind == "start":
            self.started[event["run"]] = event
        elif kind == "end":
            start = self.started.get(event["run"], {})
            self.ended[event["run"]] = {**start, **event, "started": start.get("time")}

    def add(self, *events):
        """Note events; they are on the disk when this returns."""
        for event in events:
            self.file.write(json.dumps(event, separators=(",", ":")).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        for event in events:
            self.take(event)

    def unfinished(self):
        """Start events of the runs that did not end."""
        return [run for name, run in self.started.items() if name not in self.ended]

    def runs(self):
        """All ended runs: the members of start and end; "started" and "time" are
        when they began and ended."""
        return list(self.ended.values())
