# SPDX-License-Identifier: BSD-3-Clause
"""What others wrote: nodes, runs, earlier programs. It is read and checked here, so
that the rest may rely on types and ranges, and printed so that it moves no cursor."""
import json
import os
import re
import sys
from collections import namedtuple

DEEPEST = 50  # lists and objects within each other
LEAST, MOST = 1e-30, 1e30  # what is smaller counts as 0, what is larger as no number
LATEST = 253402300799.0  # s since 1970: the end of the year 9999
DIGITS = 40  # of a number in a text

NUMERAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
# Control characters, what ends a line, what changes the direction of writing, halves
# of characters.
HIDDEN = "\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff" \
    "\ud800-\udfff"
MAY_HIDE = re.compile(f"\\\\[^\"\\\\/]|[{HIDDEN[3:]}]")  # in JSON; an escape, or the thing
HUGE = re.compile("[0-9]{300,}")  # digits; the JSON of Python takes very long for them
WHOLE = 2**63
UNSEEN, UNSEEN_BUT_LINES = re.compile(f"[{HIDDEN}]"), re.compile(f"(?!\n)[{HIDDEN}]")


class Refused(Exception):
    """Bad input, and what is wrong with it."""


# ---- texts ---------------------------------------------------------------------


def visible(found):
    code = ord(found[0])
    return "\\n" if code == 10 else f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def shown(text):
    """Text on one line, whose control characters can be seen and do nothing."""
    return UNSEEN.sub(visible, text)


def shown_lines(text):
    """The same of several lines."""
    return UNSEEN_BUT_LINES.sub(visible, text)


def say(text, file=None):
    """Print lines, at once. Every text from elsewhere reaches a terminal by this."""
    file = file or sys.stdout
    text = shown_lines(str(text))
    encoding = getattr(file, "encoding", None) or "utf-8"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=file,
              flush=True)
    except BrokenPipeError:  # nobody reads it any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), file.fileno())


def complain(program, error):
    """Say on stderr, on one line, what a program refuses."""
    if isinstance(error, OSError) and error.filename is not None:
        error = f"{error.filename}: {error.strerror}"
    say(f"{program}: {shown(str(error))}", sys.stderr)


# ---- numbers -------------------------------------------------------------------


def number(value, least=0.0, most=MOST):
    """The number in a text, or a number, as a float; None unless it is within these
    bounds."""
    if isinstance(value, str):
        if len(value) > DIGITS or not NUMERAL.fullmatch(value):
            return None
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) \
            or not least <= value <= most:
        return None
    return 0.0 if abs(value) < LEAST else float(value)


def whole(value, least=0, most=2**53):
    """The same of whole numbers."""
    found = number(value, least, most)
    return None if found is None or found != int(found) else int(found)


# ---- JSON ----------------------------------------------------------------------


def cleaned(value, text, depth=0):
    """A value of JSON: numbers out of all range become null, texts go through text."""
    kind = type(value)
    if kind is float:
        return number(value, -MOST)
    if kind is str:
        return text(value) if text else value
    if kind is int and not -WHOLE <= value <= WHOLE:
        return number(float(value), -MOST)
    if kind is not dict and kind is not list:
        return value
    if depth > DEEPEST:
        raise Refused(f"lists and objects lie more than {DEEPEST} deep")
    if kind is list:
        return [cleaned(x, text, depth + 1) for x in value]
    if text:
        return {text(name): cleaned(x, text, depth + 1) for name, x in value.items()}
    return {name: cleaned(x, text, depth + 1) for name, x in value.items()}


def parsed(data, as_written=False):
    """The JSON in bytes; its texts as they were written, or as shown() has them."""
    text = data.decode("utf-8", "replace")
    try:
        value = json.loads(HUGE.sub("1e999", text))
    except (ValueError, RecursionError) as error:
        raise Refused(f"not JSON: {error}") from error
    return cleaned(value, shown if not as_written and MAY_HIDE.search(text) else None)


# ---- shapes --------------------------------------------------------------------

# A value that fits() returns true for; called: what it is then, as in "is not a text".
Leaf = namedtuple("Leaf", "fits called")


class Maybe:
    """What may be null, or not be there at all."""

    def __init__(self, shape):
        self.shape = shape


class Named:
    """An object whose members have names of any kind, and one shape."""

    def __init__(self, shape):
        self.shape = shape


def within(least=0.0, most=MOST):
    return Leaf(lambda x: not isinstance(x, str) and number(x, least, most) is not None,
                f"a number from {least:g} to {most:g}")


def count(least=0, most=2**53):
    return Leaf(lambda x: not isinstance(x, (str, float)) and
                whole(x, least, most) is not None,
                f"a whole number from {least} to {most}")


def one_of(*values):
    return Leaf(lambda x: isinstance(x, str) and x in values,
                f"one of {', '.join(values)}")


ANY = Leaf(lambda _: True, "")
TEXT = Leaf(lambda x: isinstance(x, str), "a text")
FLAG = Leaf(lambda x: isinstance(x, bool), "true or false")
NUMBER = within(-MOST)
COUNT = count()


def check(value, shape, where=""):
    """Refuse a value that has not the shape; where tells its place. What may be missing
    is then there, as None."""
    if isinstance(shape, Maybe):
        if value is not None:
            check(value, shape.shape, where)
    elif isinstance(shape, Leaf):
        if not shape.fits(value):
            raise Refused(f"{where} is {json.dumps(value):.40}, not {shape.called}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise Refused(f"{where} is not a list")
        for index, item in enumerate(value):
            check(item, shape[0], f"{where}[{index}]")
    elif not isinstance(value, dict):
        raise Refused(f"{where or 'it'} is not an object")
    elif isinstance(shape, Named):
        for name, part in value.items():
            check(part, shape.shape, f"{where}.{name}".lstrip("."))
    else:
        check_members(value, shape, where)


def check_members(value, shape, where):
    for name, part in shape.items():
        if type(part) is Leaf and name in value and part.fits(value[name]):
            continue
        if name not in value and not isinstance(part, Maybe):
            raise Refused(f"{where} has no {name}".lstrip())
        check(value.setdefault(name, None), part, f"{where}.{name}".lstrip("."))
