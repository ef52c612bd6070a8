# SPDX-License-Identifier: BSD-3-Clause
"""xhpl-campaign: what it makes of runs that fail, what it says and costs. xhpl is
fake_xhpl.py."""
import collections
import io
import json
import os
import random
import re
import shlex
import signal
import sys

import pytest

import jobs
from campaign_site import ALONE, CAMPAIGN, FAKE, LOADS, site, wait_for
from hpl_campaign import (campaign, cli, hosts, inventory, launch, leftovers, live, stages)

pytestmark = pytest.mark.scripts


# ---- campaigns -----------------------------------------------------------------------


def test_where_all_is_well_the_status_is_0(site):
    done = site.run(*LOADS).succeeded()
    assert set(site.classes().values()) == {"ok"}
    runs = collections.Counter(event["run"].split("-")[0] for event in site.ended().values())
    assert runs["single"] >= 8 and runs["pairs"] == 12 and runs["all"] == 1
    assert (site.folder / "c/campaign.html").stat().st_size > 10000
    assert (site.folder / "c/drain.txt").read_text() == ""
    # Sparse lines in a file: no table.
    assert "\x1b" not in done.stderr and len(done.stderr.splitlines()) < 12


def test_each_fault_has_its_class_and_its_evidence(site):
    told = {"n2": "wrong", "n3": "die", "n4": "hang", "n6": "refuse", "n7": 0.5, "n8": "crash"}
    names = "n[1-12]"
    done = site.run(*LOADS, "--silence", "3", told=told, hosts=names).ended(1)
    bad = {"n2": "wrong", "n3": "died", "n4": "hung", "n6": "not started", "n7": "slow", "n8": "died"}
    expected = {name: bad.get(name, "ok") for name in hosts.expand(names)}
    assert site.classes() == expected, str(done)
    ended = site.ended()
    assert "it dies" in ended["single-1-n3"]["evidence"][0]
    assert "without a sign of progress" in ended["single-1-n4"]["evidence"][0]
    assert "no progress for" in " ".join(ended["single-1-n4"]["evidence"])
    drained = (site.folder / "c/drain.txt").read_text().splitlines()
    assert {line.removeprefix("# ask first: ").split()[0].rstrip(":") for line in drained} == set(bad)
    assert [line for line in drained if line.startswith("n8 ") and "signal 11 (SIGSEGV)" in line]
    # Hosts that failed take no part in what comes later.
    assert set(ended["all-1-all"]["run"] and next(
        event for event in site.events() if event.get("run") == "all-1-all"
    )["hosts"]) == set(expected) - {"n2", "n3", "n4", "n6", "n8"}
    assert "leaving out n7 gives" in done.stderr


def test_a_node_whose_link_slows_down_others_is_left_out_as_well(site):
    """n7 is slow with others alone, n3 alone as well."""
    told = {"n3": 0.8, "company": {"n3": 0.8, "n7": 0.5}}
    loads = "--stages", "single,pairs,all", "--short", "5", "--rounds", "all"
    done = site.run(*loads, "--leave-out", told=told, hosts="n[1-7]")
    (begun,) = [event for event in site.events() if event["event"] == "stage"
                and event["stage"] == "all"]
    assert begun["left_out"] == ["n7", "n3"] and begun["gain"] > 0.4, str(done)
    assert set(begun["hosts"]) == set(hosts.expand("n[1-2],n[4-6]"))
    assert begun["rate"] > 9e10 and "leaving out n7 and n3 gives" in done.stderr
    site.run(*loads, told=told, hosts="n[1-7]", name="kept")
    (kept,) = [event for event in site.events("kept") if event["event"] == "stage"
               and event["stage"] == "all"]
    assert kept["left_out"] == ["n7", "n3"] and len(kept["hosts"]) == 7
    assert kept["rate"] < 6e10  # so that its limit is not too short


@pytest.mark.more
def test_what_a_hanging_run_started_is_ended_too(site):
    """Its child has left its process group and hears no SIGTERM."""
    done = site.run(*ALONE, "--silence", "1", hosts="n1,n2", told={"n1": "deaf"}).ended(1)
    assert site.classes()["n1"] == "hung", str(done)
    assert leftovers.marked(str(site.folder / "c/runs")) == []


def test_a_run_that_takes_too_long_is_ended(site):
    site.run(*ALONE, "--grace", "0.1", "--bound", "0.5", "--retries", "0", hosts="n1",
             told={"seconds": 60}).ended(1)
    event = site.ended()["single-1-n1"]
    assert event["outcome"] == "unknown" and "its limit" in event["evidence"][0]


@pytest.mark.parametrize("stages", ("inventory,single", "single"))
def test_where_no_host_answers_all_are_drained_with_the_reason(site, stages):
    ssh = jobs.program(site.folder / "bin/ssh", "echo no route to host >&2; exit 255\n")
    mpirun = jobs.program(site.folder / "bin/mpirun2",
                          "echo ------ >&2; echo no daemon >&2; echo ----- >&2; exit 1\n")
    words = [sys.executable, CAMPAIGN, "run", "-C", "c", "--hosts", "n[1-2]", "--ssh",
             ssh, "--mpirun", mpirun, "--stages", stages, "--yes", "--drain-command",
             "touch drained-{host}"]
    done = jobs.run(words, site.folder).ended(1, "no host answers")
    assert "Do not drain yet: 2 of 2 nodes are not started" in done.stdout
    assert "before you drain" not in done.stdout
    assert "not drained: n1, n2" in done.stderr
    assert list(site.folder.glob("drained-*")) == []
    lines = (site.folder / "c/drain.txt").read_text().splitlines()
    assert lines == [f"# ask first: n{i}: not started: it does not answer: no route to host; drain it only "
                     f"if it does not answer: ssh n{i} uptime" for i in (1, 2)]
    assert (site.folder / "c/campaign.html").exists()
    jobs.program(site.folder / "bin/ssh", "shift; eval \"$@\"\n")  # it is repaired
    done = jobs.run(words, site.folder)
    assert "no host answers" not in done.stderr, str(done)
    done.refused("no daemon")
    assert (site.folder / "c/drain.txt").read_text() == ""


@pytest.mark.parametrize("option", ("--partition", "--reservation"))
def test_what_slurm_does_not_know_is_named(site, option):
    for name in ("sinfo", "scontrol", "srun", "sbatch", "squeue", "scancel"):
        jobs.program(site.folder / "bin" / name, "exit 1\n")
    jobs.run([sys.executable, CAMPAIGN, "run", "-C", "c", option, "x"], site.folder,
             {"PATH": f"{site.folder}/bin:/usr/bin:/bin"}).refused(
        f"Slurm knows no hosts of {option} x; sinfo and scontrol show its own")
    assert not (site.folder / "c").exists()


@pytest.mark.parametrize("options, said", (
    (("--launcher", "local"), "no hosts"),
    (("--launcher", "local", "--hosts", "n1", "--mpirun", "bin/none"), "bin/none is no"),
    (("--launcher", "local", "--hosts", "n1", "--xhpl", "none"), "none is not a program"),
    (("--hosts", "n1", "--mpirun", "no-such-mpirun"), "no-such-mpirun is not a program"),
    (("--hosts", "n1", "--ssh", "no-such-ssh -v"), "no-such-ssh is not a program"),
    (("--partition", "x"), "Slurm is not on this machine"),
    (("--launcher", "slurm", "--hosts", "n1"), "Slurm is not on this machine"),
    (("--hosts", "n1", "--xhpl-options", "'"), "is not words for a shell")))
def test_what_cannot_begin_is_refused_before_a_folder_is_made(site, options, said):
    jobs.program(site.folder / "bin/ssh", "exit 1\n")
    jobs.run([sys.executable, CAMPAIGN, "run", "-C", "c", *options], site.folder,
             {"PATH": str(site.folder / "bin")}).refused(said)
    assert not (site.folder / "c").exists()


def test_a_folder_with_files_of_others_is_left_alone(site):
    (site.folder / "c").mkdir()
    (site.folder / "c/drain.txt").write_text("precious\n")
    site.run(*ALONE, hosts="n1").refused("c/drain.txt is there, but no campaign")
    assert [path.name for path in (site.folder / "c").iterdir()] == ["drain.txt"]


def told_before(site, stages, told):
    """A campaign of one stage has others, and hosts have told before."""
    path = site.folder / "c/state.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    words = json.dumps(stages, separators=(",", ":")).encode()
    lines[0] = lines[0].replace(b'"stages":["single"]', b'"stages":' + words)
    path.write_bytes(b"".join(lines) + b"".join(json.dumps(x).encode() + b"\n" for x in told))


@pytest.mark.more
def test_the_full_run_deals_columns_by_speed(site):
    """Where hosts are unequal: 4 of 16 have half of the speed."""
    slow = dict.fromkeys(("n3", "n4", "n5", "n6"), 0.5)
    site.run(*ALONE, hosts="n[1-16]", told=slow)
    told_before(site, ["single", "all"], [
        {"event": "inventory", "host": f"n{i}", "error": None,
         "facts": {"host": f"node{i}.site"}} for i in range(1, 17)])
    done = jobs.run([sys.executable, CAMPAIGN, "run", "-C", "c", "--mpirun", site.mpirun],
                    site.folder, site.env(**slow))
    assert "columns by speed give" in done.stderr, str(done)
    (start,) = [event for event in site.events() if event.get("run") == "all-1-all"
                and event["event"] == "start"]
    assert set(start["hosts"][-4:]) == set(slow)
    rates = start["argv"][start["argv"].index("--weights") + 1]
    lines = [line.split() for line in open(rates).read().splitlines()]
    assert lines[0][0] == "node1" and float(lines[0][1]) == 1
    assert {name for name, rate in lines if float(rate) < 0.6} == {
        "node3", "node4", "node5", "node6"}
    assert site.result()["figures"]["all"]["weights"]["n3"] < 0.6


# ---- the plan ------------------------------------------------------------------------


def test_a_plan_has_a_row_for_each_stage(site):
    words = site.words()
    words[2] = "plan"
    done = jobs.run(words, site.folder).succeeded()
    rows = re.findall(r"^(\w+) +(\d+) ", done.stdout, re.M)
    assert [(name, int(runs)) for name, runs in rows] == [
        ("inventory", 8), ("single", 8), ("pairs", 12), ("groups", 8), ("all", 1)]
    assert not (site.folder / "c").exists()
    words[words.index("--hosts") + 1] = "n1"
    alone = jobs.run(words, site.folder).succeeded()
    assert re.findall(r"^(\w+) +\d+ ", alone.stdout, re.M) == ["inventory", "single"]


@pytest.mark.more
def test_without_a_rate_xhpl_makes_the_plan(site):
    words = [word for word in site.words(*ALONE) if word not in ("--rate", "100")]
    jobs.run(words, site.folder, site.env()).succeeded()
    (plan,) = [event for event in site.events() if event["event"] == "plan"]
    assert (plan["host"], plan["n"], plan["nb"], plan["rate"]) == ("n1", 9600, 192, 1e11)


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.few(3)
@pytest.mark.parametrize("options, said", [
    (("--hosts", "n[1-"), "bracket"),
    (("--hosts", ""), "no hosts"),
    (("--hostfile", "/nowhere"), "/nowhere"),
    (("--stages", "singles"), "inventory, single, pairs, groups, all"),
    (("--seconds", "0"), "'0' is not a number from 1e-09"),
    (("--memory", "80%"), "64G"),
    (("--memory", "80"), "'80' is not an amount of memory such as 80% or 12G"),
    (("--memory", "200%"), "'200%' is not an amount of memory"),
    (("-C", "/proc/x"), "xhpl-campaign: /proc/x: No such file or directory"),
    (("--ceiling", "hot"), "95C"),
    (("--ceiling", "95C", "--launcher", "slurm"), "salloc"),
    (("--slow", "3"), "3%"),
    (("--xhpl", "./no-such-xhpl"), "no-such-xhpl is not a program"),
    (("--torture", "5", "--xdgemm", "/tmp"), "/tmp is not a program"),
])  # fmt: skip
def test_bad_input_is_refused(site, options, said):
    site.run(*options).refused(said)


def test_other_options_do_not_go_on_with_a_campaign(site):
    site.run(*ALONE, hosts="n1").succeeded()
    site.run(*ALONE, "--repeats", "2", hosts="n1").refused("--repeats")
    site.run(*ALONE, hosts="n2").refused("other hosts")


@pytest.mark.more
def test_two_do_not_work_on_one_campaign(site):
    job = jobs.start(site.words(*ALONE), site.folder, site.env(seconds=60))
    try:
        wait_for(site, lambda events: len(events) > 3)
        site.run(*ALONE).refused("another xhpl-campaign")
    finally:
        job.send_signal(signal.SIGTERM)
        assert jobs.finish(job).status == 128 + signal.SIGTERM


# ---- what is shown -------------------------------------------------------------------


@pytest.mark.more
def test_a_terminal_has_a_table(site):
    shown, _ = jobs.on_a_terminal(site.words(*ALONE), site.folder, site.env(seconds=3))
    assert "8 running, 0 waiting" in shown and "50%" in shown and "\x1b[" in shown


# ---- torture, and ceilings -----------------------------------------------------------

XDGEMM = """\
echo "xdgemm: 1 socket" >&2
rate=6e13
case $HPL_CAMPAIGN_HOSTS in
n2) echo 'xdgemm: error: gpu:0: product 7 is wrong in 1 row, 5 to 5' >&2
    echo 'verified: 9 products, 1 wrong'; exit 1 ;;
n3) rate=3e13 ;;
esac
cat >record.json <<END
{"machine": {"processor": "a CPU",
             "devices": [{"executor": "gpu:0", "name": "a GPU", "serial": "S-$HPL_CAMPAIGN_HOSTS"}]},
 "torture": {"executors": [
   {"executor": "host", "end_rate": 2e12, "kept": 1.0,
    "temperature": {"most": null, "end": null}, "clock": {"end": null}, "power": {"end": null}},
   {"executor": "gpu:0", "end_rate": $rate, "kept": 0.9, "temperature": {"most": 70, "end": 69},
    "clock": {"end": ${rate%e13}e8}, "power": {"end": 690}}]}}
END
echo 'verified: 9 products, 0 wrong'
"""


@pytest.mark.more
def test_torture_names_the_nodes_that_compute_wrong_or_are_throttled(site):
    xdgemm = jobs.program(site.folder / "bin/xdgemm", XDGEMM)
    done = site.run(*ALONE, "--torture", "5", "--xdgemm", xdgemm, hosts="n[1-6]")
    assert done.status == 1 and site.classes() == {
        **dict.fromkeys(("n1", "n4", "n5", "n6"), "ok"), "n2": "wrong", "n3": "hot"}, str(done)
    (text,) = [entry["reason"] for entry in site.result()["drain"] if entry["host"] == "n3"]
    assert text.startswith("throttled: gpu:0 (a GPU, serial number S-n3) ended its torture 50 % "
                           "below the median of 5 executors of its model; look at its cooling")
    (told,) = [run["torture"] for run in site.result()["runs"] if run["run"] == "torture-1-n3"]
    assert [x["executor"] for x in told] == ["host", "gpu:0"] and told[1]["mhz"] == 300
    (start,) = [event for event in site.events() if event.get("run") == "torture-1-n1"
                and event["event"] == "start"]
    assert start["argv"][start["argv"].index("--torture") + 1] == "5.0"


def heat(site, celsius):
    """A folder in place of /sys, with one sensor."""
    folder = site.folder / "sys/class/hwmon/hwmon0"
    folder.mkdir(parents=True)
    (folder / "temp1_input").write_text(f"{celsius * 1000}\n")
    return {"HPL_CAMPAIGN_SYS": str(site.folder / "sys")}


@pytest.mark.more
@pytest.mark.parametrize("celsius, outcome_of_run", [(80, "ok"), (99, "hot")])
def test_a_node_that_is_too_hot_loses_its_load(site, celsius, outcome_of_run):
    told = {"seconds": 60 if celsius > 90 else 0.5}
    done = jobs.run(site.words(*ALONE, "--ceiling", "90C", "--retries", "0", hosts="n1"),
                    site.folder, {**site.env(**told), **heat(site, celsius)})
    event = site.ended()["single-1-n1"]
    assert event["outcome"] == outcome_of_run, str(done)
    assert celsius < 90 or "n1 is at 99 C, more than 90 C" in event["evidence"][0]


# ---- the real program ----------------------------------------------------------------


def test_a_campaign_with_xhpl(site):
    if not jobs.XHPL.exists():
        pytest.skip("xhpl is not built")
    options = ["--stages", "single,pairs", "--launcher", "local", "--slots", "1",
               "--xhpl", jobs.XHPL, "--mpirun", jobs.LAUNCHER[0], "--rate", "20",
               "--memory", "8M", "--nb", "64"]
    done = jobs.run([sys.executable, CAMPAIGN, "run", "-C", "c", "--hosts", "a,b",
                     *options], site.folder)
    ended = site.ended()
    assert {event["outcome"] for event in ended.values()} == {"ok"}, str(done)
    assert ended["pairs-1-a+b"]["gflops"] > 0
    assert json.loads(open(ended["single-1-a"]["record"]).read())["exit_status"] == 0


def test_programs_are_found_from_the_folder_of_a_run(site):
    folder = site.folder / "with a blank"
    copy = jobs.program(folder / "xhpl", f'exec {sys.executable} {FAKE} "$@"\n')
    words = [*site.words(*ALONE, hosts="n1"), "--xhpl", shlex.quote(f"./{copy.name}")]
    jobs.run(words, folder, site.env()).succeeded()
    assert site.events()[0]["options"]["xhpl"] == f"'{copy}'"


def test_a_blank_in_the_path_of_a_program_divides_no_words(tmp_path, monkeypatch):
    for name in ("xhpl", "xhpl-mpirun"):
        jobs.program(tmp_path / "a b" / name, "exit 0\n")
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "a b/xhpl-campaign")])
    monkeypatch.setattr(launch, "HERE", tmp_path)
    assert shlex.split(cli.beside("xhpl")) == [str(tmp_path / "a b/xhpl")]
    assert shlex.split(launch.helper_mpirun()) == [str(tmp_path / "a b/xhpl-mpirun")]
    assert inventory.request("/f", cli.beside("xhpl"))[-1] == str(tmp_path / "a b/xhpl")


def test_letters_that_a_terminal_lacks_do_not_stop_it(site):
    name = "n\u00e9"
    done = jobs.run(site.words(*ALONE, "--yes", "--drain-command", "touch drained-{host}",
                               hosts=name), site.folder,
                    {**site.env(**{name: "wrong"}), "PYTHONIOENCODING": "ascii"}).ended(1)
    assert r"n\xe9: wrong" in done.stdout, str(done)
    assert (site.folder / f"drained-{name}").exists()


def test_a_report_drains_with_the_command_of_the_campaign(site):
    off = ("--drain-command", "touch drained-{host}")
    done = site.run(*ALONE, *off, hosts="n[1-4]", told={"n2": "wrong"})
    page = site.folder / "c/campaign.html"
    words = f"{CAMPAIGN} report -C {site.folder / 'c'} --yes"
    assert done.status == 1 and words in page.read_text() and words in done.stdout
    assert not list(site.folder.glob("drained-*"))
    jobs.run([sys.executable, *words.split()], site.folder)
    assert [path.name for path in site.folder.glob("drained-*")] == ["drained-n2"]


def test_a_report_needs_no_allocation(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n1")
    monkeypatch.setattr(cli.slurm, "topology", lambda names: {})
    given = cli.parser().parse_args(["run", "-C", str(tmp_path), "--hosts", "n1",
                                     "--launcher", "slurm", "--ceiling", "95C"])
    cli.begin(cli.completed(given, None), cli.opened(given))
    monkeypatch.delenv("SLURM_JOB_NODELIST")
    assert cli.report(cli.parser().parse_args(["report", "-C", str(tmp_path)])) == 1
    assert "campaign.html" in capsys.readouterr().out


# ---- starts that are refused ---------------------------------------------------------


class Full:
    """Time that passes when somebody waits, and a launcher of runs that take what they
    should; it starts nothing, refuses the first so many and can ask no host."""

    at_once = 10**6

    def __init__(self, refusals):
        self.time, self.random, self.refusals = 0.0, random.Random(1), refusals

    def now(self):
        return self.time

    def date(self):
        return 1.79e9 + self.time

    def sleep(self, seconds):
        self.time += seconds

    def command(self, run, words, folder):
        return words

    def start(self, words, folder, environment, run):
        self.refusals -= 1
        if self.refusals >= 0:
            raise launch.Later(1, "too many jobs")
        return DrawnJob(self, run, folder)

    def remote(self, host, words):
        raise OSError(24, "Too many open files")


class DrawnJob:
    waiting = False

    def __init__(self, drawn, run, folder):
        self.drawn, self.run, self.folder = drawn, run, folder
        self.end = drawn.now() + stages.whole(run) * drawn.random.gauss(1, 0.02)

    def poll(self):
        if self.drawn.now() < self.end:
            return None
        gflops = 100 * len(self.run.hosts) * self.drawn.random.gauss(1, 0.01)
        with open(os.path.join(self.folder, "report"), "w") as report:
            report.write(f"WR21R2C8 {self.run.n} 192 1 1 600.0 {gflops:.4e}\n"
                         "||Ax-b|| ...... PASSED\n")
        return 0


def drawn_campaign(folder, drawn, out, *options):
    """A campaign whose runs are drawn; its state."""
    given = cli.parser().parse_args([
        "run", "-C", str(folder), "--rate", "100", "--memory", "64G", "--launcher",
        "local", "--silence", "1e9", *options])
    kept = cli.opened(given)
    cli.begin(cli.completed(given, None), kept)
    campaign.Campaign(given, kept, drawn, live.View(out, drawn.now), clock=drawn).run()
    return kept


def test_a_run_that_cannot_start_yet_starts_later(tmp_path):
    out = io.StringIO()
    kept = drawn_campaign(tmp_path, Full(5), out, *ALONE, "--hosts", "n[1-3]")
    assert [run["outcome"] for run in kept.runs()] == ["ok"] * 3
    assert out.getvalue().count("too many jobs") == 1


def test_a_campaign_of_which_none_can_start_ends_and_blames_nobody(tmp_path):
    with pytest.raises(launch.Later):
        drawn_campaign(tmp_path, Full(10**9), io.StringIO(), *ALONE, "--hosts", "n[1-3]")
    events = (tmp_path / "state.jsonl").read_text().splitlines()
    assert "end" not in {json.loads(line)["event"] for line in events}
