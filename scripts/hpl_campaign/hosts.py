# SPDX-License-Identifier: BSD-3-Clause
"""Lists of hosts: "n[01-16],gpu3", files with a host a line, files of racks."""
import re

from .run import Host


class BadHosts(Exception):
    """A list of hosts that cannot be understood, and why."""


MOST = 100000  # hosts of one range
BRACKETS = 4  # of one name
# Of a host, perhaps with a user. None begins as an option of a command does.
NAME = re.compile(r"(?:[\w.][\w.-]*@)?[\w.:][\w.:-]*")


def is_name(text):
    """Whether this can be the name of a host, or its address."""
    return bool(NAME.fullmatch(text))


def numbers(text):
    """"01-03,7" as "01", "02", "03", "7"."""
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not all(re.fullmatch("[0-9]{1,9}", x) for x in [first] + [last] * bool(dash)):
            raise BadHosts(f"[{text}]: numbers and ranges such as 01-16 go here")
        if dash and int(last) < int(first):
            raise BadHosts(f"[{text}]: {first}-{last} runs backwards")
        if dash and int(last) - int(first) >= MOST:
            raise BadHosts(f"[{text}]: more than {MOST} hosts")
        for number in range(int(first), int(last or first) + 1):
            yield f"{number:0{len(first)}d}"


def split(text):
    """The parts of text between commas that are not within brackets."""
    depth, part = 0, ""
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and depth == 0:
            yield part
            part = ""
        else:
            part += letter
    if depth:
        raise BadHosts(f"{text}: a bracket is left open")
    yield part


def expand_one(text):
    """The names that one part stands for; each bracket multiplies them."""
    opened = re.search(r"\[([^\[\]]*)\]", text)
    if not opened:
        if not is_name(text):
            raise BadHosts(f"{text!r} is not a name of a host")
        return [text]
    if text.count("[") > BRACKETS:
        raise BadHosts(f"{text!r} has more than {BRACKETS} brackets")
    before, after = text[:opened.start()], text[opened.end():]
    return [name for number in numbers(opened[1])
            for name in expand_one(before + number + after)]


def expand(text):
    """The names of "n[01-16],gpu3", in this order."""
    return [name for part in split(text) if part.strip()
            for name in expand_one(part.strip())]


def lines(text):
    """The lines of a file without comments and empty ones."""
    stripped = (line.split("#")[0].strip() for line in text.splitlines())
    return [line for line in stripped if line]


def hostfile(text):
    """The names in a hostfile of MPI: the first word of each line, without Hydra's
    number of processes. An address of IPv6 has more colons."""
    words = [re.sub(r"^([^:]+):\d+$", r"\1", line.split()[0]) for line in lines(text)]
    return [name for word in words for name in expand(word)]


def racks(text):
    """Who is where: lines such as "rack1: n[01-16]"; {host: rack}."""
    found = {}
    for line in lines(text):
        rack, colon, names = line.partition(":")
        if not colon or not rack.strip():
            raise BadHosts(f"{line!r}: a line is RACK: HOSTS")
        found.update({name: rack.strip() for name in expand(names.strip())})
    return found


def together(names, groups):
    """Hosts of names and {host: group}. A name counts once."""
    once = list(dict.fromkeys(names))
    strangers = sorted(set(groups) - set(once))
    if once and groups and len(strangers) == len(groups):
        raise BadHosts(f"no host of the racks is among the hosts; {strangers[0]} is not")
    return [Host(name, groups.get(name)) for name in once]
