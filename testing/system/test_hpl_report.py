# SPDX-License-Identifier: BSD-3-Clause
"""hpl-report: what its page says of the records it is given."""
import copy
import json
import re
from collections import defaultdict

import pytest

import jobs
from report_page import Run, read_record, read_trace, series
from report_page import call, copies, made, many_hosts, page_of, read, shown, text_of

pytestmark = pytest.mark.scripts

ONE = ["-n", "100", "-nb", "16", "-p", "1", "-q", "1"]


@pytest.fixture
def traced_page(traced_run):
    return made(traced_run, "run.json", "--trace", "trace.json")


# ---- one run -----------------------------------------------------------------


def test_the_page_tells_the_result(tmp_path, record):
    text = text_of(page_of(tmp_path, record))
    (test,), (host,) = record["tests"], record["hosts"]
    assert re.search(rf"\b{test['gflops']:#.3g} Gflop/s", text)
    for said in ("PASSED", host["name"], "N 320", "NB 16, 1 x 2 processes",
                 record["program"]["compiler"], record["mpi"]["library"],
                 f"{test['residual']:.3g}", "Is it good?"):
        assert said in text, said


def test_the_page_stands_alone(traced_page):
    elements, _, _ = read(traced_page)
    outside = [a for _, a in elements if "src" in a or "href" in a]
    assert outside == [] and "@import" not in traced_page
    policy = [a["content"] for _, a in elements if "http-equiv" in a]
    assert policy[0].startswith("default-src 'none';")
    assert 300_000 < len(traced_page) < 1_500_000


def test_everything_has_a_name_that_can_be_read_and_the_docs_have_each_section(traced_page):
    elements, _, data = read(traced_page)
    tags = [tag for tag, _ in elements]
    named = [a for t, a in elements if t == "table" and "aria-labelledby" in a]
    assert tags.count("table") == tags.count("caption") + len(named)
    charts = [a for _, a in elements if "data-chart" in a]
    assert len(charts) == 5 == tags.count("figure")
    assert all(a["role"] == "img" and len(a["aria-label"]) > 30 for a in charts)
    assert {a["data-key"] for a in charts} == set(data)
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", traced_page)
    told = (jobs.SOURCE / "docs/REPORT.md").read_text()
    assert len(titles) > 5
    assert [title for title in titles if f"| {title} |" not in told] == []
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 2 for a, b in zip(levels, levels[1:]))
    ids = [a["id"] for _, a in elements if "id" in a]
    assert len(ids) == len(set(ids))


def test_iterations_are_those_of_the_record_or_joined(tmp_path, record):
    _, text, data = read(page_of(tmp_path, record))
    points, rows = data["run-1-profile"]["points"], record["iterations"]
    assert [p["seconds"] for p in points] == [r["seconds"] for r in rows]
    assert [p["gflops"] for p in points] == pytest.approx([r["gflops"] for r in rows])
    assert all(sum(p["phases"].values()) >= 0.999 * p["seconds"] for p in points)
    assert "Iterations of process 0" in text
    record["iterations"] = [
        {**rows[1], "iteration": i, "begin": i * 0.5, "seconds": 0.5} for i in range(5000)]
    _, text, data = read(page_of(tmp_path, record))
    profile = data["run-1-profile"]
    assert len(profile["points"]) <= 160
    assert sum(p["seconds"] for p in profile["points"]) == pytest.approx(2500)
    assert f"Each point joins {profile['step']} iterations" in text


def test_devices_have_lines_of_their_own(tmp_path, record):
    """What two iterations say that are joined into one point, and one that says nothing."""
    for i in record["iterations"]:
        i["wait_device"] = i["wait_panel"] = 0.1 * i["seconds"]
    _, text, data = read(page_of(tmp_path, record))
    assert "run-1-parts" not in data and "wait for panel 10 %" in text
    assert "wait for threads 10 %" in text and "device" not in text.partition(
        "Where the time of each iteration went")[2].partition("Time line")[0]
    assert "wait for threads" in data["run-1-profile"]["phases"]
    assert "wait for threads" in data["run-1-whole"]["names"]
    row = {**record["iterations"][1], "seconds": 1.0}
    busy = {"share_used": 0.5, "share_measured": 0.75, "update_device_1": 0.25}
    record["iterations"] = [
        {**row, **(busy if i % 2 else {}), "iteration": i} for i in range(200)]
    _, text, data = read(page_of(tmp_path, record))
    parts = data["run-1-parts"]
    assert parts["iterations"][0] == [0, 1] and len(parts["iterations"]) == 100
    lines = {line["name"]: set(line["parts"]) for line in parts["lines"]}
    assert lines == {"share used": {0.5}, "share that would have balanced": {0.75},
                     "device 1 multiplies": {0.25}}
    assert "Devices of process 0" in text and "wait for threads or devices" in text
    assert ("The devices' share of each update, as used and as it would have balanced, and the "
            "part of an iteration in which each device multiplied." in text)
    for names, said in (
            ({"share_used"}, "The devices' share of each update, as used."),
            ({"update_device_0"}, "The part of an iteration in which each device multiplied.")):
        labels = series.SHARES | series.BUSY
        assert series.parts_caption([{"name": labels[name]} for name in names]) == said


def busy(spans):
    """us in which there is one at least: some lie in others."""
    total, until = 0, 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, until))
        until = max(until, end)
    return total


def test_of_several_tests_the_trace_shows_the_best_alone(tmp_path):
    """Iterations of all have the same numbers. And all tests are beside each other."""
    words = ["-n", "320,640,480", "-nb", "16", "-p", "1", "-q", "2", "--json", "r.json"]
    words = jobs.launched(2, [jobs.XHPL, *words, "--trace", "t.json"])
    jobs.run(words, tmp_path).succeeded()
    run = Run(tmp_path / "r.json", read_record(tmp_path / "r.json"))
    _, text, data = read(made(tmp_path, "r.json"))
    assert "All tests" in text and "What differs" not in text
    assert [bar["gflops"] for bar in data["bars"]] == sorted(
        (test["gflops"] for test in run.solved), reverse=True)
    if not run.rows:
        pytest.skip("this solver notes no iterations")
    spans, _ = read_trace(tmp_path / "t.json")
    found, counts = [], []
    for run.best in run.solved:
        kept = series.of_best(spans, run)
        found.append(max(s.iteration for line in kept.values() for s in line) + 1)
        counts.append(sum(map(len, kept.values())))
    assert found == [20, 40, 30]
    assert sum(counts) == sum(map(len, spans.values())) and min(counts) > 0


def test_a_trace_shows_every_thread(traced_run, traced_page):
    _, text, data = read(traced_page)
    events = json.loads((traced_run / "trace.json").read_text())["traceEvents"]
    actors = defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            actors[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
    whole, near = data["run-1-whole"], data["run-1-near"]
    assert len(whole["rows"]) == len(near["rows"]) == len(actors)
    assert {e["name"] for e in events if e["ph"] == "X"} == set(whole["names"])
    for box in whole["boxes"]:
        assert box[2] < box[3] and 0 <= box[4] < box[5] <= 1.001
    shown = sum((b[3] - b[2]) * (b[5] - b[4]) for b in whole["boxes"])
    spent = sum(map(busy, actors.values())) / 1e6
    assert 0.9 * spent < shown < 1.02 * spent
    assert "Who computed what" in text


def test_what_the_run_noticed_and_how_it_was_clocked_is_shown(tmp_path, record):
    test, name = record["tests"][0], record["hosts"][0]["name"]
    record["findings"], test["clocks"] = [], None
    text = text_of(page_of(tmp_path, record))
    assert "What the run noticed" not in text and "Clock under load" in text
    record["findings"] = [
        {"time": "2026-03-29T01:30:00.250Z", "level": "warning",
         "text": "rank 3 on node7: slow"}]
    test["clocks"] = [
        {"host": name, "samples": 1, "mhz_least": 1400.0, "mhz_mean": 1500.0,
         "mhz_most": 2900.0, "temperature_celsius": None}]
    test["energy"] = {"source": "RAPL, diagnostic only", "package_joules": 400.0,
                      "dram_joules": None, "device_joules": 100.0}
    test["seconds"] = 10.0
    text = text_of(page_of(tmp_path, record))
    for said in ("What the run noticed 01:30:00 warning: rank 3 on node7: slow",
                 " 1400 MHz to 2900 MHz ", "Energy 500 J RAPL, diagnostic only",
                 "not to be submitted: 50.0 W by RAPL"):
        assert said in text, said
    test["clocks"][0].update(mhz_least=None, mhz_most=None)
    assert "1400 MHz" not in text_of(page_of(tmp_path, record))


# ---- runs that did not pass --------------------------------------------------


@pytest.mark.parametrize("options, said", (
    ("--set solver=reference", ("The reference solver notes no iterations", "PASSED")),
    ("-n 50,10000000 --set memory_reserve=-1000000000", ("SKIPPED", "All tests", "PASSED"))))
def test_a_run_has_a_page_whatever_it_left_out(xhpl, options, said):
    xhpl(*ONE, *options.split(), "--json", "run.json")
    text = text_of(made(xhpl.directory, "run.json"))
    assert [x for x in said if x not in text] == []


ENDINGS = ((None, "the run was killed, or is still under way"),
           (2, "There is no result: its input was refused"),  # of earlier versions
           (143, "There is no result: SIGTERM ended it"),
           (130, "There is no result: SIGINT ended it"),
           (129, "There is no result: SIGHUP ended it"))


@pytest.mark.parametrize("status, said", ENDINGS)
def test_a_run_that_broke_off_has_a_page_and_tells_the_test_under_way(
        tmp_path, record, status, said):
    empty = ("end", "seconds", "gflops", "residual", "norms", "energy", "ranks", "clocks")
    running = {**record["tests"][0], **dict.fromkeys(empty), "status": "RUNNING", "n": 777,
               "start": "2026-03-29T01:30:00.250Z"}
    record.update(exit_status=status, end=None, tests=[], iterations=[])
    text = text_of(page_of(tmp_path, record))
    assert said in text and "The record has no iterations of a solved test" in text
    record["tests"] = [running]
    assert ("N 777 on 1 x 2 processes ran since 2026-03-29 01:30:00 UTC"
            in text_of(page_of(tmp_path, record)))


def test_a_restarted_run_whose_clocks_disagree_fills_no_entry(tmp_path, record):
    for agree, said in ((True, "Rmax, Gflop/s: [0-9]"), (False, "clocks of this restarted")):
        record["tests"][0]["restarted"] = {
            "times": 1, "iteration": 5, "before_seconds": 9.0, "lost_seconds": 1.0,
            "between_seconds": 2.0, "clocks_agree": agree}  # fmt: skip
        text = text_of(page_of(tmp_path, record))
        assert re.search(said, text)
        assert ("clocks do not agree" in text) != agree


# ---- several -----------------------------------------------------------------


def unfolded(elements):
    """Of each run, whether its part of the page is open."""
    return ["open" in a for tag, a in elements if tag == "details" and a.get("class") == "run"]


def test_several_runs_are_compared(tmp_path, record):
    other = copy.deepcopy(record)
    other["hpl_dat"]["nb"] = [16, 24]
    other["settings"]["tile"]["value"] = 512
    other["environment"]["OMP_MADE_UP"] = "17"
    elements, text, data = read(page_of(tmp_path, record, other))
    assert "What differs between the runs" in text
    differs = text[text.index("What differs between the runs"):]
    assert differs.startswith(
        "What differs between the runs Run HPL.dat nb setting tile variable OMP_MADE_UP "
        "r0.json 16 0 – r1.json 16, 24 512 17"), differs[:300]
    assert "Variables of the environment that may matter" in text
    assert "HPL.dat n 320" not in text.split("HPL.dat, after")[0]
    assert [c["name"] for c in data["curves"]] == ["r0.json (tile 0)", "r1.json (tile 512)"]
    assert unfolded(elements) == [True, False]
    other["tests"][0]["gflops"] *= 2  # the best one is
    page = page_of(tmp_path, record, other)
    assert unfolded(read(page)[0]) == [False, True]
    assert "<h2>r1.json (tile 512): " in page


def in_tables(page):
    """Files in the table of all tests, and in that of those that do not count."""
    return [
        re.findall(r"r\d+\.json", page[page.index(f"<caption>{caption}"):]
                   .split("</table>")[0])
        for caption in ("All tests", "Tests that do not count")
    ]  # fmt: skip


def test_tests_are_listed_by_their_rate_and_the_slowest_of_many_are_drawn(tmp_path, record):
    skipped = copy.deepcopy(record)
    skipped["tests"][0].update(gflops=None, seconds=None, status="SKIPPED")
    page = page_of(tmp_path, skipped, *copies(record, [5, 7, 6]))
    assert in_tables(page)[0] == ["r2.json", "r3.json", "r1.json"]
    rates = [100.0 + i / 100 for i in range(60)]
    rates[17] = 88.0
    _, text, data = read(page_of(tmp_path, *copies(record, rates)))
    fastest_first = sorted(rates, reverse=True)
    assert [bar["gflops"] for bar in data["bars"]] == fastest_first[:20] + fastest_first[-20:]
    assert data["bars"][-1]["name"] == "r17.json"
    assert "The 20 fastest and the 20 slowest are drawn" in text
    runs = copies(record, [100, 101, 88, 98, 99, 30])
    runs[5]["tests"][0]["n"] = 64  # another test is not compared
    text = text_of(page_of(tmp_path, *runs))
    assert re.search(
        r"Below 97 % of the median of equal tests: r2\.json: 89 % of the median "
        r"\(W\w+, N 320, NB 16, 1 x 2\) (?!r\d)", text), text
    assert "of equal tests" not in text_of(page_of(tmp_path, *runs[:2]))


def test_what_is_wrong_or_broke_off_is_no_row_among_rows(tmp_path, record):
    runs = copies(record, [100, 900, 101, 800, 88, 99, 700])
    for number, run in enumerate(runs):
        run["hosts"][0].update(name=f"node{number}", fma_ceiling=None)
    runs[1]["tests"][0]["status"] = "FAILED"
    runs[3]["exit_status"] = None  # it was killed after this test
    runs[6]["exit_status"] = 3
    page = page_of(tmp_path, *runs)
    _, text, data = read(page)
    assert in_tables(page) == [
        ["r2.json", "r0.json", "r5.json", "r4.json"], ["r1.json", "r3.json", "r6.json"]]
    assert [bar["gflops"] for bar in data["bars"]] == [101, 100, 99, 88]
    first = text.split("7 runs: ")[2]  # the first one is the title
    assert first.startswith(
        '3 good, 1 slow, 1 wrong, 2 no result wrong, 1 run. See "It ends early" in '
        "docs/TROUBLESHOOTING.md of xhpl. r1.json on node1: No: the "
        "residual is too large"), first[:200]
    for said in ('no result, 2 runs. See "It ends early" in docs/TROUBLESHOOTING.md of xhpl. '
                 "r3.json on node3: There is no result: the record has no",
                 "r6.json on node6: There is no result: it failed at run",
                 "slow, 1 run: below equal tests. r4.json on node4: ", "It reached 88 % of the median of equal"):
        assert said in first, first[:900]
    test = record["tests"][0]
    record["tests"] = [test, {**test, "status": "FAILED", "gflops": 1e6}]
    page = page_of(tmp_path, record)
    assert [len(files) for files in in_tables(page)] == [1, 1]
    assert "No: of 1 of 2 tests the residual is too large" in text_of(page)


def test_repeated_tests_have_a_mean_and_a_spread(tmp_path, record):
    assert "Tests that were repeated" not in text_of(page_of(tmp_path, record, {
        **record, "tests": [{**record["tests"][0], "n": 64}]}))
    runs = copies(record, [90, 100, 110, 50])
    runs[3]["settings"]["tile"]["value"] = 512
    text = text_of(page_of(tmp_path, *runs))
    assert re.search(r"Tests that were repeated Test Times Mean, Gflop/s Standard deviation "
                     r"Least Most W\w+, N 320, NB 16, 1 x 2 3 100 10 % 90 110 ", text), text
    record["tests"] = [{**record["tests"][0], "gflops": rate} for rate in (9, 11)]
    assert "1 x 2 2 10 14 % 9 11" in text_of(page_of(tmp_path, record))


def test_runs_are_grouped_by_the_reason(tmp_path, record):
    runs = copies(record, [10] * 30)
    for run in runs:
        run["hosts"][0]["fma_ceiling"]["gflops"] = 100
        run["findings"] = []
    for run in runs[:25]:
        run["mpi"]["processes"] = 3
    page = page_of(tmp_path, *runs)
    text = text_of(page)
    assert re.search(r"slow, 25 runs: idle processes\. See \"P x Q: flat\" in docs/TUNING\.md of xhpl\. "
                     r"r0\.json .* r19\.json .{0,300} 5 more", text), text[:9000]
    assert "slow, 5 runs: " in text
    assert text.index("slow, 25 runs: ") < text.index("slow, 5 runs: ")


def test_a_thousand_processes_fit_and_a_slow_host_is_named(tmp_path, record):
    many_hosts(record, 125, 8)
    record["hosts"][77]["fma_ceiling"]["gflops"] *= 0.8
    page = page_of(tmp_path, record)
    text = text_of(page)
    assert "The cores of node077 reached" in text
    assert text.count(" alone before or after the run, those of the middle host") == 1
    assert "node000, node001, node002 and 122 more 125" in text
    assert "109 more hosts not drawn" in text
    assert len(page) < 1_000_000


# ---- an entry of a list ------------------------------------------------------


def test_fields_of_an_entry_are_known_or_blank(tmp_path, record):
    page = page_of(tmp_path, record)
    block = re.search(r"<pre id=[^>]*>(.*?)</pre>", page, re.S)[1]
    fields = dict(re.findall(r"^  ([^:]+): +(.*)$", block, re.M))
    assert float(fields["Rmax, Gflop/s"]) == pytest.approx(
        record["tests"][0]["gflops"], rel=1e-4)
    assert fields["Nmax"] == "320" and fields["Nodes"] == "1"
    for name in ("Nhalf", "Rpeak, Gflop/s", "Interconnect", "Site",
                 "Average power of the run"):
        assert fields[name].startswith("[fill in]"), name
    assert "Diagnostic, not to be submitted" in fields


# ---- what comes from outside -------------------------------------------------


EVIL = "</script><script>alert(1)</script><b title=\"'\">&amp;\u2028"


def test_names_cannot_become_part_of_the_page(tmp_path, record, traced_run):
    record["hosts"][0]["name"] = EVIL
    record["hosts"][0]["cpu"] = record["blas"]["name"] = EVIL
    record["command_line"] = ["xhpl", EVIL]
    record["settings"]["tile"].update(changed=True, value=EVIL)
    (tmp_path / "r.json").write_text(json.dumps(record))
    page = made(tmp_path, "r.json", "--trace", traced_run / "trace.json")
    assert "<script>alert" not in page and "<b title" not in page
    elements, text, data = read(page)
    assert [tag for tag, _ in elements].count("script") == 3
    assert "alert(1)" in text
    assert any(shown(EVIL) in row for row in data["run-1-work"]["rows"])


def without(record, *path):
    at = record
    for key in path[:-1]:
        at = at[key]
    del at[path[-1]]
    return record


WRONG = {
    "no-json": (lambda r: "{", "not JSON"),
    "list": (lambda r: "[]", "not the record of a run"),
    "other-json": (lambda r: '{"a": 1}', "not the record of a run"),
    "version": (lambda r: {**r, "schema_version": 99}, "schema_version is 99"),
    "no-tests": (lambda r: without(r, "tests"), "no tests"),
    "no-n": (lambda r: without(r, "tests", 0, "n"), "tests[0] has no n"),
    "text": (lambda r: {**r, "mpi": "x"}, "mpi is not an object"),
    "deep": (lambda r: "[" * 100_000, "not JSON"),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_record_is_refused_in_one_line(tmp_path, record, kind):
    make, said = WRONG[kind]
    found = make(record)
    (tmp_path / "r.json").write_text(found if isinstance(found, str) else json.dumps(found))
    outcome = call(tmp_path, "r.json").refused()
    assert re.fullmatch(r"hpl-report: r\.json: .*\n", outcome.stderr), str(outcome)
    assert said in outcome.stderr
    assert not (tmp_path / "report.html").exists()


UNFIT = [
    ("none.json", "none.json: No such file or directory"),
    ("run.json -o no/folder/r.html", "no/folder/r.html: No such file"),
    ("run.json --trace none", "none: No such file or directory"),
    ("run.json --trace run.json", "run.json: not a trace of xhpl"),
    ("", "usage: hpl-report"),
]


@pytest.mark.parametrize("words, said", UNFIT)
def test_files_that_do_not_fit_are_refused(traced_run, words, said):
    outcome = call(traced_run, *words.split()).ended(2)
    assert said in outcome.stderr and "Traceback" not in outcome.stderr


def test_a_page_replaces_nothing_but_a_page(tmp_path, traced_run):
    for name in ("run.json", "trace.json"):
        (tmp_path / name).write_bytes((traced_run / name).read_bytes())
    before = (tmp_path / "run.json").read_bytes()
    (tmp_path / "other.html").write_text("precious\n")
    (tmp_path / "link.json").symlink_to("run.json")
    for name, said in (
            ("run.json", "run.json is an input"), ("link.json", "link.json is an input"),
            ("trace.json", "is an input"), ("other.html", "was not made by this program")):
        call(tmp_path, "run.json", "--trace", "trace.json", "-o", name).refused(said)
    call(tmp_path, "run.json", "-o", "run.json", "--force").refused("is an input")
    assert (tmp_path / "run.json").read_bytes() == before
    assert (tmp_path / "other.html").read_text() == "precious\n"
    made(tmp_path, "run.json")
    text = text_of(made(tmp_path, "run.json", traced_run / "run.json"))  # equal names
    assert "run.json (1)" in text and "run.json (2)" in text
    assert "All settings and values of the runs are the same" in text
    call(tmp_path, "run.json", "-o", "other.html", "--force").succeeded()
    assert [path.name for path in tmp_path.glob("*.html.*")] == []
    page = call(tmp_path, "run.json", "-o", "/dev/stdout").succeeded().stdout
    assert page.startswith("<!DOCTYPE html>")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "places", [("/bin", "/share/xhpl"), ("/opt/x/bin", "/opt/y/deep/share/xhpl")])
def test_an_installed_one_finds_its_parts(tmp_path, traced_run, places):
    install = [jobs.SOURCE / "scripts/install-report", "first", *places]
    jobs.run(install, tmp_path).succeeded()
    (tmp_path / "first").rename(tmp_path / "moved")
    words = [traced_run / "run.json", "-o", "installed.html"]
    installed = f"{tmp_path}/moved{places[0]}/hpl-report"
    outcome = jobs.run([installed, *words], tmp_path)
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)
    page = made(tmp_path, traced_run / "run.json")
    page = re.sub(r'<a href="file:[^>]*>(.*?)</a>', r"\1", page)  # no pages beside it
    assert (tmp_path / "installed.html").read_text() == page
