# SPDX-License-Identifier: BSD-3-Clause
"""What happened in a campaign: a file of JSON objects, one a line, that only grows.

Each line is on the disk before the campaign goes on. The last line may be torn, by
a crash; it is then dropped, and what it told has not happened. Every other line is
checked against the shape of its event before anything relies on it.
"""
import fcntl
import json
import os
import re
import shlex

from hpl_report.foreign import (ANY, COUNT, FLAG, LATEST, NUMBER, TEXT, Leaf, Maybe,
                                Named, Refused, check, count, one_of, parsed, within)

from . import heat, inventory
from .hosts import is_name
from .run import OUTCOMES, STAGES, Run
from .stages import TORTURE

STATE = "state.jsonl"  # in the folder of a campaign
RUN_ID = re.compile(r"[a-z]+-[0-9]{1,9}-[\w+@:.-]+")


class Damaged(Exception):
    """A state file that cannot be understood, and what to do."""


# ---- shapes ----------------------------------------------------------------------

NAME = Leaf(lambda x: isinstance(x, str) and is_name(x), "the name of a host")
ID = Leaf(lambda x: isinstance(x, str) and bool(RUN_ID.fullmatch(x)), "the id of a run")
SOME = count(1, 10**15)
SECONDS = within(0.0, 1e12)
MORE_THAN_0 = within(1e-9, 1e12)
PART = within(1e-9, 1 - 1e-9)
DATE = within(0.0, LATEST)
STAGE = one_of(*STAGES, TORTURE)
RUN = {"stage": STAGE, "hosts": [NAME], "attempt": SOME, "n": SOME, "nb": SOME,
       "p": count(1, 10**6), "q": count(1, 10**6), "predicted": Maybe(SECONDS),
       "limit": SECONDS}

EVENTS = {
    "campaign": {"version": count(1, 1), "time": DATE, "name": TEXT, "command": [TEXT],
                 "stages": [STAGE], "options": Named(ANY)},
    "hosts": {"hosts": [{"name": NAME, "group": Maybe(TEXT)}]},
    "inventory": {"host": NAME, "facts": Named(ANY), "error": Maybe(TEXT)},
    "plan": {"n": SOME, "rate": within(1e-6, 1e21), "nb": SOME, "half": within(0.0, 1e15),
             "ranks": count(1, 10**6), "host": Maybe(TEXT)},
    "stage": {"stage": STAGE, "hosts": [NAME], "efficiency": within(1e-6, 1.0),
              "rate": Maybe(within(1e-6, 1e21)), "left_out": [NAME], "gain": NUMBER,
              "weights": Maybe(Named(MORE_THAN_0)), "weights_gain": Maybe(NUMBER),
              "room": Maybe(within(1e-6, 1.0))},
    "further": {"stage": STAGE, "runs": [{"id": ID, **RUN}]},
    "start": {"run": ID, **RUN, "time": DATE, "argv": [TEXT], "dir": TEXT},
    "end": {"run": ID, "time": DATE, "outcome": one_of(*OUTCOMES),
            "seconds": Maybe(SECONDS), "gflops": Maybe(MORE_THAN_0),
            "status": Maybe(count(-1000, 10**6)), "latency": Maybe(SECONDS),
            "bandwidth": Maybe(within()), "torture": Maybe([heat.EXECUTOR]),
            "evidence": [TEXT], "record": Maybe(TEXT), "log": Maybe(TEXT)},
}



def words(text):
    """The words of a line as a shell has them; None if a quote is left open."""
    try:
        return shlex.split(text)
    except ValueError:
        return None


WORDS = Leaf(lambda x: isinstance(x, str) and words(x) is not None, "words for a shell")
COMMAND = Leaf(lambda x: isinstance(x, str) and bool(words(x)), "a command")

CEILING = Leaf(lambda x: isinstance(x, str) and bool(re.fullmatch(
    r"[0-9]{1,6}(\.[0-9]{1,6})?[CW]", x)), "a ceiling such as 95C or 450W")


def is_memory(text):
    """As xhpl takes it: "80%" or "12G"."""
    found = isinstance(text, str) and re.fullmatch(
        r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(%|[MGT])", text)
    return bool(found) and 0 < float(found[1]) <= (100 if found[2] == "%" else 1e9)


MEMORY = Leaf(is_memory, "an amount of memory such as 80% or 12G")

# The options of a campaign; an earlier version may have had fewer.
OPTIONS = {
    "launcher": Maybe(one_of("local", "ssh", "slurm")), "stages": [STAGE],
    "seconds": MORE_THAN_0, "short": MORE_THAN_0, "full": FLAG,
    "leave_out": FLAG, "memory": MEMORY, "rate": Maybe(MORE_THAN_0), "nb": Maybe(SOME),
    "ranks_per_node": count(1, 10**6), "repeats": count(1, 10**4),
    "rounds": Maybe(COUNT), "retries": COUNT, "bound": MORE_THAN_0, "grace": MORE_THAN_0,
    "silence": MORE_THAN_0, "ramp": SECONDS, "torture": Maybe(MORE_THAN_0),
    "weights": one_of("auto", "off"), "ceiling": Maybe(CEILING),
    "xhpl": COMMAND, "xdgemm": COMMAND, "xhpl_options": WORDS, "slow": PART,
    "chance": PART, "drain_command": COMMAND, "retest": [NAME],
}

# ---- reading ---------------------------------------------------------------------


def read_event(line):
    """The event of a line; Refused if it is none."""
    event = parsed(line, as_written=True)
    check(event, {"event": one_of(*EVENTS)})
    check(event, EVENTS[event["event"]])
    if event["event"] == "campaign":
        options = event["options"]
        check(options, {name: shape for name, shape in OPTIONS.items()
                        if name in options}, "options")
    if event["event"] == "inventory":
        event["facts"] = inventory.sound(event["facts"])
    return event


def hosts_of(event):
    """The hosts that an event speaks of."""
    runs = event["runs"] if event["event"] == "further" else [event]
    found = [name for run in runs for name in run.get("hosts") or ()]
    if event["event"] == "inventory":
        found.append(event["host"])
    return [*found, *(event.get("left_out") or ()), *(event.get("weights") or ())]


def refer(event, state):
    """Refuse an event that speaks of what was not there before."""
    kind = event["event"]
    if (kind == "campaign") != (state.campaign is None):
        raise Refused("a campaign begins once, with its first line")
    if kind == "hosts":
        names = [host["name"] for host in event["hosts"]]
        if state.hosts or not names or len(set(names)) < len(names):
            raise Refused("a campaign has hosts once, each with a name of its own")
        return
    known = {host["name"] for host in state.hosts}
    stranger = next((name for name in hosts_of(event) if name not in known), None)
    if stranger is not None:
        raise Refused(f"{stranger} is no host of this campaign")
    runs = event["runs"] if kind == "further" else [event] if kind == "start" else []
    if any(len(set(run["hosts"])) < len(run["hosts"]) or not run["hosts"]
           for run in runs):
        raise Refused("a run has each of its hosts once, and one at least")
    if kind == "end" and event["run"] not in state.started:
        raise Refused(f"{event['run']} has not begun")


class Busy(Exception):
    """Another program has this state file open."""


def lock(file, path):
    """Keep others from a file until this program ends."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise Busy(f"{path}: another xhpl-campaign works in this folder") from error


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
        data = self.file.read()
        whole = data.rfind(b"\n") + 1
        self.read(path, data[:whole])
        if writes:
            self.file.truncate(whole)  # what is added goes to the end

    def read(self, path, data):
        """Take the events of some lines."""
        for number, line in enumerate(data.split(b"\n"), 1):
            try:
                if line:
                    event = read_event(line)
                    refer(event, self)
                    self.take(event)
            except Refused as error:
                raise Damaged(
                    f"{path}: line {number} of it is damaged: {error}. Put a copy of the "
                    "file in its place, or begin another campaign with -C") from error

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
            asked = [Run(**{**{name: run[name] for name in Run._fields},
                            "hosts": tuple(run["hosts"])}) for run in event["runs"]]
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
