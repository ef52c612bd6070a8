# SPDX-License-Identifier: BSD-3-Clause
"""Facts of all nodes (probe.py), and which nodes differ from the others in what."""
import collections
import concurrent.futures
import json
import os
import selectors
import shlex
import signal
import statistics
import subprocess
import time
from pathlib import Path

from hpl_report.foreign import Refused, number, parsed, shown

PROBE = Path(__file__).with_name("probe.py")

# What a node is called and when it was asked says nothing about it.
OWN = {"host", "clock", "nonsense"}

# Facts that are measured: a node differs if it has less than this part of the median.
LEAST = {"memory_bytes": 0.98, "memory_available_bytes": 0.9, "disk_free_bytes": 0.1}

# ... or if it has more than this many times the median, and more than so much.
MOST = {"load": (3, 1.0), "ecc_corrected": (10, 0), "ecc_uncorrected": (1, 0),
        "gpu_ecc_uncorrected": (1, 0), "throttled": (10, 100), "link_errors": (10, 0),
        "links_downed": (10, 3), "clock_offset": (1, 1.0)}

# Facts that are numbers, and those that are texts; others are either.
NUMBERS = {*LEAST, *MOST, "cores", "threads", "clock"}
TEXTS = {"host", "processor", "gpus", "nonsense"}

SAID = 1 << 20  # bytes of an answer, at most
WORDS = 200  # letters of what a node wrote in the place of facts
LARGEST = 1e18  # of a number


# ---- asking nodes ----------------------------------------------------------------


def ask(argv, limit):
    """Run the probe by the words argv; the last line that it prints, and an error; one
    of them is None."""
    with PROBE.open() as probe:
        job = subprocess.Popen(argv, stdin=probe, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = listen(job, limit)
        if out.strip():
            return out.splitlines()[-1], None
        return None, last_lines(err) or "no answer"
    except subprocess.TimeoutExpired as error:
        said = [f"no answer in {limit:.0f} s", *lines_of(error.stderr + end(job))]
        return None, ": ".join(said[:2])
    except OverflowError:
        return None, f"it answered with more than {SAID >> 20} MiB"
    finally:
        end(job)
        job.stdout.close()
        job.stderr.close()


def listen(job, limit):
    """The bytes that a job writes to stdout and stderr. Errors: TimeoutExpired;
    OverflowError, it writes too much."""
    said = {job.stdout: b"", job.stderr: b""}
    until = time.monotonic() + limit
    with selectors.DefaultSelector() as selector:
        for pipe in said:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, until - time.monotonic()))
            if not ready:
                raise subprocess.TimeoutExpired("probe", limit, None, said[job.stderr])
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                said[key.fileobj] += data
                if not data:
                    selector.unregister(key.fileobj)
            if max(map(len, said.values())) > SAID:
                raise OverflowError
    if job.poll() is None:
        try:
            job.wait(max(1.0, until - time.monotonic()))
        except subprocess.TimeoutExpired as error:
            error.stderr = said[job.stderr]
            raise
    return said[job.stdout], said[job.stderr]


def lines_of(data):
    """Lines for people."""
    return [shown(line) for line in data.decode(errors="replace").strip().splitlines()]


def last_lines(data):
    return "; ".join(lines_of(data)[-2:])


def end(job):
    """Leave nothing of a job that was started in a session of its own: politely, as
    srun gives back its allocation, then not. Returns what it said to stderr."""
    said = b""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if job.poll() is None:
            os.killpg(job.pid, number)
            try:
                said += listen(job, 5)[1]
            except (subprocess.TimeoutExpired, OverflowError):
                pass
    return said


def is_fact(name, value):
    """Whether a fact of that name can have this value."""
    if isinstance(value, str):
        return name not in NUMBERS and len(value) < SAID
    return name not in TEXTS and number(value, -LARGEST, LARGEST) is not None


def facts_of(line):
    """The facts in the line of a node. What is none is told by the fact "nonsense"."""
    try:
        told = parsed(line)
    except Refused:
        told = None
    if not isinstance(told, dict):
        return {"nonsense": f"it answered {shown(line.decode(errors='replace'))[:WORDS]}"}
    return sound(told)


def sound(told):
    """The facts of an object of any members."""
    facts = {name: value for name, value in told.items() if is_fact(name, value)}
    odd = [f"{name} is {json.dumps(value)}" for name, value in told.items()
           if value is not None and name not in facts]
    if odd:
        facts["nonsense"] = shown("; ".join(odd))[:WORDS]
    return facts


def log_of(line):
    """What a node's kernel said, of its line."""
    try:
        told = parsed(line)
    except Refused:
        return []
    said = told.get("log") if isinstance(told, dict) else None
    return [text for text in said if isinstance(text, str)] \
        if isinstance(said, list) else []


def facts_by(argv, limit):
    """The facts of a node, and an error; one of them is None."""
    begun = time.time()
    line, error = ask(argv, limit)
    if error:
        return None, error
    facts = facts_of(line)
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
    asked = {pool.submit(facts_by, words(host), limit): host for host in hosts}
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
    return {host: difference(name, measured(known[host]), measured(median))
            for host in far}


def measured(number):
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
