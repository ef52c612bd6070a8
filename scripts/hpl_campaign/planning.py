# SPDX-License-Identifier: BSD-3-Clause
"""How large runs can be: asked of xhpl --plan on the weakest host."""
import math
import os
import re
import tempfile
import time

from hpl_report.foreign import number, shown, whole

from . import leftovers, outcome, stages
from .launch import LOG, REPORT
from .outcome import BEST
from .run import Run
from .runner import text_of

UNITS = {"M": 2**20, "G": 2**30, "T": 2**40}
LIMIT = 600.0  # s that a plan may take
FASTEST_CORES = 15000.0  # Gflop/s: no node reaches as much on cores
LARGE = 60000  # N above which devices want the wider panels


class NoPlan(Exception):
    """No plan came about, and why."""


def amount(text):
    """Bytes of "12G"."""
    return float(text[:-1]) * UNITS[text[-1]]


def has_devices(rate, words):
    """Do devices compute: asked for, or too fast for cores?"""
    asked = re.findall(r"\bdevices=(\S+)", words)
    return asked[-1] not in ("none", "auto") if asked else rate >= FASTEST_CORES


def width(rate, n, words):
    """NB where neither an option nor a plan gives one."""
    if not has_devices(rate, words):
        return 192
    return 1024 if n > LARGE else 512


def given(rate, memory, nb, ranks, words=""):
    """The sizing of a host of so many Gflop/s that fills so much memory, run with
    options of xhpl."""
    n = int(math.sqrt(amount(memory) / 8))
    nb = nb or width(rate, n, words)
    return stages.Sizing(max(n // nb * nb, nb), rate * 1e9, nb, 0.0, ranks)


def first_row(report):
    """The best choice of a plan: (n, nb, flop/s)."""
    found = re.search(r"^ +N +NB +P +Q .*\n( +\S+ +\S+ .* \S+ +\S+)$", report, re.M)
    if not found:
        raise NoPlan("it printed no plan")
    words = found[1].split()
    n, nb, rate = whole(words[0], 1), whole(words[1], 1), number(words[-2], 1e-9, BEST)
    if None in (n, nb, rate):
        raise NoPlan(f"it printed a plan that cannot be read: {shown(found[1].strip())}")
    return n, nb, rate * 1e9


def weakest_first(inventory, names):
    """Hosts, those with fewest cores first, then those with least memory."""
    def strength(name):
        facts = inventory.get(name, {}).get("facts") or {}
        return (facts.get("cores") or math.inf,
                facts.get("memory_available_bytes") or math.inf)

    answered = [name for name in names if not inventory.get(name, {}).get("error")]
    return sorted(answered or names, key=strength)


def ask(launcher, host, words, ranks, folder):
    """What words print on all processes of a host."""
    p, q = stages.grid(ranks)
    run = Run("plan", "plan", (host,), 1, 0, 0, p, q, None, LIMIT)
    environment = {**os.environ, leftovers.MARK: folder, leftovers.HOSTS: host}
    job = launcher.start(launcher.command(run, words, folder), folder, environment, run)
    until = time.monotonic() + LIMIT
    try:
        while job.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        if job.poll() is None:
            job.signal(9)
            launcher.end(run, folder)
    if job.poll() != 0:
        raise NoPlan(why_not(job.poll(), text_of(folder, LOG)))
    return text_of(folder, REPORT)


def why_not(status, log):
    """Why a plan has failed: what the program said last, or what others did."""
    errors = [text for level, text in outcome.own_lines(log) if level == "error"]
    said = errors or outcome.foreign_lines(log) or [f"it ended with status {status}"]
    return shown(said[0])


def measured(launcher, host, xhpl, options, folder):
    """The sizing by plans on a host: of a run that fills memory, and of a short one.
    The plan of a busy host will do for a size."""
    seconds = max(1, round(options.seconds or 60))
    rows = []
    for more in ([], ["--time", str(seconds)]):
        words = [*xhpl, "--plan", "--force", "--memory", options.memory, *more]
        if options.nb:
            words += ["--nb", str(options.nb)]
        rows.append(first_row(ask(launcher, host, words, options.ranks_per_node, folder)))
    return stages.sizing(rows, options.ranks_per_node)


def sizing(launcher, inventory, names, xhpl, options, above):
    """The sizing of the weakest host that answers, and its name. Of rate and memory
    if they are given."""
    if options.rate:
        return given(options.rate, options.memory, options.nb, options.ranks_per_node,
                     options.xhpl_options or ""), None
    tried = weakest_first(inventory, names)[:3]
    reasons = []
    for host in tried:
        with tempfile.TemporaryDirectory(prefix="plan-", dir=above) as folder:
            try:
                return measured(launcher, host, xhpl, options, folder), host
            except (NoPlan, OSError) as error:
                reasons.append(f"{host}: {error}")
    raise NoPlan("no plan: " + "; ".join(reasons))
