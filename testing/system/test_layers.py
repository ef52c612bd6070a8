# SPDX-License-Identifier: BSD-3-Clause
"""No layer knows what is above it, neither its sources nor what is linked."""
import re

import pytest

import jobs

pytestmark = pytest.mark.scripts

# A symbol that an object of this folder must not need.
PLANTED = [
    ("base", "MPI_Comm_rank"), ("base", "HPL_dgemm"), ("base", "hyb_node"),
    ("hybrid/node", "MPI_Bcast"), ("hybrid/node", "PMPI_Bcast"),
    ("hybrid/node", "HPL_grid"), ("hybrid/node", "hyb_cpu"), ("hybrid/node", "hyb_lu"),
    ("hybrid/cpu", "hyb_emu"), ("hybrid/device/emu", "MPI_Wait"),
    ("hybrid/device/emu", "hpl_panel"), ("hybrid/device/emu", "hyb_lu"),
]  # fmt: skip
# A header that a source of this folder must not include.
INCLUDED = [
    ("base", '"hpl/grid/agree.h"'), ("base", '"hpl.h"'), ("base", "<mpi.h>"),
    ("hpl", '"hybrid/node/team.h"'), ("hpl", '"testing/ptest/parameters.h"'),
    ("hybrid/node", '"hybrid/cpu/kernel.h"'),
    ("hybrid/device/emu", '"hybrid/device/machine.h"'),
    ("hybrid/observe", '"hybrid/lu/state/lu.h"'),
    ("hybrid/lu", '"hybrid/plan/model.h"'),
    ("hybrid/plan", '"testing/ptest/test_list.h"'),
    ("hybrid/lu/guard", '"hybrid/lu/panel/panel.h"'),
]  # fmt: skip
# Where two files that call each other are built.
CIRCLES = [("base", "obj"), ("hybrid/lu", "obj"), ("hybrid/device/emu", "pic"),
           ("hybrid/device/cuda", "pic/hip"), ("sim", "../sim/obj")]  # fmt: skip


def calling(symbol, name):
    """A source without includes whose function calls symbol."""
    return f"void {symbol}(void);\nvoid {name}(void) {{ {symbol}(); }}\n"


def compiled(tree, name, text, kind=None):
    """A source of the tree, and what is built of it."""
    kind = kind or ("pic" if name.startswith("hybrid/device/") else "obj")
    source, built = tree / name, (tree / "build" / kind / name).with_suffix(".o")
    for path in source, built:
        path.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text)
    jobs.run(["cc", "-c", source, "-o", built], tree).succeeded()


@pytest.fixture
def tree(tmp_path):
    """A source in each layer, and a library of the lower two; all in order."""
    compiled(tmp_path, "base/clock.c", "void xh_now(void) {}\n")
    compiled(tmp_path, "hpl/grid.c", calling("xh_now", "HPL_grid"))
    compiled(tmp_path, "hybrid/node/team.c", calling("xh_now", "hyb_node"))
    compiled(tmp_path, "hybrid/cpu/gemm.c", calling("hyb_node", "hyb_cpu"))
    compiled(tmp_path, "hybrid/lu/lu.c", calling("hyb_cpu", "hyb_lu"))
    compiled(tmp_path, "hybrid/device/emu/emu.c", calling("hyb_node", "hyb_emu"))
    for room, header in ("guard", "state/lu.h"), ("guard", "guard/seal.h"):
        path = tmp_path / f"hybrid/lu/{room}/{header[:5]}.c"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#include "hybrid/lu/{header}"\n')
    archive(tmp_path, "base/clock", "hpl/grid")
    return tmp_path


def archive(tree, *names):
    objects = [f"build/obj/{name}.o" for name in names]
    jobs.run(["ar", "r", "libhpl.a", *objects], tree).succeeded()


def check(tree):
    return jobs.run([jobs.SOURCE / "scripts/check-layers", "libhpl.a", "build"], tree)


def test_a_tree_in_order_passes(tree):
    outcome = check(tree)
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)


def test_what_runs_upwards_or_in_a_circle_is_found_and_named(tree):
    for i, (folder, symbol) in enumerate(PLANTED):
        compiled(tree, f"{folder}/planted{i}.c", calling(symbol, f"xh_planted{i}"))
    for i, (folder, header) in enumerate(INCLUDED):
        (tree / f"{folder}/included{i}.c").parent.mkdir(parents=True, exist_ok=True)
        (tree / f"{folder}/included{i}.c").write_text(f"#include {header}\n")
    for i, (folder, kind) in enumerate(CIRCLES):
        for here, there in ("to", "from"), ("from", "to"):
            text = calling(f"hyb_{there}{i}", f"hyb_{here}{i}")
            compiled(tree, f"{folder}/{here}{i}.c", text, kind)
    compiled(tree, "hpl/planted.c", calling("hyb_node", "HPL_planted"))
    archive(tree, "hpl/planted")
    outcome = check(tree)
    said = outcome.stderr
    assert outcome.status == 1 and "libhpl.a knows the layer above it" in said, str(outcome)
    assert "state.c" not in said and "guard.c" not in said, said
    for i, (folder, symbol) in enumerate(PLANTED):
        assert re.search(rf"{folder}/planted{i}\.o:.*\b{symbol}$", said, re.M), said
    for folder in ("base", "hybrid/node", "hybrid/cpu", "hybrid/device"):
        assert f"objects of {folder}/ need what is above it:\n" in said, said
    for i, (folder, header) in enumerate(INCLUDED):
        assert re.search(rf"^{folder}/included{i}\.c:1:#include {header}$", said, re.M), said
    assert said.count("files call each other in a circle") == 4, said
    for i, (folder, kind) in enumerate(CIRCLES):
        for name in "to", "from":
            assert f"build/{kind}/{folder}/{name}{i}.o" in said, said
