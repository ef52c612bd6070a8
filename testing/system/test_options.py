# SPDX-License-Identifier: BSD-3-Clause
"""The options of xhpl, and where its report goes."""
import glob
import os
import re

import pytest

import hpl_dat
import jobs
import report

pytestmark = pytest.mark.surface


# All options at once: each with the value there, and the same in the file.
NUMBERS = {
    "--pmap": ("1", "pmap", "1"),
    "--pfact": ("0,1", "pfact", "0 1"),
    "--nbmin": ("1,3", "nbmin", "1 3"),
    "--ndiv": ("2,4", "ndiv", "2 4"),
    "--rfact": ("0,2", "rfact", "0 2"),
    "--bcast": ("0,5", "bcast", "0 5"),
    "--depth": ("0,2", "depth", "0 2"),
    "--swap": ("1", "swap", "1"),
    "--swap-threshold": ("7", "swapping", "7"),
    "--l1": ("1", "l1", "1"),
    "--u": ("1", "u", "1"),
    "--equil": ("0", "equil", "0"),
    "--align": ("4", "align", "4"),
    "--threshold": ("2.5", "threshold", "2.5"),
    "-n": ("30,0", "n", "30 0"),
    "-nb": ("5,9", "nb", "5 9"),
}
def assert_same_report(one, other):
    assert one.status == other.status == 0, f"{one}\n{other}"
    assert report.comparable(one.stdout) == report.comparable(other.stdout)
    assert report.residuals(one.stdout) == report.residuals(other.stdout)


def test_options_mean_what_their_lines_mean(xhpl):
    lines = {name: values for _, name, values in NUMBERS.values()}
    options = [x for option, (value, *_) in NUMBERS.items() for x in (option, value)]
    in_file = xhpl(dat=hpl_dat.text(**lines))
    on_line = xhpl(*options, dat=hpl_dat.text())
    assert_same_report(on_line, in_file)


def test_quiet_leaves_only_warnings_on_stderr(xhpl):
    loud = xhpl(dat=hpl_dat.text())
    quiet = xhpl("--quiet", dat=hpl_dat.text())
    assert_same_report(loud, quiet)
    kept = quiet.stderr.splitlines()
    assert len(kept) < len(loud.stderr.splitlines())
    assert all("warning: " in line for line in kept), str(quiet)


@pytest.mark.parametrize(
    "options, processes, status", [([], None, 1), (["--upstream-exit"], None, 0), ([], 2, 1)]
)
def test_a_failed_residual_is_status_1_if_not_upstreams(xhpl, options, processes, status):
    dat = hpl_dat.text(threshold="1e-9", p=str(processes or 1), n="30 40")
    outcome = xhpl(*options, dat=dat, processes=processes).ended(status)
    assert report.counts(outcome.stdout)["failed"] == 2
    assert re.search(r"error: .*FAILED: the scaled residual is \S+, and must be less than "
                     r"1e-09$", outcome.stderr, re.M), str(outcome)  # fmt: skip


def test_the_smallest_orders_pass_and_order_zero_has_a_zero_residual(xhpl):
    outcome = xhpl(dat=hpl_dat.text(n="0 1 2")).succeeded()
    assert report.counts(outcome.stdout)["passed"] == 3
    assert len(report.residuals(outcome.stdout)) == 3
    assert report.rows(outcome.stdout)[0][1:] == (0, 8, 1, 1, 0.0, 0.0)
    assert report.residuals(outcome.stdout)[0] == 0.0


@pytest.mark.parametrize("threshold", ["0", "-16.0"])
def test_no_residual_is_computed_at_a_threshold_of_zero_or_less(xhpl, threshold):
    outcome = xhpl(dat=hpl_dat.text(threshold=threshold, n="40 50")).succeeded()
    assert report.residuals(outcome.stdout) == []
    assert outcome.stdout.count("T/V    ") == 2
    counts = report.counts(outcome.stdout)
    assert counts == {"finished": 2, "unchecked": 2, "skipped": 0}


def test_device_7_is_stderr(xhpl):
    on_stdout = xhpl("--quiet", dat=hpl_dat.text())
    on_stderr = xhpl("--quiet", dat=hpl_dat.text(device="7")).succeeded()
    assert on_stderr.stdout == "", str(on_stderr)
    wanted, got = report.comparable(on_stdout.stdout), on_stderr.stderr
    reported = report.comparable(got[got.index("=" * 80) :])
    assert reported[: len(wanted)] == wanted


@pytest.mark.parametrize("device", ["8", "0"])
def test_any_other_device_is_the_file_of_line_3(xhpl, device):
    on_stdout = xhpl(dat=hpl_dat.text())
    dat = hpl_dat.with_line(3, "results.txt output file", hpl_dat.text(device=device))
    in_file = xhpl(dat=dat)
    assert (in_file.status, in_file.stdout) == (0, ""), str(in_file)
    written = (xhpl.directory / "results.txt").read_text()
    assert report.comparable(written) == report.comparable(on_stdout.stdout)


def test_help_is_on_stdout_and_names_every_option_and_setting(xhpl):
    outcome = xhpl("--help", "all", processes=2)
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)
    options = {*NUMBERS, "--dat", "--set", "--quiet", "--upstream-exit", "--version"}
    for option in options | {"-p", "-q"}:
        name = option.lstrip("-")
        assert re.search(rf"^ +--?{name}\b", outcome.stdout, re.M), option
    for setting in ("blas_threads", "tile"):
        assert re.search(rf"^ +{setting}=", outcome.stdout, re.M), setting


def test_help_is_two_screens_and_its_topics_have_the_rest(xhpl):
    text = xhpl("--help").succeeded().stdout
    lines = text.splitlines()
    assert len(lines) <= 48 and max(map(len, lines)) <= 80, lines
    for said in ("the first two commands:\n  mpirun -np 8 --map-by ppr:1:node --bind-to none\n",
                 "(outside a batch job, add --hostfile FILE with one node per line); with Slurm:\n  srun -N 8 ", "allow a plan on a busy machine", "  xhpl --dat my.dat --set predict=on --json run.json ",
                 "If a plan is WORTHLESS", "--time 10m --write my.dat ",
                 "  --trust ", "to FILE, which must not exist",
                 "hpl-report run.json                                 report.html: is it good?\n", "the self-test found wrong results",
                 "takes the\nplace of its line", "replacing an earlier record",
                 "auto (every GPU), none,"):  # fmt: skip
        assert said in text, said
    assert sum(bool(re.match(r"  \w+=", line)) for line in lines) <= 7
    every = re.findall(r"^  (\w+)=", xhpl("--help", "all").stdout, re.M)
    for topic, ours in ("devices", "tile"), ("testing", "emu_fault"):
        named = re.findall(r"^  (\w+)=", xhpl("--help", topic).stdout, re.M)
        assert ours in named and (ours in every) == (topic == "devices"), named
    xhpl("--help", "test").refused("the nearest is testing")


def test_settings_that_a_solver_ignores_are_said_once(xhpl):
    options = "-n 40 -nb 8 -p 1 -q 2 --set solver=reference".split()
    for given, count in (["--set", "threads=2", "--set", "lookahead=1"], 1), ([], 0):
        outcome = xhpl(*options, *given, processes=2).succeeded()
        said = [x for x in outcome.stderr.splitlines() if "ignores" in x]
        assert len(said) == count and all("threads, lookahead" in x for x in said), str(outcome)


@pytest.mark.parametrize("n, nb, is_said", [
    ("40 0", "8 40", False), ("40", "41", True), ("100 40", "8 64", True)])  # fmt: skip
def test_blocks_wider_than_the_matrix_are_said_once(xhpl, n, nb, is_said):
    outcome = xhpl(dat=hpl_dat.text(n=n, nb=nb)).succeeded()
    assert outcome.stderr.count("is larger than N = 40") == int(is_said), str(outcome)


def test_what_auto_found_is_said_once(xhpl):
    options = ["-n", 40, "-nb", 8, "-p", 1, "-q", 2]
    stderr = xhpl(*options, processes=2).succeeded().stderr
    if "solver: hybrid" not in stderr:
        pytest.skip("built with HYBRID=no")
    assert stderr.count("devices=auto: ") == 1, stderr
    assert "cannot open shared object" not in stderr, stderr
    if not glob.glob("/dev/nvidia[0-9]*") and not glob.glob("/dev/kfd"):
        assert "devices=auto: no GPU found: " in stderr, stderr
    quiet = xhpl(*options, "--set", "devices=none", processes=2).succeeded()
    assert "devices=auto" not in quiet.stderr, str(quiet)


@pytest.mark.skipif(not (jobs.BIN / "libhyb_emu.so").exists(), reason="built without hybrid/")
@pytest.mark.parametrize("devices", ("enu:1", "emu:1000000", "emu:1,emu:2"))
def test_devices_that_are_not_there_are_told_once(xhpl, devices):
    outcome = xhpl("-n", 50, "-nb", 8, "-p", 2, "-q", 2, "--set", f"devices={devices}",
                   processes=4)  # fmt: skip
    outcome.refused(f'error: rank 0 on {os.uname().nodename}: devices "{devices}": ')
    assert outcome.stderr.count(f'devices "{devices}"') == 1, str(outcome)


@pytest.mark.skipif(not (jobs.BIN / "libhyb_emu.so").exists(), reason="built without hybrid/")
def test_what_a_device_that_only_models_time_computes_is_not_right(xhpl):
    outcome = xhpl("-n", 50, "-nb", 8, "-p", 1, "-q", 1, "--set", "devices=emu:1",
                   "--set", "emu_dry=on", "--set", "home=device", "--set", "trust=off")  # fmt: skip
    assert outcome.status != 0 and "PASSED" not in outcome.stdout, str(outcome)


@pytest.mark.parametrize("verify", ["online", "end"])
def test_orders_from_zero_on_are_solved_under_the_online_check(xhpl, verify):
    """No size of the input is divided by."""
    dat = hpl_dat.text(n="0 1 2 3", nb="1 2 32", p="1 2", q="2 1")
    settings = ["--set", f"verify={verify}", "--set", "verify_every=1"]
    outcome = xhpl(*settings, dat=dat, processes=2).succeeded()
    assert report.counts(outcome.stdout)["passed"] == 24, str(outcome)


def test_n_alone_or_with_nb_p_and_q_is_enough_where_there_is_no_file(xhpl):
    rows = report.rows(xhpl(*"-n 40,50 -nb 8 -p 1 -q 1".split()).succeeded().stdout)
    assert [row[1:5] for row in rows] == [(40, 8, 1, 1), (50, 8, 1, 1)]
    outcome = xhpl("-n", "300", processes=2).succeeded()
    assert "HPL.dat not found: using NB = 192 and 1 x 2 processes" in outcome.stderr
    (row,) = report.rows(outcome.stdout)
    assert [*row[1:5]] == [300, 192, 1, 2], str(outcome)
    xhpl("-n", "300", "-p", "1", "--quiet").ended(2, "HPL.dat")


def test_each_test_runs_so_often_and_mean_and_spread_are_said(xhpl):
    outcome = xhpl("--runs", "3", "-n", "100,200", "--nb", "16").succeeded()
    rows = report.rows(outcome.stdout)
    assert [row.n for row in rows] == [100] * 3 + [200] * 3, str(outcome)
    said = re.findall(r"3 runs of N = (\d+).*: mean (\S+) Gflop/s, (\S+) to (\S+), spread",
                      outcome.stderr)  # fmt: skip
    assert [int(x[0]) for x in said] == [100, 200], str(outcome)
    for n, mean, least, most in said:
        of_n = [row.gflops for row in rows if row.n == int(n)]
        assert float(least) == pytest.approx(min(of_n), rel=1e-3)
        assert float(most) == pytest.approx(max(of_n), rel=1e-3)
        assert float(mean) == pytest.approx(sum(of_n) / 3, rel=1e-3)
    assert "best: N = " in outcome.stderr
