# SPDX-License-Identifier: BSD-3-Clause
"""Unit tests as pytest items, and the closing line of a test run.

A source testing/unit/<layer>/test_<object>.c stands for its program in the build
directory. Each case of it is one item for every number of processes in its
second line; the program is run once for all of them, when the first is due.
Whole files are dealt to pytest-xdist's workers, so that this holds there too.
"""
import re
from collections import Counter
from functools import cached_property

import pytest

import jobs

OF_DEVICES = re.compile(r"^DEVICE_CASE(?:_WITH)?\(\s*(\w+)", re.MULTILINE)
TEST = re.compile(r"^TEST\w*\(\s*(\w+)", re.MULTILINE)
RANKS = re.compile(r"/\* ranks: ([\w ;]+?)(; needs: [\w ]+)? \*/")
PLAN = re.compile(r"^1\.\.(\d+)$", re.MULTILINE)
RESULT = re.compile(r"(not ok|ok) \d+ (- |# SKIP )(\w+)$", re.MULTILINE)
UNIT_LIMIT = 420


class ProgramRun:
    """A unit test program on a number of processes, run once.

    One process needs no launcher; behind that of Open MPI 4.1 one in some hundred
    crashes within MPI_Finalize on a busy machine.
    """

    def __init__(self, name, ranks, cases):
        self.command = [jobs.BUILD / "unit" / name]
        if ranks and ranks != "1":
            self.command = jobs.launched(ranks, self.command)
        self.cases = cases

    @cached_property
    def outcome(self):
        return jobs.run(self.command, jobs.SOURCE, limit=UNIT_LIMIT)

    @cached_property
    def results(self):
        """What it reported of each case: "ok", "not ok" or "skip"."""
        return {
            case: "skip" if "SKIP" in mark else verdict
            for verdict, mark, case in RESULT.findall(self.outcome.stdout)
        }

    def wrong_with(self, case):
        """What is wrong with a case, and what the program said of it; or None."""
        verdict = self.results.get(case, "not reported")
        if verdict in ("ok", "skip"):
            return None
        remarks = re.search(rf"not ok \d+ - {case}\n((?:#.*\n)*)", self.outcome.stdout)
        return f"{case}: {verdict}\n{remarks[1] if remarks else ''}"

    def wrong_at_end(self):
        """Unless it reported all that it planned and ended with status 0."""
        plan = PLAN.search(self.outcome.stdout)
        planned = int(plan[1]) if plan else -1
        unlisted = set(self.results) - set(self.cases)
        if (planned == len(self.results) and not unlisted
                and self.outcome.status == 0 and not self.outcome.timed_out
                and "not ok" not in self.results.values()):  # fmt: skip
            return None
        return (
            f"planned {planned}, reported {len(self.results)}, "
            f"not in the source: {unlisted or 'none'}\n{self.outcome}"
        )


def runs_of(ranks):
    """Of "4 surface; 1 9 long": each number of processes and its mark, or None."""
    for part in ranks.split(";"):
        *counts, last = part.split()
        mark = None if last.isdigit() else last
        for count in counts if mark else [*counts, last]:
            yield count, mark


def one_of(runs):
    """Of those that have no mark the one on most processes, four if there is that."""
    plain = [run for run in runs if run[1] is None]
    return [run for run in plain if run[0] == "4"] or plain[-1:]


class UnitFailure(Exception):
    """A unit test case that did not pass, with its program's output."""


class UnitItem(pytest.Item):
    """One case of a unit test program, or, without a case, its end."""

    def __init__(self, *, case, program, **rest):
        super().__init__(**rest)
        self.case = case
        self.program = program

    def runtest(self):
        program, case = self.program, self.case
        if program.results.get(case) == "skip":
            pytest.skip("skipped by the program")
        wrong = program.wrong_with(case) if case else program.wrong_at_end()
        if wrong:
            raise UnitFailure(wrong)

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, UnitFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, self.name


class UnitProgram(pytest.File):
    """One unit test source, collected."""

    def shared_cases(self, source):
        """Those of every backend's devices."""
        if "\nDEVICE_CASES(" not in source:
            return []
        files = self.path.parent.glob("device_*.c")
        return OF_DEVICES.findall("".join(x.read_text() for x in files))

    def collect(self):
        source = self.path.read_text()
        ranks = RANKS.match((source.splitlines() + ["", ""])[1])
        cases = TEST.findall(source) + self.shared_cases(source)
        runs = list(runs_of(ranks[1])) if ranks else [(None, None)]
        for count, mark in one_of(runs) if jobs.ONE_COUNT else runs:
            program = ProgramRun(f"{self.path.parent.name}/{self.path.stem}", count, cases)
            suffix = f"[{count}]" if count else ""
            for case in [*cases, None]:
                name = f"{case or 'it_ends_well'}{suffix}"
                item = UnitItem.from_parent(self, name=name, case=case, program=program)
                if mark:
                    item.add_marker(mark)
                yield item


def pytest_collect_file(file_path, parent):
    if file_path.match("unit/*/test_*.c"):
        return UnitProgram.from_parent(parent, path=file_path)
    return None


def leave_to_more(items):
    """All but as many cases of a test as its mark few says, evenly chosen of those
    that are not there already."""
    cases = {}
    for item in items:
        mark = item.get_closest_marker("few")
        if mark and not item.get_closest_marker("more"):
            name = item.nodeid.split("[")[0]
            cases.setdefault(name, (mark.args[0], []))[1].append(item)
    for few, all_of_it in cases.values():
        kept = {i * len(all_of_it) // few for i in range(few)}
        for i, item in enumerate(all_of_it):
            if i not in kept:
                item.add_marker("more")


# Whose processes wait for each other at each column, or whose kernels are compiled:
# what begins late ends alone.
FIRST = ("test_reference_runs.py", "test_opencl.c", "test_opencl.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Long ones and builds first, then programs of many processes, so that workers
    end together."""

    def turn(item):
        if item.path.name in FIRST:
            return FIRST.index(item.path.name) - len(FIRST)
        if {"flows", "long"} & {mark.name for mark in item.iter_markers()}:
            return 0
        return 1 if "unit/" in item.nodeid and "[" in item.nodeid else 2

    leave_to_more(items)
    items.sort(key=turn)


SECONDS = Counter()


def pytest_runtest_logreport(report):
    """What a file takes, as all of its tests on whatever worker."""
    SECONDS[report.nodeid.split("::")[0]] += report.duration


def pytest_terminal_summary(terminalreporter):
    """The ten files that take longest."""
    if len(SECONDS) > 10:
        terminalreporter.section("slowest files")
        for name, seconds in SECONDS.most_common(10):
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")


def pytest_unconfigure(config):
    """The closing line, after everything that pytest itself prints."""
    if jobs.FOLDER:
        jobs.FOLDER.cleanup()
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.option.collectonly:
        return
    count = {kind: len(reporter.stats.get(kind, [])) for kind in reporter.stats}
    failed = count.get("failed", 0) + count.get("error", 0)
    reporter.write_line(
        f"{count.get('passed', 0)} passed, {failed} failed, "
        f"{count.get('skipped', 0)} skipped"
    )
