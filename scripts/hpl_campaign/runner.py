# SPDX-License-Identifier: BSD-3-Clause
"""Carries runs out: starts them, watches them, ends what takes too long.

Everything is polled by one loop, so that nothing depends on a thread or a signal
that a killed program would have taken with it.
"""
import concurrent.futures
import os
import signal
import time

from . import heat, leftovers, outcome, stages
from .launch import LOG, LONG, RECORD, REPORT, Later

GRACE = 3.0  # s between asking a run to end and killing it
PAUSE = 10.0  # s until a run is tried again that could not be started
PATIENCE = 600.0  # s for which none can be started while none runs
READ = 1 << 18  # bytes of a log that are read at once


class Clock:
    """The time, and waiting."""

    now = staticmethod(time.monotonic)
    date = staticmethod(time.time)
    sleep = staticmethod(time.sleep)


class Watched:
    """A run that was started."""

    def __init__(self, run, folder, job, now):
        self.run, self.folder, self.job = run, folder, job
        self.begun = self.alive = self.due = now  # due: the next look
        self.read = self.reported = 0  # bytes of its log, of its report
        self.done = None  # the part of its work, by its progress
        self.by = self.remark = None  # why it is being ended
        self.asked = None  # when it was asked to end
        self.status = None

    def look(self, now):
        """Take in what it wrote since."""
        text = self.news()
        if text:
            share = outcome.share_done(text)[0]
            self.done = self.done if share is None else share
        if outcome.is_life(text) or self.report_grew():
            self.alive = now

    def news(self):
        """New whole lines of its log, or as much as is read at once."""
        path = os.path.join(self.folder, LOG)
        if size_of(path) <= self.read:
            return ""
        with open(path, "rb") as file:
            file.seek(self.read)
            data = file.read(READ)
        if len(data) < READ:
            data = data[:data.rfind(b"\n") + 1]
        self.read += len(data)
        return data.decode(errors="replace")

    def report_grew(self):
        before, self.reported = self.reported, size_of(
            os.path.join(self.folder, REPORT))
        return self.reported > before

    def end(self, by, remark, now):
        """Ask it to end."""
        self.by, self.remark, self.asked = by, remark, now
        self.job.signal(signal.SIGTERM)


def size_of(path):
    """Bytes of a file, 0 if it is not there."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def text_of(folder, name):
    """A file's beginning and end."""
    try:
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read(READ)
            if len(data) == READ:
                file.seek(max(READ, os.fstat(file.fileno()).st_size - READ))
                data += file.read()
    except OSError:
        return ""
    return data.decode(errors="replace")


class Runner:
    """Carries out runs of a campaign.

    state      takes what happens
    launcher   starts runs
    words      words(run): the command line of its program
    folder     below which each run has its own
    silence    s without a sign of progress after which a run counts as hung
    ramp       s between the starts of two runs
    ceiling    a Ceiling that ends runs, None for none
    view       is told which runs are under way, and how each ended
    witness    witness(run, seconds): more lines of evidence on a run that failed
    """

    def __init__(self, state, launcher, words, folder, *, silence=120.0, ramp=0.0,
                 view=None, witness=None, ceiling=None, clock=Clock):
        self.state, self.launcher, self.words = state, launcher, words
        self.folder, self.silence, self.ramp = folder, silence, ramp
        self.view = view
        self.witness = witness or (lambda run, seconds: [])
        self.ceiling, self.clock = ceiling, clock
        self.watched, self.closing, self.noted = [], {}, []
        self.starting = []  # a run and its folder while its process is made
        self.last_start = self.refused = None  # the latter: since when none starts
        self.paused = 0.0  # until then none is tried
        self.told = set()  # errors of which people know
        self.changed = 0.0  # when a run began or ended last
        self.pool = concurrent.futures.ThreadPoolExecutor(8)

    def carry_out(self, runs):
        """Run all of runs, which have no host in common, that have not ended yet;
        returns when they have."""
        left = [run for run in runs if run.id not in self.state.ended]
        left.reverse()
        try:
            while left or self.watched or self.closing:
                self.start_some(left)
                self.tick(len(left))
        except BaseException:
            self.abandon()
            raise

    # ---- starting ----------------------------------------------------------------

    def start_some(self, left):
        """Start as many as may run now."""
        now = self.clock.now()
        room = self.launcher.at_once - len(self.watched) - len(self.closing)
        if self.ramp:
            waited = self.last_start is None or now - self.last_start >= self.ramp
            room = min(room, int(waited))
        if self.refused is not None and now < self.paused:
            return
        batch = [left.pop() for _ in range(min(max(room, 0), len(left)))]
        if not batch:
            return
        self.last_start = self.changed = now
        prepared = [(run, *self.prepare(run)) for run in batch]
        self.state.add(*(self.started(run, words, folder)
                         for run, words, folder in prepared))
        for index, (run, words, folder) in enumerate(prepared):
            try:
                self.start(run, words, folder)
                self.refused = None
            except Later as error:
                left += [run for run, _, _ in reversed(prepared[index:])]
                self.pause(error, now)
                return

    def pause(self, error, now):
        """None can be started for a while. Give up if that lasts and none ends."""
        self.tell(f"a run cannot be started, it is tried again: {error.strerror}")
        if self.refused is None or self.watched or self.closing:
            self.refused = now
        if now - self.refused > PATIENCE:
            raise error
        self.paused = now + PAUSE

    def prepare(self, run):
        folder = os.path.join(self.folder, run.id)
        os.makedirs(folder, exist_ok=True)
        for name in (REPORT, LOG, RECORD):
            try:
                os.unlink(os.path.join(folder, name))
            except FileNotFoundError:
                pass
        return self.launcher.command(run, self.words(run), folder), folder

    def started(self, run, words, folder):
        members = run._asdict()
        members["run"] = members.pop("id")
        return {"event": "start", **members, "hosts": list(run.hosts),
                "time": self.clock.date(), "argv": words, "dir": folder}

    def start(self, run, words, folder):
        environment = {**os.environ, leftovers.MARK: folder}
        listed = ",".join(run.hosts)
        if len(listed) <= LONG:
            environment[leftovers.HOSTS] = listed
        now = self.clock.now()
        self.starting = [(run, folder)]  # whoever interrupts that has no job to end
        try:
            job = self.launcher.start(words, folder, environment, run)
        except OSError as error:
            self.starting = []
            if isinstance(error, Later):
                raise
            ended = outcome.Ended(None, None, "", "", f"{words[0]}: {error.strerror}")
            self.note(run, folder, outcome.classify(ended)._replace(
                outcome="not started"), None)
            return
        self.watched.append(Watched(run, folder, job, now))
        self.starting = []
        if self.ceiling:
            self.watch_ceiling(run)

    def watch_ceiling(self, run):
        try:
            self.ceiling.begin(run)
        except OSError as error:
            self.tell("the ceiling is not watched on all hosts of all runs: "
                      f"{error.strerror}")

    def tell(self, text):
        """Say it once."""
        if text not in self.told:
            self.view.say(text)
        self.told.add(text)

    # ---- watching ----------------------------------------------------------------

    def tick(self, left):
        now = self.clock.now()
        self.watched = [one for one in self.watched if not self.has_ended(one, now)]
        self.collect()
        self.write()
        self.view.show(self.watched, left)
        if self.watched or self.closing or left:
            self.clock.sleep(self.nap(now))

    def nap(self, now):
        """Until the next look: the longer nothing has happened, the later. It costs
        microseconds a run."""
        least = 0.05 + 1e-4 * len(self.watched)
        return max(least, min(2.0, (now - self.changed) / 20))

    def has_ended(self, one, now):
        """Look after one run; whether it is gone."""
        one.status = one.job.poll()
        if one.status is not None:
            self.changed = now
            self.close(one, now)
            return True
        if one.asked is not None:
            if now - one.asked > GRACE:
                one.job.signal(signal.SIGKILL)
        else:
            self.bound(one, now)
        return False

    def bound(self, one, now):
        """End it if it takes too long, says nothing, or is too hot."""
        run = one.run
        if now >= one.due:
            one.look(now)
            one.due = now + 0.5 + 5e-3 * len(self.watched)
        if one.job.waiting:
            one.begun = one.alive = now
        patience = self.silence + stages.quiet(run)
        hot = self.ceiling and self.ceiling.above(run)
        if hot:
            one.end(outcome.HOT, hot, now)
        elif now - one.alive > patience:
            one.end(outcome.SILENT, f"it was ended after {now - one.alive:.0f} s without "
                    "a sign of progress", now)
        elif now - one.begun > run.limit:
            one.end(outcome.LATE, f"it was ended after {now - one.begun:.0f} s, "
                    f"its limit; predicted were {stages.whole(run):.0f} s", now)

    # ---- ending ------------------------------------------------------------------

    def close(self, one, now):
        """Its process is gone: find out how it ended, elsewhere if that takes time."""
        if self.ceiling:
            self.ceiling.end(one.run)
        record = text_of(one.folder, RECORD) if len(one.run.hosts) == 2 else ""
        ended = outcome.Ended(one.status, one.by, text_of(one.folder, REPORT),
                              text_of(one.folder, LOG), one.remark, record)
        found = outcome.classify(ended)
        if found.outcome == "ok" and not one.by:
            self.note(one.run, one.folder, found, one.status)
            return
        seconds = now - one.begun
        self.closing[self.pool.submit(self.after, one, seconds)] = (one, found)

    def after(self, one, seconds):
        if one.by or one.status:
            self.launcher.end(one.run, one.folder)
        return self.witness(one.run, seconds)

    def collect(self):
        """Note the runs of which all is known."""
        for future in [future for future in self.closing if future.done()]:
            one, found = self.closing.pop(future)
            found.evidence.extend(future.result())
            self.note(one.run, one.folder, found, one.status)

    def note(self, run, folder, found, status):
        record = os.path.join(folder, RECORD)
        latency, bandwidth = outcome.link(
            text_of(folder, RECORD) if len(run.hosts) == 2 else "")
        torture = heat.of_record(text_of(folder, RECORD)) \
            if run.stage == stages.TORTURE else None
        self.noted.append({
            "event": "end", "run": run.id, "time": self.clock.date(),
            "outcome": found.outcome, "seconds": found.seconds,
            "gflops": found.gflops, "status": status, "latency": latency,
            "bandwidth": bandwidth, "torture": torture, "evidence": found.evidence,
            "record": record if os.path.exists(record) else None,
            "log": os.path.join(folder, LOG)})

    def write(self):
        """What was noted goes to the disk, all at once: that takes milliseconds."""
        if self.noted:
            self.state.add(*self.noted)
            for event in self.noted:
                self.view.note(event)
            self.noted = []

    def abandon(self):
        """End all runs, and note none as ended: they will run again."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            for one in self.watched:
                if one.job.poll() is None:
                    one.job.signal(number)
            until = self.clock.now() + GRACE
            while any(one.job.poll() is None for one in self.watched) and \
                    self.clock.now() < until:
                self.clock.sleep(0.05)
        for one in self.watched if self.ceiling else []:
            self.ceiling.end(one.run)
        begun = [*((one.run, one.folder) for one in self.watched), *self.starting]
        list(self.pool.map(lambda one: self.launcher.end(*one), begun))
        self.watched, self.starting = [], []
