# SPDX-License-Identifier: BSD-3-Clause
"""Reading what a run has written: its record and its trace."""
import json
from collections import namedtuple
from pathlib import Path

SCHEMA_VERSION = 1

Span = namedtuple("Span", "name begin end iteration")  # s


class Refused(Exception):
    """Input of which no page can be made, and why."""


class Maybe:
    """What may be null, or not be there at all."""

    def __init__(self, shape):
        self.shape = shape


TEXT, WHOLE, NUMBER = (str,), (int,), (int, float)
LIST = [Maybe((str, int, float))]

# The members that the page uses; docs/record.schema.json has them all.
SHAPE = {
    "program": {
        "name": TEXT, "version": TEXT, "revision": TEXT, "compiler": TEXT,
    },
    "command_line": [TEXT],
    "start": TEXT,
    "end": Maybe(TEXT),
    "exit_status": Maybe(WHOLE),
    "environment": Maybe({}),
    "settings": {},
    "hpl_dat": Maybe({}),
    "mpi": {"library": TEXT, "standard": TEXT, "processes": WHOLE},
    "blas": Maybe(
        {"name": TEXT, "version": Maybe(TEXT), "kernel": Maybe(TEXT),
         "threads": Maybe(WHOLE)}
    ),
    "solver": Maybe(TEXT),
    "kernel": Maybe(TEXT),
    "hosts": [
        {
            "name": TEXT, "system": Maybe(TEXT), "cpu": Maybe(TEXT),
            "isa": TEXT, "cpu_mhz": Maybe(NUMBER), "cpus_online": Maybe(TEXT),
            "numa_nodes": Maybe(TEXT), "memory_bytes": Maybe(WHOLE),
            "machine": Maybe({"sockets": Maybe(WHOLE), "cores": Maybe(WHOLE)}),
            "memory_available_bytes": Maybe(WHOLE),
            "fma_ceiling": Maybe({"cores": WHOLE, "gflops": NUMBER}),
            "ranks": [
                {"rank": WHOLE, "local_rank": WHOLE, "cores": WHOLE,
                 "cpus_allowed": Maybe(TEXT), "threads": Maybe(WHOLE),
                 "cpus_taken": Maybe(TEXT)}
            ],
        }
    ],
    "tests": [
        {
            "tag": TEXT, "n": WHOLE, "nb": WHOLE, "p": WHOLE, "q": WHOLE,
            "status": TEXT, "start": Maybe(TEXT), "end": Maybe(TEXT),
            "seconds": Maybe(NUMBER), "gflops": Maybe(NUMBER),
            "residual": Maybe(NUMBER),
            "restarted": Maybe(
                {"times": WHOLE, "lost_seconds": NUMBER, "between_seconds": NUMBER}
            ),
            "prediction": Maybe({"seconds": NUMBER, "gflops": Maybe(NUMBER)}),
            "ranks": Maybe(
                [{"rank": WHOLE, "panel": NUMBER, "swap": NUMBER, "solve": NUMBER,
                  "update": NUMBER, "broadcast": NUMBER, "exchange": NUMBER,
                  "wait": NUMBER, "thread_gflops": Maybe(NUMBER), "others": Maybe(NUMBER)}]
            ),
            "clocks": Maybe(
                [{"host": TEXT, "mhz_least": Maybe(NUMBER),
                  "mhz_most": Maybe(NUMBER)}]
            ),
            "devices": Maybe(
                [{"rank": WHOLE, "name": TEXT, "model": TEXT, "gflops": Maybe(NUMBER),
                  "up_bytes_per_second": Maybe(NUMBER),
                  "down_bytes_per_second": Maybe(NUMBER), "mhz": Maybe(NUMBER),
                  "celsius": Maybe(NUMBER)}]
            ),
            "device_clocks": Maybe(
                [{"rank": WHOLE, "name": TEXT, "mhz_mean": Maybe(NUMBER),
                  "temperature_celsius": Maybe(NUMBER), "power_watts": Maybe(NUMBER)}]
            ),
            "energy": Maybe(
                {"source": TEXT, "package_joules": Maybe(NUMBER),
                 "dram_joules": Maybe(NUMBER), "device_joules": Maybe(NUMBER)}
            ),
        }
    ],
    "iterations": [
        {"run": WHOLE, "iteration": WHOLE, "begin": NUMBER, "seconds": NUMBER}
    ],
    "findings": Maybe([{"time": TEXT, "level": TEXT, "text": TEXT}]),
    "devices": Maybe(
        [{"rank": WHOLE, "name": TEXT, "model": TEXT, "memory_bytes": WHOLE}]
    ),
}


def fits_leaf(value, types):
    return isinstance(value, types) and not isinstance(value, bool)


def check(value, shape, where):
    """Refuse a value that has not the shape; where tells its place."""
    if isinstance(shape, Maybe):
        if value is not None:
            check(value, shape.shape, where)
    elif isinstance(shape, tuple):
        if not fits_leaf(value, shape):
            raise Refused(f"{where} is not a {' or '.join(t.__name__ for t in shape)}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise Refused(f"{where} is not a list")
        for i, item in enumerate(value if shape else ()):
            check(item, shape[0], f"{where}[{i}]")
    else:
        if not isinstance(value, dict):
            raise Refused(f"{where} is not an object")
        for key, part in shape.items():
            if key not in value and not isinstance(part, Maybe):
                raise Refused(f"{where} has no {key}")
            check(value.get(key), part, f"{where}.{key}".lstrip("."))


def load(path):
    """The JSON in a file; numbers that are none become null."""
    try:
        text = Path(path).read_text("utf-8", "replace")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{path}: not JSON: {error}") from error


def read_record(path):
    """The record in a file of --json."""
    record = load(path)
    if not isinstance(record, dict) or "schema_version" not in record:
        raise Refused(f"{path}: not the record of a run (xhpl --json writes one)")
    if record["schema_version"] != SCHEMA_VERSION:
        raise Refused(
            f"{path}: schema_version is {record['schema_version']!r:.40}; this "
            f"hpl-report reads {SCHEMA_VERSION}"
        )
    try:
        check(record, SHAPE, "")
    except Refused as error:
        raise Refused(f"{path}: not a record of xhpl: {error}") from error
    return record


def add_event(event, spans, names):
    actor = (int(event.get("pid", 0)), int(event.get("tid", 0)))
    if event["ph"] == "X":
        begin = event["ts"] * 1e-6
        iteration = (event.get("args") or {}).get("iteration", -1)
        spans.setdefault(actor, []).append(
            Span(str(event["name"]), begin, begin + event["dur"] * 1e-6, iteration)
        )
    elif event["ph"] == "M" and event["name"] == "thread_name":
        names[actor] = str(event["args"]["name"])


def read_trace(path):
    """Of a file of --trace: spans, and names, of each (process, actor)."""
    trace = load(path)
    spans, names = {}, {}
    try:
        for event in trace["traceEvents"]:
            add_event(event, spans, names)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Refused(f"{path}: not a trace of xhpl (--trace): {error!r}") from error
    if not spans:
        raise Refused(f"{path}: nobody did anything in this trace")
    return spans, names
