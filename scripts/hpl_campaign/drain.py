# SPDX-License-Identifier: BSD-3-Clause
"""The list of nodes to drain, and the commands that drain them."""
import re
import shlex

from hpl_report import foreign

FILE = "drain.txt"
COMMAND = "scontrol update NodeName={host} State=DRAIN Reason={reason}"
REASON = 250  # letters of a reason in a command, at most
# What tells why a node has not started and what then calls for a drain, by the launcher:
# until then others may keep the node, or it was only busy.
ASK = {
    "ssh": ("ssh {} uptime", "it does not answer"),
    "slurm": ("scontrol show node {}",
              "its state has DOWN or NOT_RESPONDING, but not DRAIN, MAINT or RESERVED"),
}


def ask(entry, launcher):
    """The command that tells why a node has not started; None for another node."""
    return ASK[launcher][0].format(foreign.shown(entry["host"])) \
        if entry["class"] == "not started" and launcher in ASK else None


def apart(drain, launcher):
    """The nodes to drain at once, and those to ask about before."""
    asked = [entry for entry in drain if ask(entry, launcher)]
    return [entry for entry in drain if entry not in asked], asked


def text(drain, launcher=None):
    """drain.txt: a node per line, and behind # why; one that is not to be drained at once is a
    comment that says when."""
    def line(entry):
        asked = ask(entry, launcher)
        when = f"; drain it only if {ASK[launcher][1]}: {asked}" if asked else ""
        host = foreign.shown(entry["host"])
        return (f"# ask first: {host}: " if asked else f"{host}  # ") \
            + f"{entry['class']}: {foreign.shown(entry['reason'])}{when}\n"

    return "".join(map(line, drain))


def cut(reason):
    """A reason that is not too long: its first clauses."""
    if len(reason) <= REASON:
        return reason
    kept, _, rest = reason[:REASON].rpartition("; ")
    return kept or rest


def commands(drain, template=COMMAND):
    """The words of a command for each node: {host} and {reason} stand in template,
    which is no shell's."""
    found = []
    for entry in drain:
        reason = cut(foreign.shown(f"{entry['class']}: {entry['reason']}"))
        host = foreign.shown(entry["host"])
        found.append([re.sub(r"\{(host|reason)\}",
                             lambda m: host if m[1] == "host" else reason, word)
                      for word in shlex.split(template)])
    return found


def shown(drain, template=COMMAND):
    """These commands as lines for a shell."""
    return "".join(" ".join(map(shlex.quote, words)) + "\n"
                   for words in commands(drain, template))
