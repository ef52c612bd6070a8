# SPDX-License-Identifier: BSD-3-Clause
"""The C interface: HPL 2.3's names, types and values, and a driver for it."""
import re
import shlex
import shutil

import pytest

import jobs

pytestmark = pytest.mark.surface

API = (jobs.DATA / "upstream-api.txt").read_text()
PROTOTYPES = re.findall(r"^\w[\w ]*\**(HPL_\w+)\(.*\);$", API, re.MULTILINE)
NOT_IN_LIBRARY = {"HPL_pdinfo", "HPL_pdtest"}
STRUCTS = re.findall(r"^struct (HPL_T_\w+) \{ (.*) \}$", API, re.MULTILINE)
MACROS = "Mabs Mmin Mmax Mptr Mnumroc Mindxg2p HPL_PTR STDC_ARGS STDC_HEADERS"
TIMING_SLOTS = {
    "HPL_TIMING_BEG": 11,
    "HPL_TIMING_N": 6,
    "HPL_TIMING_RPFACT": 11,
    "HPL_TIMING_PFACT": 12,
    "HPL_TIMING_MXSWP": 13,
    "HPL_TIMING_UPDATE": 14,
    "HPL_TIMING_LASWP": 15,
    "HPL_TIMING_PTRSV": 16,
}


def constants():
    """Name and value of every constant of the interface."""
    section = API.split("[constants and types]")[1]
    found = dict(TIMING_SLOTS)
    for names, value in re.findall(
        r"((?:\b[A-Z]\w+ = )+)(-?[\d.]+)\b(?! of them)", section
    ):
        for name in re.findall(r"\w+", names):
            if name != "_N":
                found[name] = float(value)
    return found


CONSTANTS = constants()


def build_words():
    """How this build compiles, and how it links: two lists of words."""
    line = (jobs.BUILD / "commands").read_text()
    compiling, linking = line.split(" | ")[:2]
    return shlex.split(compiling), shlex.split(linking)


def compile_c(source, directory, *more):
    """Compile a C file with this build's compiler against hpl/include."""
    compiling, _ = build_words()
    words = [word for word in compiling if word != "-I."]
    return jobs.run([*words, "-Wall", "-Wextra", "-Werror", *more, source], directory)


def includes():
    return f"-I{jobs.SOURCE}/hpl/include"


def link_c(source, directory):
    """Compile a C file and link it with this build's libhpl.a; its path."""
    _, linking = build_words()
    compile_c(source, directory, includes(), "-c", "-o", "program.o").succeeded()
    words = [linking[0], "program.o", *linking[1:], "-o", "program"]
    jobs.run(words, directory).succeeded()
    return directory / "program"


@pytest.fixture
def accepted(tmp_path):
    """Let the compiler see whether a text that includes hpl.h is C."""

    def run(text, include=f"{jobs.SOURCE}/hpl/include"):
        (tmp_path / "text.c").write_text(f'#include "hpl.h"\n{text}\n')
        words = [tmp_path / "text.c", tmp_path, f"-I{include}", "-fsyntax-only"]
        compile_c(*words).succeeded()

    return run


def test_hpl_h_needs_nothing_but_its_folder(accepted, tmp_path):
    folder = tmp_path / "include"
    shutil.copytree(jobs.SOURCE / "hpl/include", folder)
    accepted("", folder)


def test_hpl_h_brings_the_mathematics_that_drivers_use(accepted):
    accepted("double f(double x) { return fabs(x) + sqrt(x); }")


HUGE_GRID = """
#include "hpl.h"

int main(int argc, char **argv)
{
    HPL_T_grid grid;

    MPI_Init(&argc, &argv);
    return HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, 65536, 65536, &grid);
}
"""


def test_a_grid_of_more_processes_than_integers_is_refused(tmp_path):
    """Before anything is computed with their number, which overflows."""
    (tmp_path / "main.c").write_text(HUGE_GRID)
    checked = ["-fsanitize=signed-integer-overflow", "-c"]
    for source in tmp_path / "main.c", jobs.SOURCE / "hpl/grid/grid.c":
        outcome = compile_c(source, jobs.SOURCE, includes(), "-I.", *checked,
                            "-o", tmp_path / f"{source.stem}.o")  # fmt: skip
        assert outcome.status == 0, str(outcome)
    _, linking = build_words()
    words = [linking[0], checked[0], "main.o", "grid.o", *linking[1:], "-o", "main"]
    linked = jobs.run(words, tmp_path).succeeded()
    outcome = jobs.run([tmp_path / "main"], tmp_path)
    assert "65536 x 65536 grid does not fit" in outcome.stderr, str(outcome)
    assert "runtime error" not in outcome.stderr, str(outcome)


@pytest.fixture(scope="module")
def defined_symbols():
    library = next(w for w in build_words()[1] if w.endswith("libhpl.a"))
    listing = jobs.run(["nm", "--defined-only", library], jobs.SOURCE)
    return set(re.findall(r" T (\w+)$", listing.stdout, re.MULTILINE))


@pytest.mark.parametrize("name", PROTOTYPES)
def test_a_function_of_upstream_is_in_the_library(defined_symbols, name):
    assert (name in defined_symbols) == (name not in NOT_IN_LIBRARY)


def test_every_prototype_is_upstreams(accepted):
    again = re.findall(r"^\w[\w ]*\**HPL_\w+\(.*\);$", API, re.MULTILINE)
    assert len(again) == len(PROTOTYPES) > 100
    accepted("\n".join(again))


@pytest.fixture(scope="module")
def constant_values(tmp_path_factory):
    directory = tmp_path_factory.mktemp("constants")
    source = directory / "constants.c"
    prints = "".join(
        f'    printf("{name} %.17g\\n", (double)({name}));\n'
        for name in CONSTANTS
    )
    source.write_text(
        f'#include "hpl.h"\nint main(void)\n{{\n{prints}    return 0;\n}}\n'
    )
    outcome = jobs.run([link_c(source, directory)], directory).succeeded()
    return dict(line.split() for line in outcome.stdout.splitlines())


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_has_upstreams_value(constant_values, name):
    assert float(constant_values[name]) == CONSTANTS[name]


@pytest.mark.parametrize("name, fields", STRUCTS, ids=[s[0] for s in STRUCTS])
def test_a_structure_begins_with_upstreams_fields(accepted, name, fields):
    listed = re.sub(r"\bHPL_S_", "struct HPL_S_", fields)
    names = re.findall(r"(\w+)(?:\[\d\])?(?=[,;])", fields)
    assert len(names) >= 6
    checks = "".join(
        f"_Static_assert(offsetof(listed_t, {field}) == "
        f"offsetof({name}, {field}), \"{field}\");\n"
        for field in names
    )
    accepted(f"#include <stddef.h>\ntypedef struct {{ {listed} }} listed_t;\n{checks}")


def test_macros_for_drivers_are_defined(accepted):
    accepted("\n".join(f"#ifndef {m}\n#error {m}\n#endif" for m in MACROS.split()))


FORTRAN = jobs.SOURCE / "hpl/blas/blas_fortran.c"
NOT_F2CDEFS = ("-UNoChange", "-UUpCase", "-UAdd__", "-UHPL_CALL_CBLAS")


@pytest.mark.parametrize(
    "name, symbol",
    [
        ("Add_", "dgemm_"),
        ("Add__", "dgemm_"),
        ("NoChange", "dgemm"),
        ("UpCase", "DGEMM"),
    ],
)
def test_names_of_fortran_are_as_f2cdefs_says(tmp_path, name, symbol):
    words = [*NOT_F2CDEFS, f"-D{name}", "-c", "-o", tmp_path / "blas.o"]
    outcome = compile_c(FORTRAN, jobs.SOURCE, "-I.", *words).succeeded()
    listing = jobs.run(["nm", "--undefined-only", "blas.o"], tmp_path)
    assert symbol in listing.stdout.split(), str(listing)


@pytest.mark.parametrize(
    "style", ["StringStructVal", "StringStructPtr", "StringCrayStyle"]
)
def test_a_style_of_strings_that_is_not_there_is_refused(style):
    words = [*NOT_F2CDEFS, f"-D{style}", "-fsyntax-only"]
    outcome = compile_c(FORTRAN, jobs.SOURCE, "-I.", *words)
    assert outcome.status != 0
    assert "only -DStringSunStyle is supported" in outcome.stderr, str(outcome)


DRIVER_CHECKS = [
    "the norm of A",
    "info is 0 for a regular matrix",
    "x is finite for a regular matrix",
    "A x is b",
    "the timer has run",
    "a zero first column is info 1",
    "a zero column 77 is info 78",
    "a zero last column is info n",
    "and x is not finite",
]


@pytest.fixture(scope="module")
def driver_run(tmp_path_factory):
    directory = tmp_path_factory.mktemp("driver")
    source = jobs.HERE / "system/driver/driver.c"
    program = link_c(source, directory)
    return jobs.run(jobs.launched(4, [program]), directory)


@pytest.mark.parametrize("check", DRIVER_CHECKS)
def test_a_driver_of_upstreams_interface_finds_that(driver_run, check):
    said = [x for x in driver_run.stdout.splitlines() if x.endswith(check)]
    assert said and set(said) == {f"ok: {check}"}, str(driver_run)


def test_the_driver_ends_well(driver_run):
    assert driver_run.status == 0, str(driver_run)


TREE_OF_TESTS = """\
#include <stdio.h>
#include "hpl.h"
int main(int argc, char **argv)
{
    int rank, row;
    char word[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *dat = rank == 0 ? fopen("HPL.dat", "r") : NULL;
    if (dat != NULL)
        printf("Written by nobody in particular\\n");
    for (row = 0; dat != NULL && fscanf(dat, "%63s", word) == 1; row++)
        printf("WR00L2L2 %d\\nresidual ...... %s\\n", row, word);
    return MPI_Finalize();
}
"""


# What upstream's library has of testing/, and ours for itself.
PART_OF_THE_LIBRARY = """\
#include "hpl.h"
int main(void)
{
    int state[2] = {HPL_IADD0, HPL_IADD1};
    HPL_setran(2, state);
    return (int)(HPL_HALF - HPL_rand() * HPL_DIVFAC / HPL_POW16);
}
"""


@pytest.fixture
def check_upstream(tmp_path):
    """Check a tree whose driver repeats what its HPL.dat holds, and that has
    another source in testing/matgen."""

    def run(results, part=PART_OF_THE_LIBRARY):
        tests = tmp_path / "hpl/testing"
        for folder in ("ptest", "matgen"):
            (tests / folder).mkdir(parents=True)
        (tests / "ptest/driver.c").write_text(TREE_OF_TESTS)
        (tests / "ptest/HPL.dat").write_text(results)
        (tests / "matgen/part.c").write_text(part)
        return jobs.run(
            ["scripts/check-upstream", tmp_path / "hpl", tmp_path / "build"],
            jobs.SOURCE,
            env={
                "COMPILE": "mpicc -I. -Ihpl/include",
                "LINK": "mpicc",
                "LIBS": "-lm",
            },
        )

    return run


@pytest.mark.parametrize(
    "results, status, said",
    [
        ("PASSED PASSED", 0, "2 of 2 tests passed"),
        ("PASSED FAILED", 1, "1 of 2 tests passed"),
        ("", 1, "0 of 0 tests passed"),
    ],
)
def test_check_upstream_counts_what_passed(check_upstream, results, status, said):
    outcome = check_upstream(results)
    assert outcome.status == status, str(outcome)
    assert outcome.stdout.splitlines()[-1] == f"check-upstream: {said}"


def test_check_upstream_compiles_what_it_does_not_link(check_upstream):
    outcome = check_upstream("PASSED", "#error as upstream would not have it\n")
    assert outcome.status not in (0, 2), str(outcome)
    assert "as upstream would not have it" in outcome.stderr
