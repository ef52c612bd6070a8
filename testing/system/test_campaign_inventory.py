# SPDX-License-Identifier: BSD-3-Clause
"""What nodes are, and which of them differ from the others."""
import json
import os
import struct
import subprocess
import sys
import time

import pytest

import jobs
from hpl_campaign import inventory, probe

pytestmark = pytest.mark.scripts
ALIKE = {"kernel": "6.1.0", "memory_bytes": 64e9, "memory_available_bytes": 60e9,
         "load": 0.1, "ecc_corrected": 0, "folder": "writable", "clock_offset": 0}


def differences(**changed):
    """What is said of six nodes, of which those named have other facts."""
    hosts = ["n1", "n2", "n3", "n4", "n5", "n6"]
    return inventory.differences({
        host: {"facts": {"host": host, **ALIKE, **changed.get(host, {})},
               "error": None} for host in hosts})  # fmt: skip


@pytest.mark.parametrize("fact, value, said", (
    ("kernel", "5.4.0", "kernel is 5.4.0, elsewhere 6.1.0"),
    ("kernel", None, "kernel is unknown, elsewhere 6.1.0"),
    ("governor", "powersave", "governor is powersave, elsewhere unknown"),
    ("memory_bytes", 32e9, "memory is 32 GB, elsewhere 64 GB"),
    ("memory_available_bytes", 20e9, "20 GB, elsewhere 60 GB"),
    ("folder", "No space left on device", "No space left on device"),
    ("load", 8.2, "load is 8.2, elsewhere 0.1"),
    ("ecc_corrected", 12, "ecc corrected is 12, elsewhere 0"),
    ("clock_offset", 40.0, "clock offset is 40"),
))  # fmt: skip
def test_the_node_that_differs_is_named_with_the_difference(fact, value, said):
    found = differences(n3={fact: value})
    assert list(found) == ["n3"] and len(found["n3"]) == 1
    assert said in found["n3"][0]


def test_what_always_differs_a_little_is_none():
    for fact, value in (("memory_bytes", 63.9e9), ("memory_available_bytes", 58e9),
                        ("memory_available_bytes", 63e9), ("load", 0.4), ("clock_offset", 0.2),
                        ("host", "other"), ("clock", 12.0)):  # fmt: skip
        assert differences(n3={fact: value}) == {}, fact
    assert inventory.differences({"a": {"facts": dict(ALIKE), "error": None},
                                  "b": {"facts": {}, "error": "unreachable"}}) == {}
    # A clock is off by as much as is certain.
    assert inventory.offset(105.0, 100.0, 110.0) == 0
    assert inventory.offset(95.5, 100.0, 110.0) == 4.5
    assert inventory.offset(111.0, 100.0, 110.0) == 1


# ---- the probe ---------------------------------------------------------------------


def gathered(words, folder, **options):
    asked = inventory.request(folder, jobs.XHPL)
    found = inventory.gather(list(words), lambda host: words[host] + asked, **options)
    return {host: (facts, error) for host, facts, error in found}


def test_a_node_tells_what_it_is(tmp_path):
    (facts, error), = gathered({"n1": []}, tmp_path).values()
    assert error is None
    assert facts["kernel"] == os.uname().release
    assert facts["threads"] == os.cpu_count()
    assert facts["memory_bytes"] > facts["memory_available_bytes"] > 0
    assert facts["folder"] == "writable" and facts["disk_free_bytes"] > 0
    assert facts["xhpl"].startswith("xhpl ") and "libmpi" in facts["mpi"]
    assert facts["clock_offset"] == 0 and facts["trust"] == "right"
    assert os.listdir(tmp_path) == []


def test_each_node_that_does_not_says_why(tmp_path):
    words = {"n1": [], "down": ["sh", "-c", "echo no route to host >&2; exit 255"],
             "dumb": ["true"], "odd": ["echo", "Welcome!"],
             "null": ["sh", "-c", "echo null"],
             "number": ["sh", "-c", "echo 3"]}  # fmt: skip
    found = gathered(words, tmp_path)
    assert found["n1"][1] is None
    assert found["dumb"] == (None, "no answer")
    for name, said in (("odd", "Welcome!"), ("null", "null"), ("number", "3")):
        facts, error = found[name]
        assert error is None and facts["nonsense"].startswith(f"it answered {said}")
    assert found["down"] == (None, "no route to host")


def test_one_that_hangs_is_given_up_and_ended(tmp_path):
    note = tmp_path / "pid"
    words = ["sh", "-c", f"sleep 300 & echo $! > {note}; wait"]
    assert gathered({"n1": words}, tmp_path, limit=5)["n1"] == (None, "no answer in 5 s")
    until = time.monotonic() + jobs.LIMIT
    while alive(int(note.read_text())):
        assert time.monotonic() < until
        time.sleep(0.05)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_probe_needs_nothing_but_python(tmp_path):
    """It goes through a pipe, to a Python without packages or environment."""
    words = [sys.executable, "-I", "-S", "-", str(tmp_path), "no-xhpl"]
    with inventory.PROBE.open() as text:
        said = subprocess.run(words, stdin=text, stdout=subprocess.PIPE, env={},
                              check=True, cwd="/").stdout
    assert json.loads(said)["xhpl"] == "no-xhpl: not found"


@pytest.mark.parametrize("script, said", (
    ("echo 'xhpl: error: rank 0 on n1: trust: wrong result of device cuda:3' >&2; exit 3",
     "wrong result of device cuda:3"),
    ("exit 0", "right"), ("exit 1", None), ("kill -9 $$", None),
))  # fmt: skip
def test_the_check_of_xhpl_is_a_fact(tmp_path, script, said):
    assert probe.trust(jobs.program(tmp_path / "xhpl", script + "\n")) == said


def memory_module(size, strings, speed):
    """An entry of the firmware's table: a header of 0x28 bytes, then strings."""
    entry = bytearray(0x28)
    entry[0], entry[1] = 17, len(entry)
    struct.pack_into("<H", entry, 0x0C, 0x7FFF if size > 32767 else size)
    struct.pack_into("<I", entry, 0x1C, size)
    struct.pack_into("<H", entry, 0x20, speed)
    entry[0x17], entry[0x1A] = 1, 2
    return bytes(entry) + b"".join(s.encode() + b"\0" for s in strings) + b"\0"


@pytest.mark.parametrize("size", (16384, 65536))
def test_a_memory_module_is_read_from_the_firmware_s_table(size):
    entry = memory_module(size, ["Acme", "DDR5-X "], 4800)
    assert probe.module(entry) == f"{size} MiB Acme DDR5-X 4800 MT/s"
    assert probe.module(memory_module(0, ["", ""], 0)) is None
