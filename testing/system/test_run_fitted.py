# SPDX-License-Identifier: BSD-3-Clause
"""run-fitted, which make run calls, with a small plan; and what it needs."""
import shutil

import pytest

import jobs
import records
from report_page import call
from test_plan import measures

pytestmark = pytest.mark.scripts

PROBE = """\
echo cores 2
echo ceiling 1e11
echo dgemm 192 1e11
"""
# What it asks for takes a minute. This plans in no time, and measures briefly.
SMALL = """\
case "$*" in
*--plan*) exec {write_dat} 300 32 1 1 > HPL.dat ;;
esac
exec {xhpl} "$@" --set plan_seconds=0.01 --set blas_check=off
"""


def write_program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


@pytest.fixture(name="run_fitted")
def run_fitted_fixture(tmp_path):
    """Let run-fitted have little to do; its outcome."""

    def run(env=None):
        small = SMALL.format(
            write_dat=jobs.SOURCE / "scripts/write-dat", xhpl=jobs.XHPL)
        write_program(tmp_path / "bin/xprobe", PROBE)
        write_program(tmp_path / "bin/xhpl", small)
        script = jobs.SOURCE / "scripts/run-fitted"
        return jobs.run([script, "bin", "run", "numa"], tmp_path, env)

    return run


@measures
def test_it_ends_with_what_the_run_is_worth(run_fitted, tmp_path):
    fitted = run_fitted().succeeded()
    *_, rate, last = fitted.stdout.splitlines()
    assert "of the FMA ceiling" in rate and last == "PASSED"
    record = records.valid((tmp_path / "run/run.json").read_text())
    (test,), (host,) = record["tests"], record["hosts"]
    ceiling = host["fma_ceiling"]  # not of the stub of xprobe
    assert f" ({ceiling['gflops']:.1f}) of {ceiling['cores']} cores" in rate
    assert test["prediction"]["seconds"] > 0
    assert "run: a page about this run: run/report.html\n" in fitted.stderr
    said = call(tmp_path / "run", "--verdict", "run.json").stdout
    assert f"run: is it good? {said}" in fitted.stderr, str(fitted)


@measures
def test_devices_are_not_held_against_the_cores(run_fitted):
    fitted = run_fitted({"XHPL_DEVICES": "emu:1"}).succeeded()
    *_, rate, last = fitted.stdout.splitlines()
    assert rate.endswith(" Gflop/s") and last == "PASSED"


@measures
@pytest.mark.parametrize(
    "nodes, processes", [(["0-1", ""], 1), (["0", "1", "", ""], 2), ([], 1)])
def test_nodes_without_cores_have_no_process(run_fitted, tmp_path, nodes, processes):
    for number, cpus in enumerate(nodes):
        (tmp_path / f"nodes/node{number}").mkdir(parents=True)
        (tmp_path / f"nodes/node{number}/cpulist").write_text(cpus + "\n")
    fitted = run_fitted({"NUMA_NODES": str(tmp_path / "nodes")}).succeeded()
    record = records.valid((tmp_path / "run/run.json").read_text())
    assert record["mpi"]["processes"] == processes


# ---- what is installed for it -------------------------------------------------


@pytest.fixture(name="bootstrap")
def bootstrap_fixture(tmp_path):
    """Run bootstrap run where nothing is missing, but what is named; its outcome,
    and what it had installed."""
    stubs = {
        "apt-get": f'echo "$*" >> {tmp_path}/asked\n[ "$broken" = no ]\n',
        "id": "echo 0\n",
    }
    there = ("pkg-config", "mpirun", "mpicc", "python3")

    def run(missing, manager=True, broken="no"):
        folder = tmp_path / "path"
        for name in there:
            write_program(folder / name, "exit 0\n")
        for name, text in stubs.items():
            write_program(folder / name, text)
        for name in (missing, *(() if manager else ["apt-get"])):
            (folder / name).unlink()
        env = {"PATH": str(folder), "broken": broken, "CC": "mpicc", "MPIRUN": ""}
        script = jobs.SOURCE / "setup/bootstrap"
        outcome = jobs.run([shutil.which("sh"), script, "run"], tmp_path, env)
        asked = tmp_path / "asked"
        return outcome, asked.read_text() if asked.exists() else ""

    return run


def test_python_is_installed_for_the_page(bootstrap):
    outcome, asked = bootstrap("python3")
    assert outcome.status == 0, str(outcome)
    assert asked.splitlines()[-1].split()[-1] == "python3"
    assert "installing python3\n" in outcome.stderr


def test_a_run_does_without_python(bootstrap):
    outcome, asked = bootstrap("python3", broken="yes")
    assert outcome.status == 0 and "python3" in asked, str(outcome)
    assert "cannot install: python3" in outcome.stderr
    outcome, _ = bootstrap("python3", manager=False)
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)


def test_a_run_does_not_do_without_a_launcher(bootstrap):
    outcome, asked = bootstrap("mpirun")
    assert outcome.status == 2 and "openmpi-bin" in asked, str(outcome)
    assert "still missing for: run" in outcome.stderr
