# SPDX-License-Identifier: BSD-3-Clause
"""Recipes for package managers, as far as they can be read here; make test-packages
does what they do. And the check that they all end with."""
import os
import re
import shutil

import pytest

import jobs

PACKAGES = jobs.SOURCE / "packages"
VERSION = (jobs.SOURCE / "VERSION").read_text().strip()
pytestmark = pytest.mark.surface
RUN = ["-n", "1000", "--nb", "64", "-p", "1", "-q", "1"]


# ---- xhpl-check ----------------------------------------------------------------------


def check(folder, cwd):
    words = [jobs.SOURCE / "scripts/xhpl-check", folder]
    return jobs.run(words, cwd, jobs.as_installed())


def test_what_computes_passes_the_check(tmp_path):
    folder = tmp_path / "a b"
    folder.mkdir()
    for program in ("xhpl", "xdgemm"):
        (folder / program).symlink_to(jobs.BIN / program)
    (folder / "xhpl-mpirun").symlink_to(jobs.SOURCE / "scripts/mpirun")
    outcome = check(folder, tmp_path).succeeded()
    assert len(re.findall("^ok - ", outcome.stdout, re.M)) == 8, str(outcome)


@pytest.mark.parametrize("broken", ("exit 1", "echo 1 tests completed and failed"))
def test_what_does_not_fails_it(tmp_path, broken):
    jobs.program(tmp_path / "bin/xhpl", broken)
    outcome = check(tmp_path / "bin", tmp_path).ended(1)
    assert "not ok - one of order 1000" in outcome.stdout, str(outcome)
    assert check(tmp_path, tmp_path).status == 2  # nothing to check


# ---- help ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", (
    "xprobe", "xhpl-check", "write-dat", "mpirun", "hpl-report",
    "pack-submission", "xhpl-campaign", "xhpl", "xdgemm"))  # fmt: skip
def test_each_program_tells_its_options_and_refuses_others(name, tmp_path):
    said = jobs.run([name, "--help"], tmp_path, jobs.as_installed()).succeeded().stdout
    assert name in said and said.count("\n") > 1, said
    outcome = jobs.run([name, "--bogus"], tmp_path, jobs.as_installed()).ended(2)
    assert outcome.stdout == "", str(outcome)


@pytest.mark.parametrize("words", ("abc 8 1 1", "60 8 1", "60 8 1 0", "60 -8 1 1", "6e3 8 1 1",
                                   "60 8 1 1.5", "9999999999 8 1 1", "abc"))  # fmt: skip
def test_write_dat_refuses_what_is_no_number(words, tmp_path):
    outcome = jobs.run(["write-dat", *words.split()], tmp_path, jobs.as_installed()).refused()
    assert "usage: write-dat N NB P Q" in outcome.stderr and outcome.stderr.count("\n") == 1


# ---- recipes -------------------------------------------------------------------------


def test_a_recipe_has_the_version_of_the_program():
    for recipe, pattern in (
            ("debian/changelog", r"^xhpl \(([\d.]+)-"), ("rpm/xhpl.spec", r"^Version: +(\S+)"),
            ("conda/meta.yaml", r'version: "(.*)"'), ("guix/xhpl.scm", r'\(version "(.*)"\)'),
            ("easybuild/xhpl.eb", r"^version = '(.*)'")):
        text = (PACKAGES / recipe).read_text()
        assert re.search(pattern, text, re.M)[1] == VERSION, recipe


def test_easybuild_s_sanity_check_passes(tmp_path):
    recipe = {}
    exec((PACKAGES / "easybuild/xhpl.eb").read_text(), recipe)
    assert "bin/xhpl" in recipe["sanity_check_paths"]["files"]
    assert len(recipe["sanity_check_commands"]) == 2
    for command in recipe["sanity_check_commands"]:
        jobs.run(["sh", "-c", command], tmp_path, jobs.as_installed()).succeeded()


def section(name):
    """Lines of a section of the Apptainer definition."""
    text = (PACKAGES / "apptainer/xhpl.def").read_text()
    return re.search(rf"^%{name}\n(.*?)(?=^%|\Z)", text, re.M | re.S)[1]


def test_the_container_s_own_test_passes(tmp_path):
    jobs.run(["sh", "-ec", section("test")], tmp_path, jobs.as_installed()).succeeded()
    outcome = jobs.run(["sh", "-ec", section("runscript"), "sh", *RUN], tmp_path, jobs.as_installed())
    assert "1 tests completed and passed" in outcome.succeeded().stdout


def test_a_recipe_calls_targets_and_scripts_that_exist():
    for path in ("apptainer/xhpl.def", "oci/Containerfile", "conda/build.sh",
                 "rpm/xhpl.spec", "debian/rules", "README.md"):  # fmt: skip
        text = (PACKAGES / path).read_text()
        found = re.findall(r"(?:\bmake|\$\(MAKE\)|%{__make}) ([a-z][\w-]+)", text)
        assert found and set(found) <= jobs.targets(), path
        for script in re.findall(r"(?<![\w/])(setup/\w+|\./configure)\b", text):
            assert os.access(jobs.SOURCE / script, os.X_OK), script


STEPS = ("spack", "easybuild", "conda", "guix", "apptainer")


@pytest.mark.few(2)
@pytest.mark.parametrize("recipe", STEPS)
def test_what_is_done_with_a_recipe_is_read_from_it(recipe, tmp_path):
    outcome = jobs.run([PACKAGES / "steps", recipe], tmp_path).succeeded()
    before, _, after = outcome.stdout.partition("\n--\n")
    commands, checks = before.splitlines(), after.splitlines()
    assert [x for x in checks if "xhpl" in x]
    if recipe == "conda":  # its script does all
        assert "packages/conda/build.sh" in commands
        return
    assert [x for x in commands if "make install" in x]
    if recipe != "apptainer":  # which has a test of its own
        assert [x for x in commands if re.match("make.* check", x)]
        assert not [x for x in commands if re.match("make.* test", x)]


# ---- completion ----------------------------------------------------------------------

COMPLETE = """
compopt() { :; }
source "$1"
_xhpl_complete "$2" "$3" "$4"
printf '%s\\n' "${COMPREPLY[@]}"
"""


WORDS = (
    ("xhpl", "--swap", "xhpl", ["--swap", "--swap-threshold"]),
    ("xhpl", "watch", "--set", ["watchdog="]),
    ("xdgemm", "--tor", "xdgemm", ["--torture"]),
    ("xhpl-campaign", "--rack", "run", ["--racks"]),
    ("hpl-report", "--verd", "hpl-report", ["--verdict"]),
    ("xhpl", "HPL", "xhpl", [""]),
    ("xhpl", "--l", "xhpl", ["--l1"]),
    ("xhpl", "--bind", "xhpl", [""]),  # in an example, of mpirun
    ("xhpl-campaign", "re", "xhpl-campaign", ["report", "retest"]),
)


# What zsh offers it chooses from itself.
ZSH = """
compadd() { while [ "$1" != -- ]; do shift; done; shift; print -l -- "$@" }
_files() { print }
words=("$2" "$4" "$3") CURRENT=3
[ "$4" = "$2" ] && words=("$2" "$3") CURRENT=2
source "$1"
"""
FISH = "source $argv[1]; complete -C $argv[2]"
SHELLS = ("bash", *(pytest.param(name, marks=[pytest.mark.more, pytest.mark.skipif(
    shutil.which(name) is None, reason=f"{name} is not installed")]) for name in ("zsh", "fish")))


@pytest.mark.few(2)
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("program, word, before, expected", WORDS)
def test_a_word_is_completed_by_what_help_names(shell, program, word, before, expected, tmp_path):
    (tmp_path / "HPL.dat").write_text("")
    place = jobs.SOURCE / f"setup/completion.{shell}"
    line = f"{program} {'' if before == program else before} {word}"
    command = {"bash": ["bash", "-c", COMPLETE, "bash", place, program, word, before],
               "zsh": ["zsh", "-fc", ZSH, "zsh", place, program, word, before],
               "fish": ["fish", "-N", "-c", FISH, place, line]}[shell]  # fmt: skip
    outcome = jobs.run(command, tmp_path, {**jobs.as_installed(), "HOME": str(tmp_path)})
    offered = outcome.stdout.splitlines()
    if shell == "zsh":
        expected = {x.rstrip("=") for x in expected}
        assert expected - {""} <= set(offered) and not outcome.stderr, str(outcome)
        assert not set(offered) & {"--bind-to", "-np", "--l"}, str(outcome)
    elif shell == "fish" and expected == [""]:
        assert outcome.stdout.split() == ([] if word.startswith("-") else ["HPL.dat"]), str(outcome)
    else:
        assert [x.split("\t")[0] for x in offered] == expected, str(outcome)
