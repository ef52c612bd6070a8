# SPDX-License-Identifier: BSD-3-Clause
"""The list of nodes to drain, and the commands that drain them."""
import re
import shlex

COMMAND = "scontrol update NodeName={host} State=DRAIN Reason={reason}"
REASON = 200  # letters of a reason in a command, at most


def one_line(text):
    """Text without what ends a line or moves a cursor."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()


def text(drain):
    """drain.txt: a node a line, and behind # why. Names alone:
    sed 's/ *#.*//' drain.txt."""
    return "".join(f"{one_line(entry['host'])}  # {entry['class']}: "
                   f"{one_line(entry['reason'])}\n" for entry in drain)


def commands(drain, template=COMMAND):
    """The words of a command for each node: {host} and {reason} stand in template,
    which is no shell's."""
    found = []
    for entry in drain:
        reason = one_line(f"{entry['class']}: {entry['reason']}")[:REASON]
        host = one_line(entry["host"])
        found.append([re.sub(r"\{(host|reason)\}",
                             lambda m: host if m[1] == "host" else reason, word)
                      for word in shlex.split(template)])
    return found


def shown(drain, template=COMMAND):
    """These commands as lines for a shell."""
    return "".join(" ".join(map(shlex.quote, words)) + "\n"
                   for words in commands(drain, template))
