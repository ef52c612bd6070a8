# SPDX-License-Identifier: BSD-3-Clause
"""Facts of all nodes (probe.py), and which nodes differ from the others in what."""
import collections
import concurrent.futures
import json
import os
import shlex
import signal
import statistics
import subprocess
import time
from pathlib import Path

PROBE = Path(__file__).with_name("probe.py")

# What a node is called and when it was asked says nothing about it.
OWN = {"host", "clock"}

# Facts that are measured: a node differs if it has less than this part of the median.
LEAST = {"memory_bytes": 0.98, "memory_available_bytes": 0.9, "disk_free_bytes": 0.1}

# ... or if it has more than this many times the median, and more than so much.
MOST = {"load": (3, 1.0), "ecc_corrected": (10, 0), "ecc_uncorrected": (1, 0),
        "gpu_ecc_uncorrected": (1, 0), "throttled": (10, 100), "link_errors": (10, 0),
        "links_downed": (10, 3), "clock_offset": (1, 1.0)}


# ---- asking nodes ----------------------------------------------------------------


def ask(argv, limit):
    """Run the probe by the words argv; the JSON object that it prints, and an error;
    one of them is None."""
    begun = time.time()
    with PROBE.open() as probe:
        job = subprocess.Popen(argv, stdin=probe, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, universal_newlines=True,
                               errors="replace", start_new_session=True)
    try:
        out, err = job.communicate(timeout=limit)
        return understood(out, err, begun)
    except subprocess.TimeoutExpired:
        said = [f"no answer in {limit:.0f} s", *end(job).strip().splitlines()]
        return None, ": ".join(said[:2])
    finally:
        end(job)


def end(job):
    """Leave nothing of a job that was started in a session of its own: politely, as
    srun gives back its allocation, then not. Returns what it said."""
    said = ""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if job.poll() is None:
            os.killpg(job.pid, number)
            try:
                said = job.communicate(timeout=5)[1]
            except subprocess.TimeoutExpired:
                pass
    return said


def understood(out, err, begun):
    """What came of a probe that was started at that time."""
    try:
        facts = json.loads(out.splitlines()[-1])
        if not isinstance(facts, dict):
            raise ValueError(facts)
    except (IndexError, ValueError):
        return None, "; ".join(err.strip().splitlines()[-2:]) or "no answer"
    if "clock" in facts:
        facts["clock_offset"] = offset(facts["clock"], begun, time.time())
    return facts, None


def offset(clock, begun, ended):
    """Seconds by which a clock is off for certain, if it was read in between."""
    return round(max(0.0, begun - clock, clock - ended), 3)


def gather(hosts, words, limit=60, at_once=64):
    """Ask all hosts; yields (host, facts, error) as they answer.

    words   words(host): the command that runs python3 - and its arguments there,
            see request()
    """
    pool = concurrent.futures.ThreadPoolExecutor(at_once)
    asked = {pool.submit(ask, words(host), limit): host for host in hosts}
    try:
        for answer in concurrent.futures.as_completed(asked):
            yield (asked[answer], *answer.result())
    finally:
        for answer in asked:
            answer.cancel()
        pool.shutdown(wait=False)  # nobody waits for hosts if it is interrupted


def request(folder, program):
    """The words that a node gets for its facts. program: words, as of a shell."""
    return ["python3", "-", str(folder), shlex.split(str(program))[0]]


def request_log(seconds):
    """The words for what its kernel said of faults in so many seconds."""
    return ["python3", "-", "log", str(int(seconds))]


# ---- comparing them (no files, no processes) --------------------------------------


def difference(name, value, usual):
    """Both in words; None: a host did not tell."""
    value, usual = ("unknown" if x is None else x for x in (value, usual))
    words = name.replace("_bytes", "").replace("_", " ")
    return f"{words} is {value}, elsewhere {usual}"


def unlike(name, values):
    """Hosts that do not have the value that more than half of all have.

    values  {host: value}; None where a host does not tell
    """
    (usual, count), = collections.Counter(values.values()).most_common(1)
    if count * 2 <= len(values):
        return {}
    return {host: difference(name, value, usual)
            for host, value in values.items() if value != usual}


def beyond(name, values):
    """Hosts whose measured value is far from the median."""
    known = {host: value for host, value in values.items() if value is not None}
    median = statistics.median(known.values())
    if name in LEAST:
        far = {host for host, x in known.items() if x < LEAST[name] * median}
    else:
        times, floor = MOST[name]
        far = {host for host, x in known.items() if x > times * median and x > floor}
    return {host: difference(name, shown(known[host]), shown(median)) for host in far}


def shown(number):
    """A measured number, short."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if abs(number) >= size:
            return f"{number / size:.4g} {unit}"
    return f"{number:.4g}"


def differences(inventory):
    """{host: [text, ...]} of the hosts that differ from the majority.

    inventory  {host: {"facts": {...}, "error": None or text}}
    """
    told = {host: entry["facts"] for host, entry in inventory.items()
            if not entry["error"]}
    found = collections.defaultdict(list)
    for name in sorted({name for facts in told.values() for name in facts} - OWN):
        values = {host: facts.get(name) for host, facts in told.items()}
        compare = beyond if name in LEAST or name in MOST else unlike
        for host, text in compare(name, values).items():
            found[host].append(text)
    return dict(found)
