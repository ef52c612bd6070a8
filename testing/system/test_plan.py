# SPDX-License-Identifier: BSD-3-Clause
"""--plan and --predict: what they print, write and refuse."""
import os
import re
import shutil
import time
from collections import namedtuple

import pytest

import hpl_dat
import jobs
import report
from busy import retried
from records import valid
from sabotage import dgemm, library, on_rank, preloaded

Row = namedtuple("Row", "n nb p q depth bcast seconds gflops memory")

HEAD = "N NB P Q DEPTH BCAST seconds Gflop/s GiB/process".split()
# Other programs may compute now.
SHORT = "--set plan_seconds=0.01 --set devices=none --force".split()
NARROW = "--nb 64 --depth 1 --bcast 1"  # choices: quick

measures = pytest.mark.skipif(not (jobs.BIN / "xhost").exists(), reason="built with HYBRID=no")
pytestmark = [measures, pytest.mark.surface]


def rows_of(outcome):
    """The rows of the first table on stdout, numbers; what is said above it counts not."""
    table = re.sub(r"\AWORTHLESS.*\n\n", "", outcome.succeeded().stdout).partition("\n\n")[0]
    head, *rows = table.splitlines()
    assert head.split() == HEAD, str(outcome)
    return [Row(*map(float, row.split())) for row in rows]


@pytest.fixture
def planned(xhpl):
    """Run xhpl --plan, short, with little memory."""

    def run(options, **rest):
        words = ["--plan", *SHORT, "--memory", "200M", *options.split()]
        return xhpl(*words, **rest)

    return run


SECONDS = r"(\d+(\.\d+)? (ms|s|min|h|d|years)( \d+ (min|h))?)"
RATE = r"\d+(\.\d+)? [GT]flop/s"


def words_of(outcome):
    """What a plan says in words: the lines behind its tables."""
    return outcome.succeeded().stdout.rpartition("\n\n")[2].splitlines()


# ---- plans -------------------------------------------------------------------


@pytest.mark.parametrize("options", ["--nb 64,128 --write new.dat", NARROW])
def test_a_plan_is_a_ranked_table_and_ends_in_the_command_that_runs_it(xhpl, planned, options):
    """With a file, or without."""
    outcome = planned(f"--memory 50M {options}")
    rows, (best, *others, command) = rows_of(outcome), words_of(outcome)
    rates = [row.gflops for row in rows]
    assert rows and rates == sorted(rates, reverse=True)
    for row in rows:
        assert row.p * row.q == 1 and row.n % row.nb == 0
        assert 8 * row.n**2 / 2**30 < row.memory <= 50 / 1024
    assert re.fullmatch(rf"best: N = {rows[0].n:.0f} with NB = {rows[0].nb:.0f} on 1 x 1 "
                        rf"processes: about {SECONDS} at {RATE}, \S+ GiB per process", best), best
    assert "  N is limited by --memory: 0.0488 GiB per node" in others
    assert "online check" not in outcome.stderr, str(outcome)  # as N is small
    assert "no checkpoint would be written: " in outcome.stderr, str(outcome)
    start = f"run: {jobs.XHPL} "
    assert command.startswith(start), command
    assert ("--dat new.dat" in command) == ("--write" in options)
    assert command.endswith(" --json run.json --set predict=on")
    words = [*command[len(start):].split(), "--set", "plan_seconds=0.01"]
    (found,) = report.rows(xhpl(*words).succeeded().stdout)
    assert (found.n, found.nb, found.p, found.q) == rows[0][:4]
    if "--write" in options:
        planned(options).refused("--write: new.dat exists")


def test_values_that_are_given_are_kept_to(xhpl, planned):
    rows = rows_of(planned("--nb 64 --depth 0 --nbmin 3,5 --align 16 --write new.dat"))
    assert {(row.nb, row.depth) for row in rows} == {(64, 0)}
    outcome = xhpl("--dat", "new.dat", "-n", "100", "-nb", "50")
    assert [row.tag[-1] for row in report.rows(outcome.stdout)] == ["3", "5"]


def test_a_plan_tells_what_the_online_check_takes(planned):
    outcome = planned(f"{NARROW} --set verify=online").succeeded()
    assert re.search(rf"the online check will take about {SECONDS}, "
                     r"[\d.]+% of the time of the best choice", outcome.stderr), str(outcome)  # fmt: skip


def test_other_numbers_of_processes_per_node_are_compared(planned):
    outcome = planned(f"--nodes 16 --ranks-per-node 2 {NARROW}")
    words = words_of(outcome)
    compared = [line for line in words if re.match(r"  \d+ process", line)]
    assert re.match(rf"  1 process per node: {RATE} \(an estimate", compared[0])
    assert re.match(rf"  2 processes per node(, one per socket)?: {RATE} \(this plan\)",
                    compared[1])  # fmt: skip
    launched = {"Open MPI": "mpirun -np 32 --map-by ppr:2:node --bind-to none ",
                "MPICH": "mpiexec -n 32 -ppn 2 -bind-to none "}  # fmt: skip
    assert any(words[-1].startswith(f"run: {line}{jobs.XHPL} -n ")
               for line in launched.values()), str(outcome)


@retried
def test_an_estimate_above_the_plan_has_the_command_that_measures_it(xhpl, planned):
    outcome = planned(f"--set threads=1 --nodes 16 --ranks-per-node 4 {NARROW} --write=wide.dat",
                      processes=2)  # fmt: skip
    (line,) = [line for line in words_of(outcome) if line.startswith("  1 process per node: ")]
    said, command = line.split("; to measure it: ")
    assert said.endswith("(an estimate, higher than this plan)"), line
    launcher, options = command.split(f" {jobs.XHPL} ")
    assert launcher in ("mpirun -np 16 --map-by ppr:1:node --bind-to none",
                        "mpiexec -n 16 -ppn 1 -bind-to none"), line  # fmt: skip
    assert options == f"--plan {' '.join(SHORT)} --memory 200M {NARROW}"
    assert rows_of(xhpl(*options.split()))


def warnings_of(outcome):
    """Lines with one, but for that of a busy machine."""
    return [line for line in outcome.stderr.splitlines()
            if "warning" in line and "had these cores" not in line]


@pytest.mark.long
@retried
def test_less_time_makes_a_smaller_matrix(planned):
    free = rows_of(planned("--memory 900M"))
    outcome = planned("--memory 900M --time 0.2s")
    limited = rows_of(outcome)
    assert max(row.n for row in limited) < max(row.n for row in free)
    assert all(row.seconds <= 0.2 for row in limited)
    assert "\n  N is limited by --time: a longer run has a larger N" in outcome.stdout


def test_a_plan_that_fills_the_usual_memory_says_how_to_take_more(planned):
    """The default leaves a fifth; no advice where little is left."""
    least = f"{NARROW} --set memory_reserve=1"  # N is chosen, nothing is solved
    said = re.search(r"limited by memory: \S+ GiB per node, (\d+)% of what is available(.*)",
                     planned(f"{least} --memory 80%").stdout)
    assert said.groups() == ("80", "; --memory 95% takes more")
    assert "of what is available\n" in planned(f"{least} --memory 95%").stdout


@pytest.mark.long
def test_devices_have_wider_panels_to_choose_from(planned):
    outcome = planned("--set devices=emu:1 --set emu_rate=100 --depth 1 --bcast 1")
    assert {row.nb for row in rows_of(outcome)} == {256, 384, 512, 768, 1024}
    assert warnings_of(outcome) == [], str(outcome)


@pytest.mark.more
def test_devices_that_hold_the_matrix_make_room_for_more(planned):
    """And N fills their memory and the host's."""
    def largest(home):
        devices = f"--set devices=emu:1 --set emu_memory=400 --set home={home}"
        first, *_ = rows_of(planned(f"{devices} {NARROW}"))
        assert first.memory <= 200 / 1024
        return first.n

    assert largest("device") > 1.3 * largest("host")


CROWD = 1 << os.cpu_count().bit_length()  # has a good grid
WARNINGS = (
    "messages were not measured",
    "no link between nodes was measured",
    "threads share the",  # cores of a node
    "67 processes have no good grid, 1 x 67 is",
)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "started, options, planned_for, said",
    [
        (1, "--nodes 3 --ranks-per-node 2 --set threads=1", 6, WARNINGS[:1]),
        (1, f"--nodes {CROWD} --set threads=1", CROWD, WARNINGS[:1]),
        (1, f"--ranks-per-node {CROWD} --set threads=1", CROWD, WARNINGS[:3:2]),
        (1, "--nodes 67", 67, WARNINGS[::3]),
        (2, "", 2, ()),
        (2, "--nodes 3", 6, WARNINGS[1:2]),
        (2, "--nodes 2 --ranks-per-node 1", 2, WARNINGS[1:2]),
        (2, "--ranks-per-node 1", 1, ()),
    ],
)
def test_another_job_is_planned_from_what_there_is(
    planned, started, options, planned_for, said
):
    """And what was not measured, or is bad about it, is said once."""
    outcome = planned(f"{options} {NARROW}", processes=started)
    assert {row.p * row.q for row in rows_of(outcome)} == {planned_for}
    times = [outcome.stderr.count(warning) for warning in WARNINGS]
    assert times == [int(warning in said) for warning in WARNINGS], str(outcome)


@preloaded
def test_processes_whose_trials_differ_choose_alike(tmp_path):
    """One has a BLAS that does nothing, the other one that sleeps."""
    blas = library(tmp_path, dgemm("usleep(2000);", 'if (getenv("QUICK")) return;'))
    load = f"export QUICK=1\nexport LD_PRELOAD={blas}"
    command = [on_rank(tmp_path, 0, load), "--plan", *SHORT, "--set", "trust=off",
               "--memory", "200M", *NARROW.split()]  # fmt: skip
    jobs.run(command, tmp_path).succeeded("updates by the BLAS library")
    both = jobs.run(jobs.launched(2, command), tmp_path).succeeded()
    assert "updates by the BLAS library" not in both.stderr, str(both)


def test_a_plan_that_is_ended_leaves_no_file(tmp_path):
    options = "--plan --memory 200M --write HPL.dat --set plan_seconds=60"
    job = jobs.start([jobs.XHPL, *options.split(), *SHORT[2:]], tmp_path)
    for line in job.stderr:
        if "solver: " in line:  # is ready to measure
            break
    time.sleep(1)
    found = list(tmp_path.iterdir())
    jobs.kill_session(job.pid)
    jobs.finish(job)
    assert found == [] == list(tmp_path.iterdir())


@pytest.mark.few(6)
@pytest.mark.parametrize(
    "options, complaint",
    [
        # more of these four are in unit/xhpl/test_plan_options.c
        ("--plan --time soon", "--time: 'soon'"),
        ("--plan --memory 12", "--memory: '12'"),
        ("--plan --nodes 1.5", "--nodes: '1.5'"),
        ("--plan --nodes 65536 --ranks-per-node 65536", "more than 1048576"),
        ("--plan -n 1000", "-n: --plan chooses it"),
        ("--plan -p 1", "-p: --plan chooses it"),
        ("--plan --json a.json", "cannot be combined with --plan"),
        ("--plan --dat HPL.dat", "--dat cannot be combined with --plan"),
        ("--plan --write no/such/folder/HPL.dat", "no/such/folder/HPL.dat"),
        ("--plan --memory 1M", "no N fits 1 processes"),
        ("--plan --set solver=reference", "solver=hybrid"),
        ("--predict --set solver=reference", "solver=hybrid"),
        ("--predict --memory 12G", "--memory needs --plan"),
        ("--simulate", "--simulate needs --plan"),
        ("--time 10m", "--time needs --plan"),
        ("--write new.dat", "--write needs --plan"),
    ],
)
def test_what_cannot_be_met_is_refused(xhpl, options, complaint):
    xhpl(*SHORT, *options.split(), dat=hpl_dat.text()).refused(complaint)


# ---- simulating --------------------------------------------------------------


@pytest.fixture
def copied(tmp_path):
    """Run a copy of xhpl beside which there is xhpl-sim, a script of these lines."""

    def run(*lines):
        program = shutil.copy(jobs.XHPL, tmp_path)
        if lines:
            script = tmp_path / "xhpl-sim"
            script.write_text("\n".join(["#!/bin/sh", *lines]))
            script.chmod(0o755)
        words = ["--plan", *SHORT, "--memory", "200M", *NARROW.split(), "--simulate"]
        words += ["--nodes", "4", "--ranks-per-node", "2"]
        return jobs.run(["env", "PATH=/nowhere", program, *words], tmp_path)

    return run


def test_the_best_choice_is_simulated_with_what_was_measured(copied):
    table, said = copied('echo "$@"').succeeded().stdout.split("\nSimulated:\n")
    best = dict(zip(HEAD, table.rstrip().rpartition("\n\n")[2].splitlines()[1].split()))
    given = dict(re.findall(r"-+([\w-]+)=(\S+)", said))
    for name in ("N", "NB", "P", "Q", "DEPTH", "BCAST"):
        assert given[name.lower()] == best[name]
    assert (given["nodes"], given["ranks-per-node"]) == ("4", "2")
    rates = dict(re.findall(r"(\w+)=([\d.e+]+)(?= |$)", said[said.index("--model="):]))
    rate = 8 * float(rates["rate"])  # of 8 processes; the test cannot be faster
    assert rate > 1e9 * float(best["Gflop/s"])
    assert all(float(rates[name]) > 0 for name in ("solve", "panel", "move"))


def test_a_simulation_that_fails_or_cannot_be_is_told(copied, planned):
    copied("exit 3").ended(2, "xhpl-sim failed")
    planned("--simulate --set devices=emu").refused("cannot simulate devices")


def test_without_xhpl_sim_nothing_is_measured(copied):
    copied().refused("there is no xhpl-sim beside this program or in PATH: make sim")


# ---- predictions -------------------------------------------------------------


@pytest.mark.more
def test_every_test_is_predicted_and_none_is_run(xhpl):
    dat = hpl_dat.text(n="100 400", nb="16 1000", p="1 2", q="2 3", bcast="0 4")
    rows = rows_of(xhpl("--predict", *SHORT, dat=dat, processes=2))
    assert len(rows) == 16 and all(row.seconds > 0 for row in rows)
    assert (rows[0][:4], rows[-1][:4]) == ((100, 16, 1, 2), (400, 1000, 2, 3))


@pytest.fixture
def predicted(xhpl):
    """The seconds of a run, with these settings, of which nothing is warned."""

    def run(*settings):
        words = jobs.sets(*settings)
        system = "-n 5130 -nb 128 -p 1 -q 1".split()
        outcome = xhpl("--predict", *SHORT, *system, *words)
        (row,) = rows_of(outcome)
        assert warnings_of(outcome) == [] and row.seconds > 0, str(outcome)
        return row.seconds

    return run


# What is measured is little and short: a pause in it makes all much longer.


@pytest.mark.more
@retried
def test_devices_are_in_a_prediction(predicted):
    """However fast this machine is now, 1 Gflop/s does half of all in 45 s."""
    seconds = predicted("devices=emu:1", "emu_rate=1", "split=fixed:0.5")
    assert 15 < seconds < 120


@pytest.mark.more
@retried
def test_columns_on_devices_are_in_a_prediction(predicted):
    """2.5 Gflop/s do all in 36 s where no core helps."""
    assert 36 < predicted("devices=emu:1", "emu_rate=2.5", "home=device", "share=0") < 72


def test_a_prediction_stands_beside_what_was_measured(xhpl):
    options = "-n 200,300 -nb 16 -p 1 -q 1 --set predict=on --json run.json"
    outcome = xhpl(*SHORT, *options.split()).succeeded()
    found = valid((xhpl.directory / "run.json").read_text())
    for test in found["tests"]:
        said, n = test["prediction"], test["n"]
        flop = (2 / 3 * n + 3 / 2) * n * n
        assert said["gflops"] == pytest.approx(flop / said["seconds"] / 1e9)
        assert said["ceiling_gflops"] > 0
        assert said["latency_seconds"] is said["bandwidth"] is None
    assert re.search(r"^WR", outcome.stdout, re.M)
    xhpl(*options.split(" --set")[0].split(), "--json", "run.json").succeeded()
    found = valid((xhpl.directory / "run.json").read_text())
    assert not any("prediction" in test for test in found["tests"])  # unless asked for
    (row,) = rows_of(xhpl(*"--predict -n 0 -nb 8 -p 1 -q 1".split(), *SHORT))
    assert (row.seconds, row.gflops) == (0, 0)


@pytest.mark.more
@pytest.mark.parametrize("p, q", ((1, 2), (2, 1)))
def test_so_does_what_the_link_between_two_processes_gives(xhpl, p, q):
    options = f"-n 200 -nb 16 -p {p} -q {q} --set predict=on --json run.json"
    xhpl(*SHORT, *options.split(), processes=2).succeeded()
    found = valid((xhpl.directory / "run.json").read_text())
    said = found["tests"][0]["prediction"]
    assert said["latency_seconds"] > 0 and said["bandwidth"] > 0


@pytest.mark.more
@pytest.mark.scripts
def test_the_bench_of_predictions_has_a_row_for_each_case(tmp_path):
    words = [jobs.SOURCE / "bench/plan", "--quick", "--nb", "64", "--devices", "emu:1"]
    said = jobs.run([*words, jobs.BIN], tmp_path).succeeded().stdout
    assert said.startswith("devices=emu:1,")
    assert re.findall(r"^ +300 +(\d+) +(\d) x +(\d)(?: +[\d.]+){6}", said, re.M) == [
        ("64", "1", "1")]
