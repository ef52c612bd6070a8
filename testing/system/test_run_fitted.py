# SPDX-License-Identifier: BSD-3-Clause
"""scripts/run-fitted, which make run calls: with a small plan, and with programs
that measure nothing."""
import pytest

import hpl_dat
import jobs
import records
from report_page import call
from test_plan import measures

pytestmark = pytest.mark.scripts

PROBE = """\
echo cores 2
echo memory 1000000000
echo ceiling 1e11
echo dgemm 192 1e11
"""
LAUNCHER = """\
shift 2
exec "$@"
"""
# What it asks for takes a minute. This plans in no time, and measures briefly.
SMALL = """\
case "$*" in
*--plan*) exec {write_dat} 300 32 1 1 > HPL.dat ;;
esac
exec {xhpl} "$@" --set plan_seconds=0.01
"""


def run_with(xhpl, tmp_path, unit="numa", env=None):
    """The outcome with a script as xhpl."""
    for name, text in ("xprobe", PROBE), ("xhpl", xhpl), ("launch", LAUNCHER):
        jobs.program(tmp_path / "bin" / name, text)
    script = jobs.SOURCE / "scripts/run-fitted"
    outcome = jobs.run([script, "bin", "run", unit], tmp_path, env)
    assert outcome.succeeded().stdout.endswith("\nPASSED\n"), str(outcome)
    return outcome


@pytest.fixture(name="run_fitted")
def run_fitted_fixture(tmp_path):
    """Let run-fitted have little to do; its outcome, and the run's record."""
    writer = jobs.SOURCE / "scripts/write-dat"

    def run(env=None):
        small = SMALL.format(write_dat=writer, xhpl=jobs.XHPL)
        outcome = run_with(small, tmp_path, env=env)
        return outcome, records.valid((tmp_path / "run/run.json").read_text())

    return run


@measures
def test_it_ends_with_what_the_run_is_worth(run_fitted, tmp_path):
    fitted, record = run_fitted()
    rate = fitted.stdout.splitlines()[-2]
    assert "of the FMA ceiling" in rate
    (test,), (host,) = record["tests"], record["hosts"]
    ceiling = host["fma_ceiling"]  # not of the stub of xprobe
    assert f" ({ceiling['gflops']:.1f}) of {ceiling['cores']} cores" in rate
    assert test["prediction"]["seconds"] > 0
    assert "run: a page about this run: run/report.html\n" in fitted.stderr
    said = call(tmp_path / "run", "--verdict", "run.json").stdout
    assert f"run: is it good? {said}" in fitted.stderr, str(fitted)
    assert fitted.stderr.splitlines()[-1].startswith("run: next, plan an hour's run"), str(fitted)


@pytest.mark.few(1)
@measures
@pytest.mark.parametrize(
    "nodes, processes", [(["0-1", ""], 1), (["0", "1", "", ""], 2), ([], 1)])
def test_nodes_without_cores_have_no_process(run_fitted, tmp_path, nodes, processes):
    for number, cpus in enumerate(nodes):
        (tmp_path / f"nodes/node{number}").mkdir(parents=True)
        (tmp_path / f"nodes/node{number}/cpulist").write_text(cpus + "\n")
    _, record = run_fitted({"NUMA_NODES": str(tmp_path / "nodes")})
    assert record["mpi"]["processes"] == processes


# ---- the HPL.dat of the user -------------------------------------------------

# Plans the file called "planned", and "runs" whatever HPL.dat it finds.
XHPL = """\
while [ $# -gt 0 ]; do
    if [ "$1" = --write ]; then
        [ ! -e "$2" ] || exit 2
        exec cp "$(dirname "$0")/planned" "$2"
    fi
    shift
done
[ -s HPL.dat ] || exit 2
echo "WR11C2R4 40 8 1 1 0.10 9.0000e+01"
echo "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= 1.0e-03 ...... PASSED"
"""


@pytest.fixture(name="rerun")
def rerun_fixture(tmp_path):
    """make run's last step, by core or numa; rerun.dat is the HPL.dat it uses."""

    def run(unit):
        env = {"MPIRUN": str(tmp_path / "bin/launch")}
        return run_with(XHPL, tmp_path, unit, env)

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/planned").write_text(hpl_dat.text())
    run.dat = tmp_path / "run/HPL.dat"
    return run


def kept(rerun):
    """What was kept of the user's files, in order."""
    files = sorted(rerun.dat.parent.glob("HPL.dat.own.*"))
    return [file.read_text() for file in files]


@pytest.mark.parametrize("unit", ["numa", "core"])
def test_a_file_changed_by_hand_is_kept(rerun, unit):
    rerun(unit)
    fitted = rerun.dat.read_text()
    rerun.dat.write_text("mine\n")
    outcome = rerun(unit)
    assert kept(rerun) == ["mine\n"]
    assert "kept as HPL.dat.own.1\n" in outcome.stderr, str(outcome)
    assert rerun.dat.read_text() == fitted


# ---- what is next ------------------------------------------------------------


@pytest.mark.parametrize("unit, what", [("core", "edit HPL.dat"), ("numa", "plan an hour's run")])
def test_the_last_line_can_be_typed(rerun, tmp_path, unit, what):
    """The plan of the hour takes no place of a file that is there."""
    last = rerun(unit).stderr.splitlines()[-1]
    said, _, command = last.partition(": cd ")
    assert said.startswith(f"run: next, {what}"), last
    env = {"MPIRUN": str(tmp_path / "bin/launch")}
    assert "PASSED" in jobs.run(["sh", "-c", f"cd {command}"], "/", env).succeeded().stdout


def test_after_a_failure_it_says_where_remedies_are(rerun, tmp_path):
    jobs.program(tmp_path / "bin/xhpl", XHPL.replace("PASSED", "FAILED"))
    for name, text in ("xprobe", PROBE), ("launch", LAUNCHER):
        jobs.program(tmp_path / "bin" / name, text)
    env = {"MPIRUN": str(tmp_path / "bin/launch")}
    outcome = jobs.run([jobs.SOURCE / "scripts/run-fitted", "bin", "run", "core"], tmp_path, env)
    assert outcome.status == 1 and outcome.stdout.endswith("\nFAILED\n"), str(outcome)
    assert "TROUBLESHOOTING" in outcome.stderr.splitlines()[-1], str(outcome)
