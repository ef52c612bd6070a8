# SPDX-License-Identifier: BSD-3-Clause
"""What nodes, records, traces and states say: nonsense is refused or named, and what
moves a cursor never reaches a terminal."""
import json
import random
import re
import sys

import pytest

import jobs
import mutations
from campaign_site import ALONE, CAMPAIGN, LOADS, site
from report_page import HPL_REPORT, call
from hpl_campaign import cli, clocks, hosts, inventory, outcome, planning
from hpl_report import foreign

pytestmark = pytest.mark.scripts

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
EVIL = "\x1b[2J\x1b]0;title\x07\u202e\nsecond line"


def in_order(status, out, err, program):
    """Refused with one line, or done; nothing that moves a cursor."""
    assert not CONTROL.search(out + err), repr(out + err)
    if status == 2:
        assert out == "" and re.fullmatch(rf"{program}: [^\n]+\n", err), err
    else:
        assert status in (0, 1) and err == "", (status, err)


# ---- damaged files -------------------------------------------------------------------


@pytest.mark.parametrize("kind, times", (("run", 150), ("trace", 40)))
def test_a_damaged_record_or_trace_is_refused_or_shown(
        record, traced_run, tmp_path, monkeypatch, kind, times):
    monkeypatch.chdir(tmp_path)
    main = jobs.module(HPL_REPORT).main
    whole = {name: (traced_run / f"{name}.json").read_bytes() for name in ("run", "trace")}
    words = {"run": ["m.json"], "trace": ["run.json", "--trace", "m.json"]}[kind]
    (tmp_path / "run.json").write_bytes(whole["run"])
    statuses = set()
    for number in range(times):
        draw = random.Random(f"{kind} {number}")
        (tmp_path / "m.json").write_bytes(mutations.mutated(draw, whole[kind]))
        more = ["--verdict"] if kind == "run" and number % 2 else []
        found = mutations.called(main, *words, *more)
        in_order(*found, "hpl-report")
        statuses.add(found[0])
    assert {0, 2} <= statuses


def test_a_damaged_state_is_refused_with_its_name_or_goes_on(site, monkeypatch):
    site.run(*LOADS, "--short", "5", told={"n2": "wrong", "n7": 0.5}, hosts="n[1-7]")
    path = site.folder / "c/state.jsonl"
    whole, statuses = path.read_bytes(), set()
    monkeypatch.chdir(site.folder)
    for number in range(80):
        draw = random.Random(f"state {number}")
        path.write_bytes(mutations.mutated(draw, whole))
        found = mutations.called(cli.main, "report", "-C", "c")
        in_order(*found, "xhpl-campaign")
        assert found[0] != 2 or str(path) in found[2] or "/c has no campaign" in found[2]
        statuses.add(found[0])
    assert {1, 2} <= statuses


def test_a_state_that_speaks_of_strangers_is_refused(site):
    site.run(*ALONE, hosts="n1").succeeded()
    path = site.folder / "c/state.jsonl"
    path.write_text(path.read_text().replace('"hosts":["n1"]', '"hosts":["-oProxy"]'))
    site.run(*ALONE, hosts="n1").refused(
        "is damaged: hosts[0] is", "not the name of a host", "another campaign with -C")


@pytest.mark.parametrize("member, value", (
    ("slow", "x"), ("counts", {}), ("figures", {"single": {"kinds": [3]}}),
    ("hosts", [{"name": "n1", "kind": "k", "class": "ok", "gflops": [0]}])))
def test_a_damaged_campaign_to_compare_is_refused(site, member, value):
    site.run(*ALONE, hosts="n1").succeeded()
    (site.folder / "old.json").write_text(json.dumps({**site.result(), member: value}))
    again = jobs.run([sys.executable, CAMPAIGN, "report", "-C", "c", "--compare",
                      "old.json"], site.folder)
    again.refused("old.json: no campaign.json of version 1: ")


# ---- what nodes write ----------------------------------------------------------------

ROW = ("WR21R2C8        9600   192     1     1  {:>18} {:>22}\n"
       "||Ax-b||= 2.16e-03 ...... PASSED\n")


@pytest.mark.parametrize("seconds, gflops", (
    ("1.00", "nan"), ("1.00", "inf"), ("1.00", "-1e308"), ("1.00", "abc"),
    ("1.00", "1e999"), ("nan", "1.0"), ("-1", "1.0"), ("1.00", "0"), ("1.00", "1e+"),
    ("1.00", "9" * 5000), ("1.00", "٣")))
def test_a_result_that_is_no_number_is_wrong_with_what_was_written(seconds, gflops):
    found = outcome.classify(outcome.Ended(0, None, ROW.format(seconds, gflops), ""))
    assert (found.outcome, found.seconds, found.gflops) == ("wrong", None, None)
    assert gflops[:300] in found.evidence[0], found.evidence


@pytest.mark.parametrize("value", ("1e+", "-1", '"abc"', "Infinity", "NaN", "[", "1.2.3"))
def test_a_record_without_a_number_for_the_link_is_wrong(value):
    record = f'{{"latency_seconds": {value}, "bandwidth": 1e9}}'
    ended = outcome.Ended(0, None, ROW.format("1.00", "1e2"), "", record=record)
    assert outcome.classify(ended).outcome == "wrong"
    assert outcome.link(record) == (None, None)
    assert value in outcome.classify(ended).evidence[0]


@pytest.mark.parametrize("share, rate", (
    ("1.2.3", "9"), ("900", "9"), ("nan", "9"), ("50", "inf"), ("50", "x"), ("-1", "9")))
def test_progress_that_is_no_number_says_nothing(share, rate):
    line = "xhpl: progress: {}% done, 9 columns, mean {}\n"
    assert outcome.share_done(line.format(share, rate)) == (None, None)
    before = line.format("25.0", "8") + line.format(share, rate)
    assert outcome.share_done(before) == (0.25, 8.0)


@pytest.mark.parametrize("row", (" x 192 1 1 2 1 9 1 0.7", " 9600 192 1 1 2 1 9 nan 0.7",
                                 " 9600 0 1 1 2 1 9 1 0.7", f" {'9' * 5000} 192 1 1 2 1"))
def test_a_plan_that_is_none_is_refused(row):
    with pytest.raises(planning.NoPlan, match="cannot be read"):
        planning.first_row(f"   N  NB  P  Q DEPTH\n{row}\n")


@pytest.mark.parametrize("said, odd", (
    ('{"load": "abc", "cores": 4}', 'load is "abc"'), ('{"cores": [1]}', "cores is [1]"),
    ('{"processor": 3}', "processor is 3"), ('{"gpus": {}}', "gpus is {}"),
    ('{"memory_bytes": true}', "memory_bytes is true"),
    ('{"kernel": "\\u001b[2J", "load": false}', "load is false"),
    ("[" * 100000, "it answered [[["), ('"x"', 'it answered "x"'), ("", "it answered")))
def test_facts_of_wrong_types_are_named_and_left_out(said, odd):
    facts = inventory.facts_of(said.encode())
    assert odd in facts.pop("nonsense") and not CONTROL.search(str(facts))
    assert set(facts) <= {"cores", "kernel"}


def test_an_answer_without_end_is_given_up():
    line, error = inventory.ask(["yes"], 60)
    assert line is None and "more than 1 MiB" in error


def test_a_node_that_babbles_is_wrong_and_the_campaign_goes_on(site):
    told = {"n2": "babble"}
    for done in (site.run(*ALONE, told=told, hosts="n[1-6]"),
                 site.run(*ALONE, told=told, hosts="n[1-6]")):
        assert done.status == 1, str(done)
        assert not CONTROL.search(done.stdout + done.stderr), str(done)
    assert site.classes() == {f"n{i}": "wrong" if i == 2 else "ok" for i in range(1, 7)}
    drained = (site.folder / "c/drain.txt").read_text()
    assert "nan\\x1b[31m" in drained and not CONTROL.search(drained)
    page = (site.folder / "c/campaign.html").read_text().split("<script>")[0]
    assert not CONTROL.search(page)


# ---- names of hosts ------------------------------------------------------------------


@pytest.mark.parametrize("names", (
    "-oProxyCommand=touch x", "n1,-v", "root@-v", "-[1-3]", "@n1", "n[²]", "n[1-9999999]",
    "n" + "[1]" * 2000))
def test_no_name_of_a_host_can_be_an_option(names):
    with pytest.raises(hosts.BadHosts):
        hosts.expand(names)
    with pytest.raises(hosts.BadHosts):
        hosts.hostfile(names.replace(" ", "_") + " slots=4\n")


# ---- the terminal --------------------------------------------------------------------


@pytest.mark.parametrize("text", (
    "\x9b", "\u202e", "\x7f", "\x1b", "\ud800", "a\nb", "\u2028"))
def test_texts_of_json_are_cleaned_however_they_are_written(text):
    for written in (json.dumps([text, {text: 1}]),
                    json.dumps([text, {text: 1}], ensure_ascii=False)):
        found = foreign.parsed(written.encode("utf-8", "surrogatepass"))
        assert not foreign.UNSEEN.search(found[0] + "".join(found[1])), written
    assert foreign.shown(EVIL) == ("\\x1b[2J\\x1b]0;title\\x07\\u202e\\nsecond line")
    assert foreign.shown("plain, ümlaut 漢字\u00a0%") == "plain, ümlaut 漢字\u00a0%"


def test_a_record_cannot_move_the_cursor(tmp_path, record):
    name = "r\x1b[2J.json"
    record["hosts"][0]["name"] = EVIL
    record["findings"] = [{"time": "x", "level": "warning", "text": EVIL}]
    (tmp_path / name).write_text(json.dumps(record))
    for words in ([name, "--verdict"], [name, "--trace", name], [name]):
        done = call(tmp_path, *words)
        assert not CONTROL.search(done.stdout + done.stderr), str(done)
    for path in ("a\0b", "/dev/zero", "/none", "."):  # no file has no clocks
        assert clocks.of_record(path) == {}
    page = (tmp_path / "report.html").read_text().split("<script>")[0]
    assert "\\x1b[2J" in page and not CONTROL.search(page)


def test_nothing_is_printed_but_by_one_function():
    """Programs that run on nodes are no concern of it."""
    folder = jobs.SOURCE / "scripts"
    files = [folder / name for name in ("hpl-report", "xhpl-campaign", "pack-submission")]
    files += [path for part in ("hpl_report", "hpl_campaign")
              for path in (folder / part).glob("*.py")]
    printing = {path.name for path in files if re.search(
        r"\bprint\(|std(out|err)\.write\(", path.read_text())}
    assert printing == {"foreign.py", "probe.py", "sensors.py"}
