# SPDX-License-Identifier: BSD-3-Clause
"""Small systems are solved before the matrix is filled: a wrong result ends the run
and names process and executor."""
import json
import re

import pytest

import jobs
from sabotage import DAMAGE, dgemm, library, on_rank, preloaded

NB = 64
SMALL = ("-n", 500, "--nb", NB)
ONE, FOUR = ("-p", 1, "-q", 1), ("-p", 2, "-q", 2)

# One number of DGEMM's result is wrong, where WRONG holds.
WRONG_DGEMM = dgemm("if (WRONG)\n        c[*m - 1] += 1.0;")
FOR_MANY_ROWS = f"*k == {NB} && *m > 3 * {NB}"
ON_A_THREAD = "gettid() != getpid()"

# As a library does that was linked with -Ofast; threads inherit it.
FLUSHES = """
#include <xmmintrin.h>

__attribute__((constructor)) static void flush(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
}
"""
ROUNDS_UP = """
#define _GNU_SOURCE
#include <fenv.h>

__attribute__((constructor)) static void round_up(void)
{
    fesetround(FE_UPWARD);
}
"""


def said(outcome):
    return [x for x in outcome.stderr.splitlines() if "trust:" in x]


def assert_ended(outcome, *patterns, processes=1):
    """Wrong results ended it before its first test; the last line counts them."""
    assert outcome.status == 3, str(outcome)
    assert "T/V" not in outcome.stdout, str(outcome)
    *wrong, last = said(outcome)
    for pattern in patterns:
        assert any(re.search(pattern, x) for x in wrong), str(outcome)
    assert len(wrong) <= processes, str(outcome)
    assert re.search(rf"{len(wrong)} of {processes} processes computed wrong results", last)


@pytest.mark.few(4)
@pytest.mark.parametrize("words", (ONE, FOUR))
@pytest.mark.parametrize("settings", (("kernel=auto",), ("kernel=blas",), ("devices=emu:4",),
                                      ("devices=emu:4", "device_mpi=on"),
                                      ("solver=reference",)))  # fmt: skip
def test_right_results_are_said_where_they_are_asked_for(xhpl, words, settings):
    options = jobs.sets(*settings)
    processes = 4 if words == FOUR else None
    outcome = xhpl(*SMALL, *words, "--trust", *options, processes=processes).succeeded()
    assert outcome.stdout == ""
    assert re.fullmatch(r"xhpl: trust: all results are right: 1 of 1 shapes in \S+ s",
                        *said(outcome)), str(outcome)  # fmt: skip


def test_a_run_is_silent_about_right_results_and_records_them(xhpl):
    shapes = ("-n", "100,50", "--nb", "20,30,40", *ONE, "--json", "run.json")
    assert said(xhpl(*shapes).succeeded()) == []
    found = json.loads((xhpl.directory / "run.json").read_text())["trust"]
    assert found["result"] == "right" and found["shapes"] == 3, found
    assert 1 <= found["tried"] <= 3 and found["seconds"] > 0, found


def test_it_can_be_turned_off(xhpl):
    xhpl(*SMALL, *ONE, "--set", "trust=off", "--set", "devices=emu:1", "--json",
         "run.json", "--trust", env={"XHPL_EMU_FAULT": "flip@gemm:1"}).succeeded()  # fmt: skip
    found = json.loads((xhpl.directory / "run.json").read_text())["trust"]
    assert found["result"] == "off" and found["tried"] == 0, found


@preloaded
@pytest.mark.parametrize("where", (FOR_MANY_ROWS, ON_A_THREAD))
def test_a_wrong_blas_library_ends_the_run(xhpl, tmp_path, where):
    env = {"LD_PRELOAD": str(library(tmp_path, WRONG_DGEMM.replace("WRONG)", where + ")")))}
    words = ("-n", 2000, "--nb", NB, *ONE, "--set", "kernel=blas", "--set", "threads=2")
    assert_ended(xhpl(*words, env=env), r"rank 0 on \S+: trust: wrong result of cores "
                 r"\(BLAS library \S+ .*, kernel \S+\): iteration.* row \d+")  # fmt: skip


@preloaded
def test_a_wrong_blas_library_ends_a_run_of_the_reference_solver(xhpl, tmp_path):
    env = {"LD_PRELOAD": str(library(tmp_path, WRONG_DGEMM.replace("WRONG)", "*k > 1)")))}
    outcome = xhpl(*SMALL, *ONE, "--set", "solver=reference", env=env)
    assert_ended(outcome, r"wrong result of BLAS library .*: the scaled residual is ")


@pytest.mark.few(2)
@preloaded
@pytest.mark.parametrize("solver", ("hybrid", "reference"))
def test_other_arithmetic_ends_the_run(xhpl, tmp_path, solver):
    env = {"LD_PRELOAD": str(library(tmp_path, ROUNDS_UP))}
    outcome = xhpl(*SMALL, *ONE, "--set", f"solver={solver}", env=env)
    assert_ended(outcome, r"not IEEE 754: epsilon is 2\^-53.*on core \d+: expected 0x\S+, found 0x")


@pytest.mark.few(2)
@preloaded
@pytest.mark.parametrize("settings", (("threads=2",), ("solver=reference",),
                                      ("devices=emu:1", "threads=2"), ("trust=off",)))  # fmt: skip
def test_a_library_linked_with_fast_math_costs_a_warning(tmp_path, settings):
    """Open MPI and BLIS of public guides are; each thread computes right all the same."""
    if "sse2" not in open("/proc/cpuinfo").read():
        pytest.skip("it is set in another way here")
    program = jobs.program(tmp_path / "program",
                           f'LD_PRELOAD={library(tmp_path, FLUSHES)} exec {jobs.XHPL} "$@"')
    options = jobs.sets(*settings)
    words = jobs.launched(2, [program, *SMALL, "-p", 1, "-q", 2, *options])
    outcome = jobs.run(words, tmp_path).succeeded()
    assert outcome.stderr.count("turned off subnormal numbers") == 1, str(outcome)
    assert "PASSED" in outcome.stdout and said(outcome) == [], str(outcome)


@pytest.mark.few(2)
@pytest.mark.parametrize("home, fault", (("host", "gemm:2"), ("device", "copy_out:5"),
                                         ("device", "trsm:5"), ("device", "panel_step:5")))  # fmt: skip
def test_a_wrong_device_ends_the_run(xhpl, home, fault):
    words = ("--set", "devices=emu:4", "--set", f"home={home}", "--set",
             f"emu_fault=2:flip@{fault}")
    outcome = xhpl(*SMALL, *FOUR, *words, processes=4)
    assert_ended(outcome, r"rank \d on \S+: trust: wrong result of device emu:2: ", processes=4)


@pytest.mark.few(2)
def test_rows_that_a_device_packs_wrongly_end_the_run(xhpl):
    """Only the grid has rows to exchange."""
    words = ("--set", "devices=emu:2", "--set", "home=device", "--set",
             "emu_fault=1:flip@gather_rows:3")
    outcome = xhpl(*SMALL, "-p", 2, "-q", 1, *words, processes=2)
    assert_ended(outcome, r"rank \d on \S+: trust: wrong result of messages of the grid, or device emu:\d: ",
                 processes=2)  # fmt: skip


@pytest.mark.few(2)
@preloaded
@pytest.mark.parametrize("words", (FOUR, (*FOUR, "--set", "solver=reference"),
                                   ("-p", 2, "-q", 1, "--set", "devices=emu:2", "--set",
                                    "home=device", "--set", "device_mpi=on")))  # fmt: skip
@pytest.mark.parametrize("number", (1, 2))
def test_a_damaged_message_ends_the_run(tmp_path, words, number):
    """A process alone sends none; the probe of device_mpi is not damaged."""
    processes = words[1] * words[3]
    number += 2 if "device_mpi=on" in words else 0
    where = f"DAMAGED_MESSAGE={number} DAMAGE_AT=-1 DAMAGE=0.125"
    program = on_rank(tmp_path, processes - 1,
                      f"export LD_PRELOAD={library(tmp_path, DAMAGE)} {where}")  # fmt: skip
    outcome = jobs.run(jobs.launched(processes, [program, *SMALL, *words]), tmp_path)
    assert_ended(outcome, r"rank \d on \S+: trust: wrong result of messages of the grid",
                 processes=processes)  # fmt: skip


def test_the_option_takes_no_plan(xhpl):
    xhpl("--trust", "--time", "10s").refused("--time needs --plan")


def test_the_online_check_is_right_where_columns_come_in_groups(xhpl):
    """Rows are compared only where all columns have met the same panels."""
    settings = ("devices=emu:3", "home=device", "emu_memory=1", "group=2", "share=0",
                "verify=online", "verify_every=5", "threads=2", "trust=on")  # fmt: skip
    words = jobs.sets(*settings)
    outcome = xhpl("-n", 433, "--nb", 13, "-p", 1, "-q", 2, *words, processes=2).succeeded()
    assert "wrong" not in outcome.stderr, str(outcome)
