# SPDX-License-Identifier: BSD-3-Clause
"""Runs of xhpl that system tests share."""
import functools
import json
import sys

import pytest

import hpl_dat
import jobs
import records

sys.path.append(str(jobs.SOURCE / "scripts"))  # hpl_campaign, hpl_report, hpl_sim


@pytest.fixture
def xhpl(tmp_path):
    """Run xhpl in a fresh directory.

    dat is the HPL.dat to find there, None for none; processes None starts the
    program without a launcher; env is added to the environment. A record that
    it leaves must fit the schema.
    """

    def run(*options, dat=None, processes=None, env=None, limit=jobs.LIMIT):
        if dat is not None:
            (tmp_path / "HPL.dat").write_bytes(dat if isinstance(dat, bytes) else dat.encode())
        command = [jobs.XHPL, *map(str, options)]
        if processes is not None:
            command = jobs.launched(processes, command)
        return records.run(command, tmp_path, env, limit)

    run.directory = tmp_path
    return run


@pytest.fixture(scope="session")
def reference_run(tmp_path_factory):
    """The outcome of one of the reference files, and of options of xhpl, on 4
    processes, run once."""

    @functools.cache
    def run(name, *options):
        directory = tmp_path_factory.mktemp(name)
        source = jobs.REFERENCE / f"upstream-{name}.HPL.dat"
        (directory / "HPL.dat").write_bytes(source.read_bytes())
        words = jobs.launched(4, [jobs.XHPL, *options])
        return records.run(words, directory, limit=600)

    return run


@pytest.fixture(scope="session")
def tagged_run(tmp_path_factory):
    """One passing test on one process whose row has the given tag, run once.

    The tag is upstream's: order, depth, broadcast, rfact, ndiv, pfact, nbmin.
    """

    @functools.cache
    def run(tag, n="600"):
        directory = tmp_path_factory.mktemp(tag)
        order, rfact, pfact = (
            str(x.index(tag[i])) for x, i in (("RC", 1), ("LCR", 4), ("LCR", 6)))
        (directory / "HPL.dat").write_text(hpl_dat.text(
            n=n, nb="64", pmap=order, depth=tag[2], bcast=tag[3], rfact=rfact,
            ndiv=tag[5], pfact=pfact, nbmin=tag[7]))  # fmt: skip
        return jobs.run([jobs.XHPL], directory)

    return run


@pytest.fixture(scope="session")
def traced_run(tmp_path_factory):
    """A folder with the record and the trace of a run on two processes."""
    folder = tmp_path_factory.mktemp("traced")
    options = ["-n", "320", "-nb", "16", "-p", "1", "-q", "2"]
    words = [jobs.XHPL, *options, "--json", "run.json", "--trace", "trace.json"]
    records.run(jobs.launched(2, words), folder).succeeded()
    return folder


@pytest.fixture
def record(traced_run):
    """A copy of that record, to be changed."""
    found = json.loads((traced_run / "run.json").read_text())
    if not found["iterations"]:
        pytest.skip("this solver notes no iterations")
    return found


@pytest.fixture
def recorded(xhpl):
    """Run xhpl with --json; its outcome and its record."""

    def run(*options, **rest):
        outcome = xhpl(*options, "--json", "run.json", **rest)
        path = xhpl.directory / "run.json"
        assert path.exists(), str(outcome)
        found = records.valid(path.read_text())
        assert found["exit_status"] == outcome.status, str(outcome)
        return outcome, found

    return run
