# SPDX-License-Identifier: BSD-3-Clause
"""The command lines that a campaign gives its reader to copy."""
import contextlib
import io
import os
from typing import NamedTuple

from hpl_report import foreign

from . import drain, launch
from .options import parser

# Options of a campaign that another one does not take over.
OF_ITS_OWN = {"command", "directory", "compare", "yes", "drain_command"}
ELSEWHERE = "pbsnodes -o -C {reason} {host}"


def kept(command, left_out=OF_ITS_OWN):
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
    """How this campaign was called, what drains a node, and the campaign whose nodes it
    tests again, if it does."""

    program: str = "xhpl-campaign"
    folder: str = "campaign"
    drain_command: str = drain.COMMAND
    first: str = ""

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
        return self.line("report", "-C", self.folder, "--drain-command", ELSEWHERE, "--yes")

    def listing(self):
        """The list of nodes to drain, with its folder."""
        return foreign.shown(os.path.join(self.folder, drain.FILE))

    def page(self):
        """The page of the campaign, or of that whose nodes are tested again."""
        return foreign.shown(os.path.join(self.first or self.folder, "campaign.html"))

    def retest(self, campaign, names):
        """Test some nodes again."""
        is_slurm = campaign["options"].get("launcher") == "slurm"
        return self.line("retest", "-C", self.first or self.folder, "--hosts",
                         ",".join(names), *["--yes"] * is_slurm)

    def anew(self, campaign):
        """Another campaign with the options of this one; or the same test again."""
        if self.first:
            return self.retest(campaign, campaign["options"]["retest"])
        return self.line("run", "-C", f"{self.folder}-again",
                         "--compare", os.path.join(self.folder, "campaign.json"),
                         *kept(campaign["command"]))
