# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of devices compile for every language, without a warning."""
import os
import re
import shutil

import pytest

import jobs

pytestmark = pytest.mark.scripts
KERNELS = "hybrid/device/kernels/kernels.cl"
NAMES = ["copy", "swap_rows", "gather_rows", "scatter_rows", "checksum", "generate",
         "gemv", "invert", "panel_column", "panel_pivot", "panel_step",
         "panel_swap", "pack_a",
         "pack_b", "multiply"]  # fmt: skip


def found(*names):
    """The first of these programs that there is."""
    cuda = f"{os.environ.get('CUDA_HOME', '/usr/local/cuda')}/bin"
    path = os.pathsep.join([os.environ["PATH"], cuda])
    return next(filter(None, (shutil.which(x, path=path) for x in names)), None)


# What the plug-in cuda does not take: cuBLAS does that.
OF_OPENCL = ["gemv", "invert", "pack_a", "pack_b", "multiply"]


def assembled(said):
    """Kernels and their targets, as ptxas has told; none may spill."""
    found = re.findall(r"function '(\w+)' for '(\w+)'", said)
    assert re.findall(r"(\d+) bytes spill stores", said) == ["0"] * len(found), said
    return found


def test_the_plug_ins_kernels_spill_nothing():
    """On each kind of device that it was built for."""
    log = jobs.BUILD.parent / "images/cuda.fatbin.log"
    if not log.exists():
        pytest.skip("built without nvcc")
    found = assembled(log.read_text())
    ours = {*NAMES} - {*OF_OPENCL}
    targets = {target for _, target in found}
    assert targets and sorted(found) == sorted((x, y) for x in ours for y in targets)


# Values of the product's template beside the defaults.
CUT = dict(ITEMS_M=16, ITEMS_N=16, VECTOR=1, ROWS=4, COLS=4, DEPTH=8, STAGED=1,
           PACKED=1, PREFETCH=0, BAND=8)  # fmt: skip
CUTS = [dict(PACKED=0, PREFETCH=1), dict(STAGED=0)]


@pytest.mark.parametrize("other", [
    {}, *(pytest.param(cut, marks=pytest.mark.more) for cut in CUTS)])
def test_nvcc_takes_the_others_and_any_cut_of_the_product(tmp_path, other):
    nvcc = found("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc")
    values = [f"-D{name}={value}" for name, value in {**CUT, **other}.items()]
    parts = ["dialect", "product", *([] if other else ["algebra"])]
    product = tmp_path / "product.cl"
    product.write_text("".join(
        f'#include "hybrid/device/kernels/{part}.cl"\n' for part in parts))
    words = [nvcc, "-x", "cu", "-I.", "-arch=sm_90", "-cubin", "-Werror",
             "all-warnings", "-Xptxas", "-v", *values, "-o", tmp_path / "x.cubin",
             product]  # fmt: skip
    outcome = jobs.run(words, jobs.SOURCE).succeeded()
    assert "warning" not in outcome.stderr, str(outcome)
    names = OF_OPENCL if not other else [x for x in OF_OPENCL if x[0] in "pm"]
    assert sorted(name for name, _ in assembled(outcome.stderr)) == sorted(names)


@pytest.mark.more
def test_clang_takes_them_for_hip(tmp_path):
    """For one kind of device, likewise."""
    target = "gfx90a"
    versions = [f"clang-{n}" for n in range(30, 13, -1)]
    clang = found(*versions, "clang")
    if clang is None:
        pytest.skip("no clang")
    known = jobs.run([clang, "--target=amdgcn", "-print-supported-cpus"], jobs.SOURCE)
    if target not in known.stdout + known.stderr:
        pytest.skip(f"{clang} does not know {target}")
    made = tmp_path / "kernels.s"
    words = [clang, "-x", "hip", "-I.", f"--offload-arch={target}", "-nogpulib",
             "-nogpuinc", "--cuda-device-only", "-O1", "-mllvm", "-disable-cgp",
             "-mllvm", "-large-interval-size-threshold=20", "-mllvm",
             "-large-interval-freq-threshold=8", "-Wall", "-Wextra", "-Werror",
             "-S", "-o", made, KERNELS]  # fmt: skip
    jobs.run(words, jobs.SOURCE).succeeded()
    of = re.findall(r"^\s*\.amdhsa_kernel (\w+)$", made.read_text(), re.M)
    assert sorted(of) == sorted(NAMES)
