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

# A line of HPL.dat, what is written there, what the message must say.
BAD_LINES = [
    Bad("n_above_32_bits", 6, "4294967796 Ns", "4294967796", "from 0 to"),
    Bad("n_above_31_bits", 6, "2147483648 Ns", "2147483648", "from 0 to"),
    Bad("n_above_64_bits", 6, f"{2**64 + 40} Ns", f"{2**64 + 40}", "from 0 to"),
    Bad("n_in_exponent_form", 6, "1e3 Ns", "1e3", "from 0 to"),
    Bad("n_with_a_fraction", 6, "40.0 Ns", "40.0", "from 0 to"),
    Bad("n_with_a_letter", 6, "40x Ns", "40x", "from 0 to"),
    Bad("n_in_hexadecimal", 6, "0x28 Ns", "0x28", "from 0 to"),
    Bad("n_below_zero", 6, "-1 Ns", "-1", "from 0 to"),
    Bad("n_that_is_not_a_number", 6, "many Ns", "many", "from 0 to"),
    Bad("n_separated_by_a_comma", 6, "40,41 Ns", "40,41", "from 0 to"),
    Bad("no_n_at_all", 6, "", "", "from 0 to"),
    Bad("a_count_of_zero", 5, "0 # of N", "0", "20"),
    Bad("a_count_above_twenty", 5, "21 # of N", "21", "20"),
    Bad("a_count_below_zero", 5, "-1 # of N", "-1", "20"),
    Bad("a_count_in_words", 5, "one # of N", "one", "20"),
    Bad("a_list_shorter_than_its_count", 5, "2 # of N", "Ns", "from 0 to"),
    Bad("a_count_of_nbs_of_zero", 7, "0 # of NBs", "0", "20"),
    Bad("nb_zero", 8, "0 NBs", "0", "1"),
    Bad("nb_below_zero", 8, "-8 NBs", "-8", "1"),
    Bad("pmap_two", 9, "2 PMAP", "2", "0.*1"),
    Bad("no_grid", 10, "0 # of grids", "0", "20"),
    Bad("p_zero", 11, "0 Ps", "0", "1"),
    Bad("q_zero", 12, "0 Qs", "0", "1"),
    Bad("q_that_is_not_a_number", 12, "one Qs", "one", "1"),
    Bad("threshold_nan", 13, "nan threshold", "nan", ""),
    Bad("threshold_in_words", 13, "sixteen threshold", "sixteen", ""),
    Bad("threshold_with_a_letter", 13, "16.0x threshold", "16.0x", ""),
    Bad("no_pfact", 14, "0 # of panel fact", "0", "20"),
    Bad("pfact_three", 15, "3 PFACTs", "3", "0.*2"),
    Bad("pfact_below_zero", 15, "-1 PFACTs", "-1", "0.*2"),
    Bad("nbmin_zero", 17, "0 NBMINs", "0", "1"),
    Bad("ndiv_one", 19, "1 NDIVs", "1", "2"),
    Bad("rfact_three", 21, "3 RFACTs", "3", "0.*2"),
    Bad("bcast_six", 23, "6 BCASTs", "6", "0.*5"),
    Bad("bcast_below_zero", 23, "-1 BCASTs", "-1", "0.*5"),
    Bad("depth_below_zero", 25, "-1 DEPTHs", "-1", "0"),
    Bad("swap_three", 26, "3 SWAP", "3", "0.*2"),
    Bad("swapping_threshold_below_zero", 27, "-1 threshold", "-1", "0"),
    Bad("l1_two", 28, "2 L1", "2", "0.*1"),
    Bad("u_two", 29, "2 U", "2", "0.*1"),
    Bad("equilibration_two", 30, "2 Equilibration", "2", "0.*1"),
    Bad("alignment_zero", 31, "0 alignment", "0", "1"),
    Bad("alignment_that_is_not_a_number", 31, "eight", "eight", "1"),
    Bad("device_in_words", 4, "screen device", "screen", "6"),
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


GOOD_LAYOUTS = {
    "leading_blanks": lambda t: "".join("   " + x for x in t.splitlines(True)),
    "leading_tabs": lambda t: "".join("\t" + x for x in t.splitlines(True)),
    "several_blanks": lambda t: t.replace("40 41", "40      41"),
    "tabs_between_values": lambda t: t.replace("40 41", "40\t\t41"),
    "crlf_line_ends": lambda t: t.replace("\n", "\r\n"),
    "no_newline_at_the_end": lambda t: t.rstrip("\n"),
    "lines_after_the_last": lambda t: t + "##### HPCC lines\n1 2 x\n",
    "no_comments": lambda t: "\n".join(
        re.split(r" {2,}", line)[0] for line in t.splitlines()
    )
    + "\n",
}


@pytest.mark.parametrize("layout", GOOD_LAYOUTS)
def test_a_file_of_other_layout_means_the_same(xhpl, layout):
    dat = GOOD_LAYOUTS[layout](hpl_dat.text(n="40 41"))
    outcome = xhpl(dat=dat)
    assert outcome.status == 0, str(outcome)
    assert [row.n for row in report.rows(outcome.stdout)] == [40, 41]


# What follows the file on the command line, what the message must say.
BAD_OPTIONS = {
    "an_unknown_option": (["--blocks", "8"], ["--blocks"]),
    "an_unknown_short_option": (["-z"], ["z"]),
    "an_option_without_its_value": (["--depth"], ["depth"]),
    "n_above_32_bits": (["-n", "4294967796"], ["n", "4294967796", "from 0"]),
    "n_in_exponent_form": (["-n", "1e3"], ["n", "1e3", "from 0"]),
    "no_value": (["-nb", ""], ["nb", "from 1"]),
    "no_value_in_a_list": (["-nb", "8,,16"], ["nb", "from 1"]),
    "nb_zero": (["-nb", "0"], ["nb", word("0"), "from 1"]),
    "bcast_six": (["--bcast", "6"], ["bcast", word("6"), "0.*5"]),
    "pfact_three": (["--pfact", "0,3"], ["pfact", word("3"), "0.*2"]),
    "pmap_in_unknown_words": (["--pmap", "diagonal"], ["diagonal", "row"]),
    "threshold_nan": (["--threshold", "nan"], ["threshold", "nan", "finite"]),
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
    "a_setting_in_words": (
        ["--set", "blas_threads=all"],
        ["blas_threads", word("all")],
    ),
    "a_setting_of_other_words": (
        ["--set", "progress=maybe"],
        ["progress", word("maybe"), "on", "off"],
    ),
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
