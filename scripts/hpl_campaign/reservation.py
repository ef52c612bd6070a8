# SPDX-License-Identifier: BSD-3-Clause
"""Reservations of Slurm, in which drained nodes are tested."""
import os
import pwd
import shlex
import subprocess
import time

from hpl_report.foreign import Refused, complain, say

from . import launch, slurm
from .run import label

MOST = "1-00:00:00"  # a day: that long a reservation lasts, if nobody ends it
UNTESTED = "xhpl-campaign: its second test has not ended"
TRIES = 30  # to end a reservation, a second apart: its last job may still be ending


def reserve(name, user, nodes):
    """Keep jobs of all but one user off nodes."""
    return ["scontrol", "create", "reservation", f"ReservationName={name}", f"Users={user}",
            "StartTime=now", f"Duration={MOST}", "Flags=IGNORE_JOBS",
            f"Nodes={','.join(nodes)}"]


def resume(nodes):
    return ["scontrol", "update", f"NodeName={','.join(nodes)}", "State=RESUME"]


def drain(nodes):
    return ["scontrol", "update", f"NodeName={','.join(nodes)}", "State=DRAIN",
            f"Reason={UNTESTED}"]


def release(name):
    return ["scontrol", "delete", f"ReservationName={name}"]


class Reservation:
    """A reservation of Slurm: nodes are resumed, and no job of others starts there."""

    def __init__(self, names, drain_command, given=None):
        """names   nodes to test
        given   the name of a reservation that is there and stays, or None
        """
        self.names, self.stays = names, bool(given)
        self.name = given or "retest-" + label(names).replace("+", "-")
        words = shlex.split(drain_command)  # perhaps sudo before it
        self.sudo = words[:words.index("scontrol")] if "scontrol" in words else []
        self.nodes = [] if given else slurm.names(reservation=self.name)
        self.is_there, self.resumed = bool(self.nodes), []

    def commands(self, nodes):
        """What is still to be done before a test on these nodes; the nodes to resume."""
        found = []
        if not self.nodes and not self.stays:
            user = pwd.getpwuid(os.getuid()).pw_name
            found.append([*self.sudo, *reserve(self.name, user, nodes)])
        gone = slurm.Queue().gone(self.names)
        if gone:
            found.append([*self.sudo, *resume(gone)])
        return found, gone

    def begin(self, nodes, may_run):
        """Reserve and resume nodes; whether that is done."""
        commands, gone = self.commands(nodes)
        if commands and not may_run:
            say("\n".join(["As root, or as an administrator of Slurm, type this; then type "
                           "the same command again:", *map(launch.joined, commands)]))
            return False
        for words in commands:
            is_new, was = "create" in words, (self.is_there, self.resumed)
            self.is_there, self.resumed = self.is_there or is_new, [] if is_new else gone
            if subprocess.run(words, stdin=subprocess.DEVNULL).returncode:
                self.is_there, self.resumed = was
                raise Refused(f"{launch.joined(words)} has failed. It needs root or an "
                              "administrator of Slurm")
        if commands and not self.stays:
            say(f"until the test ends, but a day at most, {self.name} keeps other jobs off "
                f"{','.join(nodes)}")
        return True

    def end(self, may_run, untested=()):
        """Give the nodes back to all jobs; those that are untested are drained if they were
        so before."""
        again = [name for name in self.resumed if name in untested]
        if again and subprocess.run([*self.sudo, *drain(again)],
                                    stdin=subprocess.DEVNULL).returncode:
            complain("xhpl-campaign", f"not drained: {', '.join(again)}")
        self.resumed = []
        if self.stays or not self.is_there:
            return
        words = [*self.sudo, *release(self.name)]
        if not may_run:
            self.is_there = False
            say(f"as root, or as an administrator of Slurm, type:\n{launch.joined(words)}")
            return
        # A step whose srun was killed may still hold nodes.
        slurm.said("scancel", f"--reservation={self.name}", f"--user={os.getuid()}")
        for _ in range(TRIES):
            if not subprocess.run(words, stdin=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode:
                self.is_there = False
                return
            time.sleep(1)
        complain("xhpl-campaign", f"{launch.joined(words)} has failed: type it")
