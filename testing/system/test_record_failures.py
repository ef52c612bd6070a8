# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run that fails, or that something ends."""
import os
import signal
import time

import pytest

import hpl_dat
import jobs
from busy import retried
from records import statuses, valid
from sabotage import BROKEN_SEND, library, on_rank, preloaded

pytestmark = pytest.mark.surface

ONE = ["-n", "200", "-nb", "16", "-p", "1", "-q", "1"]

# ---- runs that fail ----------------------------------------------------------


@pytest.mark.parametrize("threshold, word", [("1e-9", "FAILED"), ("0", "UNCHECKED")])
def test_a_test_that_did_not_pass_is_in_it(recorded, threshold, word):
    _, found = recorded(*ONE, "--threshold", threshold)
    assert statuses(found) == [word]
    assert found["exit_status"] == (1 if word == "FAILED" else 0)


def test_a_skipped_test_is_in_it(recorded):
    huge = "10000000"  # 0.8 PB: more than any address space
    outcome, found = recorded(
        "-n", f"50,{huge},60", *ONE[2:], "--set", "memory_reserve=-1000000000"
    )
    assert statuses(found) == ["PASSED", "SKIPPED", "PASSED"], str(outcome)
    assert found["exit_status"] == 2


def errors_of(found):
    return [x["text"] for x in found["findings"] if x["level"] == "error"]


WRITTEN = ["--json", "run.json", "--trace", "trace.json", "--iterations", "rows.csv"]


def test_a_refused_run_touches_no_file(xhpl):
    """Neither the files of the run before, nor any new one."""
    refusals = [
        (["-n", "900000000", *ONE[2:]], {}),
        (["--dat", "none"], {}),
        ([], {"dat": hpl_dat.text(nb="0")}),
        (["-n", "50", "-nb", "8", "-p", "1", "-q", "9"], {}),
        ([*ONE, "--set", "tile=x"], {}),
        ([*ONE, "--set", "devices=nothing"], {}),
    ]
    for before in (False, True):
        (xhpl.directory / "HPL.dat").unlink(missing_ok=True)
        if before:
            xhpl(*ONE, *WRITTEN).succeeded()
        names = {"HPL.dat", *(WRITTEN[1::2] if before else ())}
        for options, rest in refusals:
            kept = {x.name: x.read_bytes() for x in xhpl.directory.iterdir()}
            outcome = xhpl(*options, *WRITTEN, **rest).ended(2, "error:")
            for found in xhpl.directory.iterdir():
                assert found.name in names, str(outcome)
                if found.name != "HPL.dat":
                    assert found.read_bytes() == kept[found.name], str(outcome)


def test_an_earlier_record_stays_until_a_test_has_ended_well_or_not(xhpl):
    xhpl(*ONE, "--json", "run.json").succeeded()
    kept = (xhpl.directory / "run.json").read_bytes()
    device = ["--set", "devices=emu:1", "--set", "home=device"]
    before = xhpl(*ONE, "--json", "run.json", *device, "--set", "trust=on",
                  "--set", "emu_fault=0:flip@generate:1")  # fmt: skip
    assert before.status == 3, str(before)
    assert (xhpl.directory / "run.json").read_bytes() == kept
    skipped = xhpl(*ONE, *WRITTEN, "--set", "home=device", "--set", "devices=none").ended(2)
    assert "run.json is still the record of an earlier run" in skipped.stderr, str(skipped)
    assert (xhpl.directory / "run.json").read_bytes() == kept
    assert not [x for x in WRITTEN[3::2] if (xhpl.directory / x).exists()], str(skipped)
    within = xhpl(*ONE, "--json", "run.json", *device, "--set", "trust=off",
                  "--set", "emu_fault=0:fail@swap_rows:3")  # fmt: skip
    assert within.status == 3, str(within)
    assert valid((xhpl.directory / "run.json").read_text())["exit_status"] == 3


@pytest.mark.parametrize("option", WRITTEN[::2])
def test_a_file_that_the_option_did_not_write_is_left_alone(xhpl, option):
    keep = xhpl.directory / "keep.dat"
    keep.write_text(hpl_dat.text())
    outcome = jobs.run([jobs.XHPL, *ONE, option, "keep.dat"], xhpl.directory).ended(2)
    assert "keep.dat: that file holds something else" in outcome.stderr, str(outcome)
    assert keep.read_text() == hpl_dat.text()
    xhpl(*ONE, option, "keep.dat", "--force").succeeded()
    assert keep.read_text() != hpl_dat.text()


def test_an_earlier_record_stays_if_a_signal_ends_the_first_test(xhpl):
    xhpl(*ONE, "--json", "run.json").succeeded()
    kept = (xhpl.directory / "run.json").read_bytes()
    slow = ["--set", "kernel=portable", "--set", "threads=1", "--set", "progress=on"]
    job = jobs.start([jobs.XHPL, "-n", "9000", *ONE[2:], *slow, "--json", "run.json"],
                     xhpl.directory)  # fmt: skip
    try:
        for line in job.stderr:
            if "% done" in line:
                break
        os.kill(job.pid, signal.SIGINT)
    finally:
        outcome = jobs.finish(job)
    outcome.ended(-signal.SIGINT, "run.json is still the record of an earlier run")
    assert (xhpl.directory / "run.json").read_bytes() == kept


def wait_for_second(path):
    """Until a run has written that its second test is under way."""
    until = time.monotonic() + jobs.LIMIT
    while time.monotonic() < until:
        if path.exists() and statuses(valid(path.read_text()))[1:] == ["RUNNING"]:
            return
        time.sleep(0.01)
    raise AssertionError("there is no second test")


@pytest.fixture
def ended(xhpl):
    """The record of a run that signals end, within its second test."""

    def run(*numbers, signals="--default-signal=HUP,INT,TERM"):
        path = xhpl.directory / "run.json"
        slow = ["--set", "kernel=portable", "--set", "threads=1"]
        options = ["-n", "50,8000", *ONE[2:], *slow, "--json", path.name]
        job = jobs.start(["env", signals, jobs.XHPL, *options], xhpl.directory)
        try:
            wait_for_second(path)
            for number in numbers:
                os.kill(job.pid, number)
        finally:
            outcome = jobs.finish(job)
        assert outcome.status == -numbers[-1], str(outcome)
        assert [x for x in xhpl.directory.iterdir() if x != path] == []
        found = valid(path.read_text())
        first, second = found["tests"]
        assert (first["n"], first["status"]) == (50, "PASSED")
        assert (second["n"], second["status"]) == (8000, "RUNNING")
        assert first["end"] <= second["start"] and second["seconds"] is None
        return found

    return run


@pytest.mark.more
def test_a_killed_run_leaves_what_was_known(ended):
    found = ended(signal.SIGKILL)
    assert (found["exit_status"], found["end"]) == (None, None)


@pytest.mark.few(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_run_that_a_signal_ends_has_a_whole_record(ended, number):
    found = ended(number)
    assert found["exit_status"] == 128 + number
    assert found["end"] >= found["tests"][1]["start"]


# Writes the first record as it should, and dies within the second.
KILLED_WRITING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>

int json_dumpf(const void *root, FILE *out, size_t flags)
{
    static int calls;
    int (*dump)(const void *, FILE *, size_t) = dlsym(RTLD_NEXT, "json_dumpf");

    if (calls++ == 0)
        return dump(root, out, flags);
    fputs("{", out);
    fflush(out);
    return raise(SIGKILL);
}
"""


@preloaded
def test_a_run_killed_while_it_writes_leaves_the_record_before(tmp_path):
    preload = library(tmp_path, KILLED_WRITING)
    words = [jobs.XHPL, *ONE, "--json", "run.json"]
    jobs.run(words, tmp_path, {"LD_PRELOAD": str(preload)}).ended(-signal.SIGKILL)
    found = valid((tmp_path / "run.json").read_text())
    assert (found["exit_status"], found["end"]) == (None, None)


# ---- runs that end themselves ------------------------------------------------

# Of memory that is asked for so, there is none left for a panel.
NO_PANEL = """
#include <stddef.h>

void *aligned_alloc(size_t alignment, size_t bytes)
{
    extern int posix_memalign(void **memory, size_t alignment, size_t bytes);
    void *memory = NULL;

    return bytes > 1 << 20 || posix_memalign(&memory, alignment, bytes) != 0
               ? NULL : memory;
}
"""


TWO_ROWS = ["-n", "4000", "-nb", "32", "-p", "2", "-q", "1"]


@pytest.fixture
def sabotaged(xhpl):
    """Run xhpl, a process of it with a library of ours before all others."""

    def run(source, rank, *options):
        preload = library(xhpl.directory, source)
        program = on_rank(xhpl.directory, rank, f"export LD_PRELOAD={preload}")
        command = jobs.launched(2, [program, "--set", "trust=off", *options, "--json", "run.json"])
        env = {"OMPI_MCA_odls_base_sigkill_timeout": "4"}
        outcome = jobs.run(command, xhpl.directory, env).ended(3)
        return outcome, valid((xhpl.directory / "run.json").read_text())

    return run


@preloaded
@retried
def test_an_error_inside_mpi_on_process_0_completes_the_record(sabotaged):
    outcome, found = sabotaged(BROKEN_SEND, 0, *TWO_ROWS)
    assert found["exit_status"] == 3 and found["end"] >= found["start"]
    (text,) = errors_of(found)
    assert "MPI: " in text and f"xhpl: error: {text}\n" in outcome.stderr
    assert statuses(found) == ["RUNNING"] and found["solver"] is not None


@preloaded
@retried
def test_an_error_inside_the_solver_on_process_0_completes_the_record(sabotaged):
    options = ["-n", "3000", "-nb", "128", "-p", "1", "-q", "2"]
    reference = ["--set", "solver=reference"]
    outcome, found = sabotaged(NO_PANEL, 0, *options, *reference)
    assert found["exit_status"] == 3 and found["end"] >= found["start"]
    (text,) = errors_of(found)
    assert text.startswith("HPL ERROR from process # 0 on "), str(outcome)
    assert "out of memory" in text and f"{text}\n" in outcome.stderr
    assert statuses(found) == ["RUNNING"]


@preloaded
@retried
def test_an_error_of_another_process_completes_the_record(sabotaged):
    outcome, found = sabotaged(BROKEN_SEND, 1, *TWO_ROWS)
    assert "error: rank 1 on " in outcome.stderr
    if "Open MPI" in found["mpi"]["library"]:  # others may use SIGKILL at once
        assert found["exit_status"] == 128 + signal.SIGTERM
        assert found["end"] >= found["start"]
    assert errors_of(found) == [] and statuses(found) == ["RUNNING"]


def test_a_report_that_cannot_be_written_is_in_it(recorded, xhpl):
    (xhpl.directory / "HPL.out").symlink_to("/dev/full")
    outcome, found = recorded(dat=hpl_dat.text(device="8"))
    assert outcome.status == 3 and statuses(found) == ["PASSED"]
    (text,) = errors_of(found)
    assert "cannot write the report: No space" in text
