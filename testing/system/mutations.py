# SPDX-License-Identifier: BSD-3-Clause
"""Damages files of JSON, at random, and calls programs with them in this process."""
import contextlib
import io
import json
import sys

HUGE = "9" * 5000
# What stands in the place of a value. Texts are JSON as it is written.
ODD = ["null", "true", "[]", "{}", "[[]]", '{"a": null}', '""', '"abc"', "0", "-1", "1",
       "3.5", "-0.0", "1e308", "-1e308", "1e-320", "1e999", "NaN", "-Infinity", HUGE,
       "-" + HUGE, "1" + "0" * 30, "18446744073709551616", '"nan"', '"1e999"', '"-1"',
       '"\\u001b[2J\\u001b]0;x\\u0007"', '"\\ud800"', '"a\\nb\\u0000"', '"../../x"',
       '"-oProxyCommand=x"', '"\\u0663"', '"\\u00b2"', f'"{HUGE}"',
       "[" * 60 + "]" * 60, "[" * 30000 + "]" * 30000]


def places(value, path=()):
    """The paths of all values within a value."""
    yield path
    items = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from places(part, (*path, key))


def holder(value, path):
    for key in path[:-1]:
        value = value[key]
    return value


MARK = "here stands something odd"


def changed_value(draw, data):
    """Another value, or none, somewhere; of a file of lines, in one of them."""
    lines = data.decode().splitlines()
    number = draw.randrange(len(lines)) if is_lines(lines) else None
    found = json.loads(lines[number] if number is not None else data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        path = draw.choice([path for path in places(found) if path] or [None])
        if path is None:
            break
        above = holder(found, path)
        if draw.random() < 0.15:
            del above[path[-1]]
        elif draw.random() < 0.1 and isinstance(above, dict):
            name = draw.choice(list(above))
            above[name] = above.pop(path[-1])
        else:
            above[path[-1]] = MARK
    text = json.dumps(found)
    while f'"{MARK}"' in text:
        text = text.replace(f'"{MARK}"', draw.choice(ODD), 1)
    if number is None:
        return text.encode()
    lines[number] = text
    return ("\n".join(lines) + "\n").encode()


def is_lines(lines):
    try:
        return len(lines) > 1 and bool(json.loads(lines[0]))
    except ValueError:
        return False


def changed_lines(draw, data):
    """Lines in another order, twice or not at all."""
    lines = data.splitlines(keepends=True)
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    how = draw.randrange(3)
    if how == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif how == 1:
        lines.insert(other, lines[one])
    else:
        del lines[one]
    return b"".join(lines)


def changed_bytes(draw, data):
    """Bits that flip, bytes that are lost, added, or no UTF-8."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = draw.randrange(len(data)) if data else 0
        how = draw.randrange(5)
        if how == 0 and data:
            data[at] ^= 1 << draw.randrange(8)
        elif how == 1:
            del data[at:at + draw.choice((1, 3, 100))]
        elif how == 2:
            data[at:at] = draw.choice((b"\xff\xfe", b"\xc3", b"\0", b"\x1b[2J", b'"'))
        elif how == 3:
            data[at:at] = bytes(draw.randrange(256) for _ in range(4))
        else:
            del data[at:]
    return bytes(data)


def recoded(draw, data):
    """The same text in another encoding."""
    return data.decode().encode(draw.choice(("utf-16", "utf-32", "utf-8-sig", "utf-7")))


def mutated(draw, data):
    """data with some damage. draw is a random.Random."""
    kinds = (changed_value,) * 12 + (changed_lines,) * 2 + (changed_bytes,) * 5
    return draw.choice((*kinds, recoded))(draw, data)


# ---- calling programs --------------------------------------------------------------


def called(main, *words):
    """Exit status, stdout, stderr of a program's main. What it raises goes on."""
    before, out, err = sys.argv, io.StringIO(), io.StringIO()
    sys.argv = ["program", *map(str, words)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main()
    except SystemExit as ending:
        status = ending.code
    finally:
        sys.argv = before
    return status, out.getvalue(), err.getvalue()
