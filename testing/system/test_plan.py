# SPDX-License-Identifier: BSD-3-Clause
"""--plan and --predict: what they print, write and refuse."""
import json
import os
import re
import time

import pytest

import hpl_dat
import jobs
import report
from busy import retried
from records import valid

HEAD = "N NB P Q DEPTH BCAST seconds Gflop/s GiB/process".split()
SHORT = ["--set", "plan_seconds=0.01", "--set", "devices=none"]


def needs_hybrid():
    """Whether what is tested can measure for a plan."""
    return not (jobs.BIN / "xhost").exists()


measures = pytest.mark.skipif(needs_hybrid(), reason="built with HYBRID=no")


def rows_of(outcome):
    """The rows of a table, numbers; stdout is that table and nothing else."""
    assert outcome.status == 0, str(outcome)
    head, *rows = [line.split() for line in outcome.stdout.splitlines()]
    assert head == HEAD, str(outcome)
    return [[float(x) for x in row] for row in rows]


@pytest.fixture
def planned(xhpl):
    """Run xhpl --plan, short, with little memory."""

    def run(*options, **rest):
        return xhpl("--plan", *SHORT, "--memory", "200M", *options, **rest)

    return run


# ---- plans -------------------------------------------------------------------


@measures
@pytest.mark.parametrize(
    "processes",
    [1] + [pytest.param(count, marks=pytest.mark.long) for count in (2, 4)],
)
def test_a_plan_is_a_ranked_table_and_a_file_that_runs(xhpl, planned, processes):
    rows = rows_of(planned("--write", "HPL.dat", processes=processes))
    rates = [row[HEAD.index("Gflop/s")] for row in rows]
    assert rows and rates == sorted(rates, reverse=True)
    for n, nb, p, q, *_, memory in rows:
        assert p * q == processes and n % (nb * max(p, q)) == 0
        assert 8 * n * n / 2**30 < memory * processes <= 200 / 1024
    outcome = xhpl(processes=processes).succeeded()
    (row,) = report.rows(outcome.stdout)
    assert [row.n, row.nb, row.p, row.q] == rows[0][:4]
    assert report.counts(outcome.stdout)["passed"] == 1


@measures
def test_values_that_are_given_are_kept_to(xhpl, planned):
    options = "--nb 64 --depth 0 --nbmin 3,5 --align 16 --write new.dat".split()
    rows = rows_of(planned(*options))
    assert {(row[1], row[4]) for row in rows} == {(64, 0)}
    outcome = xhpl("--dat", "new.dat", "-n", "100", "-nb", "50")
    assert [row.tag[-1] for row in report.rows(outcome.stdout)] == ["3", "5"]


@measures
@pytest.mark.long
@retried
def test_less_time_makes_a_smaller_matrix(planned):
    free = rows_of(planned("--memory", "900M"))
    limited = rows_of(planned("--memory", "900M", "--time", "0.2s"))
    assert max(row[0] for row in limited) < max(row[0] for row in free)
    assert all(row[HEAD.index("seconds")] <= 0.2 for row in limited)


@pytest.mark.long
@measures
def test_devices_have_wider_panels_to_choose_from(planned):
    outcome = planned("--set", "devices=emu:1")
    assert {row[1] for row in rows_of(outcome)} == {256, 384, 512, 768, 1024}
    assert "warning" not in outcome.stderr, str(outcome)


@pytest.mark.long
@measures
def test_a_larger_job_is_planned_from_what_there_is(planned):
    outcome = planned("--nodes", "3", "--ranks-per-node", "2")
    assert {row[2] * row[3] for row in rows_of(outcome)} == {6}
    assert "messages were not measured" in outcome.stderr


@measures
def test_more_processes_than_a_node_has_cores_for_are_warned_of(planned):
    narrow = "--nb 64 --depth 1 --bcast 1".split()
    crowd = str(2 * os.cpu_count())
    said = "processes of .* threads share the .* cores of a node"
    shared = planned("--ranks-per-node", crowd, "--set", "threads=1", *narrow)
    assert len(re.findall(said, shared.stderr)) == 1, str(shared)
    own = planned("--nodes", crowd, "--set", "threads=1", *narrow)
    assert not re.search(said, own.stderr), str(own)


@measures
def test_processes_without_a_good_grid_are_planned_and_warned_of(planned):
    outcome = planned("--nodes", "67", "--nb", "128", "--depth", "1", "--bcast", "1")
    assert {tuple(sorted(row[2:4])) for row in rows_of(outcome)} == {(1, 67)}
    assert "67 processes have no good grid, 1 x 67 is" in outcome.stderr


@measures
@pytest.mark.parametrize("options", ["--nodes 3", "--nodes 2 --ranks-per-node 1"])
def test_several_nodes_planned_on_one_are_warned_of(planned, options):
    narrow = "--nb 64 --depth 1 --bcast 1".split()
    outcome = planned(*options.split(), *narrow, processes=2)
    assert rows_of(outcome)
    assert outcome.stderr.count("no link between nodes was measured") == 1


@measures
def test_a_node_planned_on_it_is_not_warned_of(planned):
    outcome = planned("--nb", "64", "--depth", "1", "--bcast", "1", processes=2)
    assert rows_of(outcome) and "measured" not in outcome.stderr


@pytest.mark.long
@measures
def test_processes_a_node_are_of_all_nodes_that_there_are(planned):
    outcome = planned("--ranks-per-node", "3", processes=2)  # on one node
    assert {row[2] * row[3] for row in rows_of(outcome)} == {3}


@measures
def test_a_plan_that_is_ended_leaves_no_file(tmp_path):
    options = "--plan --memory 200M --write HPL.dat --set plan_seconds=60"
    command = [jobs.XHPL, *options.split(), "--set", "devices=none"]
    job = jobs.start(command, tmp_path)
    for line in job.stderr:
        if "solver: " in line:  # is ready to measure
            break
    time.sleep(1)
    found = list(tmp_path.iterdir())
    jobs.kill_session(job.pid)
    jobs.finish(job)
    assert found == [] == list(tmp_path.iterdir())


@measures
def test_a_file_that_exists_is_left_as_it_is(planned):
    outcome = planned("--write", "HPL.dat", dat="mine\n")
    outcome.refused("--write: HPL.dat exists")


@measures
@pytest.mark.surface
@pytest.mark.parametrize(
    "options, complaint",
    [
        # more of these four are in unit/test_request.c
        ("--plan --time soon", "--time: 'soon'"),
        ("--plan --memory 12", "--memory: '12'"),
        ("--plan --nodes 1.5", "--nodes: '1.5'"),
        ("--plan --nodes 65536 --ranks-per-node 65536", "more than 1048576"),
        ("--plan -n 1000", "-n: --plan chooses it"),
        ("--plan -p 1", "-p: --plan chooses it"),
        ("--plan --json a.json", "not with --plan"),
        ("--plan --dat HPL.dat", "--dat goes with a run or --predict"),
        ("--plan --write no/such/folder/HPL.dat", "no/such/folder/HPL.dat"),
        ("--plan --memory 1M", "no N fits 1 processes"),
        ("--plan --set solver=reference", "solver=hybrid"),
        ("--predict --set solver=reference", "solver=hybrid"),
        ("--predict --memory 12G", "--memory goes with --plan"),
        ("--time 10m", "--time goes with --plan"),
        ("--write new.dat", "--write goes with --plan"),
    ],
)
def test_what_cannot_be_met_is_refused(xhpl, options, complaint):
    outcome = xhpl(*SHORT, *options.split(), dat=hpl_dat.text())
    outcome.refused(complaint)


@pytest.mark.skipif(not needs_hybrid(), reason="built with the solver")
@pytest.mark.parametrize("options", ["--plan", "--predict", "--set predict=on"])
def test_without_the_solver_nothing_is_planned(xhpl, options):
    outcome = xhpl(*options.split(), dat=hpl_dat.text())
    outcome.refused("HYBRID=no")


# ---- predictions -------------------------------------------------------------


@measures
def test_every_test_is_predicted_and_none_is_run(xhpl):
    dat = hpl_dat.text(n="100 400", nb="16 1000", p="1 2", q="2 3", bcast="0 4")
    rows = rows_of(xhpl("--predict", *SHORT, dat=dat, processes=2))
    assert len(rows) == 16
    shapes = [tuple(row[:4]) for row in rows]
    assert shapes[0] == (100, 16, 1, 2) and shapes[-1] == (400, 1000, 2, 3)
    assert all(row[HEAD.index("seconds")] > 0 for row in rows)


@measures
def test_devices_are_in_a_prediction(xhpl):
    """However fast this machine is now, a share of it counts."""
    options = ["--predict", *SHORT, *"-n 3000 -nb 128 -p 1 -q 1".split()]
    slow = ["devices=emu:1", "emu_rate=0.2", "split=fixed:0.5"]

    def predicted(settings):
        outcome = xhpl(*options, *(x for s in settings for x in ("--set", s)))
        ((*_, seconds, rate, _),) = rows_of(outcome)
        assert "warning" not in outcome.stderr, str(outcome)
        assert seconds > 0
        return seconds

    predicted([])
    predicted(slow[:1])
    # 0.2 Gflop/s do half of all products in 45 s. Those that are measured are
    # few and short: a machine that pauses in one makes it much longer.
    said = [predicted(slow)]
    while not 15 < said[-1] < 120 and len(said) < 5:
        said.append(predicted(slow))
    assert min(said) > 15 and said[-1] < 120, said


@measures
def test_nothing_is_predicted_to_take_no_time(xhpl):
    options = "-n 0 -nb 8 -p 1 -q 1".split()
    ((*_, seconds, rate, _),) = rows_of(xhpl("--predict", *SHORT, *options))
    assert (seconds, rate) == (0, 0)


@measures
def test_a_prediction_stands_beside_what_was_measured(xhpl):
    options = "-n 200,300 -nb 16 -p 1 -q 1 --set predict=on --json run.json"
    outcome = xhpl(*SHORT, *options.split()).succeeded()
    found = valid((xhpl.directory / "run.json").read_text())
    for test in found["tests"]:
        said, n = test["prediction"], test["n"]
        flop = (2 / 3 * n + 3 / 2) * n * n
        assert said["gflops"] == pytest.approx(flop / said["seconds"] / 1e9)
        assert said["ceiling_gflops"] > 0
    assert re.search(r"^WR", outcome.stdout, re.M)


@measures
def test_without_being_asked_for_there_is_none(xhpl):
    options = "-n 20 -nb 16 -p 1 -q 1 --json run.json".split()
    assert xhpl(*options).status == 0
    (test,) = json.loads((xhpl.directory / "run.json").read_text())["tests"]
    assert "prediction" not in test


@measures
@pytest.mark.scripts
def test_the_bench_of_predictions_has_a_row_for_each_grid(tmp_path):
    script = jobs.SOURCE / "bench/plan"
    outcome = jobs.run([script, "--quick", jobs.BIN], tmp_path).succeeded()
    rows = re.findall(r"^ +300 +256 +(\d) x +(\d)( +[\d.]+){6}", outcome.stdout, re.M)
    cores = os.cpu_count()
    grids = [("1", "1"), ("1", "2"), ("2", "1")][: 3 if cores > 1 else 1]
    assert [row[:2] for row in rows] == grids


@measures
@pytest.mark.scripts
def test_the_bench_of_predictions_takes_devices_and_widths(tmp_path):
    script = jobs.SOURCE / "bench/plan"
    options = "--nb 64 128 --quick --devices emu:1".split()
    outcome = jobs.run([script, *options, jobs.BIN], tmp_path).succeeded()
    assert "devices=emu:1" in outcome.stdout
    rows = re.findall(r"^ +300 +(\d+) +1 x +1( +[\d.]+){6}", outcome.stdout, re.M)
    assert [row[0] for row in rows] == ["64", "128"]
