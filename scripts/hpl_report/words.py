# SPDX-License-Identifier: BSD-3-Clause
"""Values as a reader wants them."""

NONE = "–"
NBSP = "\u00a0"  # between a number and its unit


def significant(x, digits=3):
    """A number with so many digits, and no exponent where it can be read."""
    if x is None:
        return NONE
    if x == 0 or 1e-3 <= abs(x) < 1e6:
        text = f"{x:.{digits}g}"
        return f"{x:.0f}" if "e" in text else text
    return f"{x:.{digits - 1}e}"


def rate(gflops):
    """Gflop/s, or the larger unit that fits, with three digits."""
    if gflops is None:
        return NONE
    for unit, size in (("Eflop/s", 1e9), ("Pflop/s", 1e6), ("Tflop/s", 1e3), ("Gflop/s", 1.0)):
        if gflops >= size:
            break
    x = gflops / size
    number = f"{x:#.3g}".rstrip(".") if 1e-3 <= x < 999.5 else significant(x)
    return f"{number}{NBSP}{unit}"


def share(gflops, whole):
    """A rate beside a larger one: 5.83 of the 136 Gflop/s (4.3 %)."""
    all_of, mine = rate(whole), rate(gflops)
    number, _, unit = mine.partition(NBSP)
    same = all_of.endswith(NBSP + unit)
    return f"{number if same else mine} of the {all_of} ({percent(gflops / whole)})"


def percent(part):
    if part is None:
        return NONE
    if 0 < part < 0.0005:
        return f"< 0.1{NBSP}%"
    digits = 0 if part >= 0.0995 or part == 0 else 1
    return f"{100 * part:.{digits}f}{NBSP}%"


def duration(seconds):
    """Seconds, or hours and minutes where these are more."""
    if seconds is None:
        return NONE
    if 0 < seconds < 1e-3:
        return f"{significant(1e6 * seconds)}{NBSP}µs"
    if seconds < 1:
        return f"{significant(1e3 * seconds)}{NBSP}ms"
    if seconds < 100:
        return f"{significant(seconds)}{NBSP}s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def size(count):
    """Bytes."""
    if count is None:
        return NONE
    for unit, scale in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20)):
        if count >= scale:
            return f"{significant(count / scale)}{NBSP}{unit}"
    return f"{count} B"


def moment(text):
    """2026-11-22T04:21:27.507Z to the second."""
    if text is None:
        return NONE
    return text[:19].replace("T", " ") + " UTC"


def plural(count, word):
    return f"{count} {word}" + ("" if count == 1 else "es" if word[-1] == "s" else "s")


def listed(names, most=3):
    """Some names as words."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])
