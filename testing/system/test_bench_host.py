# SPDX-License-Identifier: BSD-3-Clause
"""bench/host: the program it measures with, its rounds and its table."""
import itertools
import re
import sys
from pathlib import Path

import pytest

import jobs

BENCH = jobs.SOURCE / "bench"
XHOST = jobs.BIN / "xhost"

pytestmark = [
    pytest.mark.scripts,
    pytest.mark.skipif(not XHOST.exists(), reason="built without hybrid/"),
]


def xhost(tmp_path, words):
    return jobs.run([XHOST, *words.split()], tmp_path)


# ---- xhost ------------------------------------------------------------------


MEASURED = {
    "ceiling": ["1 10", "2 10"],
    "update": ["1 1 1 1", "2 301 203 37", "3 77 500 400"],
    "panel": ["1 5 5", "2 400 32", "3 90 7"],
    "swap": ["1 1 1 1", "2 301 203 37", "3 77 500 400"],
    "pass": ["2 301 203"],
}


@pytest.mark.few(6)
@pytest.mark.parametrize("kernel", ["auto", "portable"])
@pytest.mark.parametrize("part, sizes", [(x, y) for x in MEASURED for y in MEASURED[x]])
def test_xhost_says_a_rate_and_the_kernel(tmp_path, part, sizes, kernel):
    outcome = xhost(tmp_path, f"{part} {kernel} {sizes}").succeeded()
    said = re.fullmatch(rf"kernel (\w+)\n{part} (\S+)\n", outcome.stdout)
    assert said and float(said[2]) > 0, str(outcome)
    assert said[1] == kernel or kernel == "auto"


@pytest.mark.parametrize(
    "words, complaint",
    [
        ("", "how to call it"),
        ("solve auto 1 10", "how to call it"),
        ("update auto 1 10 10", "how to call it"),
        ("panel auto 1 10 10 10", "how to call it"),
        ("update blas 1 10 10 10", "'blas' is no kernel"),
        ("update auto 0 10 10 10", "'0' is not a number"),
        ("update auto 1 10 -3 10", "'-3' is not a number"),
        ("update auto 1 10 1e3 10", "'1e3' is not a number"),
        ("panel auto 1 10 11", "a panel of 11 columns"),
        ("update auto 1 9999999 9999999 1", "cannot allocate"),
    ],
)
def test_xhost_refuses_what_it_cannot_measure(tmp_path, words, complaint):
    xhost(tmp_path, words).refused(complaint)


# ---- rounds and rows --------------------------------------------------------


@pytest.fixture(name="host", scope="module")
def host_fixture():
    """bench/host as a module."""
    return jobs.module(BENCH / "host")


@pytest.fixture(name="common")
def common_fixture(host):
    return sys.modules[host.interleaved.__module__]


def test_what_is_done_less_often_is_spread_over_the_rounds(common):
    assert common.turns(5, 3) == {0, 2, 4} and common.turns(5, 1) == {2}
    for rounds in range(1, 9):
        for times in range(rounds + 1):
            chosen = common.turns(rounds, times)
            assert len(chosen) == times and chosen <= set(range(rounds))


def test_jobs_take_turns(common):
    count, order = itertools.count(), []

    def job(name):
        return lambda: (order.append(name), next(count))[1]

    said = common.interleaved(
        [("a", 3, job("a")), ("b", 1, job("b")), ("c", 9, job("c"))], 3
    )
    assert order == ["a", "c", "a", "b", "c", "a", "c"]
    assert said == {"a": [0, 2, 5], "b": [3], "c": [1, 4, 6]}


def test_settings_of_the_caller_change_nothing(common, monkeypatch):
    monkeypatch.setenv("XHPL_THREADS", "1")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    monkeypatch.setenv("KEPT", "yes")
    env = common.environment(2)
    assert "XHPL_THREADS" not in env and "OPENBLAS_CORETYPE" not in env
    assert env["OPENBLAS_NUM_THREADS"] == "2" and env["KEPT"] == "yes"


@pytest.mark.parametrize(
    "measured, reference, at_most, verdict",
    [
        (0.9, 1.0, False, "ok"),
        (0.89, 1.0, False, "below"),
        (180.0, 200.0, True, "ok"),
        (181.0, 200.0, True, "above"),
        (None, 1.0, False, "not measured"),
        (1.0, None, True, "not measured"),
    ],
)
def test_a_bound_holds_or_not(host, measured, reference, at_most, verdict):
    row = host.Row("row", measured, reference, 0.9, at_most=at_most)
    assert row.verdict(row.floor) == verdict
    assert row.verdict(row.goal) == ""


def test_columns_stand_below_their_names(host):
    rows = [host.Row("short", 1.0, 2.0, 0.4), host.Row("a longer one", None)]
    head, *lines = host.table("title", rows)
    assert [x[: head.index("measured")].rstrip() for x in lines] == [
        "short", "a longer one"]  # fmt: skip
    end = head.index("ratio") + len("ratio")
    assert lines[0][:end].endswith("0.500")
    assert lines[1][:end].endswith("-")
    assert lines[0][head.index("floor") :].startswith("0.40 ok")


# ---- a bench that was made up -----------------------------------------------


@pytest.fixture(name="made_up")
def made_up_fixture(host):
    """A bench of two threads, and what its jobs might have said."""
    sizes = host.FULL
    orders = [host.Problem(n, 256, 1, 1) for n in (8000, 16000)]
    bench = host.Bench(
        sizes=sizes, bin=None, rounds=5, reference_rounds=4,
        baseline=Path("other/xhpl"), baseline_rounds=1,
        baseline_grids=[(1, 2), (2, 1)], memory=16e9, threads=2,
        kernels=["avx512", "avx2"],
        libraries={"OpenBLAS": "libopenblas.so"}, orders=orders,
        grids=[host.Problem(*sizes.grids, p, q) for p, q in host.GRIDS],
    )  # fmt: skip
    said = {("dgemm", "OpenBLAS"): [90.0], ("panel", 1): [20.0]}
    said["swap",], said["pass",] = [30.0, 45.0, 50.0], [60.0]
    said["panel", 2] = [42.0]
    for kernel, threads in bench.ceilings:
        said["before", kernel, threads] = [98.0 * threads / 2] * 3
        said["after", kernel, threads] = [50.0, 100.0 * threads / 2, 999.0]
    said["update", "avx512"] = [10.0, 93.0, 94.0]
    said["update", "avx2"] = [50.0, 89.0, 93.0, 94.0]
    for problem in bench.problems:
        seconds = problem.flop / 80e9
        run = host.linpack.__globals__["Outcome"](80.0, 0.002, seconds / 0.85)
        said["xhpl", problem] = [run]
        if problem in bench.grids:
            said["reference", problem] = [run]
            if problem.processes > 1:
                said["baseline", problem] = [run]
    return bench, said


def test_rows_are_medians_beside_the_higher_ceiling(host, made_up):
    rows = {row.name: row for row in host.rows(*made_up)}

    def ratio_and_verdicts(name):
        row = rows[name]
        verdicts = row.verdict(row.floor), row.verdict(row.goal)
        return round(row.ratio, 3), *verdicts

    expected = {
        "FMA ceiling, avx512, 2 threads, after": (1.020, "", ""),
        "FMA ceiling, to the better BLAS": (1.111, "ok", ""),
        "OpenBLAS DGEMM, 8000 x 8000 x 256": (0.9, "", ""),
        "update alone, avx512, 16000 x 16000 x 256": (0.93, "ok", "below"),
        "update alone, avx2, 16000 x 16000 x 256": (0.91, "ok", "below"),
        "panel alone, 16000 x 256, 1 thread": (0.4, "below", "below"),
        "panel alone, 16000 x 256, 2 threads": (0.42, "ok", "ok"),
        "row swap alone, GB/s, 16000 x 16000 x 256, to memory's":
            (0.75, "", ""),
        "xhpl, N = 8000, NB = 256, 1 x 1": (0.8, "ok", "below"),
        "xhpl, N = 16000, NB = 256, 1 x 1": (0.8, "below", "below"),
        "xhpl, N = 16000, NB = 256, 1 x 2": (0.8, "ok", "below"),
        "generation + verification, N = 16000, s": (0.15, "ok", "above"),
        "to reference, N = 16000, NB = 256, 2 x 1": (1.0, "ok", ""),
        "to baseline, N = 16000, NB = 256, 2 x 1": (1.0, "below", ""),
        "1000 x residual to reference, N = 16000, NB = 256, 1 x 2":
            (1.0, "ok", ""),
    }  # fmt: skip
    assert {name: ratio_and_verdicts(name) for name in expected} == expected


def test_what_does_not_fit_is_not_run_and_its_row_says_so(host, made_up):
    bench, said = made_up
    large = host.Problem(60000, 256, 1, 1)
    bench.orders.append(large)
    keys = [key for key, _, _ in host.jobs(bench)]
    assert ("xhpl", bench.orders[0]) in keys
    assert ("xhpl", large) not in keys
    (row,) = [x for x in host.rows(bench, said) if "60000" in x.name]
    assert row.measured is None


def test_an_hpcc_is_run_on_one_grid(host, monkeypatch):
    monkeypatch.delenv("BASELINE_GRIDS", raising=False)
    assert host.baseline_grids(Path("bin/hpcc")) == [(1, 2)]
    assert host.baseline_grids(Path("bin/xhpl")) == list(host.GRIDS)
    monkeypatch.setenv("BASELINE_GRIDS", "2x1")
    assert host.baseline_grids(Path("bin/hpcc")) == [(2, 1)]


def test_every_figure_of_the_table_has_a_job(host, made_up):
    """In its rounds; short runs are made thrice in each."""
    bench, said = made_up
    times = {key: count for key, count, _ in host.jobs(bench)}
    assert set(times) == set(said)
    assert times["xhpl", bench.grids[1]] == bench.rounds
    assert times["reference", bench.grids[1]] == bench.reference_rounds
    assert times["baseline", bench.grids[1]] == bench.baseline_rounds
    keys = [key for key, _, _ in host.jobs(bench)]
    for problem in bench.orders:
        assert keys.count(("xhpl", problem)) == (3 if problem.n < 10000 else 1)


# ---- whole runs -------------------------------------------------------------


def bench_host(tmp_path, *words, env=None):
    command = [sys.executable, BENCH / "host", "--quick", jobs.BIN]
    return jobs.run([*command, *words], tmp_path, env, limit=240)


@pytest.mark.long
def test_a_quick_run_measures_every_row(tmp_path):
    env = {"ORDERS": "80:16"}
    outcome = bench_host(tmp_path, jobs.XHPL, env=env).succeeded()
    said = outcome.stdout
    for begin in ("Gflop/s, medians of 1", "FMA ceiling", "update alone", "panel alone",
                  "row swap", "xhpl, N = 80", "xhpl, N = 150", "generation",
                  "to reference", "to baseline", "1000 x residual",
                  r"\d+ threads?, \d+\.\d minutes$"):  # fmt: skip
        assert re.search(rf"^{begin}", said, re.M), str(outcome)
    assert "not measured" not in said, str(outcome)


@pytest.mark.long
def test_a_baseline_that_fails_ends_the_bench(tmp_path):
    outcome = bench_host(tmp_path, "/bin/false")
    assert outcome.status == 1, str(outcome)
    assert re.search("/bin/false.* did not pass", outcome.stderr), str(outcome)


def test_without_a_folder_it_says_how_it_is_called(tmp_path):
    outcome = jobs.run([sys.executable, BENCH / "host"], tmp_path)
    assert outcome.status == 1 and outcome.stdout == ""
    assert "usage: bench/host [--quick] BINDIR" in outcome.stderr
