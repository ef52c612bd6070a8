# SPDX-License-Identifier: BSD-3-Clause
"""A second test of some nodes of a campaign, beside good ones: after a repair, or where
nothing is certain. It is a campaign of its own, in a folder of the first."""
import itertools
import os
from statistics import median

from hpl_report.foreign import Refused, say

from . import drain, launch, slurm
from .calls import OF_ITS_OWN, kept
from .compare import FEW, SURE
from .options import parser
from .reservation import Reservation, resume
from .run import label, run_id
from .summary import shared_cause

STAGES = "inventory,single,pairs"
ROUNDS = 3  # of pairs, of a node and FEW good ones
# Options of a campaign that a test of some of its nodes does not take over.
OF_ALL = OF_ITS_OWN | {"hosts", "hostfile", "racks", "stages", "repeats", "launcher", "full",
                       "leave_out", "weights", "xhpl", "xdgemm", "torture"}


def good_nodes(campaign, names, first=()):
    """Names of good nodes to compare some with, up to FEW of each of their kinds, those of
    first before others."""
    kinds = {host["kind"] for host in campaign["hosts"] if host["name"] in names}
    others = {entry["host"] for entry in campaign["open"] + campaign["drain"]} | set(names)
    chosen = set()
    for kind in kinds:
        good = [host["name"] for host in campaign["hosts"] if host["kind"] == kind
                and host["class"] == "ok" and host["name"] not in others]
        chosen.update(sorted(good, key=lambda name: name not in first)[:FEW])
    return [host["name"] for host in campaign["hosts"] if host["name"] in chosen]


def seconds(campaign):
    """How long such a test takes, by the runs of its campaign; 0 if that is unknown."""
    def usual(stage):
        return median([run["time"] - run["started"] for run in campaign["runs"]
                       if run["stage"] == stage and run["outcome"] == "ok"] or [0.0])
    return SURE * usual("single") + ROUNDS * usual("pairs")


def folder_of(directory, names):
    """The folder of a test of these nodes that was interrupted, or of a new one."""
    for number in itertools.count(1):
        folder = os.path.join(directory, run_id("retest", number, label(names)))
        if not os.path.exists(os.path.join(folder, "campaign.json")):
            return folder


class Retest:
    """A test of some nodes of a campaign.

    campaign   its object
    names      of the nodes to test
    given      its options; given.yes: commands of Slurm may be run
    """

    def __init__(self, campaign, names, given):
        self.names, self.given, self.campaign = names, given, campaign
        known = {host["name"] for host in campaign["hosts"]}
        strangers = [name for name in names if name not in known]
        if strangers or not names:
            raise Refused(f"{strangers[0]} is no node of {given.directory}" if strangers else
                          "name the nodes to test by --hosts")
        self.words = kept(campaign["command"], OF_ALL)
        self.is_slurm = given.launcher == "slurm" and not slurm.allocated()
        where = [word for word in self.words if word.startswith("--reservation=")]
        self.reservation = Reservation(
            names, given.drain_command, where[0].partition("=")[2] if where else None
        ) if self.is_slurm else None

    def nodes(self):
        """The nodes to test, and good ones: of the reservation, if there is one."""
        if self.reservation and self.reservation.nodes:
            return [*self.names, *(host["name"] for host in self.campaign["hosts"] if host[
                "name"] in self.reservation.nodes and host["name"] not in self.names)]
        idle = slurm.idle() if self.reservation and not self.reservation.stays else ()
        return [*self.names, *good_nodes(self.campaign, self.names, idle)]

    def options(self):
        """Those of the campaign that the test is; None if the nodes are not ready."""
        nodes, words = self.nodes(), list(self.words)
        if self.reservation:
            if not self.reservation.begin(nodes, self.given.yes):
                return None
            words.append(f"--reservation={self.reservation.name}")  # of two the last counts
        found = parser().parse_args([
            "run", "-C", folder_of(self.given.directory, self.names),
            "--hosts", ",".join(nodes), "--stages", STAGES, "--repeats", str(SURE),
            "--launcher", self.given.launcher, "--compare",
            os.path.join(self.given.directory, "campaign.json"), *words,
            *["--yes"] * self.given.yes])
        vars(found).update(retest=self.names, xhpl=self.given.xhpl, xdgemm=self.given.xdgemm,
                           drain_command=self.given.drain_command)
        return found

    def conclude(self, found, failed):
        """Say what follows, and end the reservation if no untested node is in it.

        found    the object of the test
        failed   nodes that were to be drained, and are not
        """
        bad = {entry["host"] for entry in found["drain"]}
        fine = {host["name"] for host in found["hosts"] if host["class"] == "ok"}
        left = {*failed, *(bad if shared_cause(found) else ())}
        if self.reservation and (bad | fine) - left >= set(self.names):
            self.reservation.end(self.given.yes)
        elif self.reservation:
            say(f"{self.reservation.name} goes on keeping jobs off these nodes")
        say("")
        for name in self.names:
            say(f"{name} {self.passed(name) if name in fine else self.missed(name, bad, left)}")

    def passed(self, name):
        """What follows for a node that is ok."""
        if self.is_slurm:
            return "is ok, and in service"
        undo = (f". With Slurm: {launch.joined(resume([name]))}"
                if self.given.drain_command == drain.COMMAND else "")
        return f"is ok. If it was drained, put it back into service{undo}"

    def missed(self, name, bad, left):
        """What follows for another one."""
        if name not in bad:
            return "was not tested, for the reason above. Type the same command again"
        if name in left:
            return ("is not ok, and not drained, for the reason above. Look for that first, "
                    "then type the same command again")
        done = "and is drained" if self.given.yes else "so drain it by the command above"
        return f"is not ok, {done}. Repair it, then type the same command again"
