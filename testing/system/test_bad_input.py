# SPDX-License-Identifier: BSD-3-Clause
"""Input that is refused: one error that tells what to change, and status 2."""
import re
from collections import namedtuple

import pytest

import hpl_dat
import report

pytestmark = pytest.mark.surface

Bad = namedtuple("Bad", "sentence line content found allowed")

TWENTY_ONE = " ".join(["40"] * 21)

# A line of HPL.dat, what is written there, what the message must say. All lines
# and values are those of unit/test_hpl_dat.c.
BAD_LINES = [
    Bad("n_above_32_bits", 6, "4294967796 Ns", "4294967796", "from 0 to"),
    Bad("n_in_exponent_form", 6, "1e3 Ns", "1e3", "from 0 to"),
    Bad("no_n_at_all", 6, "", "", "from 0 to"),
    Bad("a_count_above_twenty", 5, "21 # of N", "21", "20"),
    Bad("a_list_shorter_than_its_count", 5, "2 # of N", "Ns", "from 0 to"),
    Bad("pmap_two", 9, "2 PMAP", "2", "0.*1"),
    Bad("threshold_nan", 13, "nan threshold", "nan", ""),
    Bad("alignment_that_is_not_a_number", 31, "eight", "eight", "1"),
]


def errors(outcome):
    return [line for line in outcome.stderr.splitlines() if "error:" in line]


def assert_refused(outcome, *patterns):
    """One error that matches all patterns, nothing on stdout, status 2."""
    assert outcome.status == 2, str(outcome)
    assert outcome.stdout == "", str(outcome)
    assert len(errors(outcome)) == 1, str(outcome)
    for pattern in patterns:
        assert re.search(pattern, errors(outcome)[0]), (pattern, str(outcome))


def word(text):
    """A pattern for text as a whole token."""
    return rf"(?<![\w.-]){re.escape(text)}(?![\w.]*\w)"


@pytest.mark.parametrize("bad", BAD_LINES, ids=lambda bad: bad.sentence)
def test_the_message_names_file_line_found_and_allowed(xhpl, bad):
    refused = xhpl(dat=hpl_dat.with_line(bad.line, bad.content))
    said_at = bad.line + 1 if "shorter" in bad.sentence else bad.line
    assert_refused(
        refused,
        rf"HPL\.dat(:| line |, line ){said_at}\b",
        word(bad.found) if bad.found else "nothing|empty|end of (the )?line",
        bad.allowed,
    )


@pytest.mark.parametrize("lines", [0, 1, 2, 3, 5, 12, 30])
def test_a_file_cut_short_is_refused_at_its_end(xhpl, lines):
    kept = "".join(hpl_dat.text().splitlines(True)[:lines])
    refused = xhpl(dat=kept)
    place = rf"line ({lines}|{lines + 1})\b"
    assert_refused(refused, r"HPL\.dat", place, r"\b31\b")


def test_a_missing_file_is_refused_by_name(xhpl):
    assert_refused(xhpl(), r"HPL\.dat")


def test_a_missing_file_given_by_dat_is_refused_by_name(xhpl):
    assert_refused(xhpl("--dat", "elsewhere.dat"), r"elsewhere\.dat")


def test_a_directory_in_place_of_the_file_is_refused(xhpl):
    (xhpl.directory / "HPL.dat").mkdir()
    assert_refused(xhpl(), r"HPL\.dat")


def test_a_file_of_noise_is_refused(xhpl):
    noise = bytes(i * 89 % 256 for i in range(4096))
    assert_refused(xhpl(dat=noise), r"HPL\.dat", r"(:| line |, line )\d+\b")


def test_more_values_than_twenty_in_a_list_are_refused(xhpl):
    refused = xhpl(dat=hpl_dat.text(n=TWENTY_ONE))
    assert_refused(refused, r"HPL\.dat(:| line |, line )5\b", word("21"), "20")


def test_an_unwritable_output_file_is_refused_by_name(xhpl):
    dat = hpl_dat.text(device="8")
    dat = hpl_dat.with_line(3, "no/such/folder/HPL.out file", dat)
    assert_refused(xhpl(dat=dat), r"no/such/folder/HPL\.out", "No such file")


def test_a_refused_run_leaves_an_older_output_file_alone(xhpl):
    older = xhpl.directory / "HPL.out"
    older.write_text("results of last week\n")
    dat = hpl_dat.text(device="8", nb="0")
    assert_refused(xhpl(dat=dat), r"HPL\.dat")
    assert older.read_text() == "results of last week\n"


@pytest.mark.parametrize("p, q, need", [("2", "2", 4), ("1 1 3", "1 2 2", 6)])
def test_a_grid_larger_than_the_job_is_refused_in_upstreams_words(
    xhpl, p, q, need
):
    refused = xhpl(dat=hpl_dat.text(p=p, q=q))
    assert_refused(refused, f"Need at least {need} processes for these tests")


def test_a_grid_larger_than_the_launched_job_is_refused_once(xhpl):
    refused = xhpl(dat=hpl_dat.text(p="2", q="3"), processes=3)
    assert refused.status == 2, str(refused)
    assert refused.stdout == "", str(refused)
    words = "Need at least 6 processes for these tests"
    assert refused.stderr.count(words) == 1, str(refused)


def test_a_grid_smaller_than_the_job_runs_with_one_warning(xhpl):
    outcome = xhpl(dat=hpl_dat.text(), processes=3)
    assert outcome.status == 0, str(outcome)
    assert report.counts(outcome.stdout)["passed"] == 1
    assert len(re.findall("warning: .*2 .*(idle|process)", outcome.stderr)) == 1


def test_an_overflowing_grid_is_refused(xhpl):
    dat = hpl_dat.text(p="65536", q="65537")
    assert_refused(xhpl(dat=dat), "4295032832|65536|65537")


def test_a_good_file_after_a_refused_one_runs(xhpl):
    assert xhpl(dat=hpl_dat.text(nb="0")).status == 2
    good = xhpl(dat=hpl_dat.text())
    assert good.status == 0, str(good)
    assert report.counts(good.stdout)["passed"] == 1


def test_one_bad_value_in_a_list_refuses_the_whole_file(xhpl):
    refused = xhpl(dat=hpl_dat.text(n="40 50 1e3"))
    assert_refused(refused, r"HPL\.dat(:| line |, line )6\b", word("1e3"))


# What follows the file on the command line, what the message must say. More of
# them are in unit/test_options.c and unit/test_settings.c.
BAD_OPTIONS = {
    "an_unknown_option": (["--blocks", "8"], ["--blocks"]),
    "an_option_without_its_value": (["--depth"], ["depth"]),
    "n_in_exponent_form": (["-n", "1e3"], ["n", "1e3", "from 0"]),
    "no_value": (["-nb", ""], ["nb", "from 1"]),
    "fewer_q_than_p": (["-p", "1,1", "-q", "1"], [word("P"), word("Q")]),
    "too_many_values": (["-n", TWENTY_ONE.replace(" ", ",")], ["n", "20"]),
    "a_word_left_over": (["HPL.dat"], ["HPL.dat"]),
    "two_values_for_one": (["--swap", "0,1"], ["swap"]),
    "an_unknown_setting": (
        ["--set", "blas_thread=1"],
        [word("blas_thread"), word("blas_threads")],
    ),
    "a_setting_out_of_range": (
        ["--set", "blas_threads=-1"],
        ["blas_threads", word("-1")],
    ),
    "a_setting_without_value": (["--set", "blas_threads"], ["blas_threads"]),
}


@pytest.mark.parametrize("sentence", BAD_OPTIONS)
def test_an_option_is_refused_for(xhpl, sentence):
    options, patterns = BAD_OPTIONS[sentence]
    assert_refused(xhpl(*options, dat=hpl_dat.text()), *patterns)


def test_a_setting_of_the_environment_is_refused_as_set_is(xhpl):
    refused = xhpl(dat=hpl_dat.text(), env={"XHPL_BLAS_THREAD": "1"})
    assert_refused(refused, "XHPL_BLAS_THREAD", "(?i)blas_threads")


def test_the_launched_job_refuses_with_one_message(xhpl):
    refused = xhpl("--blocks", "8", dat=hpl_dat.text(), processes=4)
    assert refused.status == 2, str(refused)
    assert refused.stdout == "", str(refused)
    assert len(errors(refused)) == 1, str(refused)
