# SPDX-License-Identifier: BSD-3-Clause
"""How far a run is: on a terminal, in a file, and not at all."""
import os
import pty
import re

import hpl_dat
import jobs
import report
from conftest import UNMEASURED

SHARE = re.compile(r"(\d+\.\d)% done, (\d+) columns")


def on_a_terminal(directory, *options):
    """What xhpl writes to a terminal, and its standard output."""
    ours, its = pty.openpty()
    with open(directory / "out", "w") as out:
        pid = os.fork()
        if pid == 0:
            os.chdir(directory)
            os.dup2(out.fileno(), 1)
            os.dup2(its, 2)
            os.execve(jobs.XHPL, [jobs.XHPL, *options],
                      jobs.environment(UNMEASURED))
    os.close(its)
    written = b"".join(iter(lambda: read(ours), b""))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == 0, written
    return written.decode(), (directory / "out").read_text()


def read(terminal):
    """Some bytes; none when the other side has closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


def test_a_terminal_has_one_live_line_that_goes_away(tmp_path):
    (tmp_path / "HPL.dat").write_text(hpl_dat.text(n="2400", nb="64"))
    slow = ("--set", "kernel=portable", "--set", "threads=1")
    written, out = on_a_terminal(tmp_path, *slow)
    live = written[written.rindex("\n") + 1 :]
    shares = [float(share) for share, _ in SHARE.findall(live)]
    assert len(shares) > 1 and shares == sorted(shares), written
    assert live.startswith("\r"), written
    assert live.count("\r") > len(shares)
    assert re.search(r"\r *\r$", live), repr(written)
    assert "PASSED" in out and "%" not in out
    assert all(len(line) < 80 for line in live.split("\r"))


def test_a_file_has_lines_that_go_on_to_the_end(xhpl):
    outcome = xhpl("--progress", "on", dat=hpl_dat.text(n="1000", nb="64"))
    lines = [x for x in outcome.stderr.splitlines() if "progress: " in x]
    left = [int(SHARE.search(line)[2]) for line in lines]
    assert outcome.status == 0 and left[-1] == 0, str(outcome)
    assert left == sorted(left, reverse=True)
    assert "% done" not in outcome.stdout
    assert len([x for x in outcome.stdout.splitlines()
                if report.ROW.match(x)]) == 1


def test_short_runs_say_nothing_in_a_file(xhpl):
    dat = hpl_dat.text(n="100 200 300")
    assert "progress" not in xhpl(dat=dat).stderr
    outcome = xhpl("--progress", "auto", "--quiet", dat=dat)
    assert (outcome.status, outcome.stderr) == (0, "")


def test_when_to_speak_is_checked(xhpl):
    outcome = xhpl("--progress", "onn", dat=hpl_dat.text())
    assert outcome.status == 2
    assert "allowed is auto, on, off; the nearest is on" in outcome.stderr
