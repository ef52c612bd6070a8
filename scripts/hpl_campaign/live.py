# SPDX-License-Identifier: BSD-3-Clause
"""What a campaign says while it runs: a table on a terminal, sparse lines in a file."""
import collections
import shutil
import sys
import time

from hpl_report.foreign import say, shown

from . import stages

LINES = 12  # runs under way that the table shows, at most
SELDOM = 300.0  # s between two lines in a file
OFTEN = 0.5  # s between two tables


def duration(seconds):
    """As "2h05", "3:20", "12 s"."""
    seconds = int(seconds + 0.5)
    if seconds >= 3600:
        return f"{seconds // 3600}h{seconds // 60 % 60:02d}"
    return f"{seconds // 60}:{seconds % 60:02d}" if seconds >= 60 else f"{seconds} s"


def counted(names):
    """As "12 ok, 1 died"; the most frequent first."""
    counts = collections.Counter(names)
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


class View:
    """Tells people how far a campaign is.

    out   a file; a table is drawn if it is a terminal
    """

    def __init__(self, out=None, now=time.monotonic):
        self.out, self.now = out or sys.stderr, now
        self.live = self.out.isatty()
        self.drawn = 0  # lines of the table that stand there
        self.last = None
        self.stage, self.expected, self.began = "", 0.0, now()
        self.ended = []  # outcomes of the runs of this stage

    def say(self, text):
        """One line that stays."""
        self.wipe()
        say(text, self.out)

    def enter(self, stage, runs, seconds):
        """A stage of so many runs begins, which should take so long."""
        self.stage, self.expected, self.began = stage, seconds, self.now()
        self.ended, self.last = [], self.now()
        self.say(f"{stage}: {runs} run{'s' * (runs != 1)}, about {duration(seconds)}")

    def note(self, event):
        """A run has ended."""
        self.ended.append(event["outcome"])
        if event["outcome"] != "ok":
            reason = event["evidence"][0] if event["evidence"] else "no reason is known"
            self.say(f"  {event['run']}: {event['outcome']}: {reason}")

    def show(self, watched, left):
        """Runs under way, and how many of their round wait."""
        now = self.now()
        if self.last is not None and now - self.last < (OFTEN if self.live else SELDOM):
            return
        self.last = now
        head = self.head(now, len(watched), left)
        if self.live:
            self.draw([head, *self.rows(watched, now)])
        elif watched:
            self.say(f"  {head}")

    def head(self, now, running, left):
        took = now - self.began
        rest = (f"about {duration(self.expected - took)} left" if took < self.expected
                else "longer than planned")
        ends = [counted(self.ended)] if self.ended else []
        return ", ".join([f"{self.stage}: {duration(took)}", f"{running} running",
                          f"{left} waiting", *ends, rest])

    def rows(self, watched, now):
        """The runs that should have ended first, or said nothing for longest."""
        def lateness(one):
            return now - one.begun - stages.whole(one.run)

        shown = sorted(watched, key=lateness, reverse=True)[:LINES]
        rows = [f"  {one.run.id[:40]:40} {duration(now - one.begun):>8} of "
                f"{duration(stages.whole(one.run)):>8} {share(one.done):>6}"
                + (f"  silent for {duration(now - one.alive)}"
                   if now - one.alive > 30 else "") for one in shown]
        more = len(watched) - len(shown)
        return rows + [f"  and {more} more"] * (more > 0)

    def draw(self, lines):
        width = shutil.get_terminal_size().columns - 1
        self.wipe()
        say("\n".join(shown(line)[:width] for line in lines), self.out)
        self.drawn = len(lines)

    def wipe(self):
        """Take the table away."""
        if self.drawn:
            self.out.write(f"\x1b[{self.drawn}A\x1b[J")
            self.drawn = 0


def share(done):
    return "" if done is None else f"{100 * done:.0f}%"
