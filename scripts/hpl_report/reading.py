# SPDX-License-Identifier: BSD-3-Clause
"""Reading what a run has written: its record and its trace."""
from collections import namedtuple

from . import files
from .foreign import (ANY, COUNT, FLAG, NUMBER, TEXT, Maybe, Named, Refused, check, count,
                      one_of, parsed, within)
from .run import PHASES
from .series import BUSY, SHARES

SCHEMA_VERSIONS = (1, 2)  # 1: the online check compared sums

Span = namedtuple("Span", "name begin end iteration")  # s

SOME = count(1)  # of what there is one at least
TIME = within()  # and other sizes that are not negative
STATUS = one_of("PASSED", "FAILED", "SKIPPED", "UNCHECKED", "RUNNING")

# The members that the page uses; docs/record.schema.json has them all.
SHAPE = {
    "program": {
        "name": TEXT, "version": TEXT, "revision": TEXT, "compiler": TEXT,
    },
    "command_line": [TEXT],
    "start": TEXT,
    "end": Maybe(TEXT),
    "exit_status": Maybe(count(0, 255)),
    "environment": Maybe(Named(ANY)),
    "settings": Named(
        {"value": ANY, "default": Maybe(ANY), "changed": Maybe(FLAG),
         "source": Maybe(TEXT)}
    ),
    "hpl_dat": Maybe(Named(ANY)),
    "mpi": {"library": TEXT, "standard": TEXT, "processes": SOME},
    "blas": Maybe(
        {"name": TEXT, "version": Maybe(TEXT), "kernel": Maybe(TEXT),
         "threads": Maybe(COUNT)}
    ),
    "solver": Maybe(TEXT),
    "kernel": Maybe(TEXT),
    "hosts": [
        {
            "name": TEXT, "system": Maybe(TEXT), "cpu": Maybe(TEXT),
            "isa": TEXT, "cpu_mhz": Maybe(TIME), "cpus_online": Maybe(TEXT),
            "numa_nodes": Maybe(TEXT), "memory_bytes": Maybe(COUNT),
            "machine": Maybe({"sockets": Maybe(SOME), "cores": Maybe(SOME)}),
            "memory_available_bytes": Maybe(COUNT),
            "fma_ceiling": Maybe({"cores": SOME, "gflops": TIME}),
            "ranks": [
                {"rank": COUNT, "local_rank": COUNT, "cores": COUNT,
                 "cpus_allowed": Maybe(TEXT), "threads": Maybe(COUNT),
                 "cpus_taken": Maybe(TEXT)}
            ],
        }
    ],
    "tests": [
        {
            "tag": TEXT, "n": COUNT, "nb": SOME, "p": SOME, "q": SOME,
            "status": STATUS, "start": Maybe(TEXT), "end": Maybe(TEXT),
            "seconds": Maybe(TIME), "gflops": Maybe(TIME),
            "residual": Maybe(NUMBER),
            "restarted": Maybe(
                {"times": COUNT, "lost_seconds": NUMBER, "between_seconds": NUMBER,
                 "clocks_agree": Maybe(FLAG)}
            ),
            "prediction": Maybe({"seconds": TIME, "gflops": Maybe(TIME)}),
            "ranks": Maybe(
                [{"rank": COUNT, "panel": TIME, "swap": TIME, "solve": TIME,
                  "update": TIME, "broadcast": TIME, "exchange": TIME,
                  "wait": TIME, "thread_gflops": Maybe(TIME), "others": Maybe(TIME)}]
            ),
            "clocks": Maybe(
                [{"host": TEXT, "mhz_least": Maybe(TIME), "mhz_most": Maybe(TIME)}]
            ),
            "devices": Maybe(
                [{"rank": COUNT, "name": TEXT, "model": TEXT, "gflops": Maybe(TIME),
                  "up_bytes_per_second": Maybe(TIME),
                  "down_bytes_per_second": Maybe(TIME), "mhz": Maybe(TIME),
                  "link_wait_seconds": Maybe(TIME), "celsius": Maybe(NUMBER)}]
            ),
            "plan": Maybe({"rows": [{"where": TEXT, "blocks": Maybe(COUNT)}]}),
            "device_clocks": Maybe(
                [{"rank": COUNT, "name": TEXT, "mhz_mean": Maybe(TIME),
                  "temperature_celsius": Maybe(NUMBER), "power_watts": Maybe(NUMBER)}]
            ),
            "energy": Maybe(
                {"source": TEXT, "package_joules": Maybe(TIME),
                 "dram_joules": Maybe(TIME), "device_joules": Maybe(TIME)}
            ),
        }
    ],
    "iterations": [
        {"run": COUNT, "iteration": COUNT, "begin": NUMBER, "seconds": TIME,
         "gflops": Maybe(TIME), "mode": Maybe(COUNT), "columns_left": Maybe(COUNT),
         **{name: Maybe(NUMBER) for name in (*PHASES, *SHARES, *BUSY)}}
    ],
    "findings": Maybe([{"time": TEXT, "level": TEXT, "text": TEXT}]),
    "devices": Maybe(
        [{"rank": COUNT, "name": TEXT, "model": TEXT, "memory_bytes": COUNT}]
    ),
}

# Spans, and names of actors, in a trace.
PLACE = {"pid": Maybe(COUNT), "tid": Maybe(COUNT), "name": TEXT}
EVENTS = {
    "X": {**PLACE, "ts": NUMBER, "dur": TIME,
          "args": Maybe({"iteration": Maybe(NUMBER)})},
    "M": {**PLACE, "args": Maybe({"name": Maybe(TEXT)})},
}


def load(path):
    """The JSON in a file; Refused names it."""
    data = files.read(path)
    try:
        return parsed(data)
    except Refused as error:
        raise Refused(f"{path}: {error}") from error


def read_record(path):
    """The record in a file of --json."""
    record = load(path)
    if not isinstance(record, dict) or "schema_version" not in record:
        raise Refused(f"{path}: not the record of a run (xhpl --json writes one)")
    if record["schema_version"] not in SCHEMA_VERSIONS:
        raise Refused(
            f"{path}: schema_version is {record['schema_version']!r:.40}; this "
            f"hpl-report reads {SCHEMA_VERSIONS[-1]} and those before"
        )
    try:
        check(record, SHAPE)
        for number, test in enumerate(record["tests"]):
            check_result(test, f"tests[{number}]")
    except Refused as error:
        raise Refused(f"{path}: not a record of xhpl: {error}") from error
    return record


# What a test has that ended so.
RESULT = {
    "PASSED": {"seconds": TIME, "gflops": TIME, "residual": NUMBER},
    "FAILED": {"seconds": TIME, "gflops": TIME},
    "UNCHECKED": {"seconds": TIME, "gflops": TIME},
}


def check_result(test, where):
    check(test, RESULT.get(test["status"], {}), where)


def add_event(event, spans, names, where):
    check(event, {"ph": TEXT}, where)
    if event["ph"] not in EVENTS:
        return
    check(event, EVENTS[event["ph"]], where)
    actor = event["pid"] or 0, event["tid"] or 0
    args = event["args"] or {}
    if event["ph"] == "X":
        begin, iteration = event["ts"] * 1e-6, args.get("iteration")
        spans.setdefault(actor, []).append(
            Span(event["name"], begin, begin + event["dur"] * 1e-6,
                 -1 if iteration is None else int(iteration))
        )
    elif event["name"] == "thread_name":
        names[actor] = args.get("name") or f"actor {actor[1]}"


def read_trace(path):
    """The spans in a file of --trace, and the names, by (process, actor)."""
    trace = load(path)
    spans, names = {}, {}
    try:
        check(trace, {"traceEvents": [ANY]})
        for number, event in enumerate(trace["traceEvents"]):
            add_event(event, spans, names, f"traceEvents[{number}]")
    except Refused as error:
        raise Refused(f"{path}: not a trace of xhpl (--trace): {error}") from error
    if not spans:
        raise Refused(f"{path}: this trace has no spans")
    return spans, names
