# SPDX-License-Identifier: BSD-3-Clause
"""The plug-ins cuda and hip on a model of their libraries, inside whole programs."""
import os
import pathlib
import re
import shutil

import pytest

import jobs
from busy import patience

MODEL = jobs.BUILD / "cuda-model"
KERNELS = jobs.BUILD.parent / "images/cuda.fatbin"
XDGEMM = jobs.BIN / "xdgemm"

pytestmark = pytest.mark.skipif(
    not (MODEL / "libhyb_cuda.so").exists() or not XDGEMM.exists(),
    reason="built without CUDA's headers, or without hybrid/",
)

HIP_KERNELS = jobs.BUILD.parent / "images/hip.bundle"
NEEDS_KERNELS = pytest.mark.skipif(not KERNELS.exists(), reason="built without nvcc")
NEEDS_HIP = pytest.mark.skipif(
    not HIP_KERNELS.exists(), reason="built without a clang that knows AMD's devices"
)

TILED = "-m 150 -n 130 -k 40 --repeat 1 --verify --set tile=32 --set split=fixed:0.8"
TILED = TILED.split()
OWN_DEVICE = ["--devices", "cuda:0"]


def environment(plugins=MODEL, **settings):
    """That of a program that finds the model, which has these settings."""
    return {
        "XHPL_PLUGIN_DIR": str(plugins),
        # for sanitizers, which take the loader's place
        "LD_LIBRARY_PATH": str(plugins),
        "CUDA_MODEL_REPORT": "1",
        **{f"CUDA_MODEL_{name}": str(x) for name, x in settings.items()},
    }


@pytest.fixture
def xdgemm(tmp_path):
    """Run xdgemm on the model, with a cache of its own, in an environment more."""

    def run(*options, more={}, **settings):
        env = {**environment(**settings), "XDG_CACHE_HOME": str(tmp_path), **more}
        return jobs.run([XDGEMM, *options], tmp_path, env)

    return run


def assert_right(outcome):
    assert outcome.status == 0, str(outcome)
    assert re.search(r"verified: \d+ products, 0 wrong", outcome.stdout), str(outcome)


def left(outcome):
    """What the model says of what was not given back, by name."""
    said = re.search(r"^CUDA model: left (.*)$", outcome.stderr, re.M)
    assert said, str(outcome)
    return {name: int(x) for name, x in re.findall(r"(\w[a-z ]*) (\d+)", said[1])}


def assert_nothing_left(outcome, processes=1, of="left (.*)"):
    reports = re.findall(f"^CUDA model: {of}", outcome.stderr, re.M)
    assert len(reports) == processes, str(outcome)
    assert not any(re.search(" [1-9]", line) for line in reports), str(outcome)


# ---- products ---------------------------------------------------------------

# Each of three queues takes 32 MiB, kernels keep 64; C is of 57.
LARGE = "-m 3000 -n 2500 -k 32 --repeat 1 --verify --set tile=2900 --devices cuda:0"
PRODUCTS = [
    ([*TILED, "--devices", "cuda:0,1", "--set", "pipeline=4"], dict(VISIBLE="01")),
    pytest.param(LARGE.split(), dict(MEMORY=164), marks=pytest.mark.more),
]


@pytest.mark.parametrize("words, settings", PRODUCTS)
def test_products_are_right_and_all_is_given_back(xdgemm, words, settings):
    outcome = xdgemm(*words, **settings)
    assert_right(outcome)
    assert_nothing_left(outcome)  # and no copy was of unpinned memory


def test_memory_that_cannot_be_pinned_costs_no_device(xdgemm):
    faults = ",".join(f"oom@register:{nth}" for nth in range(1, 11))
    outcome = xdgemm(*TILED, *OWN_DEVICE, FAULT=faults)
    assert_right(outcome)
    assert "cannot be pinned: out of memory" in outcome.stderr, str(outcome)
    assert left(outcome)["unpinned copies"] > 0, str(outcome)
    assert_nothing_left(outcome, of="left (.*);")


EMULATED = ["--set", "fp64=emulated"]
REFUSED = [
    ([], dict(DRIVER=0), "there is no NVIDIA driver"),
    ([], dict(DRIVER=11040), "the NVIDIA driver supports CUDA 11.4, and 1"),
    ([], dict(VISIBLE=""), "the NVIDIA driver shows no device"),
    ([], dict(MATH="emulated"),
     "this cublas does not compute in double precision, which fp64=native asks for"),
    (EMULATED, dict(MATH="native"),
     "this cublas cannot emulate double precision, which fp64=emulated asks for"),
]  # fmt: skip


@pytest.mark.parametrize("words, settings, why", REFUSED)
def test_why_a_device_is_refused_is_said(xdgemm, words, settings, why):
    xdgemm(*TILED, *OWN_DEVICE, *words, **settings).refused(why)


# ---- double precision -------------------------------------------------------

# A site's environment that has cuBLAS emulate double precision.
SITE = {"CUBLAS_EMULATE_DOUBLE_PRECISION": "1"}
NO_EFFECT = "CUBLAS_EMULATE_DOUBLE_PRECISION=1 has no effect: only fp64=emulated"


@pytest.mark.parametrize(
    "words, said", [([], NO_EFFECT), (EMULATED, "double precision is EMULATED")]
)
def test_the_setting_alone_makes_products_emulated(xdgemm, words, said):
    outcome = xdgemm(*TILED, *OWN_DEVICE, *words, more=SITE)
    assert_right(outcome)
    assert outcome.stderr.count(said) == 1, str(outcome)
    assert (left(outcome)["emulated products"] > 0) == bool(words), str(outcome)


@pytest.mark.surface  # a sanitizer wants to be loaded first
def test_a_cublas_that_is_there_already_is_refused_at_such_a_site(xdgemm):
    (blas,) = MODEL.glob("libcublas.so.*")
    preloaded = f"{os.environ.get('LD_PRELOAD', '')}:{blas}".strip(":")
    said = "it was loaded with CUBLAS_EMULATE_DOUBLE_PRECISION=1, which fp64=native"
    xdgemm(*TILED, *OWN_DEVICE, more={**SITE, "LD_PRELOAD": preloaded}).refused(said)


# ---- libraries --------------------------------------------------------------


@pytest.fixture
def plugins(tmp_path):
    """A copy of the model's folder."""
    return pathlib.Path(shutil.copytree(MODEL, tmp_path / "plugins"))


@pytest.fixture
def earlier(plugins, tmp_path):
    """The plug-in as it is built with headers that lack what CUDA 12.8 brought."""
    home = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
    text = (home / "cuda_runtime_api.h").read_text()
    text = re.sub(r"(#define CUDART_VERSION) .*", r"\1 12000", text)
    text = re.sub(r"^extern [^;]*\bcudaLibrary\w+\([^;]*;", "", text, flags=re.M)
    headers = tmp_path / "headers"  # no links: compilers go by where these lead
    for folder in ("crt", "nv"):
        shutil.copytree(home / folder, headers / folder)
    for header in home.glob("*.h*"):
        shutil.copy(header, headers)
    (headers / "cuda_runtime_api.h").write_text(text)
    cc = ["cc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared",
          "-fPIC", "-I.", f'-DHYB_CUDA_IMAGE="{KERNELS}"']  # fmt: skip
    sources = [*jobs.SOURCE.glob("hybrid/device/cuda/*.c"),
               "hybrid/device/kernels/launch.c", "base/clock.c"]  # fmt: skip
    jobs.run([*cc, "-isystem", headers, "-o", plugins / "libhyb_cuda.so", *sources,
              f"-L{plugins}", "-lcuda_model", "-Wl,-rpath,$ORIGIN"],
             jobs.SOURCE).succeeded()  # fmt: skip
    shutil.copy(plugins / "libnvidia-ml.so.1", plugins / "libcuda.so.1")
    return plugins


@pytest.mark.more
@NEEDS_KERNELS
@pytest.mark.surface
def test_a_runtime_before_12_8_leaves_kernels_to_the_driver(xhpl, xdgemm, earlier):
    words = ["--operations", "-m", "200", "-k", "90", "--devices", "cuda:0"]
    outcome = xdgemm(*words, plugins=earlier).succeeded()
    assert len(re.findall(r"^cuda:0 .* 0$", outcome.stdout, re.M)) == 4, str(outcome)
    assert_nothing_left(outcome)
    settings = jobs.sets("devices=cuda", "home=device", "panel=device")
    options = ["-n", 700, "--nb", 64, "-p", 1, "-q", 1, *settings]
    outcome = xhpl(*options, env=environment(earlier)).succeeded()
    assert "1 tests completed and passed" in outcome.stdout, str(outcome)
    (earlier / "libcuda.so.1").write_text("no library")
    outcome = xdgemm("--list-devices", plugins=earlier).succeeded()
    said = "^cuda +no devices: .*libcuda.so.1: "
    assert re.search(said, outcome.stdout, re.M), str(outcome)


MISSING = [("cuda", "libcublas.so.*", "it cannot be used without cublas: "),
           ("hip", "librocblas.so", "it cannot be used without rocblas: "),
           ("hip", "libamdhip64.so", "libamdhip64.so: ")]  # fmt: skip


@pytest.mark.parametrize("device, library, why", MISSING)
def test_without_a_library_there_is_no_device(xdgemm, plugins, device, library, why):
    (file,) = plugins.glob(library)
    file.write_text("no library")
    outcome = xdgemm(*TILED, "--devices", f"{device}:0", plugins=plugins)
    assert why in outcome.stderr, str(outcome)
    if "blas" in library:
        shutil.copy(plugins / "libnvidia-ml.so.1", file)
        outcome = xdgemm(*TILED, "--devices", f"{device}:0", plugins=plugins)
        assert re.search("blas.so.* has no .*[cC]reate", outcome.stderr), str(outcome)


@pytest.mark.more
@pytest.mark.parametrize("device, library", [("cuda", "libnvidia-ml.so.1"),
                                             ("hip", "librocm_smi64.so")])  # fmt: skip
def test_without_the_management_library_no_sensor_is_told(
    xdgemm, plugins, device, library
):
    words = ["-m", "100", "--torture", "0.1", "--devices", f"{device}:0"]
    told = r" MHz \d+ to \d+"
    assert re.search(told, xdgemm(*words, plugins=plugins).succeeded().stdout)
    (plugins / library).write_text("no library")
    outcome = xdgemm(*words, plugins=plugins).succeeded()
    assert not re.search(told, outcome.stdout), str(outcome)


# ---- xhpl -------------------------------------------------------------------

# Faults are counted, and copies looked at, from the run on.
SETTINGS = "tile=48 threads=1 split=fixed:0.8 trust=off"


@pytest.fixture
def solved(xhpl):
    """A run of xhpl on the model, on a grid of p x q processes, that passed."""

    def run(grid, *settings, n=300, **model):
        p, q = grid
        outcome = xhpl(
            "-n", n, "--nb", 32, "-p", p, "-q", q, *jobs.sets(SETTINGS, *settings),
            processes=p * q if p * q > 1 else None,
            env=environment(**model),
        ).succeeded()  # fmt: skip
        assert "1 tests completed and passed" in outcome.stdout, str(outcome)
        return outcome

    return run


KINDS = [pytest.param("cuda", marks=NEEDS_KERNELS),
         pytest.param("hip", marks=[NEEDS_HIP, pytest.mark.more])]


# Several groups of a kernel share 700 rows. Each of two devices reads the panels of
# the other, or gets them by way of the host.
HOMES = [
    (1, 1, 700, "0", "panel=device", 1),
    pytest.param(2, 1, 700, "0,1", "panel=device", 1, marks=pytest.mark.more),
    (2, 2, 300, "0,1,2,3", "panel=auto", 1),
    (1, 1, 300, "0,1", "panel=device group=1", 0),
    (1, 1, 300, "0,1", "panel=device group=1", 1),
    (1, 1, 300, "0,1", "panel=device group=3", 1),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p, q, n, devices, settings, peers", HOMES)
def test_a_matrix_lives_on_devices(solved, kind, p, q, n, devices, settings, peers):
    settings += f" devices={kind}:{devices} home=device"
    outcome = solved((p, q), settings, n=n, VISIBLE="0123", PEERS=peers)
    assert re.search(f"^xhpl: homes: {kind}:0 +[1-9]", outcome.stderr, re.M)
    assert "the cores factor them" not in outcome.stderr, str(outcome)
    assert_nothing_left(outcome, p * q, of="left (.*);")


# The host cannot read the model's memory, and the MPI library of tests is built
# for the host: it says so, or crashes.
@pytest.mark.surface
def test_mpi_that_does_not_know_the_devices_is_refused(xhpl):
    words = "-n 100 --nb 20 -p 2 -q 1 --set devices=cuda:0,1 --set device_mpi=on".split()
    outcome = xhpl(*words, processes=2, env=environment(VISIBLE="01"))
    outcome.refused("device_mpi=on: the MPI library c")


# What each of two processes sees, what the first one uses, what is idle.
SEEN = [
    ("01/23", "devices cuda:0, cuda:1", None),
    ("0/1", "device cuda:0", None),
    ("0123/0123", "devices cuda:[0-3], cuda:[0-3]", None),
    ("0/0", "device cuda:0", None),
    ("01/123", "device cuda:[01]", "0000:a[0-3]:00.0"),
]


@pytest.mark.few(1)
@pytest.mark.parametrize("visible, used, idle", SEEN)
def test_processes_use_the_devices_that_they_see(solved, visible, used, idle):
    outcome = solved((2, 1), "devices=cuda", VISIBLE=visible)
    assert re.search(f", {used}$", outcome.stderr, re.M), str(outcome)
    said = re.search("so none of them uses (.*): make", outcome.stderr)
    assert bool(said) == bool(idle), str(outcome)
    assert idle is None or re.search(idle, said[1]), str(outcome)
    assert_nothing_left(outcome, 2)


# One of 32 MiB a queue for cuBLAS, kernels keep 64.
ONE_DEVICE = [("host", 520), pytest.param("device", 900, marks=NEEDS_KERNELS)]


@pytest.mark.more
@pytest.mark.parametrize("home, memory", ONE_DEVICE)
def test_two_processes_share_the_memory_of_one_device(solved, tmp_path, home, memory):
    used = tmp_path / "used"
    one = dict(VISIBLE="0/0", MEMORY=memory, CONTEXT=50, SHARED=used)
    outcome = solved((2, 1), "devices=cuda", f"home={home}", **one)
    assert "warning" not in outcome.stderr, str(outcome)
    assert set(used.read_bytes()) == {0}, str(outcome)


def test_a_process_without_memory_for_a_context_has_no_device(solved, tmp_path):
    one = dict(VISIBLE="0/0", MEMORY=900, CONTEXT=460, SHARED=tmp_path / "used")
    outcome = solved((2, 1), "devices=cuda", "home=host", **one)
    said = "there is no memory left for a context"
    assert outcome.stderr.count(said) == 1, str(outcome)
    assert outcome.stderr.count("device 0 of cuda is left out") == 1, str(outcome)


LOSSES = [("fail@gemm:9", "a kernel failed|the device fails"),
          ("stall@copy_out:4", "it stalled")]  # fmt: skip


@pytest.mark.parametrize("fault, cause", LOSSES)
def test_xhpl_ends_for_its_lost_device(xhpl, fault, cause):
    settings = jobs.sets(SETTINGS, "devices=cuda:0", patience(fault))
    options = ["-n", 300, "--nb", 32, "-p", 1, "-q", 1, *settings]
    outcome = xhpl(*options, env=environment(FAULT=fault)).ended(3)
    assert re.search(cause, outcome.stderr), str(outcome)
    said = r"iteration \d+: a device is lost: cuda device 0 "
    assert re.search(said, outcome.stderr), str(outcome)
