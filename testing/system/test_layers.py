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


def compiled(tree, *named, kind=None):
    """Sources of the tree, each a name and its text, and what is built of them."""
    for name, text in named:
        plug_in = name.startswith("hybrid/device/")
        source = tree / name
        built = tree / "build" / (kind or ("pic" if plug_in else "obj")) / name
        source.parent.mkdir(parents=True, exist_ok=True)
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
    ("hybrid/observe", '"hybrid/lu/state/lu.h"'),
    ("hybrid/lu", '"hybrid/plan/model.h"'),
    ("hybrid/plan", '"testing/ptest/test_list.h"'),
]


def test_an_include_from_above_is_found_and_named(tree):
    for i, (folder, header) in enumerate(INCLUDED):
        (tree / folder / f"planted{i}.c").write_text(f"#include {header}\n")
    said = refused(tree)
    for i, (folder, header) in enumerate(INCLUDED):
        assert f"\n{folder}/planted{i}.c:1:#include {header}\n" in said, said


def test_a_room_of_the_solver_sees_only_those_below(tree):
    room = tree / "hybrid/lu/guard"
    room.mkdir(parents=True)
    below = '#include "hybrid/lu/state/lu.h"\n#include "hybrid/lu/guard/seal.h"\n'
    (room / "planted.c").write_text(below)
    assert check(tree).status == 0
    (room / "planted.c").write_text(below + '#include "hybrid/lu/panel/panel.h"\n')
    said = refused(tree)
    assert "\nhybrid/lu/guard/planted.c:3:#include" in said and "state/lu.h" not in said, said


@pytest.mark.more
def test_the_library_knows_nothing_of_the_engine(tree):
    compiled(tree, ("hpl/planted.c", calling("hyb_node", "HPL_planted")))
    jobs.run(["ar", "r", "libhpl.a", "build/obj/hpl/planted.o"], tree)
    assert "libhpl.a knows the layer above it" in refused(tree)


@pytest.mark.parametrize("folder, kind", [
    ("base", "obj"),
    ("hybrid/lu", "obj"),
    ("hybrid/device/emu", "pic"),
    ("hybrid/device/cuda", "pic/hip"),
    ("sim", "../sim/obj"),
])  # fmt: skip
def test_files_that_call_each_other_are_found_and_named(tree, folder, kind):
    there, back = calling("hyb_back", "hyb_there"), calling("hyb_there", "hyb_back")
    compiled(tree, (f"{folder}/there.c", there), (f"{folder}/back.c", back), kind=kind)
    said = refused(tree)
    assert "files call each other in a circle" in said, said
    for name in ("there", "back"):
        assert f"build/{kind}/{folder}/{name}.o" in said, said


# ---- the tests of lower layers ----------------------------------------------
