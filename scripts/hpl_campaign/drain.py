# SPDX-License-Identifier: BSD-3-Clause
"""The list of nodes to drain, and the commands that drain them."""
import re
import shlex

from hpl_report import foreign

FILE = "drain.txt"
COMMAND = "scontrol update NodeName={host} State=DRAIN Reason={reason}"
REASON = 250  # letters of a reason in a command, at most


def text(drain):
    """drain.txt: a node a line, and behind # why. Names alone:
    sed 's/ *#.*//' drain.txt."""
    return "".join(f"{foreign.shown(entry['host'])}  # {entry['class']}: "
                   f"{foreign.shown(entry['reason'])}\n" for entry in drain)


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
