# SPDX-License-Identifier: BSD-3-Clause
"""xhpl under SimGrid: what is simulated is the program that runs."""
import argparse
import json
import math
import re
import shutil
from pathlib import Path

import pytest

import jobs
from sabotage import library, preloaded
from hpl_sim import cli, platform, record, run, whatif

pytestmark = [
    pytest.mark.simulations,
    pytest.mark.skipif(
        shutil.which("smpirun") is None or not run.XHPL.exists(),
        reason="there is no build/sim/xhpl: make sim",
    ),
]

# Messages that MPI_Isend begins, of all processes, on stderr.
COUNTED = """
#include <mpi.h>
#include <stdio.h>

static long sent;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    sent++;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Finalize(void)
{
    long all;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&sent, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        fprintf(stderr, "sent %ld messages\\n", all);
    return PMPI_Finalize();
}
"""


def simulated(p, q, n, nb, *words, topology="ideal", rates=None, slow_link=1.0,
              ranks_per_node=1, **model):
    """Seconds, and the report."""
    options = argparse.Namespace(nodes=p * q // ranks_per_node, cfg=[], topology=topology,
                                 ranks_per_node=ranks_per_node, cores=model.get("cores"),
                                 link="25GBps", latency="1.5us", slow_link=slow_link,
                                 rates=rates or [(1.0,)] * p * q)
    size = [f"-n={n}", f"--nb={nb}", f"-p={p}", f"-q={q}"]
    return run.simulate(options, model, [*size, *words])


def sent(processes, folder, words):
    """Messages of a real run."""
    load = f"LD_PRELOAD={library(folder, COUNTED)}"
    command = ["env", load, jobs.XHPL, *words, *run.OF_XHPL, "--set", "threads=1",
               "--set", "kernel=portable"]
    outcome = jobs.run(jobs.launched(processes, command), folder).succeeded()
    (line,) = (line for line in outcome.stderr.splitlines() if line.startswith("sent "))
    return int(line.split()[1])


SOLVERS = pytest.mark.parametrize("solver", ["hybrid", "reference"])


@SOLVERS
def test_64_processes_take_the_same_time_bit_by_bit_each_time(solver):
    words = 8, 8, 2048, 128, "--set", f"solver={solver}"
    seconds, report = simulated(*words)
    assert (seconds, report) == simulated(*words)
    assert report["panel15"] < report["began"] + seconds
    assert report["products"] > 2 / 3 * 2048**3 / 2e12


@preloaded
@SOLVERS
def test_as_many_messages_as_in_a_real_run(solver, tmp_path):
    """With the exchange that leaves out no empty ones, which differ by pivots."""
    words = ["--set", f"solver={solver}", "--depth=1", "--swap=bin-exch"]
    size = ["-n=1024", "--nb=64", "-p=2", "-q=2"]
    _, report = simulated(2, 2, 1024, 64, *words)
    assert report["messages"] == sent(4, tmp_path, [*size, *words])


@pytest.mark.parametrize("topology", list(platform.TOPOLOGIES))
def test_every_topology_has_room_for_all_nodes(topology):
    assert simulated(1, 3, 512, 64, topology=topology)[1]["messages"] > 0


def test_slower_links_and_slower_processes_take_longer():
    fast, _ = simulated(2, 2, 1024, 64)
    slow, _ = simulated(2, 2, 1024, 64, rate=2e11)
    assert slow > fast
    assert simulated(2, 2, 1024, 64, topology="fat-tree")[0] >= fast
    one, _ = simulated(2, 2, 1024, 64, rate=2e11, rates=[(1,), (1,), (1,), (0.5,)])
    assert slow < one < 2 * slow
    assert simulated(2, 2, 1024, 64, rate=2e11, slow_link=0.1)[0] > slow


def test_products_that_differ_by_chance_cost_waiting_the_same_each_time():
    words = 2, 4, 2048, 64
    even, usual = simulated(*words, rate=2e11)
    uneven, report = simulated(*words, rate=2e11, noise=0.3)
    assert uneven / report["products"] > even / usual["products"]
    assert math.isclose(report["products"], usual["products"], rel_tol=0.02)
    assert (uneven, report) == simulated(*words, rate=2e11, noise=0.3)


COMPUTED = ["products", "solves", "panels", "rows"]


def test_processes_that_share_a_core_take_all_of_it_in_turns():
    """While one waits the other goes on: the core is never idle for long."""
    words, model = (1, 2, 2000, 100), {"rate": 2e10, "ranks_per_node": 2}
    own, usual = simulated(*words, **model, cores=2)
    assert math.isclose(own, simulated(*words, **model)[0], rel_tol=1e-9)
    one, shared = simulated(*words, **model, cores=1)
    work = sum(usual[name] for name in COMPUTED)
    assert work <= one < 1.01 * work
    assert 1.8 * usual["products"] < shared["products"] <= 2 * usual["products"]
    assert (one, shared) == simulated(*words, **model, cores=1)


def test_no_step_where_a_proposal_takes_two_messages():
    """A pivot's proposal has 4 + 2 NB doubles, and a message at most 500."""
    narrow, fewer = simulated(8, 8, 248 * 8, 248, "--depth", "1")
    wide, more = simulated(8, 8, 249 * 8, 249, "--depth", "1")
    assert more["messages"] > fewer["messages"]
    assert wide < 1.02 * narrow


def test_panels_alone_interpolate_to_the_whole():
    sizes = ["--nodes", "6", "-n", "4096", "--nb", "64", "-p", "2", "-q", "3"]
    options, rest = cli.arguments([*sizes, "--panels", "3:9"])
    whole, _ = simulated(2, 3, 4096, 64)
    assert math.isclose(cli.sampled(options, {}, rest)[0], whole, rel_tol=0.015)


def test_rates_are_those_of_a_record():
    """2000 x 2000 with NB = 100 on 1 x 2."""
    rank = {"gflop": 2.5, "update": 0.25, "panel": 0.1, "solve": 0.05, "swap": 0.02}
    slower = {**rank, "update": 0.3125}
    test = {"n": 2000, "nb": 100, "p": 1, "q": 2, "ranks": [rank, slower]}
    model = record.rates(test)
    assert math.isclose(record.spread(test), 1 / 9)
    assert math.isclose(model["rate"], 9e9 * 1.16)
    assert math.isclose(model["panel"], 1e9)
    assert math.isclose(model["solve"], 2e9)
    assert math.isclose(model["move"], 1.6e9)


def test_rates_on_shared_cores_are_by_the_time_of_the_processor():
    rank = {"gflop": 2.5, "update": 0.5, "panel": 0.1, "solve": 0.05, "swap": 0.02,
            "thread_gflops": 9.0}
    test = {"n": 2000, "nb": 100, "p": 2, "q": 1, "ranks": [rank, rank]}
    assert math.isclose(record.rates(test)["rate"], 5e9 * 1.16)
    model = record.rates(test, shared=True)
    assert math.isclose(model["rate"], 9e9 * 1.16)
    assert "panel" not in model
    assert "panel" in record.rates({**test, "p": 1, "q": 2}, shared=True)


ASKED = ["-n", "2048", "--nb", "64", "-p", "2", "-q", "4", "--model", "rate=2e11"]


def test_what_if_has_a_row_for_each_case(capsys):
    options, rest = cli.arguments([*ASKED, "--what-if", "all"])
    cli.answer(options, rest)
    rows = {line[:34].strip(): float(line.rsplit(None, 1)[1].rstrip("%"))
            for line in capsys.readouterr().out.splitlines()[1:]}
    assert rows.pop("as asked for") == 0
    assert rows["one node at 0.8 of its rate"] < 0
    assert rows["one node's link at 0.5"] <= 0 <= rows["2 links a node"]
    assert rows["without the slowest 1: 2x3"] < 0
    assert len(rows) == 4  # 2 x 4 is the one grid from 1:4 to 1:1


def drawn(options, rest):
    """What the charts of the page show."""
    cli.draw(options, cli.answer(options, rest))
    text = Path(options.page).read_text("utf-8")
    (data,) = re.findall(r'id="data">(.*)</script>', text)
    kinds = re.findall(r'data-chart="(\w+)" data-key="(\w+)"', text)
    assert [kind for kind, _ in kinds] == [key for _, key in kinds] == list(json.loads(data))
    return json.loads(data)


def test_a_page_shows_each_case(tmp_path, capsys):
    page = str(tmp_path / "page.html")
    options, rest = cli.arguments([*ASKED, "--page", page, "--what-if", "slow=0.5"])
    data = drawn(options, rest)
    rows = capsys.readouterr().out.splitlines()[1:3]
    assert [f"{bar['gflops']:.6g}" for bar in data["bars"]] == [
        row.split()[-2] for row in rows]
    names = ["as asked for", "one node at 0.5 of its rate"]
    assert data["work"]["rows"] == [run["name"] for run in data["curves"]] == names
    usual, slow = map(sum, zip(*data["work"]["seconds"]))
    assert usual < slow
    assert all(len(run["points"]) == 2048 / 64 - 1 for run in data["curves"])


@pytest.mark.parametrize("word", ["grid=9x9", "rain=2", "without=8", "slow=x"])
def test_a_case_that_is_none_is_refused(word, capsys):
    with pytest.raises(SystemExit):
        cli.arguments([*ASKED, "--what-if", word])
    assert word.partition("=")[2] in capsys.readouterr().err


def test_a_plan_is_simulated(tmp_path):
    words = ["--plan", "--simulate", "--set", "plan_seconds=0.01", "--set", "devices=none",
             "--force"]  # other programs may compute now
    words += ["--memory", "100M", "--nodes", "4", "--ranks-per-node", "1", "--nb", "64"]
    assert (jobs.BIN / "xhpl-sim").exists()
    said = jobs.run([jobs.XHPL, *words], tmp_path).succeeded().stdout
    rows = said.split("Simulated:")[1]
    assert "as asked for" in rows and "without the slowest 1: 1x3" in rows


def test_the_slowest_nodes_are_left_out():
    options, _ = cli.arguments([*ASKED, "--what-if", "without=2"])
    options.rates = [(1,), (1, 0.5), (1,), (1,), (0.9,), (1,), (1,), (1,)]
    changed, _ = whatif.case(options, "without=2")
    assert (changed.rates, changed.p, changed.q) == ([(1,)] * 6, 2, 3)


def test_a_line_of_rates_is_dealt_to_the_processes_of_its_node(tmp_path):
    rates = tmp_path / "of-nodes"
    rates.write_text("1 0.5\n0.9\n")
    words = ["--nodes", "2", "--ranks-per-node", "4", "--rates", str(rates)]
    options, _ = cli.arguments([*ASKED, *words])
    run.rates_file(tmp_path, options)
    assert (tmp_path / "rates").read_text().split() == ["1", "0.5"] * 2 + ["0.9"] * 4
    rates.write_text("1\n\n")
    with pytest.raises(SystemExit):
        cli.arguments([*ASKED, *words])


def test_it_runs_where_it_is_installed(tmp_path):
    scripts, places = jobs.SOURCE / "scripts", ["/bin", "/share/xhpl"]
    jobs.run([scripts / "install-report", tmp_path, *places], tmp_path).succeeded()
    jobs.run([scripts / "install-sim", tmp_path, *places, "/lib"], tmp_path).succeeded()
    words = ["-n", "512", "--nb", "64", "-p", "1", "-q", "2"]
    outcome = jobs.run([tmp_path / "bin/xhpl-sim", *words], tmp_path)
    assert "efficiency" in outcome.succeeded().stdout
