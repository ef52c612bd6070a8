# SPDX-License-Identifier: BSD-3-Clause
"""What README and docs/ say, held against the tree and the program."""
import re

import pytest

import jobs
import report

pytestmark = pytest.mark.scripts

PAGES = sorted([jobs.SOURCE / "README.md", *jobs.SOURCE.glob("docs/*.md")])
README = (jobs.SOURCE / "README.md").read_text()
TUNING = (jobs.SOURCE / "docs/TUNING.md").read_text()
SETTINGS = (jobs.SOURCE / "docs/SETTINGS.md").read_text()
BUILT = ("testing/xhpl", "setup/Make.UNKNOWN")

SETTINGS_HEAD = """\
| --set | environment | allowed | default | what it does |
| --- | --- | --- | --- | --- |
"""


def name_of(page):
    return str(page.relative_to(jobs.SOURCE))


def blocks(text, language):
    """The fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


COMMANDS = {
    f"{name_of(page)}-{number}": block
    for page in PAGES
    for number, block in enumerate(blocks(page.read_text(), "sh"), 1)
}


@pytest.fixture
def shell(tmp_path):
    """Run a script in a folder that looks like the top of the built tree."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/arch").symlink_to(jobs.BIN)
    (tmp_path / "scripts").symlink_to(jobs.SOURCE / "scripts")

    def run(script):
        unmeasured = {"XHPL_BLAS_CHECK": "off"}
        outcome = jobs.run(["sh", "-euc", script], tmp_path, unmeasured)
        assert outcome.status == 0, str(outcome)
        return outcome

    return run


@pytest.mark.parametrize("where", COMMANDS)
def test_the_commands_shown_work(shell, where):
    shell(COMMANDS[where])


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
        if re.match(r"(base|docs|hpl|hybrid|scripts|setup|testing)/", code):
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


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_target_of_make_named_exists(page):
    phony = []
    for name in ("Makefile", "hybrid/hybrid.mk"):
        makefile = (jobs.SOURCE / name).read_text()
        listed = re.search(r"^\.PHONY:((?:.*\\\n)*.*)", makefile, re.M)
        phony += listed[1].split()
    call = re.compile(r"(?:`|^    )make ([a-z][a-z-]*)\b(?!=)", re.M)
    named = call.findall(page.read_text())
    assert [target for target in named if target not in phony] == []


def asked_for_help(xhpl):
    outcome = xhpl("--help")
    assert outcome.status == 0, str(outcome)
    return outcome.stdout


def test_every_option_named_is_one(xhpl):
    known = set(re.findall(r"^ +--?([\w-]+)", asked_for_help(xhpl), re.M))
    first_column = r"^\| ((?:`[^`]*`(?:, )?)+) \|"
    cells = " ".join(re.findall(first_column, README, re.M))
    named = set(re.findall(r"(?<![\w-])--?([a-z][\w-]*)", cells))
    assert len(named) > 20 and named - known == set()


def test_tuning_explains_every_line_that_has_an_option(xhpl):
    help_text = asked_for_help(xhpl).partition("How to run:")[0]
    options = re.findall(r"^  --?([\w-]+) (?:LIST|VALUE)$", help_text, re.M)
    assert len(options) > 15
    assert [o for o in options if not re.search(rf"`--?{o}`", TUNING)] == []


def settings_rows(help_text):
    """The rows of docs/SETTINGS.md as --help has them."""
    return [
        f"| {name} | XHPL_{name.upper()} | {allowed} | {default} | {what} |"
        for name, allowed, default, what in re.findall(
            r"^  (\w+)=VALUE  (.*) \(default (.*)\)\n +(.*)$", help_text, re.M
        )
    ]


def test_the_page_of_settings_is_the_programs_table(xhpl):
    rows = settings_rows(asked_for_help(xhpl))
    page = SETTINGS_HEAD + "".join(f"{row}\n" for row in rows)
    assert rows
    assert SETTINGS == page, f"docs/SETTINGS.md should be\n{page}"
