# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run, --json: its schema, and what is in it."""
import json
import os
import re
import time
from datetime import datetime
from pathlib import Path

import pytest

import hpl_dat
import jobs
import report
from records import SCHEMA, VALIDATOR, statuses, valid
from test_plan import measures

pytestmark = pytest.mark.surface

PAGE = (jobs.SOURCE / "docs/RECORD.md").read_text()
ONE = ["-n", "200", "-nb", "16", "-p", "1", "-q", "1"]


def moment(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").timestamp()


# Variables that may change numbers, and others, whose values are nobody's business.
WANTED = {
    "OMP_PLACES": "cores", "UCX_TLS": "", "OPENBLAS_VERBOSE": "0",
    "GLIBC_TUNABLES": "glibc.malloc.arena_max=1", "XHPL_TILE": "256",
    "SLURM_NNODES": "3", "PMIX_MCA_x": "a=b",
}
HIDDEN = ("EDITOR", "MY_OMP_PLACES", "SLURM_JOB_ACCOUNT", "MKL_API_KEY", "UCX_token",
          "OMP_MyPassword", "FI_SECRET")


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """Outcome and record of one run in such an environment, in a batch job in Tokyo."""
    options = "--set tile=512 --bcast Blong --swap-threshold 7 --json run.json".split()
    env = {**WANTED, **dict.fromkeys(HIDDEN, "hidden"), "XHPL_PIPELINE": "3", "TZ": "Asia/Tokyo",
           "SLURM_JOB_ID": "4711", "SLURM_JOB_NODELIST": "n[1-3]"}  # fmt: skip
    folder, before = tmp_path_factory.mktemp("one"), time.time()
    outcome = jobs.run([jobs.XHPL, *ONE, *options], folder, env).succeeded()
    found = valid((folder / "run.json").read_text())
    utc = datetime.utcfromtimestamp(before - 0.01).isoformat()
    assert utc[:22] <= found["start"]
    return outcome, found


# ---- what is in it -----------------------------------------------------------


def test_tests_are_those_of_the_report_in_full_precision(recorded):
    dat = hpl_dat.text(n="100 120", depth="0 1", bcast="0 5", pmap="1")
    outcome, found = recorded(dat=dat)
    rows, tests = report.rows(outcome.stdout), found["tests"]
    keys = ("tag", "n", "nb", "p", "q")
    assert [tuple(t[k] for k in keys) for t in tests] == [r[:5] for r in rows]
    assert len(tests) == 8 and set(statuses(found)) == {"PASSED"}
    for test, row in zip(tests, rows):
        n, norms, eps = test["n"], test["norms"], 2**-53
        scale = norms["x_inf"] * norms["a_inf"] + norms["b_inf"]
        residual = norms["r_inf"] / (eps * scale * n)
        assert test["residual"] == pytest.approx(residual)
        assert f"{test['gflops']:.4e}" == f"{row.gflops:.4e}"
        flop = (2 / 3 * n + 3 / 2) * n * n
        assert test["gflops"] == pytest.approx(flop / test["seconds"] / 1e9)
    residuals = [float(f"{test['residual']:.8e}") for test in tests]
    assert residuals == report.residuals(outcome.stdout)


def test_times_are_in_utc_and_in_order_and_on_stderr_in_full_precision(one):
    outcome, found = one
    (test,) = found["tests"]
    times = [found["start"], test["start"], test["end"], found["end"]]
    assert times == sorted(times)
    assert moment(test["end"]) - moment(test["start"]) >= test["seconds"] - 0.002
    pattern = r"^xhpl: N = 200, NB = 16, 1 x 1 processes: (\d+\.\d{9}) seconds, (\S+) Gflop/s$"
    ((seconds, rate),) = re.findall(pattern, outcome.stderr, re.M)
    assert float(seconds) == pytest.approx(test["seconds"], abs=1e-9)
    assert float(rate) == pytest.approx(test["gflops"], rel=1e-8)


def test_choices_are_in_it_as_they_were_used(one, xhpl):
    outcome, found = one
    text = xhpl("--help", "all").stdout + xhpl("--help", "testing").stdout
    settings = found["settings"]
    assert sorted(settings) == sorted(re.findall(r"^  (\w+)=VALUE", text, re.M))
    wanted = {"value": 512, "default": 0, "changed": True, "source": "--set"}
    assert settings["tile"] == wanted
    assert settings["pipeline"]["source"] == "XHPL_PIPELINE"
    assert settings["memory_reserve"]["changed"] is False
    dat = found["hpl_dat"]
    assert (dat["bcast"], dat["swap_threshold"], dat["n"]) == (["Blong"], 7, [200])
    assert found["command_line"][1:] == outcome.command[1:]
    environment = found["environment"]
    assert WANTED.items() <= environment.items() and "hidden" not in json.dumps(found)
    assert list(environment) == sorted(environment)


def test_it_names_the_program_its_libraries_its_job_and_its_host(one, xhpl, recorded):
    outcome, found = one
    program, blas, (host,) = found["program"], found["blas"], found["hosts"]
    assert f"xhpl {program['version']}\n" == xhpl("--version").stdout
    assert "-std=c11" in program["compile_command"]
    said = f"BLAS: {blas['name']}, version {blas['version'] or 'unknown'}, "
    assert said in outcome.stderr, str(outcome)
    assert found["solver"] in ("hybrid", "reference") and found["kernel"] is not None
    assert found["job"] == {"id": "4711", "nodes": "n[1-3]"}
    assert recorded(*ONE, env={"PBS_JOBID": "7.x"})[1]["job"]["id"] == "7.x"
    if not os.environ.keys() & {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}:
        assert recorded(*ONE)[1]["job"] is None
    told = Path("/proc/cpuinfo").read_text()
    microcode = re.search(r"^microcode\s*: (\S+)", told, re.M)
    assert host["microcode"] == (microcode[1] if microcode else None)
    smt = Path("/sys/devices/system/cpu/smt/control")
    assert host["smt"] == (smt.read_text().strip() if smt.exists() else None)


def cores_of(found):
    """Cores of all processes, and of the hosts' ceilings, which count each once."""
    lists = {rank["cpus_allowed"]: rank["cores"]
             for host in found["hosts"] for rank in host["ranks"]}  # fmt: skip
    ceilings = [host["fma_ceiling"] for host in found["hosts"]]
    assert all(c["gflops"] > 0 for c in ceilings)
    return sum(lists.values()), sum(c["cores"] for c in ceilings)


def test_every_rank_is_on_one_host_and_each_core_counts_once(one, recorded):
    kept = {"OMPI_MCA_btl_base_verbose": "0"}
    options = ["-n", "60", "-nb", "8", "-p", "1,2", "-q", "1,2"]
    _, found = recorded(*options, processes=4, env=kept)
    assert found["mpi"]["processes"] == 4
    ranks = [rank for host in found["hosts"] for rank in host["ranks"]]
    assert sorted(rank["rank"] for rank in ranks) == [0, 1, 2, 3]
    assert len({host["name"] for host in found["hosts"]}) == len(found["hosts"])
    for host in found["hosts"]:
        locals_ = [rank["local_rank"] for rank in host["ranks"]]
        assert locals_ == list(range(len(locals_)))
        assert host["memory_available_bytes"] <= host["memory_bytes"]
        machine = host["machine"]
        assert set(machine) == {"sockets", "cores", "numa_nodes", "topology"}
        if machine["cores"] and host["cpus_online"]:
            assert machine["sockets"] <= machine["cores"] <= os.cpu_count()
    assert [(t["p"], t["q"]) for t in found["tests"]] == [(1, 1), (2, 2)]
    for each in found, one[1]:
        assert len(set(cores_of(each))) == 1
    # Of what a launcher sets for each job nothing is in it.
    again = recorded(*options, processes=4, env=kept)[1]["environment"]
    assert again == found["environment"] and kept.items() <= again.items()
    rows = found["iterations"]
    if found["solver"] != "reference":
        assert {row["rank"] for row in rows} == {0} and {row["n"] for row in rows} == {60}
        assert [row["iteration"] for row in rows] == 2 * list(range(len(rows) // 2))


def test_the_reference_solver_is_one_thread_where_the_launcher_lets_it(recorded):
    _, found = recorded(*ONE, "--set", "solver=reference")
    ((rank,),) = [host["ranks"] for host in found["hosts"]]
    assert (found["kernel"], rank["threads"]) == ("blas", 1)
    assert rank["cpus_taken"] is None
    assert found["hosts"][0]["fma_ceiling"]["cores"] == rank["cores"]


@pytest.mark.skipif(not (jobs.BIN / "libhyb_emu.so").exists(), reason="built without hybrid/")
def test_every_device_stands_with_its_rank(recorded):
    options = ["-p", "1", "-q", "2", "--set", "devices=emu:3"]
    _, found = recorded("-n", "60", "-nb", "16", *options, processes=2)
    named = [(device["rank"], device["name"]) for device in found["devices"]]
    assert named == [(0, "emu:0"), (0, "emu:2"), (1, "emu:1")]
    assert {x["model"] for x in found["devices"]} == {"emulated device"}
    assert found["tests"][0]["energy"]["device_joules"] is None


@pytest.mark.skipif(not (jobs.BIN / "libhyb_emu.so").exists(), reason="built without hybrid/")
def test_what_other_processes_warned_of_is_in_it(recorded):
    options = ["-p", "1", "-q", "2", "--set", "devices=emu:2",
               "--set", "emu_fault=oom@alloc:1", "--set", "trust=off"]
    outcome, found = recorded("-n", "300", "-nb", "16", *options, processes=2)
    said = re.findall("^xhpl: warning: (.*)$", outcome.stderr, re.M)
    texts = [finding["text"] for finding in found["findings"]]
    assert sorted(texts) == sorted(said)
    assert any(text.startswith("rank 1 on ") for text in texts)
    times = [finding["time"] for finding in found["findings"]]
    assert times == sorted(times)


def test_binding_is_the_launchers(recorded, xhpl):
    cpu = min(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(cpu), jobs.XHPL, *ONE, "--json", "b.json"]
    jobs.run(command, xhpl.directory).succeeded()
    found = valid((xhpl.directory / "b.json").read_text())
    (host,) = found["hosts"]
    assert host["ranks"][0]["cpus_allowed"] == str(cpu)
    assert host["fma_ceiling"]["cores"] == 1


# ---- all that can be turned on -----------------------------------------------

NOTHING = ["--progress", "off", "--set", "diagnosis=off"]
EVERYTHING = (
    "--json run.json --trace trace.json --iterations iterations.csv --progress on "
    "--set predict=on --set plan_seconds=0.01 --set diagnosis=on"
).split()


@pytest.mark.few(1)
@measures
@pytest.mark.parametrize("processes", [1, 4])
def test_all_that_can_be_turned_on_leaves_stdout_as_it_is(xhpl, processes):
    side = "1" if processes == 1 else "2"
    lists = {"n": "0 60 333", "nb": "16 32", "depth": "0 1 2", "bcast": "1 4"}
    dat = hpl_dat.text(**lists, p=side, q=side)
    # A kernel that is chosen by its speed may be another one the next time.
    rest = {"dat": dat, "processes": processes, "env": {"XHPL_KERNEL": "portable"}}
    plain, outcome = xhpl(*NOTHING, **rest), xhpl(*EVERYTHING, **rest)
    assert plain.status == 0, str(plain)
    assert outcome.status == 0, str(outcome)
    assert "progress: " in outcome.stderr and "progress: " not in plain.stderr
    assert len(report.rows(plain.stdout)) == 36
    assert report.timeless(outcome.stdout) == report.timeless(plain.stdout)


# ---- the file ----------------------------------------------------------------


def test_a_full_disk_is_a_failure_at_run_time(xhpl):
    outcome = xhpl(*ONE, "--json", "/dev/full", processes=2).ended(3)
    assert "cannot write the file of --json: No space" in outcome.stderr, str(outcome)


# ---- schema and page ---------------------------------------------------------


def objects(schema):
    """Every part of a schema that describes an object's members."""
    if isinstance(schema, list):
        for part in schema:
            yield from objects(part)
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            yield schema
        for part in schema.values():
            yield from objects(part)


def test_the_schema_is_one_and_leaves_no_member_open():
    VALIDATOR.check_schema(SCHEMA)
    found = list(objects(SCHEMA))
    assert len(found) > 8
    assert all(part["additionalProperties"] is False for part in found)


def test_the_schema_refuses_what_is_no_record(one):
    for path in (["exit_status"], ["tests", 0, "seconds"], ["mpi", "standard"]):
        wrong = json.loads(json.dumps(one[1]))
        at = wrong
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = "none"
        assert not VALIDATOR.is_valid(wrong), path
        del at[path[-1]]
        assert not VALIDATOR.is_valid(wrong), path


def test_the_page_explains_every_member():
    names = {name for part in objects(SCHEMA) for name in part["properties"]}
    assert [n for n in sorted(names) if f"`{n}`" not in PAGE] == []
