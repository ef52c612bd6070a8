# SPDX-License-Identifier: BSD-3-Clause
"""The pages of README, docs/ and testing/, and a shell for what they show."""
import json
import os
import re
import sys

import pytest

import hpl_dat
import jobs
import records

PAGES = sorted(
    [jobs.SOURCE / "README.md", *jobs.SOURCE.glob("docs/*.md")]
    + [jobs.SOURCE / "testing/README.md", jobs.SOURCE / "testing/EMULATOR.md"]
)

# What scripts/mpirun tells Open MPI, for commands that call mpirun itself.
ADVICE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def name_of(page):
    return str(page.relative_to(jobs.SOURCE))


def smaller(pairs, script):
    """A script with what is run in place of these patterns."""
    for pattern, instead in pairs:
        script = re.sub(pattern, instead, script)
    return script


def assert_needed(not_run, pairs, shown):
    """What is left out of the scripts shown, or made smaller, is among them."""
    assert [x for x in not_run if not any(re.match(x, y) for y in shown)] == []
    for pair in pairs:
        changed = [smaller([pair], script) for script in shown]
        assert changed != shown, pair
        shown = changed


def is_run(not_run, script):
    return not any(re.match(x, script) for x in not_run)


def needs(script):
    """What this machine lacks for a script, or None."""
    if re.search(r"(?<!/)\bmpirun ", script):
        version = jobs.run(["mpirun", "--version"], jobs.SOURCE).stdout
        if "Open MPI" not in version:
            return "it is written for Open MPI"
    if "--bind-to core" in script and len(os.sched_getaffinity(0)) < 2:
        return "it takes two cores"
    return None


def fill(folder):
    """Let a folder look like the top of the built tree."""
    (folder / "bin").mkdir()
    (folder / "bin/arch").symlink_to(jobs.BIN)
    for name in ("scripts", "bench", "testing"):
        (folder / name).symlink_to(jobs.SOURCE / name)
    (folder / "nodes").write_text("localhost\n127.0.0.1\n")
    # this one has all that is needed
    jobs.program(folder / "path/python3", f'exec "{sys.executable}" "$@"\n')


def records_in(folder):
    """The records of xhpl in a folder, as text."""
    texts = [path.read_text() for path in folder.glob("*.json")]
    return [text for text in texts if "hpl_dat" in json.loads(text)]


@pytest.fixture
def shell(tmp_path):
    """Run a script in a folder that looks like the top of the built tree."""
    fill(tmp_path)
    path = [str(tmp_path / "path"), str(jobs.BIN), os.environ["PATH"]]
    env = {**ADVICE, "PATH": os.pathsep.join(path)}

    def run(script, status=0):
        lacking = needs(script)
        if lacking:
            pytest.skip(lacking)
        if "--write HPL.dat" not in script:
            (tmp_path / "HPL.dat").write_text(hpl_dat.text(p="1", q="2"))
        outcome = jobs.run(["sh", "-euc", script], tmp_path, env)
        assert outcome.status == status, str(outcome)
        for text in records_in(tmp_path):
            records.valid(text)
        return outcome

    return run
