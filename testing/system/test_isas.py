# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of the instruction sets that this processor has, or the emulated one."""
import re

import pytest

import jobs

# Beside the widest one and the portable one.
ALSO = {"avx512": ["avx2"], "sve512": ["neon"]}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    said = jobs.run([jobs.BIN / "xprobe", "--ceiling"], tmp_path_factory.mktemp("probe"))
    widest = re.search(r"^isa (\w+)$", said.succeeded().stdout, re.M)[1]
    return sorted({widest, *ALSO.get(widest, []), "portable"})


def solved(recorded, kernel, grid):
    """The residual of a small system, and the norms that it consists of."""
    p, q = grid
    options = ["-n", "250", "-nb", "32", "-p", p, "-q", q]
    processes = p * q if p * q > 1 else None
    outcome, record = recorded(*options, "--set", f"kernel={kernel}", processes=processes)
    outcome.succeeded()
    assert record["kernel"] == kernel
    return [(test["residual"], test["norms"]) for test in record["tests"]]


@pytest.mark.parametrize("grid", [(1, 1), (2, 1)], ids=["1x1", "2x1"])
def test_each_solves_a_system_to_the_same_bits_again(recorded, kernels, grid):
    for kernel in kernels:
        first = solved(recorded, kernel, grid)
        assert first == solved(recorded, kernel, grid), kernel


def test_no_loop_that_multiplies_spills():
    commands = (jobs.BUILD / "commands").read_text()
    compiled = (jobs.BUILD / "obj/hybrid/cpu/isa/portable.o").read_bytes()
    if b"clang" in compiled or "-O3" not in commands or jobs.sanitized():
        pytest.skip("only what gcc optimizes is counted")
    if jobs.BUILD.name in ("ppc64le", "riscv64"):
        pytest.skip("bench/loops reads x86-64 and 64-bit Arm only")
    loops = jobs.module(jobs.SOURCE / "bench/loops").rows(jobs.BUILD)
    products = [row for _, name, row in loops if name == "multiply"]
    assert products and all(row["fmas"] >= 12 for row in products)
    assert [x for x in loops if x[1] in ("multiply", "solve") and x[2]["spills"]] == []
