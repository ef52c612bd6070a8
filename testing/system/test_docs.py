# SPDX-License-Identifier: BSD-3-Clause
"""What README, docs/ and testing/ say, held against tree and program."""
import json
import os
import re
import sys
import textwrap
from collections import Counter

import pytest

import hpl_dat
import jobs
import records
import report

pytestmark = pytest.mark.scripts

PAGES = sorted(
    [jobs.SOURCE / "README.md", *jobs.SOURCE.glob("docs/*.md")]
    + [jobs.SOURCE / "testing/README.md", jobs.SOURCE / "testing/EMULATOR.md"]
)
README = (jobs.SOURCE / "README.md").read_text()
TUNING = (jobs.SOURCE / "docs/TUNING.md").read_text()
MAN = (jobs.SOURCE / "docs/xhpl.1").read_text()
BUILT = ("testing/xhpl", "setup/Make.UNKNOWN")

SETTINGS_HEAD = """\
| --set | environment | allowed | default | what it does |
| --- | --- | --- | --- | --- |
"""


# ---- commands ----------------------------------------------------------------


def name_of(page):
    return str(page.relative_to(jobs.SOURCE))


# What scripts/mpirun tells Open MPI, for commands that call mpirun itself.
ADVICE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def needs(script):
    """What this machine lacks for a script, or None."""
    if re.search(r"(?<!/)\bmpirun ", script):
        version = jobs.run(["mpirun", "--version"], jobs.SOURCE).stdout
        if "Open MPI" not in version:
            return "it is written for Open MPI"
    if "--bind-to core" in script and len(os.sched_getaffinity(0)) < 2:
        return "it takes two cores"
    return None


@pytest.fixture
def shell(tmp_path):
    """Run a script in a folder that looks like the top of the built tree."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/arch").symlink_to(jobs.BIN)
    for name in ("scripts", "bench", "testing"):
        (tmp_path / name).symlink_to(jobs.SOURCE / name)
    # this one has all that is needed
    jobs.program(tmp_path / "path/python3", f'exec "{sys.executable}" "$@"\n')
    path = [str(tmp_path / "path"), str(jobs.BIN), os.environ["PATH"]]
    env = {**ADVICE, "PATH": os.pathsep.join(path)}

    def run(script, status=0):
        lacking = needs(script)
        if lacking:
            pytest.skip(lacking)
        (tmp_path / "HPL.dat").write_text(hpl_dat.text(p="1", q="2"))
        outcome = jobs.run(["sh", "-euc", script], tmp_path, env).ended(status)
        for text in (path.read_text() for path in tmp_path.glob("*.json")):
            if "hpl_dat" in json.loads(text):
                records.valid(text)
        return outcome

    return run


def blocks(text, language):
    """The fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def indented(text):
    """The indented blocks of a page."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    found = re.findall(r"(?:^    .*\n)+", outside, re.M)
    return [textwrap.dedent(block) for block in found]


def examples(page):
    """The commands among the examples of the man page."""
    section = page.partition(".SH EXAMPLES")[2].partition(".SH ")[0]
    found = re.findall(r"^\.nf\n(.*?)^\.fi$", section, re.M | re.S)
    return [block.replace("\\-", "-") for block in found]


# What an indented block of commands begins with; others are code, or pictures.
COMMAND = re.compile(
    r"(?:[A-Z_]+=(?:\w+|\".*?\") )*"
    r"(?:\./configure|bench/|bin/|build/|for |git |make\b|mpirun |scripts/|set |sh |srun |xhpl )"
)


def commands(page):
    text = page.read_text()
    shown = [x for x in indented(text) if COMMAND.match(x)]
    return blocks(text, "sh") + shown


COMMANDS = {
    f"{name}-{number}": block
    for name, found in [
        *((name_of(page), commands(page)) for page in PAGES),
        ("docs/xhpl.1", examples(MAN)),
    ]
    for number, block in enumerate(found, 1)
}

# What such blocks begin with, and why.
NOT_RUN = {
    "make run": "it may install packages; test_run_fitted.py has the rest of it",
    "make test": "this is it",
    r"\./configure": "test_flows.py, in a copy of the tree",
    "make arch=mpich": "make test-all does it, where MPICH is",
    "make HPL_OPTS": "test_flows.py, in a copy of the tree",
    "make check-upstream": "HPL 2.3's sources are not here",
    "CUDA_LIBS=no make bundle": "test_bundle.py",
    "pytest=": "make unit has to be first; make test runs it",
    "bin/xdgemm": "test_bundle.py, with the programs of a bundle",
    ".*make bench-host": "test_bench.py, with --quick",
    "make bench-opencl": "test_bench.py, smaller",
    "bin/arch/xdgemm --tune": "test_opencl.py, where there is a device",
    "make bench-plan": "test_plan.py, with --quick",
    "make bench-gpu": "test_bench.py, with --quick",
    "srun": "there is no Slurm",
    "make CUDA_HOME": "there is no CUDA",
    "xhpl -n 92160": "there is no GPU",
    "xhpl --plan --time 10m": "likewise",
    "mpirun -np 8 --map-by ppr:8": "likewise",
    "mpirun -np 4 --map-by ppr:4": "likewise",
    "mpirun -np 32 --map-by ppr:8": "likewise",
    "make sim": "it needs SimGrid; test_simulation.py",
    "scripts/xhpl-sim": "likewise; simulations of minutes",
    r".* \[-o F": "it only shows which options there are",
}

# Patterns, and what is run in their place: the same, small; and what make calls.
SMALLER = [
    (r"(-[mn] )(?!1000000\b)\d{4,}\b", r"\g<1>300"),
    (r"--torture (600|2)\b", "--torture 0.3"),
    (r"--memory (1G|80%)", "--memory 50M"),
    (r"(--set )predict=on", r"\1predict=on \1plan_seconds=0.1"),
    (r"-np 16\b|(?<=bind-to core )-np 4\b", "-np 2"),  # cores
    (r"PE=4\b", "PE=1"),
    (r"-np 8(?= --map-by ppr)", "-np 1"),  # nodes
    (r"plan_seconds=(1|0\.5)\b", "plan_seconds=0.1"),
    (r"xhpl --plan (--time 1h )?--write",
     r"xhpl --plan \1--memory 50M --set plan_seconds=0.1 --write"),
    (r" --(plan|predict) ", r" --\1 --force "),  # other programs may compute now
    (r"make bench-hpl BASELINE=/path/to/another/xhpl",
     "N=300 NB=64 GRIDS=1x2 REPEAT=1 bench/hpl bin/arch bin/arch/xhpl"),
    (r"N=4000 (.*) REPEAT=3 make bench-hpl", r"N=300 \1 REPEAT=1 bench/hpl bin/arch"),
    (r"make bench-homes\nNB=256 REPEAT=3", "NB=16 REPEAT=1"),
    (r"SIZE=2000 DEPTH=128 make", "SIZE=200 DEPTH=32 make"),
    (r"make bench-dgemm", "DEVICE_DEPTH=64 sh bench/dgemm bin/arch"),
    (r"bench/weights 16000 192", "bench/weights 500 64"),
]

STATUS = {"-n 1000000 ": 2, "emu_fault=0:flip": 1, "emu_fault=1:fail": 3, "emu_fault=stall": 3}


def smaller(script):
    for pattern, instead in SMALLER:
        script = re.sub(pattern, instead, script)
    return script


# Each script once, by where it is shown.
SCRIPTS = {smaller(script): where for where, script in COMMANDS.items()
           if not any(re.match(x, script) for x in NOT_RUN)}  # fmt: skip


@pytest.mark.more
@pytest.mark.parametrize("script", SCRIPTS, ids=SCRIPTS.values())
def test_the_commands_shown_work(shell, script):
    shell(script, next((STATUS[x] for x in STATUS if x in script), 0))


def test_what_is_left_out_or_made_smaller_is_still_shown():
    shown = list(COMMANDS.values())
    assert [x for x in STATUS if not any(x in y for y in shown)] == []
    assert [x for x in NOT_RUN if not any(re.match(x, y) for y in shown)] == []
    for pattern, instead in SMALLER:
        changed = [re.sub(pattern, instead, script) for script in shown]
        assert changed != shown, pattern
        shown = changed


def test_pages_have_the_commands_that_they_are_for():
    counts = Counter(where.rpartition("-")[0] for where in COMMANDS)
    least = {"README.md": 3, "docs/OPTIONS.md": 1, "docs/INSTALL.md": 1, "docs/BENCHMARKS.md": 9, "docs/XDGEMM.md": 9,
             "docs/xhpl.1": 4, "docs/TRACE.md": 1, "docs/QUICKSTART.md": 4}
    assert [x for x in least if counts[x] < least[x]] == []


def test_the_report_shown_is_what_the_commands_before_it_print(shell):
    outcome = shell(blocks(README, "sh")[0])
    printed = iter(report.comparable(outcome.stdout))
    shown = [report.masked(x) for x in blocks(README, "text")[0].splitlines()]
    missing = [x for x in shown if x != "..." and x not in printed]
    assert shown.count("...") > 0 and missing == []


def paths(text):
    """What looks like a path of this tree: in links, and in code."""
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        yield link
    for code in re.findall(r"`([\w./-]+)`", text):
        if re.match(r"(base|bench|docs|hpl|hybrid|scripts|setup|testing)/", code):
            yield code


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_path_named_exists(page):
    missing = [
        path
        for path in paths(page.read_text())
        if not path.startswith(BUILT)
        and not (page.parent / path).exists()
        and not (jobs.SOURCE / path).exists()
    ]
    assert missing == []


def test_what_was_never_measured_is_said_where_rates_are():
    benchmarks, gpu = ((jobs.SOURCE / f"docs/{name}.md").read_text().split("\n\n")
                       for name in ("BENCHMARKS", "GPU"))
    (table,) = [x for x in benchmarks[:4] if x.startswith("| what | measured |")]
    for what in ("several GPUs; AMD's GPUs", "Arm's cores", "more than one host"):
        assert re.search(rf"^\| {what} \| not measured", table, re.M), what
    (state,) = [x for x in gpu[:4] if x.startswith("| what | state |")]
    assert re.search(r"^\| several GPUs, .* \| \*\*never ran on GPUs", state, re.M)
    assert re.search(r"[Ss]everal\s+GPUs have never run", README)
    assert "## From NVIDIA's `hpl.sh`" in gpu


# What is counted, then "a" in place of "per".
A_FOR_PER = re.compile(
    r"\b(?:bytes|threads?|instructions|operations|[mun]s|[GM]B/s|milliseconds|once|one) an? "
    r"(?:process|node|core|element|column|row|second|panel|iteration|step|cycle)\b", re.I)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_rate_is_per_something(page):
    assert A_FOR_PER.findall(page.read_text().replace("\n", " ")) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_target_of_make_named_exists(page):
    call = re.compile(r"(?:`|^    )make ([a-z][a-z-]*)\b(?!=)", re.M)
    named = call.findall(page.read_text())
    assert set(named) <= jobs.targets()


@pytest.fixture(scope="module")
def help_text():
    return jobs.run([jobs.XHPL, "--help", "all"], jobs.SOURCE).succeeded().stdout


def test_the_options_named_are_those_there_are(help_text):
    known = set(re.findall(r"^ +--?([\w-]+)", help_text, re.M))
    first_column = r"^\| ((?:`[^`]*`(?:, )?)+) \|"
    page = (jobs.SOURCE / "docs/OPTIONS.md").read_text()
    cells = " ".join(re.findall(first_column, page, re.M))
    named = set(re.findall(r"(?<![\w-])--?([a-z][\w-]*)", cells))
    assert len(named) > 20 and named == known


def test_tuning_explains_every_line_that_has_an_option(help_text):
    lines = help_text.partition("How to run:")[0]
    options = re.findall(r"^  --?([\w-]+) (?:LIST|VALUE)$", lines, re.M)
    assert len(options) > 15
    assert [o for o in options if not re.search(rf"`--?{o}`", TUNING)] == []


@pytest.mark.parametrize("name, topic", (
    ("docs/SETTINGS.md", "all"), ("testing/EMULATOR.md", "testing")))
def test_a_page_of_settings_is_the_programs_table(name, topic):
    text = jobs.run([jobs.XHPL, "--help", topic], jobs.SOURCE).succeeded().stdout
    rows = [
        f"| {name} | XHPL_{name.upper()} | {allowed} | {default} | {what} |\n"
        for name, allowed, default, what in re.findall(
            r"^  (\w+)=VALUE  (.*) \(default (.*)\)\n +(.*)$", text, re.M
        )
    ]
    title, _, table = (jobs.SOURCE / name).read_text().rpartition(SETTINGS_HEAD)
    assert rows
    assert table == "".join(rows), f"{name} should end with\n{''.join(rows)}"
    assert title.startswith("# ")
    if topic == "all":
        for said in ("--set ", "XHPL_", "xhpl.conf", "--conf", "--print-config"):
            assert said in title, said


def test_every_file_of_system_tests_is_in_the_list():
    page = (jobs.SOURCE / "testing/README.md").read_text()
    files = [path.name for path in jobs.SOURCE.glob("testing/system/test_*.py")]
    assert len(files) > 20
    assert [name for name in files if f"`system/{name}`" not in page] == []


def test_variables_of_the_tests_do_not_stop_the_program(xhpl):
    """Who has set them for pytest runs xhpl by hand as well."""
    page = (jobs.SOURCE / "testing/README.md").read_text()
    names = re.findall(r"`(\w*XHPL_\w+)`", page)
    assert len(names) == 3
    xhpl("--print-config", env={name: "/x" for name in names}).succeeded()


# ---- code within sentences -----------------------------------------------------

# Between backquotes, outside fenced blocks.
CODE = {
    re.sub(r"\s+", " ", code)
    for page in PAGES
    for code in re.findall(
        r"`([^`]+)`", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S))
}
PROGRAMS = re.compile(
    r"(?:[A-Z_]+=\S+ )*(?:\./xhpl|bin/arch/\w+|scripts/(?!mpirun|coverage)[\w-]+|xdgemm|xhpl|xprobe) ")
OF_SLURM = {"--gpus-per-task", "--mpi"}


def test_options_within_a_sentence_exist():
    """Those that stand alone, and those behind a program of ours."""
    scripts = ["hpl-report", "pack-submission", "xhpl-campaign", "xhpl-sim"]
    asked = [[jobs.BIN / "xhpl", "--help", "all"], [jobs.BIN / "xdgemm", "--help"],
             [jobs.BIN / "xprobe", "--help"], [jobs.SOURCE / "bench/gpu", "--help"],
             *([jobs.SOURCE / "scripts" / name, "--help"] for name in scripts)]  # fmt: skip
    known = " ".join(jobs.run(words, jobs.SOURCE).stdout for words in asked)
    told = [code for code in CODE if code.startswith("--") or PROGRAMS.match(code)]
    named = {x for code in told for x in re.findall(r"(?<!\S)--[a-z][\w-]*", code)}
    assert len(named) > 40 and OF_SLURM <= named
    # One letter stands behind one dash in --help, and two are accepted.
    missing = [x for x in named - OF_SLURM if not re.search(rf"-?{x[1:]}\b", known)]
    assert sorted(missing) == []


def test_settings_within_a_sentence_are_accepted(xhpl):
    spans = [code.split() for code in CODE]
    found = {value for words in spans for word, value in zip(words, words[1:])
             if word == "--set"}  # fmt: skip
    named = sorted(x for x in found - {"name=value"} if re.fullmatch(r"[a-z_]+=[\w.:@]+", x))
    assert len(named) > 5
    xhpl(*jobs.sets(*named), "--print-config").succeeded()
