# SPDX-License-Identifier: BSD-3-Clause
"""How a run ended: from what it wrote, and from who ended it."""
import re
from typing import NamedTuple, Optional

from hpl_report.foreign import number, shown
from hpl_report.verdict import signal_name

ROW = re.compile(r"^W[RC]\S+ +\d+ +\d+ +\d+ +\d+ +(\S.*)$", re.M)
CHECK = re.compile(r"\.\.\. (PASSED|FAILED)$", re.M)
DONE = re.compile(r"^xhpl: progress: *(\S+)% done.* mean (\S+)$", re.M)
TORTURE = re.compile(r"^verified: \d+ products, (.*) wrong$", re.M)
WRONG = re.compile(r"^xhpl: error: .*(\btrust: (wrong result|arithmetic is not)"
                   r"|\biterations? \d+(?: to \d+)?: .* (?:is|are) wrong)", re.M)
LINK = re.compile(r'"(latency_seconds|bandwidth)": *([^\s,}]*)')
STILL = re.compile(r"no progress for|waits for other processes|host does not answer")
HUNG = re.compile(r"no progress for .*(all wait for|the job ends)")
BANNER = re.compile(r"^(HPLinpack|xhpl: |xdgemm: |C := )", re.M)
SAID = re.compile(r"^(?:xhpl|xdgemm): (warning|error): (.*)$", re.M)

FASTEST = 1e13  # B/s, more than any link
SLOWEST = 1e4  # s, more than any latency
BEST = 1e12  # Gflop/s, more than any machine
LONGEST = 1e9  # s
EVIDENCE = 8  # lines of it, at most
TEXT = 400  # letters of one

# Why xhpl-campaign ended a run.
SILENT, LATE, HOT = "silent", "late", "hot"


class Ended(NamedTuple):
    """What a run leaves.

    status   exit status of its command; negative: the signal's number; None unknown
    by       None if it ended by itself, else SILENT, LATE or HOT
    report   what it wrote to stdout
    log      what it wrote to stderr
    remark   a sentence on why it was ended, None if it was not
    record   its record, of a pair
    """

    status: Optional[int]
    by: Optional[str]
    report: str
    log: str
    remark: Optional[str] = None
    record: str = ""


class Outcome(NamedTuple):
    """seconds and gflops are None where there is no result; of a run that was ended
    as it took too long, gflops is the mean until then."""

    outcome: str
    seconds: Optional[float]
    gflops: Optional[float]
    evidence: list


def is_life(text):
    """Whether new lines of a log show that a run goes on."""
    return any(line.strip() and not STILL.search(line) for line in text.splitlines())


def result(report):
    """Seconds and Gflop/s of the test in a report, or None, None."""
    row = ROW.search(report)
    seconds, gflops = (row[1].split() + ["", ""])[:2] if row else ("", "")
    found = number(seconds, 0.0, LONGEST), number(gflops, 1e-9, BEST)
    return (None, None) if None in found else found


def has_result(ended):
    return result(ended.report) != (None, None)


def link(record):
    """Seconds of a short message and B/s of a long one, as a record has them that was
    written with predict=on; None, None without them. Where others had the cores
    meanwhile, a long message may have seemed to take no time: nothing is known then."""
    written = dict(LINK.findall(record))
    found = (number(written.get("latency_seconds"), 0.0, SLOWEST),
             number(written.get("bandwidth"), 0.0, FASTEST))
    return (None, None) if None in found else found


def share_done(log):
    """The part of the work that was done by the last line of progress, and the mean
    rate until then; None, None without any."""
    for share, rate in reversed(DONE.findall(log)):
        found = number(share, 0.0, 100.0), number(rate, 0.0, BEST)
        if None not in found:
            return found[0] / 100, found[1]
    return None, None


def nonsense(report, record=""):
    """What a run wrote in the place of numbers, in words; None if all is well."""
    row, tortured = ROW.search(report), TORTURE.search(report)
    if row and result(report) == (None, None):
        return f"its result has no time and rate: {row[1]}"
    if tortured and number(tortured[1]) is None:
        return f"it counts no wrong products: {tortured[1]}"
    for name, value in LINK.findall(record):
        if value != "null" and number(value) is None:
            return f"its record has no number as {name}: {value}"
    return None


def has_hung(ended):
    """Whether it failed while the program itself said that nothing moves."""
    said = [match.end() for match in HUNG.finditer(ended.log)]
    return bool(ended.status and said) and said[-1] > ended.log.rfind("makes progress again")


def kind(ended):
    """The outcome's name."""
    checks = CHECK.findall(ended.report)
    tortured = TORTURE.search(ended.report)
    if "FAILED" in checks or (tortured and number(tortured[1]) != 0.0) or \
            WRONG.search(ended.log) or nonsense(ended.report, ended.record):
        return "wrong"
    if ended.by == HOT:
        return "hot"
    if checks and has_result(ended) and (ended.by or not ended.status) or \
            tortured and ended.status == 0:
        return "ok"
    if ended.by == SILENT:
        return "hung" if has_begun(ended) else "not started"
    if ended.by == LATE:
        return "unknown"
    if has_hung(ended):
        return "hung"
    if ended.status == 0:
        return "unknown"
    return "died" if has_begun(ended) and ended.status != 2 else "not started"


def has_begun(ended):
    """Whether the program itself was there."""
    return bool(BANNER.search(ended.report) or BANNER.search(ended.log))


def ending(ended):
    """The exit status in words, None for 0."""
    if not ended.status:
        return None
    if ended.by:
        return None
    number = -ended.status if ended.status < 0 else ended.status - 128
    if 0 < number < 65:
        return f"it was ended by signal {number} ({signal_name(number)})"
    return f"its exit status is {ended.status}"


def own_lines(log):
    """Warnings and errors of the program, the most important first."""
    said = list(dict.fromkeys(SAID.findall(log)))
    return sorted(said, key=lambda found: (found[0] != "error",
                                           not STILL.search(found[1])))


# Of mpirun, of Hydra, of srun.
WHO = re.compile(r"exited on signal|PID \d+ RUNNING AT|: task \d+: ")


def foreign_lines(log):
    """The first and the last lines of others: launchers, libraries, the shell. Those
    that say which process ended come first."""
    found = [line.strip() for line in log.splitlines()
             if line.strip(" -=*") and not re.match(r"(xhpl|xdgemm): ", line)]
    found.sort(key=lambda line: not WHO.search(line))
    return found[:2] + found[2:][-2:]


def evidence(ended, outcome):
    """What a reader needs to believe the outcome."""
    own = own_lines(ended.log)
    errors = [text for level, text in own if level == "error"]
    failed = re.search(r"= *(\S+) \.+ FAILED$", ended.report, re.M)
    lines = [ended.remark, failed and f"the residual {failed[1]} FAILED",
             nonsense(ended.report, ended.record), *errors,
             "it checked a solution, but wrote no time and rate" if outcome == "unknown"
             and not ended.by and CHECK.search(ended.report) else None]
    if outcome not in ("ok", "wrong"):
        share, rate = share_done(ended.log)
        lines += foreign_lines(ended.log) if not errors else []
        lines += [f"{100 * share:.0f}% was done, at {rate:g} Gflop/s on average"
                  if share is not None else None, ending(ended)]
    lines += [text for level, text in own if level != "error"]
    return [shown(line)[:TEXT] for line in lines if line][:EVIDENCE]


def classify(ended):
    """The outcome of a run."""
    outcome = kind(ended)
    seconds, gflops = result(ended.report)
    if outcome == "unknown" and ended.by == LATE:
        gflops = share_done(ended.log)[1]
    return Outcome(outcome, seconds, gflops, evidence(ended, outcome))
