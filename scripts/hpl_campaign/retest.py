# SPDX-License-Identifier: BSD-3-Clause
"""A second test of some nodes of a campaign, beside good ones: after a repair, or where
nothing is certain. It is a campaign of its own, in a folder of the first."""
import glob
import itertools
import os
from statistics import median

from hpl_report import files
from hpl_report.foreign import (COUNT, FLAG, TEXT, Named, Refused, check, complain, one_of,
                                parsed, say)

from . import drain, launch, slurm
from .calls import OF_ITS_OWN, kept
from .compare import FEW, SURE
from .judge import CLASSES
from .options import parser
from .reservation import Reservation, resume
from .run import label, run_id
from .state import STATE, State
from .summary import moment, shared_cause

STAGES = "inventory,single,pairs"
ROUNDS = 3  # of pairs, of a node and FEW good ones
# Options of a campaign that a test of some of its nodes does not take over.
OF_ALL = OF_ITS_OWN | {"hosts", "hostfile", "racks", "stages", "repeats", "launcher", "full",
                       "leave_out", "weights", "xhpl", "xdgemm", "torture"}

# What the first campaign takes from campaign.json of a test.
SHAPE = {
    "started": TEXT, "options": {"retest": [TEXT]}, "counts": Named(COUNT),
    "drain": [{"host": TEXT}],
    "hosts": [{"name": TEXT, "class": one_of(*CLASSES), "reasons": [
        {"class": one_of(*CLASSES), "text": TEXT, "detail": TEXT, "runs": [TEXT],
         "certain": FLAG}]}],
}


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


def outcome_of(path, known):
    """{name: its row}: nodes that a test found ok or not, with the name of its folder in
    their reasons.

    path    of its campaign.json
    known   {name: when its last run in the first campaign ended}; those that ran there
            since do not count
    """
    test, folder = parsed(files.read(path)), os.path.basename(os.path.dirname(path))
    check(test, SHAPE)
    bad = set() if shared_cause(test) else {entry["host"] for entry in test["drain"]}
    found = {}
    for host in test["hosts"]:
        name = host["name"]
        if name not in test["options"]["retest"] or name not in known or \
                not (host["class"] == "ok" or name in bad) or test["started"] < known[name]:
            continue
        mine = [{**why, "runs": [f"{folder}/{run}" for run in why["runs"]]}
                for why in host["reasons"] if name in bad]
        found[name] = {"class": host["class"], "retest": folder, "reasons": mine or [
            {"class": "ok", "text": "in its second test", "detail": "", "runs": [folder],
             "certain": True}]}
    return found


def outcomes(directory, state):
    """{name: class, reasons and folder} of the nodes of a campaign that were tested again,
    by their last tests."""
    known = {host["name"]: "" for host in state.hosts}
    for run in state.runs():
        for name in run["hosts"]:
            known[name] = max(known[name], moment(run["time"]))
    found = {}
    paths = glob.glob(os.path.join(glob.escape(directory), "retest-*", "campaign.json"))
    for path in sorted(paths, key=os.path.getmtime):
        try:
            found.update(outcome_of(path, known))
        except Refused as error:
            complain("xhpl-campaign", f"{path}: {error}")
    return found


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
        self.folder = folder_of(given.directory, names)
        self.words = kept(campaign["command"], OF_ALL)
        self.is_slurm = given.launcher == "slurm" and not slurm.allocated()
        where = [word for word in self.words if word.startswith("--reservation=")]
        self.reservation = Reservation(
            names, given.drain_command, where[0].partition("=")[2] if where else None
        ) if self.is_slurm else None

    def nodes(self):
        """The nodes to test, and good ones: those of an interrupted test, or of the
        reservation, if there is one."""
        path = os.path.join(self.folder, STATE)
        begun = State(path, writes=False).hosts if os.path.exists(path) else []
        if begun:
            return [host["name"] for host in begun]
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
            "run", "-C", self.folder, "--hosts", ",".join(nodes), "--stages", STAGES,
            "--repeats", str(SURE), "--launcher", self.given.launcher, "--compare",
            os.path.join(self.given.directory, "campaign.json"), *words,
            *["--yes"] * self.given.yes])
        vars(found).update(retest=self.names, xhpl=self.given.xhpl, xdgemm=self.given.xdgemm,
                           drain_command=self.given.drain_command)
        return found

    def give_back(self):
        """The test has not ended: nodes and reservation are as before it."""
        if self.reservation and self.given.yes:
            self.reservation.end(True, self.names)

    def conclude(self, found, failed):
        """Say what follows, and end the reservation if no untested node is in it.

        found    the object of the test
        failed   nodes that were to be drained, and are not
        """
        bad = {entry["host"] for entry in found["drain"]}
        fine = {host["name"] for host in found["hosts"] if host["class"] == "ok"}
        left = {*failed, *(bad if shared_cause(found) else ())}
        untested = set(self.names) - ((bad | fine) - left)
        was_drained = getattr(self.reservation, "resumed", ())
        if self.reservation and (self.given.yes or not untested):
            self.reservation.end(self.given.yes, untested)
        elif self.reservation:
            say(f"{self.reservation.name} goes on keeping jobs off these nodes")
        say("")
        for name in self.names:
            said = self.passed(name) if name in fine else self.failed(name, left) \
                if name in bad else self.missed(name in was_drained)
            say(f"{name} {said}")

    def passed(self, name):
        """What follows for a node that is ok."""
        if self.is_slurm:
            return "is ok, and in service"
        undo = (f". With Slurm: {launch.joined(resume([name]))}"
                if self.given.drain_command == drain.COMMAND else "")
        return f"is ok. If it was drained, put it back into service{undo}"

    def failed(self, name, left):
        """What follows for one that is not ok."""
        if name in left:
            return ("is not ok, and not drained, for the reason above. Look for that first, "
                    "then type the same command again")
        done = "and is drained" if self.given.yes else "so drain it by the command above"
        return (f"is not ok, {done}. Repair it, then type the same command again. If no defect "
                f"is found, give the vendor {self.folder}")

    def missed(self, was_drained):
        """What follows for one that was not tested."""
        return (f"was not tested, and is {'drained ' * was_drained}as before. The lines above "
                "say why: end that, then type the same command again")
