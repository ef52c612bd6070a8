# SPDX-License-Identifier: BSD-3-Clause
"""What xhpl writes to stdout, taken apart."""
import csv
import re
from collections import namedtuple

Row = namedtuple("Row", "tag n nb p q seconds gflops")

ROW = re.compile(
    r"^(W[RC]\d[0-5][LCR]\d[LCR]\d)([ \d]{11}\d) ([ \d]{4}\d) ([ \d]{4}\d)"
    r" ([ \d]{4}\d) ( *\d+\.\d\d)    ( *\d\.\d{4}e[-+]\d\d)$"
)
RESIDUAL = re.compile(
    r"^(\|\|Ax-b\|\|_oo/\(eps\*\(\|\|A\|\|_oo\*\|\|x\|\|_oo"
    r"\+\|\|b\|\|_oo\)\*N\)=) ([ -]*\d\.\d{8}e[-+]\d\d)"
    r" (\.{6} (?:PASSED|FAILED))$"
)
DATE = r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}"


def rows(stdout):
    """The result rows, in order."""
    found = (ROW.match(line) for line in stdout.splitlines())
    return [
        Row(m[1], *(int(m[i]) for i in (2, 3, 4, 5)), float(m[6]), float(m[7]))
        for m in found
        if m
    ]


def residuals(stdout):
    """The scaled residuals, in order."""
    found = (RESIDUAL.match(line) for line in stdout.splitlines())
    return [float(m[2]) for m in found if m]


def counts(stdout):
    """What the closing block counts: {"finished": 3, "passed": 3, ...}."""
    words = {
        "finished": r"^Finished {1,6}(\d+) tests with the following results:$",
        "passed": r"^ +(\d+) tests completed and passed residual checks,$",
        "failed": r"^ +(\d+) tests completed and failed residual checks,$",
        "unchecked": r"^ +(\d+) tests completed without checking,$",
        "skipped": r"^ +(\d+) tests skipped because of illegal input values\.$",
    }
    found = {k: re.findall(v, stdout, re.MULTILINE) for k, v in words.items()}
    return {k: int(v[0]) for k, v in found.items() if len(v) == 1}


def expected_rows(path):
    """Tag, N, NB, P, Q of every row, from a csv file."""
    with open(path, encoding="ascii") as file:
        return [
            (r["tag"], *(int(r[k]) for k in ("N", "NB", "P", "Q")))
            for r in csv.DictReader(file)
        ]


def masked(line):
    """line with what may differ between two runs replaced, widths kept."""
    row = ROW.match(line)
    if row:
        return line[: row.start(6)] + f"<seconds and Gflops: {len(line)}>"
    residual = RESIDUAL.match(line)
    if residual:
        return f"{residual[1]} <{len(residual[2])} digits> {residual[3]}"
    line = re.sub(rf"time( {{1,3}}){DATE}$", r"time\1<date>", line)
    return re.sub(
        r"^(HPLinpack 2\.3  --  High-Performance Linpack benchmark  --   ).+$",
        r"\1<date>",
        line,
    )


def timeless(stdout):
    """stdout with times, rates and dates masked, and nothing else changed."""
    lines = stdout.split("\n")
    return [line if RESIDUAL.match(line) else masked(line) for line in lines]


def comparable(stdout):
    """The lines of stdout masked, those of the authors reduced to one."""
    lines = [masked(line) for line in stdout.splitlines()]
    rule = "=" * 80
    if lines.count(rule) > 1:
        second = lines.index(rule, 1)
        lines[2:second] = ["<authors>"]
    return lines
