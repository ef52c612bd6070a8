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


def test_torture_checks_every_product(xdgemm):
    outcome = xdgemm(
        "-m", "100", "--torture", "1", "--devices", "emu:1", "--json", "x.json"
    ).succeeded()
    products, wrong = verified(outcome)
    assert products >= 1 and wrong == 0
    record = json.loads((xdgemm.directory / "x.json").read_text())
    assert record["torture"]["products"] == products
    assert record["product"]["k"] == 100
    assert "emu:0" in record["torture"]["sensors"]
    assert "product 1," in outcome.stderr


def is_blamed(outcome, device):
    """One wrong tile of device was found. Is it surely its own, and so counted?
    Not if the tile was another executor's in other products of the same check:
    on a busy machine that may be so in any run, and is then said.
    """
    assert outcome.status == 1, str(outcome)
    assert verified(outcome)[1] == 1
    found = re.search(r"computed by ([^:]+:\d( or .*)?):", outcome.stderr)
    assert found and device in found[1], str(outcome)
    counts = dict(re.findall(r"^(\S+) +wrong tiles (\d+)\b", outcome.stdout, re.M))
    sure = "from now on each product is checked" not in outcome.stderr
    assert sure == (" or " not in found[1])
    assert counts.pop(device) == f"{sure:d}"
    assert counts and set(counts.values()) == {"0"}
    return sure


@retried
# The device computes no tile here; it is sent numbers at the start and at each
# check, gives their sums after that and before, and in between sends them back.
@pytest.mark.parametrize(
    "fault, said",
    [
        ("copy_in:1", "what was sent is not what arrived"),
        ("copy_in:2", "what was sent is not what arrived"),
        ("checksum:2", "what it held has changed"),
        ("copy_out:3", "what came back is not what it holds"),
    ],
)
def test_torture_tells_where_numbers_that_a_device_holds_are_damaged(xdgemm, fault, said):
    idle = ["--devices", "emu:1", "--set", "split=fixed:0"]
    outcome = xdgemm("-m", "64", "--torture", "0.2", *idle, "--set", f"emu_fault=flip@{fault}")
    assert outcome.status == 1, str(outcome)
    assert outcome.stderr.count(f"emu:0: {said}") == 1, str(outcome)
    assert outcome.stderr.count("error: ") == 1, str(outcome)
    assert re.search(r"^emu:0 +wrong tiles 0  damaged 1 times$", outcome.stdout, re.M)
    assert verified(outcome)[1] == 1


@pytest.mark.surface
@retried
def test_torture_names_the_device_that_computed_wrongly(xdgemm):
    outcome = xdgemm(
        "-m", "128", "--torture", "1", "--devices", "emu:2",
        "--set", "tile=32", "--set", "split=fixed:0.9",
        "--set", "emu_fault=1:flip@gemm:2",
    )  # fmt: skip
    assert is_blamed(outcome, "emu:1")


# Checking a product of depth 1 takes longer than the product.
SHALLOW = ["-m", "600", "-k", "1", "--torture", "3", "--set", "tile=150"]


@retried
def test_torture_checks_several_products_at_once(xdgemm):
    outcome = xdgemm(*SHALLOW, "--devices", "emu:1", "--json", "x.json").succeeded()
    torture = json.loads((xdgemm.directory / "x.json").read_text())["torture"]
    assert verified(outcome) == (torture["products"], 0)
    assert torture["checks"] <= torture["products"] <= 64 * torture["checks"]
    assert torture["checks"] < torture["products"], str(outcome)
    assert re.search(r"^\d+ checks took \d+\.\d% of the time$", outcome.stdout, re.M)


# The 16 tiles of a product: 8 of them, or all, are the devices'. The fault is in the
# third product or later, to which a run does not come if the machine pauses. Of two
# devices both may have computed wrongly.
@pytest.mark.more
@pytest.mark.parametrize("devices, share", [(1, 0.5), (2, 1)])
@retried
def test_torture_names_the_device_of_one_of_several_products(xdgemm, devices, share):
    last = devices - 1
    outcome = xdgemm(*SHALLOW, "--devices", f"emu:{devices}", "--set", f"split=fixed:{share}",
                     "--set", f"emu_fault={last}:flip@copy_out:20")
    assert is_blamed(outcome, f"emu:{last}") or devices == 2


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
