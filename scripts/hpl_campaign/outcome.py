# SPDX-License-Identifier: BSD-3-Clause
"""How a run ended: from what it wrote, and from who ended it."""
import re
from typing import NamedTuple, Optional

ROW = re.compile(r"^W[RC]\S+ +\d+ +\d+ +\d+ +\d+ +(\S+) +(\S+)$", re.M)
CHECK = re.compile(r"\.\.\. (PASSED|FAILED)$", re.M)
DONE = re.compile(r"^xhpl: progress: *([\d.]+)% done.* mean (\S+)$", re.M)
TORTURE = re.compile(r"^verified: \d+ products, (\d+) wrong$", re.M)
WRONG = re.compile(r"^xhpl: error: .*(\btrust: (wrong result|a message was damaged|"
                   r"arithmetic is not)|\biteration \d+: .* is wrong)", re.M)
STILL = re.compile(r"no progress for|waits for other processes|host does not answer")
HUNG = re.compile(r"no progress for .*(all wait for|the job ends)")
BANNER = re.compile(r"^(HPLinpack|xhpl: |xdgemm: |C := )", re.M)
SAID = re.compile(r"^(?:xhpl|xdgemm): (warning|error): (.*)$", re.M)

FASTEST = 1e13  # B/s, more than any link
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
    """

    status: Optional[int]
    by: Optional[str]
    report: str
    log: str
    remark: Optional[str] = None


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
    return (float(row[1]), float(row[2])) if row else (None, None)


def link(record):
    """Seconds of a short message and B/s of a long one, as a record has them that was
    written with predict=on; None, None without them. Where others had the cores
    meanwhile, a long message may have seemed to take no time: nothing is known then."""
    found = [re.search(rf'"{name}": ([\d.e+-]+)', record) for name in (
        "latency_seconds", "bandwidth")]
    latency, bandwidth = (float(match[1]) if match else None for match in found)
    return (latency, bandwidth) if (bandwidth or 0.0) < FASTEST else (None, None)


def share_done(log):
    """The part of the work that was done by the last line of progress, and the mean
    rate until then; None, None without any."""
    found = DONE.findall(log)
    return (float(found[-1][0]) / 100, float(found[-1][1])) if found else (None, None)


def has_hung(ended):
    """Whether it failed while the program itself said that nothing moves."""
    said = [match.end() for match in HUNG.finditer(ended.log)]
    return bool(ended.status and said) and said[-1] > ended.log.rfind("it goes on")


def kind(ended):
    """The outcome's name."""
    checks = CHECK.findall(ended.report)
    tortured = TORTURE.search(ended.report)
    if "FAILED" in checks or (tortured and int(tortured[1])) or WRONG.search(ended.log):
        return "wrong"
    if ended.by == HOT:
        return "hot"
    if checks and (ended.by or not ended.status) or tortured and ended.status == 0:
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
        return f"it was ended by signal {number}"
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
    lines = [ended.remark, failed and f"the residual {failed[1]} FAILED", *errors]
    if outcome not in ("ok", "wrong"):
        share, rate = share_done(ended.log)
        lines += foreign_lines(ended.log) if not errors else []
        lines += [f"{100 * share:.0f}% was done, at {rate:g} Gflop/s on average"
                  if share is not None else None, ending(ended)]
    lines += [text for level, text in own if level != "error"]
    return [line[:TEXT] for line in lines if line][:EVIDENCE]


def classify(ended):
    """The outcome of a run."""
    outcome = kind(ended)
    seconds, gflops = result(ended.report)
    if outcome == "unknown" and ended.by == LATE:
        gflops = share_done(ended.log)[1]
    return Outcome(outcome, seconds, gflops, evidence(ended, outcome))
