# SPDX-License-Identifier: BSD-3-Clause
"""What NVIDIA's libraries reach, by libraries that look at what they are asked."""
import json
import os
import subprocess
from pathlib import Path

import pytest

import jobs

pytestmark = pytest.mark.scripts
SCRIPT = jobs.SOURCE / "bench/cuda_reference.py"
LIBRARIES = jobs.SOURCE / "testing/cuda_reference/libraries.c"
HEADERS = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include")
NAMES = ("libcudart.so.13", "libcublas.so.13", "libcusolver.so.12")
GEMM = ["--size", 1024, "--depth", 64, "--warm-up", 0.05, "--seconds", 0.1]


@pytest.fixture(scope="module", name="libraries")
def build_libraries(tmp_path_factory):
    """A folder of them, which are one; the vendor's headers have the prototypes."""
    if not (HEADERS / "cusolverDn.h").exists():
        pytest.skip("no headers of cuSOLVER")
    folder = tmp_path_factory.mktemp("libraries")
    first, *others = (folder / name for name in NAMES)
    subprocess.run(["cc", "-shared", "-fPIC", "-isystem", HEADERS, "-o", first, LIBRARIES,
                    "-lm"], check=True)  # fmt: skip
    for name in others:
        name.symlink_to(first.name)
    return folder


def found(folder, *words, **env):
    """What is printed, and what the libraries say."""
    done = subprocess.run(
        [SCRIPT, "--device", "3", *map(str, words)], text=True, capture_output=True,
        check=True, env={**os.environ, "LD_LIBRARY_PATH": str(folder), **env},
    )  # fmt: skip
    return json.loads(done.stdout), done.stderr


def test_the_rate_of_products_is_that_of_events(libraries):
    result, said = found(libraries, *GEMM)
    its = result["dgemm"]
    assert (its["m"], its["k"]) == (512, 64), "it fits the memory that is free"
    assert its["products"] * 2 * 512 * 512 * 64 == pytest.approx(1e9 * its["seconds"])
    assert its["gflops"] == pytest.approx(its["cool_gflops"]) == pytest.approx(1.0)
    count = int(said.split(" products")[0])
    assert its["products"] + 3 < count, "the first ones and the warm-up"


def test_a_factorization_follows_a_small_one(libraries):
    result, said = found(libraries, "--seconds", 0, "--order", 300)
    assert "dgemm" not in result
    assert result["getrf"]["n"] == 300
    assert result["getrf"]["gflops"] == pytest.approx(1.0)
    assert said == "2 factorizations\n"


@pytest.mark.parametrize("words, env, why", [
    (("--seconds", 0, "--order", 300), {"REFERENCE_INFO": "5"}, "sets info to 5"),
    (("--seconds", 0, "--order", 1000), {}, "cudaMalloc returns 2"),
])  # fmt: skip
def test_what_fails_is_said(libraries, words, env, why):
    result, _ = found(libraries, *words, **env)
    assert why in result["getrf"]["failed"]


def test_a_library_that_is_missing_costs_its_own_part(libraries, tmp_path):
    (tmp_path / NAMES[0]).symlink_to(libraries / NAMES[0])
    (tmp_path / NAMES[2]).symlink_to(libraries / NAMES[2])
    (tmp_path / NAMES[1]).write_text("no library")
    result, _ = found(tmp_path, *GEMM, "--order", 300)
    assert "libcublas.so.13 does not load" in result["dgemm"]["failed"]
    assert result["getrf"]["gflops"] == pytest.approx(1.0)


def test_without_the_runtime_there_is_nothing(tmp_path):
    (tmp_path / NAMES[0]).write_text("no library")
    result, _ = found(tmp_path, *GEMM)
    assert "libcudart.so.13 does not load" in result["device"]["failed"]
