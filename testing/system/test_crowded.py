# SPDX-License-Identifier: BSD-3-Clause
"""Other programs on the cores of a run: it says so, and blames nothing else."""
import json
import os
import re
from contextlib import contextmanager

import pytest

import jobs
from busy import retried
from report_page import call
from test_plan import measures

pytestmark = [pytest.mark.long, measures]


@contextmanager
def busy_loops(count):
    """Programs that compute until the block is left."""
    loops = []
    try:
        for _ in range(count):
            loops.append(jobs.subprocess.Popen(["sh", "-c", "while :; do :; done"]))
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@retried
def test_a_run_among_others_says_so_and_blames_no_library(xhpl):
    if not os.path.exists("/proc/thread-self/schedstat"):
        pytest.skip("this system does not tell who had the cores")
    options = ["-n", 2500, "--nb", 64, "-p", 1, "-q", 1, "--json", "run.json"]
    with busy_loops(2 * os.cpu_count()):
        outcome = xhpl(*options, "--progress", "on", "--set", "kernel=portable",
                       "--set", "predict=on", "--set", "plan_seconds=1")  # fmt: skip
    outcome.succeeded()
    record = json.loads((xhpl.directory / "run.json").read_text())
    said = [finding["text"] for finding in record["findings"]]
    assert record["tests"][0]["ranks"][0]["others"] > 0.1, str(outcome)
    pattern = r"cores \d+% of the (time of N = 2500: other programs|measuring)"
    found = {match[1] for match in map(re.compile(pattern).search, said) if match}
    assert found == {"time of N = 2500: other programs", "measuring"}, str(outcome)
    assert re.search(r"of N = 2500: other programs have them \(.+\)", outcome.stderr)
    if "DGEMM" not in xhpl("-n", 2000, "--nb", 64, "-p", 1, "-q", 1).stderr:
        assert not [text for text in said if "DGEMM" in text], str(outcome)
    assert "planned under load" in outcome.stderr and "% of plan" not in outcome.stderr
    verdict = call(xhpl.directory, "--verdict", "run.json").stdout
    assert "BLAS" not in verdict and "had these cores" in verdict, verdict


def ceiling_of(xhpl):
    """Gflop/s of all cores, by a record: what no plan may pass."""
    xhpl("-n", 500, "--nb", 64, "-p", 1, "-q", 1, "--json", "run.json").succeeded()
    hosts = json.loads((xhpl.directory / "run.json").read_text())["hosts"]
    return sum(host["fma_ceiling"]["gflops"] for host in hosts)


def worthless(advice):
    """The pattern of a verdict with this advice."""
    return (r"WORTHLESS: other programs \(.*\bsh PID \d+ of \w+.*\) used (3[3-9]|[4-9]\d)% of "
            rf"the cores in both measurements{advice}")


def assert_refused(outcome, advice):
    """It has ended in one error with this advice, and printed no table."""
    assert (outcome.status, outcome.stdout) == (2, ""), str(outcome)
    assert outcome.stderr.count("WORTHLESS") == 1 and "worthless" not in outcome.stderr
    assert re.search(f"error: .*{worthless(advice)}$", outcome.stderr, re.M), str(outcome)


def table_of(forced, advice):
    """What stands below the verdict of an outcome with --force."""
    said, table = forced.succeeded().stdout.split("\n\n", 1)
    assert re.fullmatch(worthless(advice), said), said
    assert "worthless" not in forced.stderr.lower(), str(forced)
    return table


AGAIN = (" may not be the best: better plan again once the machine is idle; the result of a run "
         "will be right, perhaps slower")


@retried
def test_a_plan_among_others_is_worth_nothing_and_not_written(xhpl):
    if not os.path.exists("/proc/thread-self/schedstat"):
        pytest.skip("this system does not tell who had the cores")
    options = ["--plan", "--memory", "200M", "--nb", 64, "--set", "devices=none",
               "--set", "plan_seconds=0.2", "--write", "new.dat"]  # fmt: skip
    (xhpl.directory / "new.dat").unlink(missing_ok=True)  # of a first try
    with busy_loops(2 * os.cpu_count()):
        outcome = xhpl(*options)
        unwritten = xhpl(*options[:-2])
        forced = xhpl(*options, "--force")
        timed = xhpl(*options[:-2], "--force", "--time", "10m")
    again = ": end these programs and run --plan again, or add --force"
    assert_refused(outcome, f"{again}; new.dat was not written")
    assert_refused(unwritten, again)
    table, advice = table_of(forced, rf"\. N and grid are right, NB{AGAIN}").split("\n\n")
    rates = [float(row.split()[7]) for row in table.splitlines()[1:]]
    assert rates and max(rates) <= 1.1 * ceiling_of(xhpl), str(forced)
    part = re.search(r"^  that is ([\d.]+) of the \S+ \S+ that these cores reach",
                     forced.stdout, re.M)  # fmt: skip
    assert float(part[1]) < 1, str(forced)
    assert advice.endswith(" --dat new.dat --set devices=none --json run.json "
                           "--set predict=on\n"), str(forced)  # fmt: skip
    table_of(timed, rf"\. The grid is right, N and NB{AGAIN}")


@retried
def test_a_prediction_among_others_is_worth_nothing(xhpl):
    if not os.path.exists("/proc/thread-self/schedstat"):
        pytest.skip("this system does not tell who had the cores")
    options = ["--predict", "-n", 500, "--nb", 64, "-p", 1, "-q", 1, "--set", "devices=none",
               "--set", "plan_seconds=0.2"]  # fmt: skip
    with busy_loops(2 * os.cpu_count()):
        outcome = xhpl(*options)
        forced = xhpl(*options, "--force")
    assert_refused(outcome, ": end these programs and run --predict again, or add --force")
    table = table_of(forced, r"\. The rates below may be wrong: predict again once the machine is "
                     "idle")  # fmt: skip
    assert len(table.splitlines()) == 2, str(forced)


@retried
def test_a_run_with_more_threads_than_cores_accuses_nobody(xhpl):
    threads = 4 * os.cpu_count()
    outcome = xhpl("-n", 3000, "--nb", 64, "-p", 1, "-q", 1, "--set",
                   f"threads={threads}", "--set", "kernel=portable")  # fmt: skip
    outcome.succeeded()
    cause = f"this run has {threads} threads on "
    assert re.search(rf"threads waited for cores \d+% .*: {cause}", outcome.stderr)
    assert "had these cores" not in outcome.stderr, str(outcome)
