# SPDX-License-Identifier: BSD-3-Clause
"""What a run records of itself."""
import csv
import json
import re

import pytest

import hpl_dat
import jobs

GIVEN = ["-n", "200", "-nb", "16"]
DEVICES_MOST = 8
COLUMNS = (
    "rank run n nb p q iteration mode reason columns_left panel_threads begin "
    "seconds gflops share_used share_measured panel broadcast exchange swap "
    "solve update_host wait_panel wait_exchange wait_device"
).split() + [
    f"{name}_{d}" for name in ("update_device", "device_wait", "link_wait")
    for d in range(DEVICES_MOST)
] + ["panel_device"]


@pytest.fixture
def iterations(xhpl):
    """The rows that a run on so many processes and devices, if any, writes."""

    def run(nprow, npcol, devices=0, home="auto"):
        chosen = f"devices=emu:{devices}" if devices else "devices=none"
        outcome = xhpl(
            *GIVEN, "-p", nprow, "-q", npcol, "--iterations", "i.csv",
            "--set", chosen, "--set", f"home={home}", "--set", "split=fixed:0.5",
            processes=nprow * npcol,
        ).succeeded()  # fmt: skip
        path = xhpl.directory / "i.csv"
        warned = re.search("warning: .*solver keeps no record.*i.csv", outcome.stderr)
        assert path.exists() == (warned is None), str(outcome)
        if warned:
            pytest.skip("this solver notes no iterations")
        return list(csv.DictReader(path.read_text().splitlines()))

    return run


def test_a_trace_is_json_with_every_process(traced_run, xhpl):
    events = json.loads((traced_run / "trace.json").read_text())["traceEvents"]
    assert {e["pid"] for e in events if e["name"] == "process_name"} == {0, 1}
    spans = [event for event in events if event["ph"] == "X"]
    assert all(span["dur"] >= 0 and span["ts"] >= 0 for span in spans)
    solver = json.loads((traced_run / "run.json").read_text())["solver"]
    assert (spans == []) == (solver == "reference")
    options = ["--json", "/dev/null", "--trace", "/dev/null"]  # may take several files
    xhpl(*GIVEN, "-p", "1", "-q", "1", *options).succeeded()


# Two panels, seats and few columns have room in 1 MiB; the others are guests.
QUEUES = {
    "device 0": {"swap", "solve", "product"}, "device 0 guests": {"swap", "solve", "product"},
    "device 0 panels": {"panel", "panel down"}, "device 0 up": {"panel"},
    "device 0 visits up": {"column"}, "device 0 down": {"column"},
}


def test_a_trace_has_what_each_queue_of_a_device_did(xhpl):
    words = "-n 500 --nb 16 -p 1 -q 1 --trace t.json --set devices=emu:1 --set home=device"
    words += " --set panel=device --set group=3 --set emu_memory=1"
    xhpl(*words.split()).succeeded()
    events = json.loads((xhpl.directory / "t.json").read_text())["traceEvents"]
    name = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    spans = [e for e in events if e["ph"] == "X"]
    for queue, kinds in QUEUES.items():
        mine = sorted((e for e in spans if name[e["tid"]] == queue), key=lambda e: e["ts"])
        assert {e["name"] for e in mine} == kinds, queue
        for one, after in zip(mine, mine[1:]):
            assert after["ts"] >= one["ts"] + one["dur"] - 1.0, (queue, one, after)  # us


def seconds_alone(copies, work):
    """How long any of copies lasted, and none of work: both lists of spans, us."""
    edges = sorted(
        (span["ts"] + end * span["dur"], kind, 1 - 2 * end)
        for kind, spans in enumerate((copies, work)) for span in spans for end in (0, 1)
    )  # fmt: skip
    under_way, alone, last = [0, 0], 0.0, 0.0
    for time, kind, step in edges:
        alone += (time - last) * (under_way[0] > 0 and under_way[1] == 0)
        under_way[kind] += step
        last = time
    return alone * 1e-6


# On links of so many GB/s copies take far more than half a second.
@pytest.mark.parametrize(
    "home, link, p", [("host", 0.008, 1), ("device", 0.02, 1), ("device", 0.01, 2)]
)
def test_a_device_waits_for_its_link_as_the_time_line_shows(xhpl, home, link, p):
    words = f"-n 500 --nb 32 -p {p} -q 1 --trace t.json --iterations i.csv --json r.json"
    words += f" --set devices=emu:{p} --set home={home} --set split=fixed:0.7"
    words += f" --set emu_memory=1 --set emu_link={link}"
    xhpl(*words.split(), processes=p).succeeded()
    events = json.loads((xhpl.directory / "t.json").read_text())["traceEvents"]
    name = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    rows = list(csv.DictReader((xhpl.directory / "i.csv").read_text().splitlines()))
    record = json.loads((xhpl.directory / "r.json").read_text())
    devices = record["tests"][0]["devices"]
    assert [device["rank"] for device in devices] == list(range(p))
    for rank, device in enumerate(devices):
        spans = [(name[rank, e["tid"]], e) for e in events if e["ph"] == "X" and e["pid"] == rank]
        copies = [e for row, e in spans if re.fullmatch("device 0.* (up|down)", row)]
        work = [e for row, e in spans if re.fullmatch("device 0( guests| panels)?", row)]
        waited = device["link_wait_seconds"]
        assert waited == pytest.approx(seconds_alone(copies, work), rel=1e-3)
        cells = [float(row["link_wait_0"]) for row in rows if row["rank"] == str(rank)]
        assert min(cells) >= 0 and 0.1 < sum(cells) <= waited * (1 + 1e-6)


PARTS = (
    "panel broadcast exchange swap solve update_host wait_panel wait_exchange"
    " wait_device"
).split()


@pytest.mark.surface
@pytest.mark.parametrize("devices", [0, 4])
def test_parts_of_an_iteration_add_up_to_no_more_than_it(iterations, devices):
    rows = iterations(2, 2, devices)
    assert set(rows[0]) == set(COLUMNS)
    assert {row["rank"] for row in rows} == set("0123") and {row["n"] for row in rows} == {"200"}
    for row in rows:
        parts = [float(row[part]) for part in PARTS]
        assert min(parts) >= 0, row
        assert sum(parts) <= 1.001 * float(row["seconds"]) + 1e-6, row
    for rank in "0123":
        mine = [row for row in rows if row["rank"] == rank]
        for part in ("panel", "broadcast", "exchange", "swap", "update_host"):
            assert sum(float(row[part]) for row in mine) > 0, (rank, part)


@pytest.mark.parametrize("devices, home", [(0, "auto"), (2, "host"), (2, "device")])
def test_devices_have_columns_of_their_own(iterations, devices, home):
    rows = iterations(1, 1, devices, home)
    for column in ("update_device", "device_wait"):
        for d in range(DEVICES_MOST):
            cells = [row[f"{column}_{d}"] for row in rows]
            known = [float(cell) for cell in cells if cell]
            assert len(known) == (len(rows) if d < devices else 0), (column, d)
            assert min(known, default=0) >= 0, (column, d)
        all_of_it = [float(row[f"{column}_{d}"]) for row in rows for d in range(devices)]
        assert (sum(all_of_it) > 0) == (devices > 0), column


@pytest.mark.few(3)
@pytest.mark.surface
@pytest.mark.parametrize(
    "options, said",
    [
        (["--trace", "no/folder/t.json"], "no/folder/t.json: No such file"),
        (["--json", "no/folder/r.json"], "no/folder/r.json: No such file"),
        (["--trace", "."], "Is a directory"),
        (["--json="], "the name of the file has 0 characters"),
        (["--iterations", "i" * 5000], "the name of the file has 5000 characters"),
        (["--trace"], "needs a value"),
        (["--json", "a", "--trace", "a"], "both name a"),
        (["--json", "a", "--iterations", "a"], "both name a"),
        (["--trace", "a", "--iterations", "a"], "both name a"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_run(xhpl, options, said):
    outcome = xhpl(*GIVEN, "-p", "1", "-q", "1", *options)
    outcome.refused(said)
    assert outcome.stderr.count("error: ") == 1, str(outcome)


@pytest.fixture
def folder(xhpl):
    """Where HPL.dat sends its report to a file, and has other names."""
    dat = hpl_dat.text(device="8").replace("HPL.out", "report.txt")
    (xhpl.directory / "below").mkdir()
    (xhpl.directory / "HPL.dat").write_text(dat)
    (xhpl.directory / "link").symlink_to("HPL.dat")
    (xhpl.directory / "hard").hardlink_to(xhpl.directory / "HPL.dat")
    return xhpl.directory


@pytest.mark.few(6)
@pytest.mark.surface
@pytest.mark.parametrize("option", ("--json", "--trace", "--iterations"))
@pytest.mark.parametrize("name", (
    "HPL.dat", "link", "hard", "below/../HPL.dat", "./report.txt", "xhpl.conf", "-",
))  # fmt: skip
def test_a_file_that_has_another_use_is_not_written(folder, option, name):
    before = sorted(x.name for x in folder.iterdir())
    outcome = jobs.run([jobs.XHPL, option, name], folder)
    outcome.refused(option, "stdout has the report" if name == "-" else "both name")
    assert outcome.stderr.count("error: ") == 1, str(outcome)
    assert sorted(x.name for x in folder.iterdir()) == before
    assert "report.txt" in (folder / "HPL.dat").read_text()
