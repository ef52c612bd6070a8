# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of devices as nvcc compiles them: without a warning, nothing spills;
and which ones the image for HIP has."""
import os
import re
import shutil

import pytest

import jobs

pytestmark = pytest.mark.scripts
CUDA = f"{os.environ.get('CUDA_HOME', '/usr/local/cuda')}/bin"
OF_CUDA = ["copy", "swap_rows", "gather_rows", "scatter_rows", "checksum", "generate",
           "panel_column", "panel_pivot", "panel_step", "panel_swap"]  # fmt: skip
# What the plug-in cuda does not take: cuBLAS does that.
OF_OPENCL = ["gemv", "invert", "multiply", "pack_a", "pack_b"]


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
    targets = {target for _, target in found}
    assert targets and sorted(found) == sorted((x, y) for x in OF_CUDA for y in targets)


def test_the_image_for_hip_has_them_all():
    image = jobs.BUILD.parent / "images/hip.bundle"
    if not image.exists():
        pytest.skip("built without a clang that knows AMD's devices")
    found = re.findall(rb"(\w+)\.kd\0", image.read_bytes())
    assert sorted({name.decode() for name in found}) == sorted(OF_CUDA)


# Values of the product's template beside the defaults.
CUT = dict(ITEMS_M=16, ITEMS_N=16, VECTOR=1, ROWS=4, COLS=4, DEPTH=8, STAGED=1,
           PACKED=1, PREFETCH=0, BAND=8)  # fmt: skip


def test_nvcc_takes_the_others(tmp_path):
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path=CUDA)
    if nvcc is None:
        pytest.skip("no nvcc")
    source = tmp_path / "others.cl"
    source.write_text("".join(f'#include "hybrid/device/kernels/{part}.cl"\n'
                              for part in ("dialect", "product", "algebra")))
    words = [nvcc, "-x", "cu", "-I.", "-arch=sm_90", "-cubin", "-Werror",
             "all-warnings", "-Xptxas", "-v", "-o", tmp_path / "x.cubin",
             *(f"-D{name}={value}" for name, value in CUT.items()), source]
    outcome = jobs.run(words, jobs.SOURCE).succeeded()
    assert "warning" not in outcome.stderr, str(outcome)
    assert sorted(name for name, _ in assembled(outcome.stderr)) == OF_OPENCL
