# SPDX-License-Identifier: BSD-3-Clause
"""No layer knows what is above it, neither its sources nor what is linked."""
import re
import shutil

import pytest

import jobs

pytestmark = pytest.mark.scripts

CHECK = jobs.SOURCE / "scripts/check-layers"
FOLDERS = ["base", "hpl"] + [
    f"hybrid/{name}"
    for name in ("node", "cpu", "device/emu", "device/cuda", "lu", "observe", "plan")
]


def calling(symbol, name="xh_planted"):
    """A source without includes whose function calls symbol."""
    return f"void {symbol}(void);\nvoid {name}(void) {{ {symbol}(); }}\n"


def compiled(tree, *named):
    """Sources of the tree, each a name and its text, and what is built of them."""
    for name, text in named:
        kind = "pic" if name.startswith("hybrid/device/emu") else "obj"
        source, built = tree / name, tree / f"build/{kind}/{name}"
        built.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        words = ["cc", "-c", source, "-o", built.with_suffix(".o")]
        jobs.run(words, tree).succeeded()


@pytest.fixture(scope="module")
def in_order(tmp_path_factory):
    """A tree with a source in each layer, and a library of the lower two."""
    tree = tmp_path_factory.mktemp("in_order")
    for folder in FOLDERS:
        (tree / folder).mkdir(parents=True)
    compiled(
        tree,
        ("base/clock.c", "void xh_now(void) {}\n"),
        ("hpl/grid.c", calling("xh_now", "HPL_grid")),
        ("hybrid/node/team.c", calling("xh_now", "hyb_node")),
        ("hybrid/cpu/gemm.c", calling("hyb_node", "hyb_cpu")),
        ("hybrid/lu/lu.c", calling("hyb_cpu", "hyb_lu")),
        ("hybrid/device/emu/emu.c", calling("hyb_node", "hyb_emu")),
    )
    parts = ["build/obj/base/clock.o", "build/obj/hpl/grid.o"]
    jobs.run(["ar", "rc", "libhpl.a", *parts], tree).succeeded()
    return tree


@pytest.fixture
def tree(in_order, tmp_path):
    """A copy of it, to be changed."""
    return shutil.copytree(in_order, tmp_path / "tree")


def check(tree):
    return jobs.run([CHECK, "libhpl.a", "build"], tree)


def refused(tree):
    outcome = check(tree)
    assert outcome.status == 1, str(outcome)
    return outcome.stderr


def test_a_tree_in_order_passes(tree):
    outcome = check(tree)
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)


PLANTED = [
    ("base", "MPI_Comm_rank"),
    ("base", "HPL_dgemm"),
    ("base", "hyb_node"),
    ("hybrid/node", "MPI_Bcast"),
    ("hybrid/node", "PMPI_Bcast"),
    ("hybrid/node", "HPL_grid"),
    ("hybrid/node", "hyb_cpu"),
    ("hybrid/node", "hyb_lu"),
    ("hybrid/cpu", "hyb_emu"),
    ("hybrid/device/emu", "MPI_Wait"),
    ("hybrid/device/emu", "hpl_panel"),
    ("hybrid/device/emu", "hyb_lu"),
]


def test_a_symbol_from_above_is_found_and_named(tree):
    planted = [(f"{folder}/planted{i}.c", calling(symbol, f"xh_planted{i}"))
               for i, (folder, symbol) in enumerate(PLANTED)]  # fmt: skip
    compiled(tree, *planted)
    said = refused(tree)
    for i, (folder, symbol) in enumerate(PLANTED):
        assert re.search(rf"{folder}/planted{i}\.o:.*\b{symbol}$", said, re.M), said
    for folder in ("base", "hybrid/node", "hybrid/cpu", "hybrid/device"):
        assert f"objects of {folder}/ need what is above it:\n" in said, said


INCLUDED = [
    ("base", '"hpl/grid/agree.h"'),
    ("base", '"hpl.h"'),
    ("base", "<mpi.h>"),
    ("hpl", '"hybrid/node/team.h"'),
    ("hpl", '"testing/ptest/parameters.h"'),
    ("hybrid/node", '"hybrid/cpu/kernel.h"'),
    ("hybrid/device/emu", '"hybrid/device/machine.h"'),
    ("hybrid/observe", '"hybrid/lu/lu.h"'),
    ("hybrid/lu", '"hybrid/plan/model.h"'),
    ("hybrid/plan", '"testing/ptest/plan.h"'),
]


def test_an_include_from_above_is_found_and_named(tree):
    for i, (folder, header) in enumerate(INCLUDED):
        (tree / folder / f"planted{i}.c").write_text(f"#include {header}\n")
    said = refused(tree)
    for i, (folder, header) in enumerate(INCLUDED):
        assert f"\n{folder}/planted{i}.c:1:#include {header}\n" in said, said


@pytest.mark.more
def test_what_is_below_may_be_needed(tree):
    compiled(tree, ("hybrid/node/more.c", calling("xh_now")),
             ("hybrid/lu/more.c", calling("MPI_Bcast", "hyb_more")))  # fmt: skip
    assert check(tree).status == 0


@pytest.mark.more
def test_files_that_call_each_other_are_named(tree):
    compiled(tree, ("hybrid/lu/one.c", calling("hyb_two", "hyb_one")),
             ("hybrid/lu/two.c", calling("hyb_three", "hyb_two")),
             ("hybrid/lu/three.c", calling("hyb_one", "hyb_three")))  # fmt: skip
    said = refused(tree)
    assert "files call each other in a circle:\n" in said, said
    assert set(re.findall(r"lu/(\w+)\.o$", said, re.M)) == {"one", "two", "three"}


@pytest.mark.more
def test_an_object_whose_source_is_gone_does_not_count(tree):
    compiled(tree, ("base/planted.c", calling("MPI_Bcast")))
    (tree / "base/planted.c").unlink()
    assert check(tree).status == 0


@pytest.mark.more
def test_the_library_knows_nothing_of_the_engine(tree):
    compiled(tree, ("hpl/planted.c", calling("hyb_node", "HPL_planted")))
    jobs.run(["ar", "r", "libhpl.a", "build/obj/hpl/planted.o"], tree)
    assert "libhpl.a knows the layer above it" in refused(tree)


# ---- the tests of lower layers ----------------------------------------------

INCLUDES = re.compile(r'^#include [<"](\S+)[>"]$', re.M)
LOWER = ("base/", "hybrid/node/", "hybrid/cpu/", "hybrid/device/")


def included(source, seen):
    """What a unit test includes, and its fixtures do."""
    for name in INCLUDES.findall(source.read_text()):
        if name not in seen:
            seen.add(name)
            if name.startswith("testing/unit/"):
                included(jobs.SOURCE / name, seen)
    return seen


def is_lower(source):
    """Is it a test of what is below hpl/ and the driver?"""
    names = included(source, set())
    ours = [x for x in names if (jobs.SOURCE / x).exists()
            and not x.startswith("testing/unit/")]  # fmt: skip
    above = any(x.startswith(("mpi", "hpl")) for x in names)
    return bool(ours) and not above and all(x.startswith(LOWER) for x in ours)


TESTS = [x for x in sorted(jobs.SOURCE.glob("testing/unit/test_*.c"))
         if is_lower(x)]  # fmt: skip


def test_there_are_tests_of_lower_layers():
    names = {x.stem for x in TESTS}
    assert names >= {"test_clock", "test_host_run", "test_emu"}
    assert "test_driver_systems" not in names


@pytest.mark.more
def test_a_test_of_a_lower_layer_links_no_mpi():
    built = [jobs.BUILD / "unit" / source.stem for source in TESTS]
    built = [program for program in built if program.exists()]
    assert built
    needed = jobs.run(["readelf", "-d", *built], jobs.SOURCE).succeeded().stdout
    assert needed.count("[libc.so") == len(built) and "libmpi" not in needed
    symbols = jobs.run(["nm", *built], jobs.SOURCE).succeeded().stdout
    assert re.findall(r" (?:P?MPI|HPL)_\w+$", symbols, re.M) == []
