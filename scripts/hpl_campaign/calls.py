# SPDX-License-Identifier: BSD-3-Clause
"""The command lines that a campaign gives its reader to copy."""
import contextlib
import io
import os
import re
import shlex
from statistics import median
from typing import NamedTuple

from hpl_report import foreign

from . import drain, launch
from .compare import FEW, SURE
from .options import parser

# Options of a campaign that another one does not take over, and more that a test of
# some of its nodes does not.
OF_ITS_OWN = {"command", "directory", "compare", "yes", "drain_command"}
OF_ALL = {"hosts", "hostfile", "stages", "repeats", "launcher", "full", "leave_out",
          "weights"}

# How a command is started on a node, with all of its cores.
REMOTE = {"ssh": ["ssh", "{}"], "local": [],
          "slurm": ["srun", "--exclusive", "--mem=0", "--cpu-bind=none", "--nodes=1",
                    "--ntasks=1", "--nodelist={}"]}
WHERE = re.compile("--(partition|reservation)=")  # options that srun has as well
RESERVATION = "repaired"  # of Slurm, for a test after the repair
ELSEWHERE = "pbsnodes -o -C {reason} {host}"


def kept(command, left_out):
    """The options of a command line but for some, as words."""
    made = parser()
    for action in made._actions:
        action.type = None  # the text as it was given
    try:
        with contextlib.redirect_stderr(io.StringIO()), \
                contextlib.redirect_stdout(io.StringIO()):
            given = vars(made.parse_args(list(command[1:])))
    except SystemExit:  # another version's
        return []
    words = []
    for action in made._actions:
        value = given.get(action.dest)
        if action.dest in left_out or value is None or not action.option_strings:
            continue
        option = action.option_strings[-1]
        words += [option] if value is True else [f"{option}={value}"]
    return words


class Calls(NamedTuple):
    """How this campaign was called, and what drains a node."""

    program: str = "xhpl-campaign"
    folder: str = "campaign"
    drain_command: str = drain.COMMAND
    xprobe: str = "xprobe"

    def line(self, *words):
        return launch.joined([foreign.shown(word) for word in (self.program, *words)])

    def drain(self, campaign):
        """Drain all nodes that are to be drained."""
        stored = campaign["options"].get("drain_command", drain.COMMAND)
        other = self.drain_command != stored
        return self.line("report", "-C", self.folder,
                         *["--drain-command", self.drain_command] * other, "--yes")

    def drain_otherwise(self):
        """Drain all nodes without Slurm, in the words of PBS."""
        return self.line("report", "-C", self.folder, "--drain-command", ELSEWHERE)

    def listing(self):
        """The list of nodes to drain, with its folder."""
        return foreign.shown(os.path.join(self.folder, drain.FILE))

    def is_slurm(self, campaign):
        """Whether Slurm drains nodes, and starts the runs."""
        return (self.drain_command == drain.COMMAND
                and campaign["options"].get("launcher") == "slurm")

    def by_hand(self, campaign, entries, reserved=()):
        """Measure the nodes of entries and a good one of each kind: the FMA ceiling of
        their cores, and the rate that a plan expects. reserved: more options."""
        names = [entry["host"] for entry in entries] + self.fastest(campaign, entries)
        launcher = campaign["options"].get("launcher") or "ssh"
        words = [*kept(campaign["command"], OF_ITS_OWN | OF_ALL | {"rate"}), *reserved]
        own = [word for word in words if WHERE.match(word)] if launcher == "slurm" else []
        return "\n".join(line for name in names for line in (
            launch.joined([*(foreign.shown(word.format(name)) for word in REMOTE[launcher]),
                           *map(foreign.shown, own), *shlex.split(self.xprobe),
                           "--ceiling"]),
            self.line("plan", "--hosts", name, "--stages", "single", "--launcher", launcher,
                      *words)))

    def resume(self, entries):
        """Slurm's command that gives nodes work again."""
        names = ",".join(foreign.shown(entry["host"]) for entry in entries)
        return launch.joined(["scontrol", "update", f"NodeName={names}", "State=RESUME"])

    def reservation(self, campaign):
        """The reservation of Slurm that this campaign was given, or None."""
        found = [word for word in kept(campaign["command"], OF_ITS_OWN)
                 if word.startswith("--reservation=")]
        return found[0].partition("=")[2] if found else None

    def reserve(self, campaign, entries):
        """Keep other jobs from the nodes of a test after the repair."""
        names = [entry["host"] for entry in entries] + self.good(campaign, entries)
        nodes = launch.joined(["Nodes=" + ",".join(map(foreign.shown, names))])
        return (f"scontrol create reservation ReservationName={RESERVATION} Users=$USER "
                f"StartTime=now Duration=UNLIMITED Flags=IGNORE_JOBS {nodes}")

    def anew(self, campaign, *words, left_out=OF_ITS_OWN, name="again"):
        """Another campaign, in a folder of that name, with the options of this one."""
        return self.line("run", "-C", f"{self.folder}-{name}", *words,
                         "--compare", os.path.join(self.folder, "campaign.json"),
                         *kept(campaign["command"], left_out))

    def fastest(self, campaign, entries):
        """The fastest good node of each kind of those of entries."""
        good = self.good(campaign, entries, len(campaign["hosts"]))
        best = {}
        for host in campaign["hosts"]:
            if host["name"] in good:
                best.setdefault(host["kind"], []).append(host)
        return [max(best[kind], key=lambda host: median(host["gflops"] or [0.0]))["name"]
                for kind in sorted(best)]

    def good(self, campaign, entries, most=FEW):
        """Names of good nodes to compare those of entries with, some of each kind."""
        names = [entry["host"] for entry in entries]
        others = {entry["host"] for entry in campaign["open"] + campaign["drain"]}
        kinds = {host["kind"] for host in campaign["hosts"] if host["name"] in names}
        return [host["name"] for kind in sorted(kinds) for host in
                [host for host in campaign["hosts"] if host["kind"] == kind
                 and host["class"] == "ok" and host["name"] not in others][:most]]

    def again(self, campaign, entries, name="again", reserved=()):
        """Test the nodes of entries again, beside good ones. reserved: more options."""
        names = [entry["host"] for entry in entries] + self.good(campaign, entries)
        launcher = campaign["options"].get("launcher")
        return self.anew(
            campaign, "--hosts", ",".join(names),
            "--stages", "inventory,single,pairs", "--repeats", str(SURE),
            *["--launcher", launcher] * bool(launcher), *reserved,
            left_out=OF_ITS_OWN | OF_ALL, name=name)
