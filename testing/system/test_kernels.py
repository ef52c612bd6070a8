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


def test_nvcc_takes_them_and_spills_nothing(tmp_path):
    """For one kind of device: the build has the plug-in's for others."""
    target = "sm_90"
    nvcc = found("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc")
    made = tmp_path / "kernels.cubin"
    words = [nvcc, "-x", "cu", "-I.", f"-arch={target}", "-cubin", "-Xptxas", "-v",
             "-Werror", "all-warnings", "-o", made, KERNELS]  # fmt: skip
    outcome = jobs.run(words, jobs.SOURCE).succeeded()
    assert "warning" not in outcome.stderr, str(outcome)
    of = re.findall(rf"function '(\w+)' for '{target}'", outcome.stderr)
    assert sorted(of) == sorted(NAMES)
    spilt = re.findall(r"(\d+) bytes spill stores", outcome.stderr)
    assert spilt == ["0"] * len(NAMES), str(outcome)


# Values of the product's template beside the defaults.
CUT = dict(ITEMS_M=16, ITEMS_N=16, VECTOR=1, ROWS=4, COLS=4, DEPTH=8, STAGED=1,
           PACKED=1, PREFETCH=0, BAND=8)  # fmt: skip
CUTS = [dict(PREFETCH=1), dict(PACKED=0), dict(PACKED=0, PREFETCH=1),
        dict(STAGED=0), dict(STAGED=0, PREFETCH=1)]  # fmt: skip


@pytest.mark.parametrize("other", CUTS)
def test_nvcc_takes_other_cuts_of_the_product(tmp_path, other):
    nvcc = found("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc")
    values = [f"-D{name}={value}" for name, value in {**CUT, **other}.items()]
    product = tmp_path / "product.cl"
    product.write_text('#include "hybrid/device/kernels/dialect.cl"\n'
                       '#include "hybrid/device/kernels/product.cl"\n')
    words = [nvcc, "-x", "cu", "-I.", "-arch=sm_90", "-cubin", "-Werror",
             "all-warnings", *values, "-o", tmp_path / "x.cubin", product]  # fmt: skip
    outcome = jobs.run(words, jobs.SOURCE).succeeded()
    assert "warning" not in outcome.stderr, str(outcome)


@pytest.mark.parametrize("target", ["gfx90a", "gfx942"])
def test_clang_takes_them_for_hip(tmp_path, target):
    versions = [f"clang-{n}" for n in range(30, 13, -1)]
    clang = found(*versions, "clang")
    if clang is None:
        pytest.skip("no clang")
    known = jobs.run([clang, "--target=amdgcn", "-print-supported-cpus"], jobs.SOURCE)
    if target not in known.stdout + known.stderr:
        pytest.skip(f"{clang} does not know {target}")
    made = tmp_path / "kernels.s"
    words = [clang, "-x", "hip", "-I.", f"--offload-arch={target}", "-nogpulib",
             "-nogpuinc", "--cuda-device-only", "-O1", "-Wall", "-Wextra", "-Werror",
             "-S", "-o", made, KERNELS]  # fmt: skip
    jobs.run(words, jobs.SOURCE).succeeded()
    of = re.findall(r"^\s*\.amdhsa_kernel (\w+)$", made.read_text(), re.M)
    assert sorted(of) == sorted(NAMES)
