# SPDX-License-Identifier: BSD-3-Clause
"""hpl-report: whether a run is good, and why not."""
import copy
import json
import re

import pytest

import jobs
from report_page import assert_said, call, copies, many_hosts, page_of, text_of, verdict, words

pytestmark = pytest.mark.scripts


def rated(record, efficiency):
    """Let the record's test have reached a part of the ceiling."""
    ceiling = sum(h["fma_ceiling"]["gflops"] for h in record["hosts"])
    record["tests"][0]["gflops"] = efficiency * ceiling
    record["findings"] = []  # of binding, where there are more than two cores
    return record


def finding(record, text, level="warning"):
    record["findings"].append({"time": "2026-03-29T01:30:00.250Z", "level": level,
                               "text": text})


def bound(record, host="n1", cores=1):
    """Let a process have said that the launcher left cores idle."""
    finding(record, f"rank 0 on {host}: processes are bound to {cores} of 64 cores: "
            "to use all cores, mpirun --bind-to none or --set bind=node")


@pytest.fixture
def told(tmp_path, record):
    """The text of the page of the record as it is now."""
    return lambda: text_of(page_of(tmp_path, record))


def says(text, answer, part, whole=r"\S+ \S+"):
    """Does text answer so, with a rate as a part of another one?"""
    rate = rf"(the rate is )?[\d.]+( [GT]flop/s)? of the {whole} \({100 * part:.0f} %\) that its "
    return re.search(f"{re.escape(answer)}: {rate}", text)


# ---- runs of cores -----------------------------------------------------------


def test_the_rate_is_judged_by_the_ceiling(told, record):
    for efficiency, answer in ((0.9, "Yes"), (0.7, "It is fair"), (0.3, "No"), (1.01, "Yes"),
                               (1.3, "The record cannot tell")):  # fmt: skip
        rated(record, efficiency)
        assert says(told(), f"Is it good? {answer}", efficiency)
    record["hosts"][0]["fma_ceiling"] = None
    assert "the cores can do at most was not measured" in told()
    assert words.share(5.83, 136) == "5.83 of the 136\xa0Gflop/s (4.3\xa0%)"
    assert words.share(930, 1860) == "930\xa0Gflop/s of the 1.86\xa0Tflop/s (50\xa0%)"


def test_emulated_double_precision_makes_no_result(told, record):
    rated(record, 0.9)["settings"]["fp64"]["value"] = "emulated"
    assert "Is it good? Yes" in told()  # no device took part
    record["devices"] = [
        {"rank": 0, "name": "cuda:0", "model": "a GPU", "memory_bytes": 1 << 30,
         "clock_mhz": None, "temperature_celsius": None, "power_watts": None}]
    text = told()
    assert_said(text, "Is it good? No: double precision was emulated",
                "None: devices emulated double precision")
    assert "Rmax, Gflop/s" not in text


def test_a_threshold_of_ones_own_makes_no_result(told, record):
    rated(record, 0.9)["hpl_dat"]["threshold"] = 1e9
    record["tests"][0]["residual"] = 15.9
    assert "Is it good? Yes" in told()
    record["tests"][0]["residual"] = 16
    assert_said(told(), "Is it good? No: the residual is too large", 'See "It ends early" in '
                "docs/TROUBLESHOOTING.md of xhpl", "Rmax, Gflop/s: [fill in] (this run has no result")
    for place in set(verdict.SEE.values()):
        text = (jobs.SOURCE / "docs" / place.page).read_text()
        assert place.section in re.findall("^#+ (.*)$", text, re.M), place


def test_the_verdict_is_a_sentence_as_well(tmp_path, told, record):
    record["hosts"][0]["name"] = "node7"
    outcome = verdicts_of(tmp_path, copy.deepcopy(rated(record, 0.9)), rated(record, 0.3))
    assert (outcome.status, outcome.stderr) == (1, ""), str(outcome)
    tally, fast, slow = outcome.stdout.splitlines()
    assert tally == "2 runs: 1 good, 1 slow"
    assert says(fast, "r0.json on node7: Yes", 0.9) and fast.endswith(" are.")
    assert says(slow, "r1.json on node7: No", 0.3) and outcome.stdout.isascii()
    sentence, _, place = slow.split(": ", 1)[1].partition(" See ")
    assert not (tmp_path / "report.html").exists()
    assert f"Is it good? {sentence} See {place[:-1]}" in told()


@pytest.mark.parametrize("threads, reason", [
    (None, "other programs had these cores up to 54 % of the time; end them (the command top shows them)"),
    (64, "64 threads shared {cores} cores, and waited for each other up to 54 % of")])
def test_others_on_the_cores_come_before_the_blas(told, record, threads, reason):
    rated(record, 0.3)
    for rank, part in zip(record["tests"][0]["ranks"], (0.54, 0.02)):
        rank["others"] = part
    record["hosts"][0]["ranks"][0]["threads"] = threads
    text = told()
    assert "look at the BLAS" not in text
    for said in () if threads else (
            "rank 0 on n1: threads waited for cores 54% of the time of N = 9000: other "
            "programs have them (cc1plus, (sd) x)",
            "other programs had these cores 41% of the measuring time: this prediction is "
            "worthless. End these programs (cc1plus, (sd) x) and try again"):
        record["findings"] = []
        finding(record, said)
        assert "end them (cc1plus, (sd) x) and run again" in told()
    if threads:
        cores = sum(host["fma_ceiling"]["cores"] for host in record["hosts"])
        threads += sum(r["threads"] for h in record["hosts"] for r in h["ranks"][1:])
        reason = reason.replace("64", str(threads)).format(cores=cores)
    assert reason in text, text[:2000]


FAILED = {"status": "FAILED"}
ENDS = [({}, {}, 0, "Yes"), ({"exit_status": 3}, {}, 1, "There is no result"),
        ({"exit_status": None}, {}, 1, "There is no result"),
        ({"exit_status": 143}, {}, 1, "There is no result"),
        ({"tests": []}, {}, 1, "There is no result"), ({}, FAILED, 1, "No: the residual"),
        ({}, {"status": "UNCHECKED", "residual": None, "norms": None}, 1,
         "Nobody knows: the solution was not")]  # fmt: skip


@pytest.mark.parametrize("change, test, status, said", ENDS)
def test_the_verdicts_exit_status_says_whether_all_is_well(
        tmp_path, record, change, test, status, said):
    rated(record, 0.9)["tests"][0].update(test)
    outcome = verdicts_of(tmp_path, {**record, **change}).ended(status)
    assert said in outcome.stdout, str(outcome)
    assert len(outcome.stdout.splitlines()) == 1


def same_rate(record, part):
    """Iterations that reach a part of the ceiling, without a wait."""
    ceiling = sum(h["fma_ceiling"]["gflops"] for h in record["hosts"])
    for row in record["iterations"]:
        row["gflops"] = part * ceiling / 2
        row.update(dict.fromkeys(("wait_panel", "wait_exchange", "broadcast", "exchange"), 0))


def test_the_reason_is_what_holds_it_back(told, record):
    rated(record, 0.5)
    same_rate(record, 0.5)
    record["tests"][0]["seconds"] = 0.1
    assert "the test took only 100 ms, and a larger N" in told()
    record["tests"][0]["seconds"] = 2
    assert "even its fast iterations reach only" in told()
    same_rate(record, 0.9)
    assert "a larger N spends" in told()
    for row in record["iterations"]:
        row["wait_panel"] = 0.5 * row["seconds"]
    assert "spent 50 % of its time on waiting" in told()
    record["mpi"]["processes"] = 3
    assert "only 2 of 3 processes had a part" in told()


def test_idle_cores_are_counted_and_never_good(told, record):
    for efficiency, answer in (0.9, "It is fair"), (0.3, "No"):
        bound(rated(record, efficiency), cores=2)
        record["hosts"][0]["fma_ceiling"]["cores"] = 2
        text = told()
        assert says(text, f"Is it good? {answer}", efficiency)
        assert "only 2 of 64 cores were used; see binding: to use all cores, mpirun --bind-to none " in text
    many_hosts(record, 3, 1)
    rated(record, 0.9)
    for host, cores in zip(record["hosts"], (1, 1, 64)):
        host["fma_ceiling"]["cores"] = cores
        if cores == 1:
            bound(record, host["name"])
    assert "only 66 of 192 cores were used" in told()


def test_threads_and_kernel_are_told(told, record):
    record["kernel"] = "avx2"
    host = record["hosts"][0]
    for rank in host["ranks"]:
        rank.update(threads=12, cpus_taken="4-15", cpus_allowed="0-31")
    host["machine"].update(sockets=2, cores=32)
    text = told()
    assert "process 0 12 threads, on hardware threads 4-15" in text and "hybrid, kernel avx2" in text
    host["ranks"][0].update(threads=1, cpus_taken="4")
    text = told()
    assert "process 0 1 thread, on hardware thread 4 " in text
    assert re.search("Cores per processor: +16 ", text)
    del record["kernel"], host["machine"]  # as before they were told
    for rank in host["ranks"]:
        del rank["threads"], rank["cpus_taken"]
    text = told()
    assert re.search(r"process 0 \d+ cores?, may use hardware threads? ", text)
    assert "Solver hybrid" in text


# ---- devices -----------------------------------------------------------------


def with_devices(record, **prediction):
    """Let devices have taken part, and perhaps their rate been predicted."""
    rated(record, 1)["iterations"][0]["update_device_0"] = 0.1
    if prediction:
        told = {"seconds": 1, "ceiling_gflops": 50, **prediction}
        record["tests"][0]["prediction"] = told


def test_devices_are_judged_by_the_prediction(told, record):
    with_devices(record, gflops=800)
    for part, answer in (0.95, "Yes"), (0.8, "It is fair"), (0.5, "No"), (3.4, "The record cannot tell"):
        record["tests"][0]["gflops"] = part * 800
        text = told()
        assert says(text, answer, part, "800 Gflop/s")
    record["tests"][0]["gflops"] = 790
    bound(record)
    text = told()
    assert says(text, "It is fair", 0.9875, "800 Gflop/s")
    assert_said(text, " %) that its devices and cores, measured just before, should reach",
                "cores were used; see binding: to use all cores, mpirun --bind-to none ", "Predicted 800 Gflop/s in 1 s")
    assert "worthless" not in text
    finding(record, "other programs had these cores 41% of the measuring time: "
            "this prediction is worthless. End these programs (x) and try again")
    assert "Predicted 800 Gflop/s in 1 s (worthless: see below)" in told()


def on_devices(record, part, host=0, guests=0, memory=2**37, count=2, name="cuda"):
    """Let devices have held the matrix, and the run kept a part of their products."""
    with_devices(record)
    test = record["tests"][0]
    names = [f"{name}:{i}" for i in range(count)]
    record["devices"] = [{"rank": 0, "name": name, "model": "H200",
                          "memory_bytes": memory} for name in names]
    test["devices"] = [
        {"rank": 0, "name": name, "model": "H200", "gflops": 50e3,
         "up_bytes_per_second": None, "down_bytes_per_second": None, "mhz": None,
         "celsius": None} for name in names]  # fmt: skip
    places = {"panels": None, "host": host, "cuda:0": 100 - host, "guests of these": guests,
              "all": 100}
    test["plan"] = {"home": "auto", "panels": "auto", "share": None, "rows": [
        {"where": w, "blocks": b, "seconds": None} for w, b in places.items()]}
    test["gflops"] = part * count * 50e3


@pytest.mark.parametrize("count, which", [(1, "device"), (3, "3 devices together")])
def test_without_a_prediction_devices_are_judged_by_their_products(told, record, count, which):
    whole = f"{50 * count:#.3g}".rstrip(".") + " Tflop/s"
    for part, answer in ((0.91, "Yes"), (0.8, "It is fair"), (0.4, "No"),
                         (1.2, "The record cannot tell")):  # fmt: skip
        on_devices(record, part, count=count)
        text = told()
        assert says(text, f"Is it good? {answer}", part, whole)
    assert f" %) that its {which} kept up in matrix products" in text
    test = record["tests"][0]
    test["devices"][0]["gflops"], test["seconds"] = None, 0.8
    assert ("Is it good? The record cannot tell: the products of its devices were not "
            "measured, and no prediction was asked for: run again with --set predict=on" in told())
    test.update(devices=None, n=1000, nb=64, seconds=0.08)
    assert ("The record cannot tell: the test took 80 ms, and the products of its devices "
            "are measured from 0.5 s on, and no prediction was asked for: take N = 5056, " in told())


def test_software_devices_make_no_rate_that_counts(tmp_path, told, record):
    """Whatever they reached, also beside equal runs."""
    on_devices(record, 0.95, name="emu")
    text = told()
    assert_said(text, "Is it good? This rate means nothing: emu:0 and emu:1 are software devices",
                "None: software devices took part.")
    assert 'class="status other">PASSED' in page_of(tmp_path, record)
    assert "Rmax, Gflop/s" not in text and "which is as fast" not in text
    runs = [copy.deepcopy(record) for _ in range(3)]
    assert verdicts_of(tmp_path, *runs).stdout.startswith("3 runs: 0 good, 3 unknown\n")


def test_the_reason_of_a_slow_run_on_devices_is_the_size_of_the_matrix(told, record):
    """And the N to take is named: 0.92 of the devices' memory, a multiple of NB."""
    record["tests"][0].update(n=1024, nb=1024)
    on_devices(record, 0.5)
    assert "a larger N spends a larger part of its time in products: take up to N = 177152" in told()
    on_devices(record, 0.5, memory=2**23)
    assert "the record knows no reason" in told()
    on_devices(record, 0.5, host=60, guests=5)
    assert_said(told(), "65 of 100 block columns of process 0 live in host memory",
                "which is slower; --set home=device keeps them")
    record["tests"][0]["n"] = 200 * 1024
    assert "which is slower; N = 177152 fits them" in told()


def test_cores_that_idle_or_wait_are_no_fault_where_the_matrix_lives_on_devices(told, record):
    queued, slower = "An iteration counts as done once its work is queued", "every run is slower"
    record["tests"][0]["n"] = 131072  # 128 GiB
    on_devices(record, 0.95)
    bound(record)
    text = told()
    assert says(text, "Is it good? Yes", 0.95) and " Waiting " not in text and slower not in text
    assert_said(text, "Matrix 128 GiB 50 % of the devices' memory", "Devices 2 devices hold the whole matrix")
    for said in queued, "The matrix lives on devices, which compute it: cores that wait":
        assert said in text
    on_devices(record, 0.95, count=1)
    text = told()
    assert "Devices 1 device holds the whole matrix" in text and "in brackets" not in text
    on_devices(record, 0.95, host=50)
    bound(record)
    record["iterations"][0]["wait_device"] = 0.77 * record["iterations"][0]["seconds"]
    text = told()
    assert says(text, "Is it good? It is fair", 0.95) and "of the free memory" in text
    assert re.search(" Waiting .* of process 0's time, for other threads, devices and messages ", text)
    assert slower in text and queued not in text and "cores that wait" not in text


def test_what_is_not_there_was_not_waited_for(told, record):
    for processes, said in (1, "for other threads Hosts"), (2, "for other threads and messages"):
        record["mpi"]["processes"] = processes
        assert f"of process 0's time, {said}" in told()


def test_a_run_that_ended_for_an_error_says_so_first(told, record):
    on_devices(record, 0.95)
    record.update(exit_status=3, tests=[], iterations=[])
    assert "There is no result: it failed at run time." in told()
    finding(record, "rank 0 on n1: something else")
    finding(record, "HPL ERROR from process # 3 on n1, on line 19 of function "
            "hyb_place_device: iteration 5: a device is lost: "
            "cuda device 0 (NVIDIA H200): accelerator failed", "error")
    finding(record, "HPL ERROR from process # 3 on n1, in function f: later", "error")
    lost = ("There is no result: a device is lost: cuda device 0 (NVIDIA H200): accelerator "
            "failed in iteration 5 (process 3 on n1); ")
    assert f'{lost}it failed at run time. See "It ends early" in docs/TROUBLESHOOTING.md' in told()
    record["exit_status"] = 143
    assert f"{lost}SIGTERM ended it" in told()
    record.update(exit_status=2, findings=[])
    finding(record, "N = 9 is too large", "error")
    assert "There is no result: N = 9 is too large; its input was refused" in told()


def test_a_run_that_went_on_without_a_device_is_at_best_fair(told, record):
    on_devices(record, 0.95)
    finding(record, "rank 0 on n1: device 1 is dropped; the others compute its tiles")
    text = told()
    assert says(text, "Is it good? It is fair", 0.95)
    assert_said(text, ": device 1 is dropped; the others compute its tiles (process 0 on n1); the ",
                "driver's log may tell why, and xdgemm --torture 60 tests the device. See")


def test_devices_are_listed_and_held_beside_the_others_of_their_model(told, record):
    on_devices(record, 0.8, count=4, memory=2**30)
    with_devices(record, gflops=800)
    test = record["tests"][0]
    test["gflops"] = 0.8 * 800
    for device in test["devices"]:
        device.update(gflops=60e3, up_bytes_per_second=50e9, mhz=1700.0, celsius=60.0)
    text = told()
    assert "the record knows no reason" in text and re.search("Accelerators: +H200", text)
    test["devices"][2].update(gflops=30e3, mhz=800.0, celsius=91.0,
                              link_wait_seconds=0.1 * test["seconds"])  # fmt: skip
    waited = words.duration(0.1 * test["seconds"]).replace("\N{NO-BREAK SPACE}", " ")
    text = told()
    for said in ("device cuda:2 of process 0 multiplies at 50 % of the rate of the others",
                 "cuda:2 of process 0 H200 30.0 Tflop/s (50 %) 50 GB/s (100 %) – "
                 f"{waited} (10 %) 800 MHz 91 C –",
                 "cuda:0 of process 0 H200 60.0 Tflop/s (100 %)",
                 "Devices in the best test; in brackets the part"):
        assert said in text, text
    test["devices"][1]["up_bytes_per_second"] = 10e9
    assert "device cuda:1 of process 0 is sent to at 20 % of the rate" in told()
    record["devices"] = 2 * record["devices"][:1]
    assert "0 cuda:0 H200 2 1 GiB" in told()


# ---- equal tests -------------------------------------------------------------


def verdicts_of(tmp_path, *records):
    names = [f"r{number}.json" for number in range(len(records))]
    for name, found in zip(names, records):
        (tmp_path / name).write_text(json.dumps(found))
    return call(tmp_path, "--verdict", *names)


def unmeasured(record, rates):
    """The same run on many nodes, whose ceilings are not known."""
    for host in record["hosts"]:
        host["fma_ceiling"] = None
    return copies(record, rates)


def test_among_equal_runs_one_that_was_not_checked_is_none_of_them(tmp_path, record):
    runs = unmeasured(record, [100, 101, 99, 100])
    assert verdicts_of(tmp_path, *runs[:3]).stdout.startswith("3 runs: 3 good\n")
    runs[3]["tests"][0].update(status="UNCHECKED", residual=None, norms=None)
    outcome = verdicts_of(tmp_path, *runs)
    assert outcome.stdout.startswith("4 runs: 3 good, 1 unchecked\n"), str(outcome)
    assert outcome.status == 1
    assert verdicts_of(tmp_path, *runs[1:]).stdout.startswith(  # two are too few to compare
        "3 runs: 0 good, 2 unknown, 1 unchecked\n")


CHANGES = {
    "threads": lambda record: record["hosts"][0]["ranks"][0].update(threads=64),
    "kernel": lambda record: record.update(kernel="blas"),
    "devices": lambda record: record.update(devices=[
        {"rank": 0, "name": "emu:0", "model": "a GPU", "memory_bytes": 1}]),
    "setting": lambda record: record["settings"]["lookahead"].update(value="0"),
    "progress": lambda record: record["settings"]["progress"].update(value="on"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_tests_under_other_conditions_are_not_equal(tmp_path, record, change):
    """But what only watches a run changes nothing."""
    runs = unmeasured(record, [100, 101, 99, 80])
    CHANGES[change](runs[3])
    outcome = verdicts_of(tmp_path, *runs)
    last, status = ("slow", 1) if change == "progress" else ("unknown", 0)
    assert f"4 runs: 3 good, 1 {last}" in outcome.stdout and outcome.status == status
