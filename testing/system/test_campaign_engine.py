# SPDX-License-Identifier: BSD-3-Clause
"""xhpl-campaign: which runs it makes, how they end, and that it goes on after it was
killed. Hosts are names, and xhpl is testing/system/fake_xhpl.py."""
import collections
import json
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest

import jobs

sys.path.insert(0, str(jobs.SOURCE / "scripts"))
from hpl_campaign import (campaign, cli, hosts, leftovers, live, outcome,  # noqa: E402
                          sensors, stages, state)
from hpl_campaign.run import Host, Run  # noqa: E402

pytestmark = pytest.mark.scripts

CAMPAIGN = jobs.SOURCE / "scripts/xhpl-campaign"
FAKE = jobs.SOURCE / "testing/system/fake_xhpl.py"
KILLS = 50


class Site:
    """A folder in which campaigns run, with an mpirun that starts one process."""

    def __init__(self, folder):
        self.folder = folder
        self.mpirun = jobs.program(folder / "bin/mpirun", 'shift 2; exec "$@"\n')

    def words(self, *options, hosts="n[1-8]", name="c"):
        return [sys.executable, CAMPAIGN, "run", "-C", self.folder / name,
                "--hosts", hosts, "--launcher", "local", "--slots", "8",
                "--xhpl", FAKE, "--mpirun", self.mpirun, "--rate", "100",
                "--memory", "64M", "--grace", "20", *options]

    def env(self, **told):
        return {"FAKE_XHPL": json.dumps(told), "FAKE_LOCKS": str(self.folder)}

    def run(self, *options, told=None, **rest):
        return jobs.run(self.words(*options, **rest), self.folder,
                        self.env(**(told or {})))

    def events(self, name="c"):
        lines = (self.folder / name / "state.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def ended(self, name="c"):
        """{run: its end event}; no run has ended twice."""
        found = [event for event in self.events(name) if event["event"] == "end"]
        assert len({event["run"] for event in found}) == len(found)
        return {event["run"]: event for event in found}

    def result(self, name="c"):
        return json.loads((self.folder / name / "campaign.json").read_text())

    def classes(self, name="c"):
        return {host["name"]: host["class"] for host in self.result(name)["hosts"]}


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path)


ALONE = ("--stages", "single")
LOADS = ("--stages", "single,pairs,groups,all")


# ---- hosts, and which runs there are -------------------------------------------------


def test_lists_of_hosts_are_expanded():
    assert hosts.expand("n[08-10,3],gpu3") == ["n08", "n09", "n10", "n3", "gpu3"]
    assert hosts.expand("r[1-2]n[1-2]") == ["r1n1", "r1n2", "r2n1", "r2n2"]
    assert hosts.hostfile("# all\nn1 slots=4\n\nn[2-3]\n") == ["n1", "n2", "n3"]
    assert hosts.racks("a: n[1-2]\nb: n3") == {"n1": "a", "n2": "a", "n3": "b"}
    assert hosts.together(["n2", "n1", "n2"], {"n1": "a"}) == [
        Host("n2"), Host("n1", "a")]


@pytest.mark.parametrize("text", ["n[1-", "n[a]", "n[3-1]", "n 1", "n]1["])
def test_bad_lists_of_hosts_are_refused(text):
    with pytest.raises(hosts.BadHosts):
        hosts.expand(text)


@pytest.mark.parametrize("count", range(2, 34))
def test_in_a_tournament_no_pair_meets_twice(count):
    rounds = stages.tournament(list(range(count)), count)
    met = [frozenset(pair) for found in rounds for pair in found]
    assert len(met) == len(set(met)) == count * (count - 1) // 2
    for found in rounds + stages.tournament(list(range(count))):
        assert len({host for pair in found for host in pair}) == 2 * len(found)
    assert len(stages.tournament(list(range(count)))) == max(
        1, (count - 1).bit_length())


SIZE = stages.Sizing(n=50000, rate=2e12, nb=192, half=2000.0)


@pytest.mark.parametrize("count", [1, 2, 6, 7, 64])
def test_a_run_takes_the_seconds_it_may_and_no_more_memory(count):
    planner = stages.Planner(SIZE)
    names = [f"n{i}" for i in range(count)]
    short = planner.run("single", names, 10.0)
    full = planner.run("single", names, None)
    for run in short, full:
        assert run.p * run.q == count and run.p <= run.q
        assert run.n % (run.nb * run.q) == 0
        assert run.n**2 <= SIZE.n**2 * count
        assert run.limit >= 3 * stages.whole(run)
    assert 5.0 < short.predicted <= 10.0 < full.predicted


def test_a_plan_of_two_rows_gives_the_rate_of_every_order():
    rate = SIZE.rate * (1 + SIZE.half / SIZE.n)
    found = stages.sizing([(10000, 192, rate / 1.2), (50000, 192, rate / 1.04)])
    assert abs(found.half - 2000.0) < 1e-6
    assert abs(stages.rate(found, 1, 10000, 1.0) / (rate / 1.2) - 1) < 1e-9


def test_groups_are_racks_then_across_them_then_halves():
    names = [f"n{i}" for i in range(1, 9)]
    racks = {name: "ab"[i // 4] for i, name in enumerate(names)}
    first, second = stages.groups(stages.Planner(SIZE), names, 10.0, racks)
    assert [(run.id, run.hosts) for run in first] == [
        ("groups-1-a", tuple(names[:4])), ("groups-1-b", tuple(names[4:]))]
    # The halves are the racks: they do not run again.
    assert [set(run.hosts) for run in second] == [
        {"n1", "n3", "n5", "n7"}, {"n2", "n4", "n6", "n8"}]


def test_hosts_are_left_out_only_if_the_others_are_faster_without():
    names = [f"n{i}" for i in range(10)]
    alike = dict.fromkeys(names, 100.0)
    assert stages.leave_out(names, alike).left_out == []
    assert stages.leave_out(names, {**alike, "n3": 95.0}).left_out == []
    found = stages.leave_out(names, {**alike, "n3": 80.0})
    assert found.left_out == ["n3"] and abs(found.gain - 0.125) < 1e-9
    assert "n3" not in found.hosts and len(found.hosts) == 9


def test_runs_that_share_a_host_are_not_in_one_round():
    runs = [Run(name, "pairs", tuple(name), 1, 1, 1, 1, 2, 1.0, 1.0)
            for name in ("ab", "bc", "cd", "da")]
    rounds = stages.disjoint(runs)
    assert [[run.id for run in found] for found in rounds] == [["ab", "cd"], ["bc", "da"]]


# ---- how a run ended -----------------------------------------------------------------

TABLE = "HPLinpack 2.3\nWR21R2C8   4000   192     1     1     0.21     2.0369e+02\n"
CHECK = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.1e-03 ...... "
HALF = "xhpl: progress: 52.0% done, 900 columns, 0:01 left, 90 Gflops, mean 88.5\n"


@pytest.mark.parametrize("status, by, report, log, expected", [
    (0, None, TABLE + CHECK + "PASSED\n", "", "ok"),
    (139, None, TABLE + CHECK + "PASSED\n", "", "ok"),
    (1, None, TABLE + CHECK + "FAILED\n", "", "wrong"),
    (-11, None, "", HALF, "died"),
    (3, None, "", "xhpl: error: rank 0 on n1: no\n", "died"),
    (2, None, "", "xhpl: error: N needs 9 GiB\n", "not started"),
    (255, None, "", "ssh: connect to host n1: No route to host\n", "not started"),
    (-9, outcome.SILENT, "", HALF, "hung"),
    (-9, outcome.SILENT, "", "", "not started"),
    (-15, outcome.LATE, "", HALF, "unknown"),
    (-15, outcome.HOT, "", HALF, "hot"),
    (0, None, "", "", "unknown"),
    (0, None, "verified: 330 products, 0 wrong\n", "", "ok"),
    (1, None, "verified: 330 products, 2 wrong\n", "", "wrong"),
])  # fmt: skip
def test_how_a_run_ended(status, by, report, log, expected):
    found = outcome.classify(outcome.Ended(status, by, report, log, by and "a remark"))
    assert found.outcome == expected
    assert (found.outcome == "ok") <= (found.evidence == [] or status == 139)
    if report.startswith(TABLE):
        assert (found.seconds, found.gflops) == (0.21, 203.69)


def test_a_run_that_took_too_long_has_the_rate_so_far():
    found = outcome.classify(outcome.Ended(-15, outcome.LATE, "", HALF, "late"))
    assert found.gflops == 88.5
    assert found.evidence[0] == "late" and "52% was done" in found.evidence[1]


def test_words_about_waiting_are_no_sign_of_life():
    still = "xhpl: warning: rank 0 on n1: no progress for 30 s, iteration 3 of 9\n"
    assert not outcome.is_life(still) and not outcome.is_life("\n")
    assert outcome.is_life(HALF + still)


# ---- campaigns -----------------------------------------------------------------------


def test_where_all_is_well_the_status_is_0(site):
    done = site.run(*LOADS).succeeded()
    assert set(site.classes().values()) == {"ok"}
    runs = collections.Counter(event["run"].split("-")[0] for event in
                               site.ended().values())
    assert runs["single"] >= 8 and runs["pairs"] == 12 and runs["all"] == 1
    assert (site.folder / "c/campaign.html").stat().st_size > 10000
    assert (site.folder / "c/drain.txt").read_text() == ""
    # Sparse lines in a file: no table.
    assert "\x1b" not in done.stderr and len(done.stderr.splitlines()) < 12


def test_each_fault_has_its_class_and_its_evidence(site):
    told = {"n2": "wrong", "n3": "die", "n4": "hang", "n6": "refuse", "n7": 0.5}
    names = "n[1-12]"
    done = site.run(*LOADS, "--silence", "1", told=told, hosts=names)
    assert done.status == 1, str(done)
    bad = {"n2": "wrong", "n3": "died", "n4": "hung", "n6": "not started", "n7": "slow"}
    expected = {name: bad.get(name, "ok") for name in hosts.expand(names)}
    assert site.classes() == expected, str(done)
    ended = site.ended()
    assert "it dies" in ended["single-1-n3"]["evidence"][0]
    assert "without a sign of progress" in ended["single-1-n4"]["evidence"][0]
    assert "no progress for" in " ".join(ended["single-1-n4"]["evidence"])
    drained = (site.folder / "c/drain.txt").read_text().splitlines()
    assert {line.split()[0] for line in drained} == set(bad)
    # Hosts that failed take no part in what comes later.
    assert set(ended["all-1-all"]["run"] and next(
        event for event in site.events() if event.get("run") == "all-1-all"
    )["hosts"]) == set(expected) - {"n2", "n3", "n4", "n6"}
    assert "leaving out n7 gives" in done.stderr


def test_what_a_hanging_run_started_is_ended_too(site):
    """Its child has left its process group and hears no SIGTERM."""
    done = site.run(*ALONE, "--silence", "1", hosts="n1,n2", told={"n1": "deaf"})
    assert done.status == 1 and site.classes()["n1"] == "hung", str(done)
    assert leftovers.marked(str(site.folder / "c/runs")) == []


def test_a_run_that_takes_too_long_is_ended(site):
    done = site.run(*ALONE, "--grace", "0.1", "--bound", "0.5", hosts="n1",
                    told={"seconds": 60})
    assert done.status == 1, str(done)
    event = site.ended()["single-1-n1"]
    assert event["outcome"] == "unknown" and "its limit" in event["evidence"][0]


def test_a_program_that_is_not_there_has_not_started(site):
    done = site.run(*ALONE, "--xhpl", "/nowhere/xhpl", hosts="n1")
    assert done.status == 1, str(done)
    assert site.ended()["single-1-n1"]["outcome"] == "not started"


def test_further_runs_find_who_is_to_blame_in_a_pair(site):
    done = site.run("--stages", "single,pairs", told={"company": {"n3": "die"}})
    assert done.status == 1, str(done)
    assert {k: v for k, v in site.classes().items() if v != "ok"} == {"n3": "died"}


def test_the_inventory_asks_every_host(site):
    site.run("--stages", "inventory,single", hosts="n1,n2").succeeded()
    told = [event for event in site.events() if event["event"] == "inventory"]
    assert {event["host"] for event in told} == {"n1", "n2"}
    assert all(event["facts"]["cores"] > 0 and not event["error"] for event in told)


def test_a_ramp_starts_runs_one_after_the_other(site):
    site.run(*ALONE, "--ramp", "0.2", hosts="n[1-4]", told={"seconds": 1}).succeeded()
    starts = [event["time"] for event in site.events() if event["event"] == "start"]
    assert min(b - a for a, b in zip(starts, starts[1:])) >= 0.2


# ---- the plan ------------------------------------------------------------------------


def test_a_plan_has_a_row_for_each_stage(site):
    words = site.words()
    words[2] = "plan"
    done = jobs.run(words, site.folder).succeeded()
    rows = re.findall(r"^(\w+) +(\d+) ", done.stdout, re.M)
    assert [(name, int(runs)) for name, runs in rows] == [
        ("inventory", 8), ("single", 8), ("pairs", 12), ("groups", 8), ("all", 1)]
    assert not (site.folder / "c").exists()


def test_without_a_rate_xhpl_makes_the_plan(site):
    words = [word for word in site.words(*ALONE) if word not in ("--rate", "100")]
    jobs.run(words, site.folder, site.env()).succeeded()
    (plan,) = [event for event in site.events() if event["event"] == "plan"]
    assert (plan["host"], plan["n"], plan["nb"], plan["rate"]) == ("n1", 9600, 192, 1e11)


# ---- bad input -----------------------------------------------------------------------


@pytest.mark.parametrize("options, said", [
    (("--hosts", "n[1-"), "bracket"),
    (("--hosts", ""), "no hosts"),
    (("--hostfile", "/nowhere"), "/nowhere"),
    (("--stages", "singles"), "inventory, single, pairs, groups, all"),
    (("--seconds", "0"), "not more than 0"),
    (("--memory", "80%"), "64G"),
    (("--slow", "3"), "3%"),
])  # fmt: skip
def test_bad_input_is_refused(site, options, said):
    site.run(*options).refused(said)


def test_other_options_do_not_go_on_with_a_campaign(site):
    site.run(*ALONE, hosts="n1").succeeded()
    site.run(*ALONE, "--repeats", "2", hosts="n1").refused("--repeats")
    site.run(*ALONE, hosts="n2").refused("other hosts")


def test_two_do_not_work_on_one_campaign(site):
    job = jobs.start(site.words(*ALONE), site.folder, site.env(seconds=60))
    try:
        wait_for(site, lambda events: len(events) > 3)
        site.run(*ALONE).refused("another xhpl-campaign")
    finally:
        job.send_signal(signal.SIGTERM)
        assert jobs.finish(job).status == 128 + signal.SIGTERM


# ---- going on ------------------------------------------------------------------------


def wait_for(site, holds, name="c"):
    """Until that holds of its events."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if holds(site.events(name)):
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.01)
    raise AssertionError("it never came to that")


def test_after_ctrl_c_it_goes_on(site):
    job = jobs.start(site.words(*LOADS), site.folder, site.env(seconds=0.5))
    wait_for(site, lambda events: any(x["event"] == "end" for x in events))
    job.send_signal(signal.SIGINT)
    stopped = jobs.finish(job)
    assert stopped.status == 130 and "goes on" in stopped.stderr, str(stopped)
    assert leftovers.marked(str(site.folder / "c")) == []
    before = site.ended()
    site.run(*LOADS).succeeded()
    after = site.ended()
    assert {run: after[run] for run in before} == before and len(after) > len(before)


def test_all_that_is_needed_to_go_on_is_the_folder(site):
    site.run(*ALONE).succeeded()
    again = jobs.run([sys.executable, CAMPAIGN, "run", "-C", "c"], site.folder)
    again.succeeded()
    report = jobs.run([sys.executable, CAMPAIGN, "report", "-C", "c"], site.folder)
    assert report.succeeded().stdout == again.stdout


def test_a_torn_last_line_has_not_happened(tmp_path):
    path = tmp_path / "state.jsonl"
    whole = b'{"event":"start","run":"a","time":1}\n'
    path.write_bytes(whole + b'{"event":"end","run":"a","ti')
    found = state.State(path)
    assert [event["run"] for event in found.unfinished()] == ["a"]
    found.add({"event": "end", "run": "a", "time": 2, "outcome": "ok"})
    assert [run["started"] for run in found.runs()] == [1]
    assert path.read_bytes().startswith(whole) and path.read_bytes().count(b"\n") == 2


def test_a_damaged_line_is_named(site):
    site.run(*ALONE, hosts="n1").succeeded()
    path = site.folder / "c/state.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"nonsense\n" + b"".join(lines[1:]))
    site.run(*ALONE, hosts="n1").refused("line 2 of it is damaged")


@pytest.mark.long
def test_killed_at_any_moment_it_goes_on_where_it_was(site):
    """Runs lock their hosts: one that an earlier run still has would die."""
    told = {"n2": "wrong", "n5": "die", "seconds": 0.1}
    options = (*LOADS, "--short", "5")
    site.run(*options, told=told, name="whole")
    expected = {run: event["outcome"] for run, event in site.ended("whole").items()}
    draw, kills, name = random.Random(5), 0, 0
    while kills < KILLS:
        kills += killed_until_it_ends(site, f"k{name}", options, told, draw, KILLS - kills)
        found = {run: event["outcome"] for run, event in site.ended(f"k{name}").items()}
        assert found == expected
        assert site.classes(f"k{name}") == site.classes("whole")
        name += 1
    assert leftovers.marked(str(site.folder)) == []


def killed_until_it_ends(site, name, options, told, draw, most):
    """One campaign; how often it was killed."""
    for kills in range(most + 1):
        job = jobs.start(site.words(*options, name=name), site.folder, site.env(**told))
        try:
            job.wait(draw.uniform(0.2, 0.8) if kills < most else 60)
        except subprocess.TimeoutExpired:
            os.kill(job.pid, signal.SIGKILL)  # its runs go on
            job.communicate()
            continue
        assert jobs.finish(job).status == 1
        return kills
    raise AssertionError("it did not end")


# ---- what is shown -------------------------------------------------------------------


def test_a_terminal_has_a_table(site):
    ours, theirs = pty.openpty()
    job = subprocess.Popen(
        [str(word) for word in site.words(*ALONE)], cwd=site.folder, stderr=theirs,
        stdout=subprocess.DEVNULL, env=jobs.environment(site.env(seconds=3)))
    os.close(theirs)
    shown = b""
    try:
        while True:
            shown += os.read(ours, 4096)
    except OSError:  # the terminal is closed
        pass
    os.close(ours)
    assert job.wait() == 0
    assert b"8 running, 0 waiting" in shown and b"50%" in shown and b"\x1b[" in shown


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


# ---- torture, and ceilings -----------------------------------------------------------

XDGEMM = """\
echo "xdgemm: 1 socket" >&2
case $HPL_CAMPAIGN_HOSTS in
n2) echo 'xdgemm: error: emu:0: wrong near C(1, 1)' >&2
    echo 'verified: 9 products, 1 wrong'; exit 1 ;;
esac
echo 'verified: 9 products, 0 wrong'
"""


def test_torture_names_the_node_that_computes_wrong(site):
    xdgemm = jobs.program(site.folder / "bin/xdgemm", XDGEMM)
    done = site.run(*ALONE, "--torture", "5", "--xdgemm", xdgemm, hosts="n[1-3]")
    assert done.status == 1 and site.classes() == {
        "n1": "ok", "n2": "wrong", "n3": "ok"}, str(done)
    (start,) = [event for event in site.events() if event.get("run") == "torture-1-n1"
                and event["event"] == "start"]
    assert start["argv"][start["argv"].index("--torture") + 1] == "5.0"


def heat(site, celsius):
    """A folder in place of /sys, with one sensor."""
    folder = site.folder / "sys/class/hwmon/hwmon0"
    folder.mkdir(parents=True)
    (folder / "temp1_input").write_text(f"{celsius * 1000}\n")
    return {"HPL_CAMPAIGN_SYS": str(site.folder / "sys")}


@pytest.mark.parametrize("celsius, outcome_of_run", [(80, "ok"), (99, "hot")])
def test_a_node_that_is_too_hot_loses_its_load(site, celsius, outcome_of_run):
    told = {"seconds": 60 if celsius > 90 else 0.5}
    done = jobs.run(site.words(*ALONE, "--ceiling", "90C", "--retries", "0", hosts="n1"),
                    site.folder, {**site.env(**told), **heat(site, celsius)})
    event = site.ended()["single-1-n1"]
    assert event["outcome"] == outcome_of_run, str(done)
    assert celsius < 90 or "n1 is at 99 C, more than 90 C" in event["evidence"][0]


def test_power_is_what_the_processors_count(tmp_path, monkeypatch):
    folder = tmp_path / "class/powercap/intel-rapl:0"
    folder.mkdir(parents=True)
    monkeypatch.setattr(sensors, "SYS", str(tmp_path))
    (folder / "energy_uj").write_text("5000000\n")
    watts = sensors.Watts()
    (folder / "energy_uj").write_text("1e12\n")
    assert watts() > 1000
    assert sensors.celsius() is None


# ---- installed -----------------------------------------------------------------------

MAN = jobs.SOURCE / "docs/xhpl-campaign.1"


def test_the_man_page_has_every_option():
    page = MAN.read_text().replace("\\-", "-")
    actions = [x for x in cli.parser()._actions if x.option_strings and x.dest != "help"]
    missing = [x.dest for x in actions if not re.search(
        rf"^\.BI? {x.option_strings[-1]}( |$)", page, re.M)]
    assert missing == [] and page.count(".TP\n.B") == len(actions) > 30


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff is installed")
def test_groff_has_nothing_to_say_about_it(tmp_path):
    outcome = jobs.run(["groff", "-man", "-ww", "-Tascii", "-b", MAN], tmp_path)
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)


def test_it_works_where_it_is_installed(site):
    places = [site.folder / "root", "/usr/bin", "/usr/share/xhpl"]
    jobs.run([jobs.SOURCE / "scripts/install-report", *places], site.folder).succeeded()
    words = site.words(*ALONE, hosts="n1")
    words[1] = site.folder / "root/usr/bin/xhpl-campaign"
    jobs.run(words, site.folder, site.env()).succeeded()
    assert site.classes() == {"n1": "ok"}


# ---- what it costs -------------------------------------------------------------------


class Drawn:
    """Time that passes when somebody waits, and a launcher of runs that take what they
    should; it starts nothing."""

    at_once = 10**6

    def __init__(self):
        self.time, self.random = 0.0, random.Random(1)

    def now(self):
        return self.time

    def date(self):
        return 1.79e9 + self.time

    def sleep(self, seconds):
        self.time += seconds

    def command(self, run, words, folder):
        return words

    def start(self, words, folder, environment, run):
        return DrawnJob(self, run, folder)


class DrawnJob:
    waiting = False

    def __init__(self, drawn, run, folder):
        self.drawn, self.run, self.folder = drawn, run, folder
        self.end = drawn.now() + stages.whole(run) * drawn.random.gauss(1, 0.02)

    def poll(self):
        if self.drawn.now() < self.end:
            return None
        gflops = 100 * len(self.run.hosts) * self.drawn.random.gauss(1, 0.005)
        with open(os.path.join(self.folder, "report"), "w") as report:
            report.write(f"WR21R2C8 {self.run.n} 192 1 1 600.0 {gflops:.4e}\n"
                         f"{CHECK}PASSED\n")
        return 0


@pytest.mark.long
def test_what_a_campaign_costs_itself(tmp_path, capsys):
    count = int(os.environ.get("TEST_XHPL_NODES", "500"))
    words = ["run", "-C", str(tmp_path), "--hosts", f"n[1-{count}]", "--rate", "100",
             "--memory", "64G", "--launcher", "local", "--silence", "1e9",
             "--stages", "single,pairs,groups,all", "--retries", "0"]
    given = cli.parser().parse_args(words)
    kept = cli.opened(given)
    cli.begin(cli.completed(given, None), kept)
    drawn, began = Drawn(), time.process_time()
    with open(os.devnull, "w") as null:
        campaign.Campaign(given, kept, drawn, live.View(null, drawn.now),
                          clock=drawn).run()
    took = time.process_time() - began
    runs = len(kept.ended)
    assert runs > count * (1 + (count - 1).bit_length() // 2)
    assert {run["outcome"] for run in kept.runs()} == {"ok"}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with capsys.disabled():
        print(f"\n{count} nodes: {runs} runs, {100 * took / runs:.3f} s of processor time "
              f"per 100, {peak:.0f} MiB at most")
