# SPDX-License-Identifier: BSD-3-Clause
"""The kit in examples/, run as far as it can be here, and the bundle of a run."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import types

import pytest

import jobs

EXAMPLES = jobs.SOURCE / "examples"
pytestmark = pytest.mark.surface
RUN = ["-n", "1000", "--nb", "64", "-p", "1", "-q", "1"]


# ---- ReFrame -------------------------------------------------------------------------


class Checked:
    """What a ReFrame test sees of one: the words that its class body uses."""

    def __init__(self, stdout):
        self.stdout = stdout


def reframe_check(stdout):
    """The test of the kit, on what a run printed; ReFrame is stood in for by as much
    of it as the test uses."""
    sanity = types.SimpleNamespace(
        assert_found=lambda pattern, text: bool(re.search(pattern, text, re.M)),
        extractsingle=lambda pattern, text, tag, kind: kind(
            re.search(pattern, text, re.M)[tag]))
    here = {
        "rfm": types.SimpleNamespace(simple_test=lambda found: found,
                                     RunOnlyRegressionTest=Checked),
        "sn": sanity, "variable": lambda kind, value: value,
        "run_before": lambda stage: lambda method: method,
        "sanity_function": lambda method: method,
        "performance_function": lambda unit: lambda method: method,
        "__name__": "kit"}  # fmt: skip
    text = (EXAMPLES / "reframe/xhpl_check.py").read_text()
    exec(re.sub(r"^import reframe.*$", "", text, flags=re.M), here)
    return here["xhpl_check"](stdout)


def test_reframe_s_test_reads_what_xhpl_prints(tmp_path):
    made = reframe_check("")
    made.n, made.nb = 1000, 64
    made.set_options()
    outcome = jobs.run([made.executable, *made.executable_opts], tmp_path, jobs.as_installed())
    made = reframe_check(outcome.succeeded().stdout)
    assert made.residual_passed()
    record = json.loads((tmp_path / made_file(made)).read_text())
    assert made.rate() == pytest.approx(record["tests"][0]["gflops"], rel=1e-3)
    assert not reframe_check("1 tests completed and failed residual").residual_passed()


def made_file(made):
    made.set_options()
    return made.keep_files[0]


# ---- batch scripts -------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("script", sorted(
    str(path.relative_to(EXAMPLES)) for pattern in ("*/*.sbatch", "*/*.sh")
    for path in EXAMPLES.glob(pattern)))  # fmt: skip
def test_a_script_calls_what_there_is(script, tmp_path):
    """Each runs with launchers that print their words; xhpl then takes its options."""
    for name in ("srun", "xhpl-campaign"):
        jobs.program(tmp_path / f"bin/{name}", f'echo {name} "$@"\n')
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    outcome = jobs.run(["sh", EXAMPLES / script], tmp_path,
                       {"PATH": path, "SLURM_JOB_ID": "7"}).succeeded()  # fmt: skip
    words = outcome.stdout.split()
    if words[0] == "srun":
        assert "--mpi=pmix" in words
        given = words[words.index("xhpl") + 1:]
        assert {"--json": "xhpl-7.json", "--set": "devices=cuda"}[given[0]] == given[1]
        program = [jobs.XHPL, *RUN, *given]
        jobs.run([w.replace("devices=cuda", "devices=none") if isinstance(w, str) else w
                  for w in program], tmp_path, jobs.as_installed()).succeeded()  # fmt: skip
    else:
        assert words[:2] == ["xhpl-campaign", "run"]
        program = [jobs.SOURCE / "scripts/xhpl-campaign", *words[1:]]
        outcome = jobs.run(program, tmp_path)
        assert "unrecognized" not in outcome.stderr, str(outcome)


def test_the_script_for_gpus_starts_as_many_processes_as_its_page():
    """One for each GPU, and the comment has as many as P x Q on its nodes."""
    def counts(text):
        return [re.findall(rf"--{x}-per-node=(\d+)", text) for x in ("ntasks", "gpus")]

    script = (EXAMPLES / "slurm/gpu.sbatch").read_text()
    page = (jobs.SOURCE / "docs/GPU.md").read_text()
    found, = {tuple(map(int, pair)) for text in (script, page.replace("srun -N", "\nsrun -N"))
              for pair in zip(*counts(text))}
    nodes = int(re.search(r"--nodes=(\d+)", script)[1])
    assert found[0] == found[1] and f"{nodes * found[0]} on {nodes} nodes" in script


# ---- what a list or a contest asks for -------------------------------------------------


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """The record of a run."""
    folder = tmp_path_factory.mktemp("solved")
    jobs.run([jobs.XHPL, *RUN, "--json", "run.json"], folder,
             {**jobs.as_installed(), "XHPL_THREADS": "1"}).succeeded()
    return folder / "run.json"


@pytest.fixture
def packed(solved, tmp_path):
    """Pack a run; its files by name, and the outcome."""
    shutil.copy(solved, tmp_path)
    (tmp_path / "HPL.dat").write_text("as it was\n")
    record = json.loads((tmp_path / "run.json").read_text())

    def pack(log=None, *more):
        words = [jobs.SOURCE / "scripts/pack-submission", "run.json", "HPL.dat",
                 "-o", "top.tar.gz", *more]
        if log is not None:
            (tmp_path / "log.csv").write_text(log)
            words += ["--meter", "log.csv"]
        outcome = jobs.run(words, tmp_path)
        if outcome.status:
            return None, outcome
        with tarfile.open(tmp_path / "top.tar.gz") as archive:
            return {member.name.partition("/")[2]: archive.extractfile(member).read()
                    .decode() for member in archive}, outcome  # fmt: skip

    pack.test = record["tests"][0]
    return pack


def test_the_bundle_has_record_files_times_and_configuration(packed):
    found, _ = packed()
    assert sorted(found) == ["HPL.dat", "configuration.json", "run.json", "times.txt"]
    assert found["HPL.dat"] == "as it was\n"
    assert packed.test["start"] in found["times.txt"]
    assert "PASSED" in found["times.txt"]
    described = json.loads(found["configuration.json"])
    assert described["settings"]["threads"] == 1
    assert described["mpi"] and described["blas"] and described["hosts"]


def seconds(text):
    words = ["date", "-u", "-d", text, "+%s.%N"]
    return float(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.parametrize("head", ("", "time,watts\n"))
def test_a_meter_s_log_is_merged_by_time(packed, head):
    """Of four readings two lie within the timed phase."""
    begin, end = seconds(packed.test["start"]), seconds(packed.test["end"])
    rows = [(begin - 5, 100), (begin, 300), (end, 500), (end + 5, 100)]
    found, _ = packed(head + "".join(f"{at:.6f},{watts}\n" for at, watts in rows))
    table = list(csv.reader(io.StringIO(found["meter.csv"])))
    assert [row[1:] for row in table] == [
        ["watts", "test"], ["100.0", ""], ["300.0", "1"], ["500.0", "1"],
        ["100.0", ""]]
    assert "power     400 W, mean of 2 readings" in found["times.txt"]


def test_a_log_in_iso_8601_needs_its_zone(packed):
    start = packed.test["start"]
    assert ",1\n" in packed(f"{start},250\n")[0]["meter.csv"]
    packed(f"a,b\n{start.rstrip('Z')},250\n")[1].refused("has no zone")


def test_what_cannot_be_submitted_is_not_packed(packed, tmp_path):
    packed(None, "none")[1].refused("none: No such file")
    packed(None, "HPL.dat")[1].refused("two files are named HPL.dat")
    record = json.loads((tmp_path / "run.json").read_text())
    for status, said in (("FAILED", "the residual is too large"),
                         ("UNCHECKED", "the solution was not checked")):  # fmt: skip
        record["tests"][0]["status"] = status
        (tmp_path / "run.json").write_text(json.dumps(record))
        packed()[1].refused("run.json cannot be submitted", said)
    assert not (tmp_path / "top.tar.gz").exists()


def test_a_bundle_replaces_nothing_but_a_bundle(packed, tmp_path):
    assert packed()[0] and packed()[0]
    (tmp_path / "top.tar.gz").write_text("precious\n")
    packed()[1].refused("top.tar.gz was not made by this program", "--force")
    packed(None, "-o", "run.json", "--force")[1].refused("run.json is an input")
    assert (tmp_path / "top.tar.gz").read_text() == "precious\n"
    assert packed(None, "--force")[0]
