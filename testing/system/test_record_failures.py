# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run that fails, or that something ends."""
import os
import re
import signal
import time

import pytest

import hpl_dat
import jobs
from busy import retried
from conftest import UNMEASURED
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
    huge = "20000000"  # 3 PB: more than any address space
    outcome, found = recorded(
        "-n", f"50,{huge},60", *ONE[2:], "--set", "memory_check=off"
    )
    assert statuses(found) == ["PASSED", "SKIPPED", "PASSED"], str(outcome)
    assert found["exit_status"] == 2


def errors_of(found):
    return [x["text"] for x in found["findings"] if x["level"] == "error"]


@pytest.fixture
def refused(recorded):
    """The record of a run that is refused, with what stderr has of errors."""

    def run(*options, **rest):
        outcome, found = recorded(*options, **rest)
        said = re.findall("^xhpl: error: (.*)$", outcome.stderr, re.M)
        assert said and errors_of(found) == said, str(outcome)
        assert (found["exit_status"], found["tests"]) == (2, [])
        return found

    return run


def test_a_run_refused_for_memory_has_one(refused):
    assert refused("-n", "900000000", *ONE[2:])["hpl_dat"]["n"] == [900000000]


@pytest.mark.parametrize("dat", [None, hpl_dat.text(nb="0")], ids=["no", "bad"])
def test_a_run_without_a_good_hpl_dat_has_one(refused, dat):
    assert refused(dat=dat)["hpl_dat"] is None


def test_a_run_with_a_bad_xhpl_conf_has_one(refused, xhpl):
    (xhpl.directory / "xhpl.conf").write_text("tile = x\n")
    refused(*ONE)


def test_a_grid_without_processes_has_one(refused):
    refused("-n", "50", "-nb", "8", "-p", "1", "-q", "9")


def test_processes_that_a_grid_leaves_idle_are_in_it(recorded):
    _, found = recorded(*ONE, processes=2)
    (finding,) = found["findings"]
    assert finding["level"] == "warning" and "idle" in finding["text"]


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


@pytest.mark.more
def test_a_signal_that_is_ignored_ends_nothing(ended):
    nohup = "--ignore-signal=HUP"
    found = ended(signal.SIGHUP, signal.SIGTERM, signals=nohup)
    assert found["exit_status"] == 128 + signal.SIGTERM


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
    outcome = jobs.run(words, tmp_path, {"LD_PRELOAD": str(preload)})
    assert outcome.status == -signal.SIGKILL, str(outcome)
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
        command = jobs.launched(2, [program, *options, "--json", "run.json"])
        env = {**UNMEASURED, "OMPI_MCA_odls_base_sigkill_timeout": "4"}
        outcome = jobs.run(command, xhpl.directory, env)
        assert outcome.status == 3 and not outcome.timed_out, str(outcome)
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
