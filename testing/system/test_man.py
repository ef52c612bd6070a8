# SPDX-License-Identifier: BSD-3-Clause
"""The man page, docs/xhpl.1: held against --help, and against groff."""
import re
import shutil

import pytest

import jobs

pytestmark = pytest.mark.scripts

MAN = jobs.SOURCE / "docs/xhpl.1"


def roff(text):
    """text as it stands in the source of a page."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def option_line(name, value):
    return f'.BI {name} " {value}"' if value else f".B {name}"


def option_entries(help_text):
    """What the page has of each option that --help has."""
    return [
        f".TP\n{option_line(roff(name), value)}\n{roff(what[0].upper() + what[1:])}.\n"
        for name, value, what in re.findall(
            r"^  (--?[\w-]+)(?: (\S+))?\n +(.*)$", help_text, re.M
        )
    ]


def test_the_page_has_the_options_of_help_and_no_other(xhpl):
    page, wanted = MAN.read_text(), option_entries(xhpl("--help", "all").stdout)
    missing = "".join(entry for entry in wanted if entry not in page)
    assert missing == "", f"docs/xhpl.1 should have\n{missing}"
    (section,) = re.findall(r"^\.SH OPTIONS\n(.*?)(?=^\.SH)", page, re.M | re.S)
    assert section.count(".TP\n") == len(wanted) > 20


def test_the_page_is_installed():
    outcome = jobs.run(["make", "-n", "install", "prefix=/p"], jobs.SOURCE)
    assert re.search(r"docs/xhpl\.1 \S*/p/share/man/man1$", outcome.stdout, re.M)


def test_the_page_is_of_this_version():
    version = (jobs.SOURCE / "VERSION").read_text().strip()
    heading = re.search(r"^\.TH (.*)$", MAN.read_text(), re.M)[1]
    assert f'"xhpl {version}"' in heading


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff is installed")
def test_groff_has_nothing_to_say(tmp_path):
    command = ["groff", "-man", "-ww", "-Tascii", "-b", MAN]
    outcome = jobs.run(command, tmp_path)
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)
    assert "--print-config" in re.sub(r".\x08|\x1b\[\d*m", "", outcome.stdout)
