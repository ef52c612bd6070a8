# SPDX-License-Identifier: BSD-3-Clause
"""hpl-report: whether a run is good, and why not."""
import copy
import json
import re

import pytest

import jobs
from report_page import call, many_hosts, page_of, read, text_of, verdict, words

pytestmark = pytest.mark.scripts


def rated(record, efficiency):
    """Let the record's test have reached a part of the ceiling."""
    ceiling = sum(h["fma_ceiling"]["gflops"] for h in record["hosts"])
    record["tests"][0]["gflops"] = efficiency * ceiling
    record["findings"] = []  # of binding, where there are more than two cores
    return record


def bound(record, host="n1", cores=1):
    """Let a process have said that the launcher left cores idle."""
    record["findings"].append(
        {"time": "2026-03-29T01:30:00.250Z", "level": "warning",
         "text": f"rank 0 on {host}: processes are bound to {cores} of 64 cores: "
         "mpirun --bind-to none or --set bind=node takes all"})


@pytest.fixture
def told(tmp_path, record):
    """The text of the page of the record as it is now."""
    return lambda: text_of(page_of(tmp_path, record))


RATES = [(0.9, "Yes"), (0.7, "It is fair"), (0.3, "No"), (1.01, "Yes"),
         (1.3, "The record cannot tell")]  # fmt: skip


def says(text, answer, part, whole=r"\S+ \S+"):
    """Does text answer so, with a rate as a part of another one?"""
    rate = rf"(the rate is )?[\d.]+( [GT]flop/s)? of the {whole} \({100 * part:.0f} %\) that its "
    return re.search(f"{re.escape(answer)}: {rate}", text)


@pytest.mark.parametrize("efficiency, answer", RATES)
def test_the_rate_is_judged_by_the_ceiling(told, record, efficiency, answer):
    rated(record, efficiency)
    assert says(told(), f"Is it good? {answer}", efficiency)


def test_a_rate_stands_beside_what_it_is_a_part_of():
    assert words.share(5.83, 136) == "5.83 of the 136\xa0Gflop/s (4.3\xa0%)"
    assert words.share(930, 1860) == "930\xa0Gflop/s of the 1.86\xa0Tflop/s (50\xa0%)"


def test_emulated_double_precision_makes_no_result(told, record):
    rated(record, 0.9)
    record["settings"]["fp64"]["value"] = "emulated"
    assert "Is it good? Yes" in told()  # no device took part
    record["devices"] = [
        {"rank": 0, "name": "cuda:0", "model": "a GPU", "memory_bytes": 1 << 30,
         "clock_mhz": None, "temperature_celsius": None, "power_watts": None}]
    text = told()
    assert "Is it good? No: double precision was emulated" in text
    assert "Rmax, Gflop/s" not in text
    assert "None: devices emulated double precision" in text


def test_a_threshold_of_ones_own_makes_no_result(told, record):
    rated(record, 0.9)
    record["hpl_dat"]["threshold"] = 1e9
    record["tests"][0]["residual"] = 15.9
    assert "Is it good? Yes" in told()
    record["tests"][0]["residual"] = 16
    text = told()
    assert "Is it good? No: the residual is too large" in text
    assert "Rmax, Gflop/s: [fill in] (this run has no result" in text


def test_the_verdict_is_a_sentence_as_well(tmp_path, told, record):
    record["hosts"][0]["name"] = "node7"
    for name, efficiency in (("fast", 0.9), ("slow", 0.3)):
        (tmp_path / name).write_text(json.dumps(rated(record, efficiency)))
    outcome = call(tmp_path, "--verdict", "fast", "slow")
    assert (outcome.status, outcome.stderr) == (1, ""), str(outcome)
    tally, fast, slow = outcome.stdout.splitlines()
    assert tally == "2 runs: 1 good, 1 slow"
    assert says(fast, "fast on node7: Yes", 0.9) and fast.endswith(" are.")
    assert says(slow, "slow on node7: No", 0.3) and outcome.stdout.isascii()
    sentence, _, place = slow.split(": ", 1)[1].partition(" See ")
    assert f"Is it good? {sentence} See {place[:-1]}" in told()
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("threads, reason", [
    (None, "other programs had these cores up to 54 % of the time; end them (the command top shows them)"),
    (64, "64 threads shared {cores} cores, and waited for each other up to 54 % of")])
def test_others_on_the_cores_come_before_the_blas(told, record, threads, reason):
    rated(record, 0.3)
    for rank, part in zip(record["tests"][0]["ranks"], (0.54, 0.02)):
        rank["others"] = part
    record["hosts"][0]["ranks"][0]["threads"] = threads
    cores = sum(host["fma_ceiling"]["cores"] for host in record["hosts"])
    text = told()
    assert "look at the BLAS" not in text
    for said in () if threads else (
            "rank 0 on n1: threads waited for cores 54% of the time of N = 9000: other "
            "programs have them (cc1plus, (sd) x)",
            "other programs had these cores 41% of the measuring time: this prediction is "
            "worthless. End these programs (cc1plus, (sd) x) and try again"):
        record["findings"] = []
        finding(record, "warning", said)
        assert "end them (cc1plus, (sd) x) and run again" in told()
    if threads:
        threads += sum(r["threads"] for h in record["hosts"] for r in h["ranks"][1:])
        reason = reason.replace("64", str(threads)).format(cores=cores)
    assert reason in text, text[:2000]


def test_each_reason_names_a_place_in_the_documentation(told, record):
    for place in set(verdict.SEE.values()):
        text = (jobs.SOURCE / "docs" / place.page).read_text()
        assert place.section in re.findall("^#+ (.*)$", text, re.M), place
    record["tests"][0]["residual"] = 16
    rated(record, 0.9)
    assert 'See "It ends early" in docs/TROUBLESHOOTING.md of xhpl' in told()


ENDS = [
    (dict(), 0), (dict(exit_status=3), 1), (dict(exit_status=None), 1),
    (dict(exit_status=143), 1), (dict(tests=[]), 1),
]  # fmt: skip


@pytest.mark.parametrize("change, status", ENDS)
def test_the_verdicts_exit_status_says_whether_all_is_well(
    tmp_path, record, change, status
):
    (tmp_path / "run").write_text(json.dumps({**rated(record, 0.9), **change}))
    outcome = call(tmp_path, "--verdict", "run")
    assert outcome.status == status, str(outcome)
    assert len(outcome.stdout.splitlines()) == 1
    assert ("There is no result" in outcome.stdout) == bool(status), str(outcome)


def test_a_wrong_result_is_told_by_the_exit_status(tmp_path, record):
    rated(record, 0.9)["tests"][0]["status"] = "FAILED"
    (tmp_path / "run").write_text(json.dumps(record))
    outcome = call(tmp_path, "--verdict", "run")
    assert outcome.status == 1 and "No: the residual" in outcome.stdout, str(outcome)


def same_rate(record, part):
    """Iterations that reach a part of the ceiling, without a wait."""
    ceiling = sum(h["fma_ceiling"]["gflops"] for h in record["hosts"])
    for row in record["iterations"]:
        row["gflops"] = part * ceiling / 2
        for phase in ("wait_panel", "wait_exchange", "broadcast", "exchange"):
            row[phase] = 0


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


@pytest.mark.parametrize(
    "efficiency, answer", [(0.9, "It is fair"), (0.3, "No")]
)
def test_idle_cores_are_told_and_never_good(told, record, efficiency, answer):
    bound(rated(record, efficiency), cores=2)
    record["hosts"][0]["fma_ceiling"]["cores"] = 2
    text = told()
    assert says(text, f"Is it good? {answer}", efficiency)
    assert "in multiply-adds alone: only 2 of 64 cores were used; see binding: mpirun --bind-to none, " in text


def test_idle_cores_of_all_hosts_are_counted(told, record):
    rated(record, 0.9)
    many_hosts(record, 3, 1)
    rated(record, 0.9)
    for host in record["hosts"]:
        host["fma_ceiling"]["cores"] = 64
    for host in record["hosts"][:2]:
        host["fma_ceiling"]["cores"] = 1
        bound(record, host["name"])
    assert "only 66 of 192 cores were used" in told()


def test_without_a_ceiling_nobody_knows(told, record):
    record["hosts"][0]["fma_ceiling"] = None
    assert "the cores can do at most was not measured" in told()


def test_threads_and_kernel_are_told(told, record):
    record["kernel"] = "avx2"
    for rank in record["hosts"][0]["ranks"]:
        rank.update(threads=12, cpus_taken="4-15", cpus_allowed="0-31")
    record["hosts"][0]["machine"].update(sockets=2, cores=32)
    text = told()
    assert "process 0 12 threads, on hardware threads 4-15" in text
    assert "hybrid, kernel avx2" in text
    record["hosts"][0]["ranks"][0].update(threads=1, cpus_taken="4")
    assert "process 0 1 thread, on hardware thread 4 " in told()
    assert re.search("Cores per processor: +16 ", text)


def test_a_record_of_before_they_were_told_has_a_page(told, record):
    del record["kernel"], record["hosts"][0]["machine"]
    for rank in record["hosts"][0]["ranks"]:
        del rank["threads"], rank["cpus_taken"]
    text = told()
    assert re.search(r"process 0 \d+ cores?, may use hardware threads? ", text)
    assert "Solver hybrid" in text


def with_devices(record, **prediction):
    """Let devices have taken part, and perhaps their rate been predicted."""
    rated(record, 1)["iterations"][0]["update_device_0"] = 0.1
    if prediction:
        told = {"seconds": 1, "ceiling_gflops": 50, **prediction}
        record["tests"][0]["prediction"] = told


def test_devices_are_judged_by_the_prediction(told, record):
    with_devices(record, gflops=800)
    for part, answer in (0.95, "Yes"), (0.8, "It is fair"), (0.5, "No"):
        record["tests"][0]["gflops"] = part * 800
        assert says(told(), answer, part, "800 Gflop/s")
    assert " %) that its devices and cores, measured just before, should reach" in told()
    record["tests"][0]["gflops"] = 800 * 3.4
    assert says(told(), "The record cannot tell", 3.4, "800 Gflop/s")


def test_a_prediction_that_the_run_calls_worthless_is_marked(told, record):
    with_devices(record, gflops=800)
    assert "Predicted 800 Gflop/s in 1 s" in told()
    finding(record, "warning", "other programs had these cores 41% of the measuring time: "
            "this prediction is worthless. End these programs (x) and try again")
    assert "Predicted 800 Gflop/s in 1 s (worthless: see below)" in told()


def test_what_is_not_there_was_not_waited_for(told, record):
    record["mpi"]["processes"] = 1
    assert "of process 0's time, for other threads Hosts" in told()
    record["mpi"]["processes"] = 2
    assert "of process 0's time, for other threads and messages" in told()


def on_devices(record, part, host=0, guests=0, memory=2**37, count=2):
    """Let devices have held the matrix, and the run kept a part of their products."""
    with_devices(record)
    test = record["tests"][0]
    names = [f"cuda:{i}" for i in range(count)]
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


KEPT = [(0.91, "Yes"), (0.8, "It is fair"), (0.4, "No"), (1.2, "The record cannot tell")]


@pytest.mark.parametrize("count, which", [(1, "device"), (3, "3 devices together")])
@pytest.mark.parametrize("part, answer", KEPT)
def test_without_a_prediction_devices_are_judged_by_their_products(
        told, record, part, answer, count, which):
    on_devices(record, part, count=count)
    text = told()
    assert says(text, f"Is it good? {answer}", part, f"{50 * count:#.3g}".rstrip(".") + " Tflop/s")
    assert f" %) that its {which} kept up in matrix products" in text
    record["tests"][0]["devices"][0]["gflops"] = None
    record["tests"][0]["seconds"] = 0.8
    text = told()
    assert ("Is it good? The record cannot tell: the products of its devices were not "
            "measured, and no prediction was asked for: run again with --set predict=on"
            in text)
    record["tests"][0].update(devices=None, n=1000, nb=64, seconds=0.08)
    assert ("The record cannot tell: the test took 80 ms, and the products of its devices "
            "are measured from 0.5 s on, and no prediction was asked for: take N = 5056, "
            "which takes about 10 s, or --set predict=on" in told())


def test_software_devices_make_no_rate_that_counts(tmp_path, told, record):
    """Whatever they reached, also beside equal runs."""
    on_devices(record, 0.95)
    for device, name in zip(record["devices"], ("emu:0", "emu:1")):
        device["name"] = name
    text = told()
    assert ("Is it good? This rate means nothing: emu:0 and emu:1 are software devices for "
            "tests, played by cores; for a rate that counts run with --set devices=none, or "
            "with GPUs." in text), text[:900]
    assert 'class="status other">PASSED' in page_of(tmp_path, record)
    assert "None: software devices took part." in text and "Rmax, Gflop/s" not in text
    assert "which is as fast" not in text
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
    text = told()
    assert "65 of 100 block columns of process 0 live in host memory" in text
    assert "which is slower; --set home=device keeps them" in text
    record["tests"][0]["n"] = 200 * 1024
    assert "which is slower; N = 177152 fits them" in told()


def test_idle_cores_are_no_fault_where_the_matrix_lives_on_devices(told, record):
    on_devices(record, 0.95)
    bound(record)
    assert says(told(), "Is it good? Yes", 0.95)
    on_devices(record, 0.95, host=50)
    bound(record)
    assert says(told(), "Is it good? It is fair", 0.95)


def test_cores_that_wait_for_devices_with_the_matrix_are_no_fault(told, record):
    on_devices(record, 0.95, host=50)
    record["iterations"][0]["wait_device"] = 0.77 * record["iterations"][0]["seconds"]
    text = told()
    assert re.search(" Waiting .* of process 0's time, for other threads, devices and messages ",
                     text)
    assert "cores that wait" not in text
    on_devices(record, 0.95)
    text = told()
    on_devices(record, 0.95, count=1)
    alone = told()
    assert " Waiting " not in text and "Devices 2 devices hold the whole matrix" in text
    assert "Devices 1 device holds the whole matrix" in alone
    assert "The matrix lives on devices, which compute it: cores that wait" in text


def test_a_matrix_on_devices_fills_their_memory_and_its_iterations_are_queued(told, record):
    queued, slower = "An iteration counts as done once its work is queued", "every run is slower"
    record["tests"][0]["n"] = 131072  # 128 GiB
    on_devices(record, 0.95)
    text = told()
    assert "Matrix 128 GiB 50 % of the devices' memory" in text
    assert queued in text and slower not in text
    on_devices(record, 0.95, count=1)
    assert "in brackets" not in told()
    on_devices(record, 0.95, host=50)
    text = told()
    assert "of the free memory" in text and slower in text and queued not in text


def finding(record, level, text):
    record["findings"].append({"time": "2026-03-29T01:30:00.250Z", "level": level,
                               "text": text})


def test_a_run_that_ended_for_a_lost_device_says_so_first(told, record):
    on_devices(record, 0.95)
    record.update(exit_status=3, tests=[], iterations=[])
    assert "There is no result: it failed at run time." in told()
    finding(record, "warning", "rank 0 on n1: something else")
    finding(record, "error", "HPL ERROR from process # 3 on n1, on line 19 of function "
            "hyb_place_device: iteration 5: a device is lost: "
            "cuda device 0 (NVIDIA H200): accelerator failed")  # fmt: skip
    finding(record, "error", "HPL ERROR from process # 3 on n1, in function f: later")
    text = told()
    assert ("There is no result: a device is lost: cuda device 0 "
            "(NVIDIA H200): accelerator failed in iteration 5 (process 3 on n1); it "
            'failed at run time. See "It ends early" in docs/TROUBLESHOOTING.md') in text, text[:900]
    record["exit_status"] = 143
    assert "in iteration 5 (process 3 on n1); SIGTERM ended it" in told()


def test_any_error_is_the_reason_of_a_run_without_a_result(told, record):
    rated(record, 0.9).update(exit_status=2, tests=[], iterations=[])
    finding(record, "error", "N = 9 is too large")
    assert "There is no result: N = 9 is too large; its input was refused" in told()


def test_a_run_that_went_on_without_a_device_is_at_best_fair(told, record):
    on_devices(record, 0.95)
    finding(record, "warning", "rank 0 on n1: device 1 is dropped; the others compute its tiles")
    text = told()
    assert says(text, "Is it good? It is fair", 0.95)
    assert ": device 1 is dropped; the others compute its tiles (process 0 on n1); the " in text
    assert "driver's log may tell why, and xdgemm --torture 60 tests the device. See" in text


def test_idle_cores_beside_devices_are_told(told, record):
    with_devices(record, gflops=800)
    record["tests"][0]["gflops"] = 790
    bound(record)
    text = told()
    assert says(text, "It is fair", 0.9875, "800 Gflop/s")
    assert "cores were used; see binding: mpirun --bind-to none, " in text


def test_devices_are_listed(told, record):
    device = {"rank": 1, "name": "cuda:0", "model": "H200", "memory_bytes": 2**30}
    record["devices"] = [device, device]
    text = told()
    assert "1 cuda:0 H200 2 1 GiB" in text
    assert re.search("Accelerators: +H200", text)


def test_devices_are_held_beside_the_others_of_their_model(told, record):
    with_devices(record, gflops=800)
    record["devices"] = [{"rank": 0, "name": f"cuda:{i}", "model": "H200",
                          "memory_bytes": 2**37} for i in range(4)]
    test = record["tests"][0]
    test["gflops"] = 0.8 * 800
    test["devices"] = [
        {"rank": 0, "name": f"cuda:{i}", "model": "H200", "gflops": 60e3,
         "up_bytes_per_second": 50e9, "down_bytes_per_second": None, "mhz": 1700.0,
         "celsius": 60.0} for i in range(4)]  # fmt: skip
    assert "the record knows no reason" in told()
    test["devices"][2].update(gflops=30e3, mhz=800.0, celsius=91.0)
    text = told()
    assert "device cuda:2 of process 0 multiplies at 50 % of the rate of the others" in text
    assert ("cuda:2 of process 0 H200 30.0 Tflop/s (50 %) 50 GB/s (100 %) – 800 MHz 91 C –"
            in text), text  # fmt: skip
    assert "cuda:0 of process 0 H200 60.0 Tflop/s (100 %)" in text
    assert "Devices in the best test; in brackets the part" in text
    test["devices"][1]["up_bytes_per_second"] = 10e9
    assert "device cuda:1 of process 0 is sent to at 20 % of the rate" in told()


# ---- runs that were not checked, and equal tests -------------------------------------


def unchecked(record):
    record["tests"][0].update(status="UNCHECKED", residual=None, norms=None)
    return record


def verdicts_of(tmp_path, *records):
    names = [f"r{number}.json" for number in range(len(records))]
    for name, found in zip(names, records):
        (tmp_path / name).write_text(json.dumps(found))
    return call(tmp_path, "--verdict", *names)


def copies(record, rates):
    found = [copy.deepcopy(record) for _ in rates]
    for one, rate in zip(found, rates):
        one["tests"][0]["gflops"] = rate
        for host in one["hosts"]:
            host["fma_ceiling"] = None
    return found


def test_a_run_that_was_not_checked_is_not_good(tmp_path, record):
    outcome = verdicts_of(tmp_path, unchecked(rated(record, 0.9)))
    assert outcome.status == 1 and "Nobody knows: the solution was not" in outcome.stdout


def test_among_equal_runs_one_that_was_not_checked_is_none_of_them(tmp_path, record):
    runs = copies(record, [100, 101, 99, 100])
    unchecked(runs[3])
    outcome = verdicts_of(tmp_path, *runs)
    assert outcome.stdout.startswith("4 runs: 3 good, 1 unchecked\n"), str(outcome)
    assert outcome.status == 1
    runs = copies(record, [100, 101, 99])
    assert verdicts_of(tmp_path, *runs).stdout.startswith("3 runs: 3 good\n")
    unchecked(runs[0])  # two are too few to compare
    assert verdicts_of(tmp_path, *runs).stdout.startswith(
        "3 runs: 0 good, 2 unknown, 1 unchecked\n")


def threads(record):
    record["hosts"][0]["ranks"][0]["threads"] = 64


def kernel(record):
    record["kernel"] = "blas"


def devices(record):
    record["devices"] = [{"rank": 0, "name": "emu:0", "model": "a GPU", "memory_bytes": 1}]


def setting(record):
    record["settings"]["lookahead"]["value"] = "0"


@pytest.mark.parametrize("change", (threads, kernel, devices, setting))
def test_tests_under_other_conditions_are_not_equal(tmp_path, record, change):
    runs = copies(record, [100, 101, 99, 80])
    assert "4 runs: 3 good, 1 slow" in verdicts_of(tmp_path, *runs).stdout
    change(runs[3])
    outcome = verdicts_of(tmp_path, *runs)
    assert "4 runs: 3 good, 1 unknown" in outcome.stdout and outcome.status == 0


def test_what_only_watches_a_run_leaves_tests_equal(tmp_path, record):
    runs = copies(record, [100, 101, 99, 80])
    runs[3]["settings"]["progress"]["value"] = "on"
    assert "4 runs: 3 good, 1 slow" in verdicts_of(tmp_path, *runs).stdout
