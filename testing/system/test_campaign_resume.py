# SPDX-License-Identifier: BSD-3-Clause
"""A campaign that was interrupted or killed goes on where it was."""
import fcntl
import json
import os
import pty
import random
import signal
import subprocess
import sys
import termios

import pytest

import jobs
from campaign_site import ALONE, CAMPAIGN, LOADS, site, wait_for
from hpl_campaign import leftovers, state

pytestmark = pytest.mark.scripts

KILLS = int(os.environ.get("TEST_XHPL_KILLS", 5))


@pytest.mark.more
def test_after_ctrl_c_it_goes_on(site):
    job = jobs.start(site.words(*LOADS), site.folder, site.env(seconds=0.5))
    wait_for(site, lambda events: any(x["event"] == "end" for x in events))
    job.send_signal(signal.SIGINT)
    jobs.finish(job).ended(130, "continues")
    assert leftovers.marked(str(site.folder / "c")) == []
    before = site.ended()
    site.run(*LOADS).succeeded()
    after = site.ended()
    assert {run: after[run] for run in before} == before and len(after) > len(before)


def on_a_terminal(words, site, **told):
    """Start a command as a login shell on a terminal of its own: the job and the terminal."""
    ours, theirs = pty.openpty()

    def take():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    job = subprocess.Popen(
        [str(word) for word in words], cwd=site.folder, stdin=theirs, stdout=theirs, stderr=theirs,
        env=jobs.environment(site.env(**told)), start_new_session=True, preexec_fn=take)
    os.close(theirs)
    return job, ours


def test_a_lost_terminal_ends_it_as_ctrl_c_does(site):
    """What it would write there fails, and the rest is done all the same."""
    job, terminal = on_a_terminal(site.words(*ALONE), site, seconds=60)
    wait_for(site, lambda events: len(events) > 3)
    os.close(terminal)
    assert job.wait(jobs.LIMIT) == 128 + signal.SIGHUP
    assert leftovers.marked(str(site.folder / "c")) == []
    site.run(*ALONE).succeeded()


def test_nohup_outlives_a_lost_terminal(site):
    job, terminal = on_a_terminal(["nohup", *site.words(*ALONE, hosts="n[1-2]")], site, seconds=2)
    wait_for(site, lambda events: len(events) > 3)
    os.close(terminal)
    assert job.wait(jobs.LIMIT) == 0 and len(site.ended()) == 2


def pids_of(site):
    return (site.folder / "pids").read_text().split()


def test_ctrl_c_does_not_wait_for_hosts_that_do_not_answer(site):
    ssh = jobs.program(site.folder / "bin/ssh", "echo $$ >> pids; exec sleep 1000\n")
    job = jobs.start(site.words("--stages", "inventory", "--launcher", "ssh", "--ssh",
                                ssh), site.folder)
    wait_for(site, lambda events: len(events) == 2)
    wait_for(site, lambda _: len(pids_of(site)) == 8)
    job.send_signal(signal.SIGINT)
    jobs.finish(job).ended(130)
    # They were told to end, which takes a moment on a busy machine.
    wait_for(site, lambda _: not any(os.path.exists(f"/proc/{pid}/exe")
                                     for pid in pids_of(site)))


def test_a_torn_last_line_has_not_happened(tmp_path):
    path = tmp_path / "state.jsonl"
    whole = b"".join(json.dumps(event).encode() + b"\n" for event in (
        {"event": "campaign", "version": 1, "time": 1, "name": "c", "command": [],
         "stages": [], "options": {}},
        {"event": "hosts", "hosts": [{"name": "n1"}]},
        {"event": "start", "run": "single-1-n1", "stage": "single", "hosts": ["n1"],
         "attempt": 1, "n": 8, "nb": 8, "p": 1, "q": 1, "limit": 9, "time": 1, "argv": [],
         "dir": "d"}))
    path.write_bytes(whole + b'{"event":"end","run":"single-1-n1","ti')
    found = state.State(path)
    assert [event["run"] for event in found.unfinished()] == ["single-1-n1"]
    found.add({"event": "end", "run": "single-1-n1", "time": 2, "outcome": "ok"})
    assert [run["started"] for run in found.runs()] == [1]
    assert path.read_bytes().startswith(whole) and path.read_bytes().count(b"\n") == 4


def test_a_damaged_line_is_named(site):
    site.run(*ALONE, hosts="n1").succeeded()
    path = site.folder / "c/state.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"nonsense\n" + b"".join(lines[1:]))
    site.run(*ALONE, hosts="n1").refused("line 2 of it is damaged")


def test_bounds_may_change_when_it_goes_on(site):
    site.run(*ALONE, "--grace", "0.1", "--bound", "0.1", "--retries", "0",
             hosts="n1", told={"seconds": 60}).ended(1)
    jobs.run([sys.executable, CAMPAIGN, "report", "-C", "c", "--slow", "50%"], site.folder)
    assert site.result()["slow"] == 0.5


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
