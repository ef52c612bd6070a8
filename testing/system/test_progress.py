# SPDX-License-Identifier: BSD-3-Clause
"""How far a run is: on a terminal, in a file, and not at all."""
import re

import pytest

import hpl_dat
import jobs
import report
from busy import retried

pytestmark = pytest.mark.surface
SLOW = ("--set", "kernel=portable", "--set", "threads=1", "--set", "diagnosis=off")
SHARE = re.compile(r"(\d+\.\d)% done, (\d+) columns")


def terminal(directory, command, env=None):
    return jobs.on_a_terminal(command, directory, {"NO_COLOR": "1", **(env or {})})


def assert_live(written, out):
    """A live line that grows, stands alone, and goes away before the result."""
    # others, whom a busy machine has, are told of behind it
    written = re.sub(r"xhpl: warning: .*(?:had these|waited for) cores.*\r?\n", "", written)
    written, results = re.subn(r"xhpl: N = .* Gflop/s\r?\n$", "", written)
    assert results == 1, repr(written)
    live = written[written.rindex("\n") + 1 :]
    shares = [float(share) for share, _ in SHARE.findall(live)]
    assert len(shares) > 1 and shares == sorted(shares), written
    assert live.startswith("\r"), written
    assert live.count("\r") > len(shares)
    assert re.search(r"\r *\r$", live), repr(written)
    assert "PASSED" in out and "%" not in out
    assert all(len(line) < 80 for line in live.split("\r"))


def launched_slowly(directory, *options):
    """A run of two processes that is long enough for a live line."""
    (directory / "HPL.dat").write_text(hpl_dat.text(n="3000", nb="64", q="2"))
    return jobs.launched(2, [jobs.XHPL, *SLOW, *options])


@retried
def test_a_terminal_has_one_live_line_that_goes_away(tmp_path):
    (tmp_path / "HPL.dat").write_text(hpl_dat.text(n="3000", nb="64"))
    assert_live(*terminal(tmp_path, [jobs.XHPL, *SLOW]))


@pytest.mark.more
@retried
def test_a_terminal_behind_a_launcher_has_that_line_too(tmp_path):
    assert_live(*terminal(tmp_path, launched_slowly(tmp_path)))


@pytest.mark.few(1)
@pytest.mark.parametrize("how", ["option", "environment", "file"])
def test_what_the_user_chose_goes_before_the_terminal(tmp_path, how):
    command, env = launched_slowly(tmp_path), {}
    if how == "option":
        command += ["--progress", "off"]
    elif how == "environment":
        env["XHPL_PROGRESS"] = "off"
    else:
        (tmp_path / "xhpl.conf").write_text("progress = off\n")
    written, out = terminal(tmp_path, command, env)
    assert "PASSED" in out and "% done" not in written


def test_a_file_has_lines_that_go_on_to_the_end(xhpl):
    outcome = xhpl("--progress", "on", dat=hpl_dat.text(n="1000", nb="64"))
    lines = [x for x in outcome.stderr.splitlines() if "progress: " in x]
    left = [int(SHARE.search(line)[2]) for line in lines]
    assert outcome.status == 0 and left[-1] == 0, str(outcome)
    assert left == sorted(left, reverse=True)
    assert "% done" not in outcome.stdout
    assert len([x for x in outcome.stdout.splitlines() if report.ROW.match(x)]) == 1


@pytest.mark.more
@retried
def test_what_is_said_to_be_done_is_done(xhpl):
    """With look-ahead, too: no line tells of a rate that nobody sees later."""
    options = ("--nb", "250", "-n", "3000", "-p", "1", "-q", "1", "--depth", "1,2")
    outcome = xhpl("--progress", "on", *SLOW[:4], *options)
    rates = [float(x) for x in re.findall(r"mean ([\d.]+)", outcome.stderr)]
    shares = [float(x) for x, _ in SHARE.findall(outcome.stderr)]
    assert shares.count(100.0) == 2 and len(shares) == len(rates) >= 4, str(outcome)
    ends = [rate for share, rate in zip(shares, rates) if share == 100.0]
    assert max(rates) < 2.0 * min(ends), str(outcome)


@pytest.mark.parametrize("env, red", [
    ({"NO_COLOR": "", "TERM": "xterm"}, True),
    ({"NO_COLOR": "", "TERM": "dumb"}, False),
    ({"NO_COLOR": "1", "TERM": "xterm"}, False),
])  # fmt: skip
def test_warnings_have_a_colour_on_a_terminal_alone(xhpl, env, red):
    words = [jobs.XHPL, "-n", "20", "--nb", "64", "-p", "1", "-q", "1", "--quiet"]
    written, _ = terminal(xhpl.directory, words, env)
    assert "warning: NB = 64 is larger" in written
    assert written.startswith("\x1b[33mxhpl: ") == red and ("\x1b[0m" in written) == red
    assert "\x1b" not in jobs.run(words, xhpl.directory, env).stderr
