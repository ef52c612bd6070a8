# SPDX-License-Identifier: BSD-3-Clause
"""plot-run: the pictures of a run's trace and iterations."""
import csv
import re
import struct
import sys
import xml.etree.ElementTree

import pytest

import jobs
import records
from conftest import UNMEASURED
from test_trace import COLUMNS

PLOT_RUN = jobs.SOURCE / "scripts/plot-run"
ALL = ("iteration-time", "idle", "share", "gantt")
FILES = ("trace.json", "iterations.csv")
HEAD = ",".join(COLUMNS)
ROW = ",".join("0" for _ in COLUMNS)

pytestmark = pytest.mark.scripts


@pytest.fixture(scope="module")
def plot_run(tmp_path_factory):
    """Run plot-run in a directory; all share matplotlib's list of fonts."""
    pytest.importorskip("matplotlib")
    env = {"MPLCONFIGDIR": str(tmp_path_factory.mktemp("matplotlib"))}

    def run(directory, *words):
        return jobs.run([sys.executable, PLOT_RUN, *words], directory, env)

    return run


def traced(folder, n, devices):
    """Let two processes solve and write both files; the rows of the second."""
    words = [jobs.XHPL, "-n", n, "-nb", "16", "-p", "1", "-q", "2"]
    words += ["--trace", FILES[0], "--iterations", FILES[1]]
    for setting in (f"devices={devices}", "tile=32", "threads=2", "split=fixed:0.5"):
        words += ["--set", setting]
    records.run(jobs.launched(2, words), folder, UNMEASURED).succeeded()
    if not (folder / FILES[1]).exists():
        pytest.skip("this solver notes no iterations")
    return list(csv.DictReader((folder / FILES[1]).read_text().splitlines()))


@pytest.fixture(scope="module")
def drawn(plot_run, tmp_path_factory):
    """Pictures of a run on 2 processes of 2 devices each, in two modes."""
    folder = tmp_path_factory.mktemp("drawn")
    rows = traced(folder, "300", "emu:4")
    with (folder / FILES[1]).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        for number, row in enumerate(rows):
            writer.writerow({**row, "mode": 1 + number % 2})
    return folder / "out", plot_run(folder, *FILES, "-o", "out")


def size_of_png(path):
    """Width and height in pixels."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n" and head[12:16] == b"IHDR"
    return struct.unpack(">II", head[16:])


def words_of(path):
    """All text in an SVG."""
    tree = xml.etree.ElementTree.parse(path)
    return " | ".join(text.strip() for text in tree.getroot().itertext())


def test_every_picture_is_written_as_png_and_svg(drawn):
    folder, outcome = drawn
    assert outcome.status == 0, str(outcome)
    files = {f"{name}.{form}" for name in ALL for form in ("png", "svg")}
    assert {path.name for path in folder.iterdir()} == files
    assert set(outcome.stdout.split()) == {f"out/{file}" for file in files}
    for name in ALL:
        width, height = size_of_png(folder / f"{name}.png")
        assert 800 < width < 3000 and 500 < height < 3000, name


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("iteration-time", "look-ahead 1:; look-ahead 2:; (Gflop/s)"),
        ("idle", "device 0 idle (; device 1 idle (; host waits; 100%"),
        ("share", "measured: ; used; devices' part of the update; 100%"),
        ("gantt", "0: thread 1; 1: device 1; update; panel; gemm"),
    ],
)
def test_a_picture_has_its_legend_and_units(drawn, name, wanted):
    folder, _ = drawn
    words = words_of(folder / f"{name}.svg")
    assert [part for part in wanted.split("; ") if part not in words] == []
    assert "N = 300, NB = 16, 1 x 2 processes, rank 0" in words
    assert name not in ("iteration-time", "gantt") or re.search(r"\(m?s\)", words)


def test_the_colours_of_a_legend_differ(drawn):
    folder, _ = drawn
    text = (folder / "gantt.svg").read_text()
    legend = text[text.index('id="legend_1"') :]
    colours = re.findall(r'style="fill: (#\w+)', legend)
    assert len(colours) == len(set(colours)) > 5


@pytest.mark.more
def test_a_run_that_is_named_is_drawn(plot_run, tmp_path):
    """Without devices there is no share of theirs."""
    traced(tmp_path, "200,300", "none")
    outcome = plot_run(tmp_path, *FILES, "--run", "0").succeeded()
    assert "no picture of share: there are no devices" in outcome.stderr
    text = words_of(tmp_path / "idle.svg")
    assert "N = 200" in text and "host waits" in text and "device" not in text
    assert not (tmp_path / "share.png").exists()


def test_a_picture_replaces_nothing_but_a_picture_of_its_own(plot_run, tmp_path):
    for name, text in zip(FILES, ('{"traceEvents": []}', f"{HEAD}\n{ROW}\n")):
        (tmp_path / name).write_text(text)
    (tmp_path / "idle.svg").write_text("precious\n")
    outcome = plot_run(tmp_path, *FILES)
    assert outcome.status == 2 and "idle.svg was not made by this" in outcome.stderr
    assert (tmp_path / "idle.svg").read_text() == "precious\n"
    plot_run(tmp_path, *FILES, "--force").succeeded()
    plot_run(tmp_path, *FILES).succeeded()


@pytest.mark.more
def test_an_empty_trace_leaves_out_the_gantt_chart(plot_run, tmp_path):
    rows = f"{HEAD}\n{ROW}\n"
    for name, text in zip(FILES, ('{"traceEvents": []}', rows)):
        (tmp_path / name).write_text(text)
    outcome = plot_run(tmp_path, *FILES).succeeded()
    assert "no picture of gantt: " in outcome.stderr
    assert (tmp_path / "idle.png").exists()
    assert not (tmp_path / "gantt.png").exists()


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "trace, iterations, said",
    [
        (None, f"{HEAD}\n{ROW}\n", "trace.json"),
        ("[", f"{HEAD}\n{ROW}\n", "trace.json: not JSON"),
        ("[1]", f"{HEAD}\n{ROW}\n", "trace.json: not a trace of xhpl"),
        ('{"traceEvents": [{"ph": "X", "name": "a"}]}', f"{HEAD}\n{ROW}\n",
         "trace.json: not a trace of xhpl"),
        ("{}", None, "iterations.csv"),
        ("{}", "", "iterations.csv: no column rank, run"),
        ("{}", f"{HEAD}\n", "iterations.csv: no iterations of rank 0"),
        ("{}", f"{HEAD}\n{ROW},0\n", "iterations.csv:2: not as many cells"),
        ("{}", f"{HEAD}\n{ROW[:-2]}\n", "iterations.csv:2: not as many cells"),
        ("{}", f"{HEAD}\nx{ROW[1:]}\n", "iterations.csv:2: rank is not a number"),
        ("{}", f"{HEAD}\n{ROW[1:]}\n", "iterations.csv:2: no rank"),
    ],
)
def test_bad_input_is_refused_in_one_line(plot_run, tmp_path, trace, iterations, said):
    for name, text in (("trace.json", trace), ("iterations.csv", iterations)):
        if text is not None:
            (tmp_path / name).write_text(text)
    outcome = plot_run(tmp_path, *FILES, "-o", "out")
    assert (outcome.status, outcome.stdout) == (2, ""), str(outcome)
    lines = outcome.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("plot-run: "), str(outcome)
    assert said in lines[0]
    assert not (tmp_path / "out").exists()


class Drawn:
    """Axes that keep the lowest and highest y of each patch."""

    def __init__(self):
        self.reach = []

    def stairs(self, top, edges, baseline, **look):
        self.reach.append((min(top.min(), baseline.min()), max(top.max(), baseline.max())))

    def __getattr__(self, name):
        return lambda *args, **look: self


def test_spans_within_others_stay_in_their_row():
    pytest.importorskip("matplotlib")
    plot = jobs.module(PLOT_RUN)
    spans = [plot.Span("update", 0.0, 1.0), plot.Span("broadcast", 0.0, 1.0),
             plot.Span("panel", 0.0, 1.0)]  # fmt: skip
    trace, axes = plot.Trace({(0, 0): spans, (0, 1): spans[:1]}, {}), Drawn()
    actors = [(0, 0), (0, 1)]
    plot.draw_overview(axes, trace, actors, (0.0, 1.0), plot.colours_of(trace, actors))
    rows = [0, 0, 0, 1]
    assert len(axes.reach) == 4
    for y, (low, high) in zip(rows, axes.reach):
        assert y - 0.4 - 1e-9 <= low <= high <= y + 0.4 + 1e-9, axes.reach
