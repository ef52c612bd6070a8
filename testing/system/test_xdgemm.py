# SPDX-License-Identifier: BSD-3-Clause
"""xdgemm: options, products by host and devices, faults, torture, records."""
import json
import re
import shutil
import xml.etree.ElementTree as ET

import pytest

import jobs
from busy import patience, retried

XDGEMM = jobs.BIN / "xdgemm"

pytestmark = pytest.mark.skipif(not XDGEMM.exists(), reason="built without hybrid/")

SMALL = ["-m", "150", "-n", "130", "-k", "40", "--repeat", "1"]
TILED = [*SMALL, "--set", "tile=32"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def xdgemm(tmp_path):
    """Run xdgemm in a fresh directory, with a cache of its own."""

    def run(*options, env=None, limit=jobs.LIMIT):
        command = [XDGEMM, *map(str, options)]
        environment = {"XDG_CACHE_HOME": str(tmp_path), **(env or {})}
        return jobs.run(command, tmp_path, environment, limit)

    run.directory = tmp_path
    return run


def has_rate(outcome, name):
    """Whether the table of rates has a row: 0.00 on a machine that paused."""
    return bool(re.search(rf"^{name} +[\d.]+ +[\d.]", outcome.stdout, re.M))


def verified(outcome):
    """How many products were checked, and how many were wrong."""
    said = re.search(r"verified: (\d+) products, (\d+) wrong", outcome.stdout)
    assert said, str(outcome)
    return int(said.group(1)), int(said.group(2))


# ---- rates ------------------------------------------------------------------


@pytest.mark.parametrize("devices, beta", [(1, 0), (2, 1), (3, 1)])
def test_each_alone_and_all_together_have_a_row(xdgemm, devices, beta):
    options = ["--beta", str(beta), "--devices", f"emu:{devices}", "--verify"]
    outcome = xdgemm(*TILED, *options).succeeded()
    for name in ["host", "together", *(f"emu:{i}" for i in range(devices))]:
        assert has_rate(outcome, name), name
    assert re.search(r"^efficiency +\d+\.\d+ ", outcome.stdout, re.M)
    assert verified(outcome) == (2 * (devices + 2) + 1, 0)  # two warm up


def test_a_model_of_time_is_said_to_be_one_and_computes_nothing(xdgemm):
    dry = ["--devices", "emu:1", "--set", "emu_dry=on", "--set", "emu_rate=5"]
    assert "a model's" in xdgemm(*TILED, *dry).succeeded().stdout
    outcome = xdgemm("--operations", *dry)
    assert outcome.status == 2 and "there is nothing to check" in outcome.stderr, str(outcome)


@retried
def test_the_probe_measures_link_and_product(xdgemm):
    limits = ["--set", "emu_link=0.5", "--set", "emu_rate=1"]
    outcome = xdgemm(*SMALL, "--probe-device", "--devices", "emu:1", *limits)
    assert outcome.status == 0, str(outcome)
    row = re.search(r"^emu:0((?: +[\d.]+){4})$", outcome.stdout, re.M)
    into, out, both, resident = map(float, row.group(1).split())
    # no more than what was set, but for rounding
    assert 0 < max(into, out, both) <= 0.51
    assert 0 < resident <= 1.01


OPERATIONS = ["gemm", "syrk", "trsm", "gemv"]
OPERATION = r"^emu:0 +(\w+) +([\d.]+) +[\d.]+ +(\d+)$"


@retried
def test_operations_are_measured_and_checked(xdgemm):
    options = ["--operations", "-m", 150, "-n", 130, "-k", 70, "--repeat", 2]
    slow = ["--devices", "emu:1", "--set", "emu_rate=1", "--json", "x.json"]
    outcome = xdgemm(*options, *slow).succeeded()
    rows = re.findall(OPERATION, outcome.stdout, re.M)
    assert [(name, wrong) for name, _, wrong in rows] == [(o, "0") for o in OPERATIONS]
    assert all(0 < float(rate) <= 1.01 for _, rate, _ in rows), str(outcome)
    assert verified(outcome) == (8, 0)
    record = json.loads((xdgemm.directory / "x.json").read_text())
    assert list(record["operations"]["emu:0"]) == OPERATIONS


# A product is the first operation's; the last is a product with one column.
@pytest.mark.parametrize("op, wrong", [("gemm", [1, 0, 0, 0]), ("trsm", [0, 0, 1, 0]),
                                       ("gemv", [0, 0, 0, 1])])  # fmt: skip
def test_an_operation_that_computes_wrong_numbers_is_seen(xdgemm, op, wrong):
    fault = ["--devices", "emu:1", "--set", f"emu_fault=flip@{op}:2"]
    outcome = xdgemm("--operations", "-m", 90, "--repeat", 2, *fault)
    assert outcome.status == 1, str(outcome)
    rows = re.findall(OPERATION, outcome.stdout, re.M)
    assert [int(row[2]) for row in rows] == wrong
    assert verified(outcome) == (8, 1)


# ---- records ----------------------------------------------------------------


def test_the_record_holds_all_figures(xdgemm):
    xdgemm(*TILED, "--devices", "emu:1", "--repeat", "3", "--verify",
           "--json", "x.json", "--beta", "0.5").succeeded()  # fmt: skip
    record = json.loads((xdgemm.directory / "x.json").read_text())
    product = record["product"]
    assert (product["m"], product["n"], product["k"]) == (150, 130, 40)
    assert product["beta"] == 0.5
    assert record["settings"]["tile"] == 32
    assert record["machine"]["cores"] >= 1
    assert record["machine"]["devices"][0]["executor"] == "emu:0"
    assert record["verified"]["wrong"] == 0
    assert record["efficiency"] > 0
    assert [r["by"] for r in record["rates"]] == ["host", "emu:0", "together"]
    for series in record["rates"]:
        assert sorted(series["seconds"])[1] == series["median_seconds"]
        flop = 2 * 150 * 130 * 40
        assert series["rate"] * series["median_seconds"] == pytest.approx(flop)
        assert sum(w["flop"] for w in series["work"]) == flop
    alone = record["rates"][1]["work"][1]
    # C in and out once; A and B once at least
    assert alone["bytes_out"] == 8 * 150 * 130
    assert alone["bytes_in"] >= 8 * (150 * 130 + 150 * 40 + 40 * 130)


def test_the_map_is_a_picture_of_all_tiles(xdgemm):
    xdgemm(*TILED, "--devices", "emu:1", "--map", "x.svg", "--json", "x.json").succeeded()
    record = json.loads((xdgemm.directory / "x.json").read_text())
    tiling = record["rates"][-1]["tiling"]
    picture = ET.parse(xdgemm.directory / "x.svg").getroot()
    boxes = picture.findall(f"{SVG}rect")
    assert len(boxes) == 1 + tiling["rows"] * tiling["cols"] + 2
    texts = " ".join(text.text for text in picture.findall(f"{SVG}text"))
    assert "150 x 130" in texts and "emu:0" in texts


@pytest.mark.parametrize("option", ["--json", "--map"])
def test_a_file_that_cannot_be_written_is_refused_at_once(xdgemm, option):
    outcome = xdgemm(*SMALL, "--devices", "none", option, "no/such/file")
    outcome.refused("no/such/file")


# ---- faults -----------------------------------------------------------------

# All of them are in unit/xdgemm/test_faults.c.
@pytest.mark.parametrize("fault", ["fail@gemm:3", "stall@copy_out:1", "oom@copy_in:2"])
@pytest.mark.parametrize("devices", [1, 2])
def test_a_lost_device_ends_the_run_with_its_name(xdgemm, fault, devices):
    # A share that makes each device take some tiles.
    outcome = xdgemm(
        *TILED, "--devices", f"emu:{devices}", "--verify",
        "--set", f"emu_fault=0:{fault}", "--set", patience(fault),
        "--set", "split=fixed:0.8",
    )  # fmt: skip
    assert outcome.status == 3, str(outcome)
    said = "error: emu device 0 (emulated device), which wrote into C, is lost"
    assert said in outcome.stderr, str(outcome)


@pytest.mark.parametrize("operation", ["gemm", "copy_out"])
def test_a_flipped_bit_is_found_and_its_device_named(xdgemm, operation):
    outcome = xdgemm(
        *TILED, "--devices", "emu:2", "--verify",
        "--set", f"emu_fault=1:flip@{operation}:3",
        "--set", "split=fixed:0.9",
    )  # fmt: skip
    assert outcome.status == 1, str(outcome)
    assert verified(outcome)[1] >= 1
    wrong = [line for line in outcome.stderr.splitlines() if "wrong" in line]
    assert wrong and all("computed by emu:1" in line for line in wrong)


# ---- torture ----------------------------------------------------------------


def executors(folder):
    """What the record has of each executor of a torture, by name."""
    found = json.loads((folder / "x.json").read_text())["torture"]["executors"]
    return {executor["executor"]: executor for executor in found}


def test_torture_checks_every_product_of_every_executor(xdgemm):
    outcome = xdgemm("-m", "100", "-n", "90", "--torture", "1", "--devices", "emu:2",
                     "--json", "x.json").succeeded()  # fmt: skip
    record = json.loads((xdgemm.directory / "x.json").read_text())
    assert (record["product"]["n"], record["product"]["k"]) == (90, 100)
    assert record["machine"]["devices"][1]["serial"] == ""
    found = executors(xdgemm.directory)
    assert list(found) == ["host", "emu:0", "emu:1"]
    assert verified(outcome) == (sum(x["products"] for x in found.values()), 0)
    for name, executor in found.items():
        assert executor["products"] >= 1 and executor["wrong"] == 0
        if executor["kept"] is not None:
            assert executor["kept"] == pytest.approx(
                executor["end_rate"] / executor["start_rate"])
        assert executor["temperature"] == {"least": None, "most": None, "end": None}
        assert re.search(rf"^{name} +{executor['products']} +0 ", outcome.stdout, re.M)
    line = r"^xdgemm: \d+\.\d s: host [\d.]+ Gflop/s; emu:0 [\d.]+ Gflop/s; emu:1 .*; 0 wrong$"
    assert re.search(line, outcome.stderr, re.M), str(outcome)


def test_torture_without_a_device_says_so(xdgemm):
    outcome = xdgemm("-m", "100", "--torture", "0.1", "--devices", "none").succeeded()
    assert "the host alone was tested" in outcome.stdout
    assert verified(outcome)[0] >= 1


def test_torture_takes_no_more_than_a_device_holds(xdgemm):
    outcome = xdgemm("-m", "600", "--torture", "0.1", "--devices", "emu:1",
                     "--set", "emu_memory=1").succeeded()  # fmt: skip
    m = int(re.match(r"m = (\d+),", outcome.stdout)[1])
    assert 3 * 8 * m * m <= 0.8 * 2**20 < 3 * 8 * (m + 1) ** 2


# The middle element of a result or vector is wrong in its highest bits; operands come
# to the device at the start, A first, and stay.
WRONG = [
    ("1:flip@gemm:2", "product 2 is wrong in 1 row, 64 to 64; row 64 is off by", 1),
    ("1:flip@gemv:3", "product 3 is wrong in 1 row, 64 to 64;", 1),
    ("1:flip@copy_out:2", "product 2 is wrong in 1 row, 64 to 64;", 1),
    ("1:flip@copy_in:1", "product 1 is wrong in 1 row, 64 to 64;", None),
    ("1:flip@copy_in:2", "product 1 is wrong in 128 rows, 0 to 127;", None),
]


@pytest.mark.surface
@pytest.mark.parametrize("fault, said, count", WRONG)
@retried
def test_torture_names_the_device_that_computed_wrongly(xdgemm, fault, said, count):
    outcome = xdgemm("-m", "128", "--torture", "0.5", "--devices", "emu:2", "--json",
                     "x.json", "--set", f"emu_fault={fault}")  # fmt: skip
    assert outcome.status == 1, str(outcome)
    assert f"error: emu:1 (emulated device): {said}" in outcome.stderr, str(outcome)
    found = executors(xdgemm.directory)
    assert found["host"]["wrong"] == found["emu:0"]["wrong"] == 0
    wrong = found["emu:1"]["wrong"]
    assert wrong == (count or found["emu:1"]["products"])
    assert outcome.stderr.count("is wrong in") == min(wrong, 8)
    assert ("further wrong products are only counted" in outcome.stderr) == (wrong >= 8)
    assert verified(outcome)[1] == wrong


# ---- what is there ----------------------------------------------------------


def test_list_devices_shows_cores_and_every_backend(xdgemm):
    outcome = xdgemm("--list-devices").succeeded()
    assert re.search(r"^host +\S.*cores", outcome.stdout, re.M)
    for plugin in jobs.BIN.glob("libhyb_*.so"):
        name = plugin.stem.removeprefix("libhyb_")
        assert re.search(rf"^{name}\b", outcome.stdout, re.M), name


def test_without_plug_ins_the_host_goes_on_alone(xdgemm):
    alone = xdgemm.directory / "bin"
    alone.mkdir()
    shutil.copy(XDGEMM, alone)
    outcome = jobs.run([alone / "xdgemm", *SMALL, "--verify"], alone).succeeded()
    assert has_rate(outcome, "host")


# ---- bad input --------------------------------------------------------------

# More of them are in unit/xdgemm/test_options.c.
REFUSED = [
    ("--verfy", "--verify"),
    ("--devices emx:1", "emu"),
    ("--devices emu:0", "1 to"),
    ("--devices emu:1 --set emu_fault=fial@gemm:1", "emu_fault=fial"),
    ("--list-devices --json no/such/file", "no/such/file"),
    ("--devices emu:1 --set emu_dry=on --verify", "emu_dry"),
    ("-m 2000000000 -n 2000000000", "the largest"),
]


@pytest.mark.surface
@pytest.mark.parametrize("options, said", REFUSED)
def test_bad_input_is_refused_with_what_would_do(xdgemm, options, said):
    outcome = xdgemm(*options.split())
    outcome.refused("xdgemm: error: ", said)


@pytest.mark.surface
def test_the_size_that_is_said_to_fit_fills_the_memory(xdgemm):
    shape = ["-m", "3000000", "-n", "3000000", "-k", "1000000"]
    outcome = xdgemm(*shape, "--devices", "none")
    room = re.search(r"([\d.]+) GiB are available", outcome.stderr)
    fits = re.search(r"fits is -m (\d+) -n (\d+) -k (\d+)", outcome.stderr)
    assert outcome.status == 2 and room and fits, str(outcome)
    m, n, k = map(int, fits.groups())
    assert m == n and abs(m / 3 - k) <= 1  # each is rounded down
    taken = 8 * (m * n + m * k + k * n) / 2**30
    assert taken == pytest.approx(float(room.group(1)), abs=0.1)


@pytest.mark.surface
def test_help_and_version_are_on_stdout_and_quiet_leaves_stderr_empty(xdgemm):
    text, version = (xdgemm(option) for option in ("--help", "--version"))
    for outcome in text, version, xdgemm(*SMALL, "--devices", "none", "--quiet"):
        assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)
    for option in ("-m", "--lda", "--torture", "--list-devices", "--map"):
        assert re.search(rf"^  {option}\b", text.stdout, re.M), option
    for setting in ("devices", "split", "emu_fault"):
        assert re.search(rf"^ +{setting}=", text.stdout, re.M), setting
    assert "Exit status: 0" in text.stdout
    assert re.fullmatch(r"xdgemm \d+(\.\d+)+.*\n", version.stdout)
