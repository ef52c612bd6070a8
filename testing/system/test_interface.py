# SPDX-License-Identifier: BSD-3-Clause
"""The C interface: HPL 2.3's names, types and values, and a driver for it."""
import re
import shlex
import shutil

import pytest

import jobs

pytestmark = pytest.mark.surface

API = (jobs.DATA / "upstream-api.txt").read_text()
INCLUDES = f"-I{jobs.SOURCE}/hpl/include"
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
    for names, value in re.findall(r"((?:\b[A-Z]\w+ = )+)(-?[\d.]+)\b(?! of them)", section):
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
    """Compile a C file with this build's compiler and more."""
    compiling, _ = build_words()
    words = [word for word in compiling if word != "-I."]
    return jobs.run([*words, "-Wall", "-Wextra", "-Werror", *more, source], directory)


def link(directory, program, *words):
    """Link it of objects and options, with this build's libhpl.a."""
    _, linking = build_words()
    words = [linking[0], *words, *linking[1:], "-o", program]
    jobs.run(words, directory).succeeded()


def built(source, directory):
    """The program of a C file and this build's libhpl.a."""
    compile_c(source, directory, INCLUDES, "-c", "-o", "main.o").succeeded()
    link(directory, "main", "main.o")
    return directory / "main"


@pytest.fixture
def accepted(tmp_path):
    """Let the compiler see whether a text that includes hpl.h is C."""

    def run(text, includes=INCLUDES):
        (tmp_path / "text.c").write_text(f'#include "hpl.h"\n{text}\n')
        compile_c("text.c", tmp_path, includes, "-fsyntax-only").succeeded()

    return run


def test_hpl_h_needs_nothing_but_its_folder_and_brings_mathematics(accepted, tmp_path):
    folder = tmp_path / "include"
    shutil.copytree(jobs.SOURCE / "hpl/include", folder)
    accepted("double f(double x) { return fabs(x) + sqrt(x); }", f"-I{folder}")


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
    checked = "-fsanitize=signed-integer-overflow"
    for source in tmp_path / "main.c", jobs.SOURCE / "hpl/grid/grid.c":
        words = [INCLUDES, "-I.", checked, "-c", "-o", tmp_path / f"{source.stem}.o"]
        compile_c(source, jobs.SOURCE, *words).succeeded()
    link(tmp_path, "main", checked, "main.o", "grid.o")
    outcome = jobs.run([tmp_path / "main"], tmp_path)
    assert "65536 x 65536 grid does not fit" in outcome.stderr, str(outcome)
    assert "runtime error" not in outcome.stderr, str(outcome)


def test_the_functions_of_upstream_are_in_the_library():
    library = next(w for w in build_words()[1] if w.endswith("libhpl.a"))
    listing = jobs.run(["nm", "--defined-only", library], jobs.SOURCE)
    defined = set(re.findall(r" T (\w+)$", listing.stdout, re.MULTILINE))
    assert set(PROTOTYPES) - defined == NOT_IN_LIBRARY


def test_every_prototype_is_upstreams(accepted):
    again = re.findall(r"^\w[\w ]*\**HPL_\w+\(.*\);$", API, re.MULTILINE)
    assert len(again) == len(PROTOTYPES) > 100
    accepted("\n".join(again))


def test_constants_have_upstreams_values(tmp_path):
    checks = "".join(
        f'    if ((double)({name}) != {value})\n        puts("{name}");\n'
        for name, value in CONSTANTS.items()
    )
    text = f'#include "hpl.h"\nint main(void)\n{{\n{checks}    return 0;\n}}\n'
    (tmp_path / "text.c").write_text(text)
    outcome = jobs.run([built("text.c", tmp_path)], tmp_path).succeeded()
    assert len(CONSTANTS) > 50 and outcome.stdout == "", str(outcome)


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


FORMS = [("Add_", "dgemm_"), ("Add__", "dgemm_"), ("NoChange", "dgemm"), ("UpCase", "DGEMM")]


@pytest.mark.more
@pytest.mark.parametrize("name, symbol", FORMS)
def test_names_of_fortran_are_as_f2cdefs_says(tmp_path, name, symbol):
    words = [*NOT_F2CDEFS, f"-D{name}", "-c", "-o", tmp_path / "blas.o"]
    compile_c(FORTRAN, jobs.SOURCE, "-I.", *words).succeeded()
    listing = jobs.run(["nm", "--undefined-only", "blas.o"], tmp_path)
    assert symbol in listing.stdout.split(), str(listing)


@pytest.mark.parametrize("style", ["StringStructVal", "StringStructPtr", "StringCrayStyle"])
def test_a_style_of_strings_that_is_not_there_is_refused(style):
    words = [*NOT_F2CDEFS, f"-D{style}", "-fsyntax-only"]
    outcome = compile_c(FORTRAN, jobs.SOURCE, "-I.", *words)
    assert outcome.status != 0
    assert "only -DStringSunStyle is supported" in outcome.stderr, str(outcome)


def test_a_driver_of_upstreams_interface_finds_all_well(tmp_path):
    source = jobs.HERE / "system/driver/driver.c"
    words = jobs.launched(4, [built(source, tmp_path)])
    outcome = jobs.run(words, tmp_path).succeeded()
    lines = outcome.stdout.splitlines()
    assert len(lines) == 11 and all(x.startswith("ok: ") for x in lines), str(outcome)


# It calls no MPI, which may crash in MPI_Finalize on a busy machine.
TREE_OF_TESTS = """\
#include <stdio.h>
#include <stdlib.h>
#include "hpl.h"
int main(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    char word[64];
    if (rank == NULL)
        rank = getenv("PMI_RANK");
    FILE *dat = rank == NULL || atoi(rank) == 0 ? fopen("HPL.dat", "r") : NULL;
    if (dat != NULL)
        printf("Written by nobody in particular\\n");
    for (int row = 0; dat != NULL && fscanf(dat, "%63s", word) == 1; row++)
        printf("WR00L2L2 %d\\nresidual ...... %s\\n", row, word);
    return 0;
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
            (tests / folder).mkdir(parents=True, exist_ok=True)
        (tests / "ptest/driver.c").write_text(TREE_OF_TESTS)
        (tests / "ptest/HPL.dat").write_text(results)
        (tests / "matgen/part.c").write_text(part)
        words = ["scripts/check-upstream", tmp_path / "hpl", tmp_path / "build"]
        compiler = {"COMPILE": "mpicc -I. -Ihpl/include", "LINK": "mpicc"}
        return jobs.run(words, jobs.SOURCE, env={**compiler, "LIBS": "-lm"})

    return run


@pytest.mark.more
def test_check_upstream_counts_what_passed_and_compiles_all(check_upstream):
    for results, status, said in (("PASSED PASSED", 0, "2 of 2"), ("PASSED FAILED", 1, "1 of 2"),
                                  ("", 1, "0 of 0")):  # fmt: skip
        outcome = check_upstream(results).ended(status)
        assert outcome.stdout.splitlines()[-1] == f"check-upstream: {said} tests passed"
    outcome = check_upstream("PASSED", "#error as upstream would not have it\n")
    assert outcome.status not in (0, 2), str(outcome)
    assert "as upstream would not have it" in outcome.stderr


# One thread, which may not call MPI, ends the job; the other one polls or waits
# for a message that nobody sends.
HELPER = r"""
#include <pthread.h>
#include "hpl.h"
#include "hpl/pauxil/abort.h"

static void complain(const char *name)
{
    int is_main;

    MPI_Is_thread_main(&is_main);
    if (!is_main)
        fprintf(stderr, "a helper calls %s\n", name);
}

int MPI_Query_thread(int *level)
{
    *level = MPI_THREAD_FUNNELED; /* whatever this library can do */
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code)
{
    complain("MPI_Abort");
    return PMPI_Abort(comm, code);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    complain("MPI_Comm_rank");
    return PMPI_Comm_rank(comm, rank);
}

int MPI_Get_processor_name(char *name, int *length)
{
    complain("MPI_Get_processor_name");
    return PMPI_Get_processor_name(name, length);
}

static void *help(void *argument)
{
    (void)argument;
    HPL_pabort(0, "help", "nothing is left");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    HPL_T_grid grid;
    int provided, rank;
    double x;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, 1, 2, &grid);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        pthread_create(&thread, NULL, help, NULL);
    while (rank == 1 && argc > 1)
        hpl_abort_if_wanted(NULL);
    HPL_recv(&x, 1, 1 - rank, 0, MPI_COMM_WORLD);
    return 0;
}
"""


@pytest.mark.parametrize("polls", (True, False))
def test_a_thread_that_may_not_call_mpi_ends_the_job(tmp_path, polls):
    (tmp_path / "helper.c").write_text(HELPER)
    compile_c("helper.c", tmp_path, INCLUDES, f"-I{jobs.SOURCE}", "-pthread", "-c",
              "-o", "main.o").succeeded()  # fmt: skip
    link(tmp_path, "main", "main.o")
    words = [tmp_path / "main", *["polls"] * polls]
    outcome = jobs.run(jobs.launched(2, words), tmp_path).ended(3)
    said = [x for x in outcome.stderr.splitlines() if x.startswith("HPL ERROR")]
    assert len(said) == 1, str(outcome)
    assert re.search(r"from process # 1 on \S+, in function help: nothing", said[0])
    assert "a helper calls" not in outcome.stderr, str(outcome)
