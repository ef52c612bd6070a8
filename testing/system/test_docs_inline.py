# SPDX-License-Identifier: BSD-3-Clause
"""Commands, settings and options within the sentences and tables of the pages."""
import re

import pytest

import jobs
from docs_pages import PAGES, assert_needed, is_run, smaller
from docs_pages import shell  # noqa: F401 (a fixture)

pytestmark = pytest.mark.scripts

# Code between backquotes, outside fenced blocks, by where it was first seen.
CODE = {
    re.sub(r"\s+", " ", code): page.name
    for page in PAGES
    for code in re.findall(
        r"`([^`]+)`", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    )
}

CALL = re.compile(
    r"(?:[A-Z_]+=\S+ )*"
    r"(?:\./xhpl|bench/[\w-]+|bin/arch/\w+|scripts/[\w-]+|mpirun|srun|xdgemm|xhpl|xprobe)(?: |$)"
)

# What such calls begin with, and why they are not run.
NOT_RUN = {
    "srun": "there is no Slurm",
    "bench/": "test_docs.py and test_bench_host.py, smaller",
    "scripts/coverage": "it needs a build with counters",
}

# Patterns, and what is run in their place: whole, small, on one node.
RUN = [
    (r"^(mpirun --[\w-]+ \S+(?: --bind-to \w+)?)$", r"\1 xhpl -n 500 -p 1 -q 1"),
    (r"^xhpl (?=--set)", "xhpl -n 500 -nb 64 -p 1 -q 1 "),
    (r"^(\./)?xhpl$", "xhpl -n 500 -nb 64 -p 1 -q 1"),
    (r"^xhpl --json$", "xhpl --json run.json -n 500 -nb 64 -p 1 -q 1"),
    (r"slot:PE=8 --bind-to core", "slot:PE=1 --bind-to core -np 1"),
    (r"-np 16\b", "-np 2"),
    (r"^(scripts/hpl-report --verdict run.json)$",  # 1: the rate is not good
     r"xhpl --json run.json -n 500 -nb 64 -p 1 -q 1 && { \1 || [ $? = 1 ]; }"),
    (r"^mpirun xhpl$", "mpirun -np 2 xhpl"),
    (r"--torture 60", "-m 300 -n 300 -k 64 --torture 1"),
    (r"xdgemm --verify", "xdgemm -m 300 -n 300 -k 64 --verify"),
    (r"--plan(?= --write|$)", "--plan --memory 200M --set plan_seconds=0.1"),
    (r"(?<=--)(plan|predict)\b", r"\1 --force"),  # other programs may compute now
]


def is_call(code):
    """More than the name of a program, or of a form of call."""
    named = re.fullmatch(r"[\w/-]+|.*[<>].*", code)
    return CALL.match(code) and not named


CALLS = sorted(code for code in CODE if is_call(code))


@pytest.mark.more
@pytest.mark.parametrize("call", [x for x in CALLS if is_run(NOT_RUN, x)])
def test_a_command_within_a_sentence_works(shell, call):
    shell(smaller(RUN, call))


def test_what_is_left_out_or_completed_is_still_shown():
    assert_needed(NOT_RUN, RUN, CALLS)


def settings_named():
    """All of --set NAME=VALUE that name a value, one or several of a program."""
    words = " ".join(CODE).split()
    pairs = zip(words, words[1:])
    found = {value for word, value in pairs if word == "--set" and "=" in value}
    return sorted(x for x in found if re.fullmatch(r"[a-z_]+=[\w.:@]+", x))


def test_settings_within_a_sentence_are_accepted(xhpl):
    named = [x for x in settings_named() if x != "name=value"]
    assert len(named) > 5
    options = [word for setting in named for word in ("--set", setting)]
    xhpl(*options, "--print-config").succeeded()


def test_options_within_a_sentence_exist():
    """Those that stand alone, with no program before them."""
    programs = ["xhpl", "xdgemm"]
    asked = [[jobs.BIN / name, "--help"] for name in programs]
    asked[0].append("all")
    scripts = ["hpl-report", "pack-submission", "xhpl-campaign", "xhpl-sim"]
    asked += [[jobs.SOURCE / "scripts" / name, "--help"] for name in scripts]
    asked.append([jobs.SOURCE / "bench" / "gpu", "--help"])
    known = " ".join(jobs.run(words, jobs.SOURCE).stdout for words in asked)
    alone = [code for code in CODE if code.startswith("--")]
    named = {x for code in alone for x in re.findall(r"(?<!\S)--[a-z][\w-]*", code)}
    others = {"--gpus-per-task", "--mpi"}  # of Slurm
    assert len(named) > 30 and others <= named
    # One letter stands behind one dash in --help, and two are accepted.
    missing = [x for x in named - others if not re.search(rf"-?{x[1:]}\b", known)]
    assert sorted(missing) == []
