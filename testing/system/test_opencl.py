# SPDX-License-Identifier: BSD-3-Clause
"""Runs with the devices of OpenCL, and where there is no OpenCL."""
import json
import re
import shutil

import pytest

import jobs
import report

XDGEMM = jobs.BIN / "xdgemm"
PLUGIN = jobs.BIN / "libhyb_opencl.so"

pytestmark = pytest.mark.skipif(
    not PLUGIN.exists() or not XDGEMM.exists(),
    reason="built without OpenCL's headers, or without hybrid/",
)


def listed(tmp_path, **env):
    outcome = jobs.run([XDGEMM, "--list-devices"], tmp_path, env).succeeded()
    return "\n".join(x for x in outcome.stdout.splitlines() if x.startswith("opencl"))


# With a size of tiles given, devices are not measured.
RESIDENT = jobs.sets("home=device tile=64")
STREAMING = jobs.sets("home=host tile=64 split=fixed:0.7")


@pytest.fixture(scope="module")
def device(tmp_path_factory):
    """The options that take the first device; without one the test is skipped. One
    process compiles for all that come later."""
    folder = tmp_path_factory.mktemp("device")
    if not re.match("opencl:0 ", listed(folder)):
        pytest.skip("no device of OpenCL")
    found = ["--set", "devices=opencl:0"]
    for home in RESIDENT, STREAMING:
        words = [jobs.XHPL, "-n", 100, "--nb", 3, "-p", 1, "-q", 1, *found, *home,
                 "--set", "stall_seconds=60"]  # the machine may be busy
        jobs.run(words, folder).succeeded()
    return found


@pytest.mark.few(1)
@pytest.mark.parametrize("home, p, q", [(STREAMING, 1, 1), (RESIDENT, 2, 2)])
def test_runs_pass(xhpl, device, home, p, q):
    options = ["-n", 330, "--nb", "32,70", "-p", p, "-q", q, "--depth", "0,1"]
    outcome = xhpl(*options, *device, *home, processes=p * q).succeeded()
    assert "4 tests completed and passed" in outcome.stdout, str(outcome)
    assert "warning" not in outcome.stderr, str(outcome)


@pytest.mark.few(1)
@pytest.mark.parametrize("p", [1, 2])
def test_the_device_factors_panels(xhpl, device, p):
    options = ["-n", 700, "--nb", 64, "-p", p, "-q", 1, *RESIDENT]
    outcome = xhpl(*options, *device, "--set", "panel=device", processes=p).succeeded()
    assert "1 tests completed and passed" in outcome.stdout, str(outcome)
    assert "the cores factor them" not in outcome.stderr, str(outcome)


@pytest.mark.long
def test_all_variants_of_upstreams_file_pass(reference_run, device):
    """With one NB and one grid; emulated devices solve all 864 of its tests."""
    more = jobs.sets("home=device threads=2 tile=16")
    outcome = reference_run(
        "default", "--nb", "3", "-p", "2", "-q", "2", *device, *more).succeeded()
    assert re.findall("PASSED|FAILED", outcome.stdout) == ["PASSED"] * 72
    assert max(report.residuals(outcome.stdout)) < 1


def test_a_driver_of_cores_is_listed_as_the_cpu(device, tmp_path):
    (name,) = re.findall(r"^opencl:0 +(.*), \S+ of \S+ GiB free$", listed(tmp_path), re.M)
    assert name.startswith("the CPU: ") == bool(re.search("pthread|cpu-", name)), name


def test_operations_are_right(device, tmp_path):
    words = [XDGEMM, "--operations", "-m", 700, "-k", 130, "--repeat", 2, *device]
    outcome = jobs.run(words, tmp_path).succeeded()
    rows = re.findall(r"^opencl:0 +(\w+) .* 0$", outcome.stdout, re.M)
    assert rows == ["gemm", "syrk", "trsm", "gemv"], str(outcome)


def test_a_torture_finds_nothing_wrong(device, tmp_path):
    words = [XDGEMM, "--torture", 0.5, "-m", 200, *device, "--set", "stall_seconds=60"]
    outcome = jobs.run(words, tmp_path).succeeded()
    assert re.search(r"^opencl:0 +[1-9]\d* +0 ", outcome.stdout, re.M), str(outcome)


# ---- tuning ------------------------------------------------------------------


PRODUCT = ["-m", 60, "-k", 9, "--repeat", 1, "--verify", "--set", "tile=64"]
PRODUCT += ["--set", "stall_seconds=60"]  # the machine may be busy


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A cache with all that a product needs, as compiling takes seconds; an empty one
    where there is no device.
    """
    folder = tmp_path_factory.mktemp("compiled")
    words = [XDGEMM, *PRODUCT, "--set", "devices=opencl:0"]
    jobs.run(words, folder, {"XDG_CACHE_HOME": str(folder)})
    (folder / "xhpl").mkdir(exist_ok=True)
    return folder


@pytest.fixture
def tuned(compiled, tmp_path):
    """What --tune says, with a cache of its own."""
    shutil.copytree(compiled / "xhpl", tmp_path / "xhpl")

    def run(*words, **env):
        env = {"XDG_CACHE_HOME": str(tmp_path), **env}
        return jobs.run([XDGEMM, "--tune", 0.2, "-m", 150, *words], tmp_path, env)

    return run


ROW = re.compile(r"^ *(\d+) +(\S+) +(\S+) +(\S+) +(\d+) +0   (\w+=\d+.*)$", re.M)


@pytest.mark.more
@pytest.mark.surface
def test_the_tuner_keeps_a_configuration_for_each_depth(tuned, device, tmp_path):
    rows = ROW.findall(tuned(*device).succeeded().stdout)
    assert [row[0] for row in rows] == ["128", "256", "512", "1024", "2048"]
    for _, default, best, ratio, tried, _ in rows:
        assert float(best) >= float(default) > 0
        assert float(ratio) >= 1
        assert int(tried) > 0
    (kept,) = tmp_path.glob("xhpl/*.gemm")
    for line, (depth, *_, config) in zip(kept.read_text().splitlines()[3:], rows):
        assert line.split()[:-1] == [depth, *re.findall(r"=(\d+)", config)]
    assert len(list(tmp_path.glob("xhpl/*.product-*.opencl"))) == len(rows) + 1


@pytest.mark.more
@pytest.mark.surface
def test_what_is_kept_is_used(tuned, device, tmp_path):
    rows = ROW.findall(tuned(*device, "-k", 200).succeeded().stdout)
    assert [row[0] for row in rows] == ["256"]  # only the depth asked for is tuned
    (kept,) = tmp_path.glob("xhpl/*.gemm")
    lines = kept.read_text().splitlines(keepends=True)
    wrong = [re.sub(r"^(\d+) \d+", r"\1 999", line) for line in lines]
    kept.write_text("".join(wrong))
    words = [XDGEMM, "-m", 60, "--repeat", 1, "--verify", *device]
    outcome = jobs.run(words, tmp_path, {"XDG_CACHE_HOME": str(tmp_path)})
    said = outcome.succeeded().stderr
    assert said.count("its GEMM cannot have this configuration: a value is out of range") == 5


def test_devices_without_a_choice_are_told(tuned):
    outcome = tuned("--devices", "emu:1").succeeded()
    assert "its GEMM has no tuning parameters" in outcome.stdout
    assert tuned("--devices", "none").status == 2


# ---- where there is none -----------------------------------------------------


def test_where_there_is_no_driver_that_is_said(tmp_path):
    (tmp_path / "none").mkdir()
    said = listed(tmp_path, OCL_ICD_VENDORS=str(tmp_path / "none"))
    assert "no devices: no driver for OpenCL is installed" in said


def test_where_there_is_no_library_the_host_goes_on(xhpl, tmp_path):
    (tmp_path / "libOpenCL.so.1").write_text("no library\n")
    env = {"LD_LIBRARY_PATH": str(tmp_path)}
    assert "libOpenCL.so.1: " in listed(tmp_path, **env)
    options = ["-n", 100, "--nb", 16, "-p", 1, "-q", 1]
    xhpl(*options, env=env).succeeded()
    for devices in ("opencl:0", "opencl"):
        outcome = xhpl(*options, "--set", f"devices={devices}", env=env)
        outcome.refused("opencl has no device: ")


# ---- devices that fail -------------------------------------------------------

# A layer between the plug-in and OpenCL. From the nth call on, as variables say,
# launches and buffers fail, work fails, or never ends, or kernels have an error
# or compute products that are wrong. LARGEST is what one buffer can have at most,
# a sixteenth of all. With GPU any device says that it is one.
LAYER = """
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct _cl_icd_dispatch ours, theirs;

__attribute__((destructor)) static void end(void)
{
    fputs("the driver was ended\\n", stderr);
}

static int is_due(const char *name, int *calls)
{
    const char *nth = getenv(name);

    return ++*calls >= (nth != NULL ? atoi(nth) : 1 << 30);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel,
    cl_uint dimensions, const size_t *offset, const size_t *all,
    const size_t *items, cl_uint count, const cl_event *list, cl_event *event)
{
    static int calls;

    if (is_due("LAUNCH", &calls))
        return CL_OUT_OF_RESOURCES;
    return theirs.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, all,
                                         items, count, list, event);
}

static cl_mem CL_API_CALL create(cl_context context, cl_mem_flags flags,
                                 size_t size, void *host, cl_int *error)
{
    const char *largest = getenv("LARGEST");
    static int calls;

    if (largest != NULL && size > strtoul(largest, NULL, 10)) {
        *error = CL_INVALID_BUFFER_SIZE;
        return NULL;
    }
    if (!is_due("BUFFER", &calls))
        return theirs.clCreateBuffer(context, flags, size, host, error);
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static cl_program CL_API_CALL source(cl_context context, cl_uint count,
                                     const char **text, const size_t *length,
                                     cl_int *error)
{
    static int calls;
    static int products;
    const char *wrong = "__kernel void f(void) { an_error; }";
    const char *changed[8];
    char *last, *at;
    cl_program program;

    if (is_due("SOURCE", &calls))
        return theirs.clCreateProgramWithSource(context, 1, &wrong, NULL, error);
    memcpy(changed, text, count * sizeof(*text));
    changed[count - 1] = last = strdup(text[count - 1]);
    at = strstr(last, "alpha * sum");
    if (at != NULL && is_due("PRODUCT", &products))
        memcpy(at, "    0", 5);
    program = theirs.clCreateProgramWithSource(context, count, changed, length,
                                               error);
    free(last);
    return program;
}

static cl_int CL_API_CALL describe(cl_device_id device, cl_device_info what,
                                   size_t size, void *value, size_t *size_p)
{
    const char *largest = getenv("LARGEST");
    cl_int error = theirs.clGetDeviceInfo(device, what, size, value, size_p);

    if (getenv("GPU") != NULL && value != NULL && what == CL_DEVICE_TYPE)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    if (largest != NULL && value != NULL && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE)
        *(cl_ulong *)value = strtoul(largest, NULL, 10);
    if (largest != NULL && value != NULL && what == CL_DEVICE_GLOBAL_MEM_SIZE)
        *(cl_ulong *)value = 16 * strtoul(largest, NULL, 10);
    return error;
}

static cl_int CL_API_CALL look(cl_event event, cl_event_info what, size_t size,
                               void *value, size_t *size_p)
{
    static int calls, looks;
    cl_int error = theirs.clGetEventInfo(event, what, size, value, size_p);

    if (is_due("WORK", &calls))
        *(cl_int *)value = CL_OUT_OF_RESOURCES;
    if (is_due("STALL", &looks))
        *(cl_int *)value = CL_RUNNING;
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size,
                                               void *value, size_t *size_p)
{
    if (what != CL_LAYER_API_VERSION || value == NULL)
        return CL_INVALID_VALUE;
    *(cl_layer_api_version *)value = CL_LAYER_API_VERSION_100;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count,
    const cl_icd_dispatch *target, cl_uint *count_p,
    const cl_icd_dispatch **dispatch_p)
{
    memcpy(&theirs, target, count * sizeof(void *));
    ours = theirs;
    ours.clEnqueueNDRangeKernel = launch;
    ours.clCreateBuffer = create;
    ours.clCreateProgramWithSource = source;
    ours.clGetEventInfo = look;
    ours.clGetDeviceInfo = describe;
    *count_p = count;
    *dispatch_p = &ours;
    return CL_SUCCESS;
}
"""


@pytest.fixture(scope="module")
def layer(tmp_path_factory):
    """The environment with that layer."""
    folder = tmp_path_factory.mktemp("layer")
    (folder / "layer.c").write_text(LAYER)
    words = ["cc", "-shared", "-fPIC", "-o", "layer.so", "layer.c"]
    jobs.run(words, folder).succeeded()
    return {"OPENCL_LAYERS": str(folder / "layer.so")}


@pytest.fixture
def failing(xhpl, device, layer):
    """Run xhpl with that layer, and a variable for what fails from when on."""

    def run(*options, p=1, q=1, **fault):
        env = {**layer, **{name: str(nth) for name, nth in fault.items()}}
        system = ["-n", 500, "--nb", 48, "-p", p, "-q", q, *device]
        system += ["--set", "trust=off"]  # faults are counted from the run on
        patience = 3 if "STALL" in fault else 60  # the machine may be busy
        how = ["--set", f"stall_seconds={patience}"]
        return xhpl(*system, *options, *how, processes=p * q, env=env)

    return run


# On a busy machine its first work, before the run, may last too long already.
LOST = r"(iteration \d+: a device is lost: |the first work on )opencl device 0 "

LOSSES = [
    (dict(LAUNCH=90), "(pack_[ab]|multiply|panel_column): error -5 of OpenCL"),
    (dict(WORK=30), "work before an event: error -5 of OpenCL"),
    (dict(STALL=30), "it stalled"),
]


@pytest.mark.parametrize("fault, said", LOSSES)
def test_a_device_that_multiplies_and_fails_ends_the_run(failing, fault, said):
    outcome = failing(*STREAMING, **fault).ended(3)
    assert re.search(said, outcome.stderr), str(outcome)
    assert re.search(LOST, outcome.stderr), str(outcome)
    assert "PASSED" not in outcome.stdout, str(outcome)


# Of the factorization of a panel with others, or near it.
PANEL = "(panel_column|panel_pivot|pack_[ab]|multiply|invert): error -5 of OpenCL"
ON_GRIDS = [(1, 1, *loss) for loss in LOSSES] + [
    pytest.param(p, q, fault, said, marks=pytest.mark.long)
    for p, q, fault, said in (
        (2, 1, dict(WORK=200), LOSSES[1][1]),
        (2, 2, dict(LAUNCH=202), PANEL),
    )
]


@pytest.mark.parametrize("p, q, fault, said", ON_GRIDS)
def test_a_device_that_holds_columns_ends_the_run(failing, p, q, fault, said):
    outcome = failing(*RESIDENT, "--set", "panel=device", p=p, q=q, **fault)
    assert outcome.status not in (0, 1, 2), str(outcome)
    assert re.search(said, outcome.stderr), str(outcome)
    assert "PASSED" not in outcome.stdout, str(outcome)


@pytest.mark.parametrize("nth", [2, 11])  # of the set-up, and of the solver
def test_a_device_without_memory_is_refused(failing, nth):
    outcome = failing(*RESIDENT, BUFFER=nth).ended(2, "one allocation can have")
    assert "PASSED" not in outcome.stdout, str(outcome)


# The matrix has 50 MB; columns that one buffer cannot have stay on the host.
@pytest.mark.more
@pytest.mark.parametrize("home", [RESIDENT, STREAMING])
def test_a_matrix_larger_than_one_buffer_is_solved(xhpl, device, layer, tmp_path, home):
    env = {**layer, "LARGEST": str(40 << 20)}
    options = ["-n", 2500, "--nb", 32, "-p", 1, "-q", 1, *device, *home]
    options += ["--set", "stall_seconds=60"]  # the machine may be busy
    record = tmp_path / "x.json"
    outcome = xhpl(*options, "--json", record, env=env).succeeded()
    assert "1 tests completed and passed" in outcome.stdout, str(outcome)
    assert "given up" not in outcome.stderr, str(outcome)
    if home is RESIDENT:
        plan = json.loads(record.read_text())["tests"][0]["plan"]
        blocks = {row["where"]: row["blocks"] for row in plan["rows"]}
        assert 0 < blocks["guests of these"] < blocks["opencl:0"], str(plan)


# PoCL has groups of many items, too, as GPUs are given.
@pytest.mark.more
def test_groups_of_many_items_solve(failing, tmp_path):
    env = dict(GPU=1, XDG_CACHE_HOME=tmp_path)
    outcome = failing(*RESIDENT, "--set", "panel=device", **env).succeeded()
    assert "1 tests completed and passed" in outcome.stdout, str(outcome)
    assert "given up" not in outcome.stderr, str(outcome)


def test_what_the_compiler_says_is_told(failing, tmp_path):
    outcome = failing(*RESIDENT, SOURCE=1, XDG_CACHE_HOME=tmp_path).ended(2)
    assert re.search("its compiler says: .*an_error", outcome.stderr), str(outcome)
    assert "building the kernels: error -11 of OpenCL" in outcome.stderr


# ---- kernels that earlier runs have compiled ---------------------------------

KEPT = ["kernels.opencl", "product-5.opencl"]


@pytest.fixture
def multiply(device, layer, compiled, tmp_path):
    """Run a product with that layer; all runs have one cache."""
    shutil.copytree(compiled / "xhpl", tmp_path / "cache/xhpl")

    def run(**fault):
        env = {**layer, **{name: str(nth) for name, nth in fault.items()}}
        env["XDG_CACHE_HOME"] = str(tmp_path / "cache")
        return jobs.run([XDGEMM, *PRODUCT, *device], tmp_path, env)

    return run


def kept(tmp_path):
    return sorted((tmp_path / "cache/xhpl").glob("*.opencl"))


def test_kernels_are_compiled_once(multiply, tmp_path):
    assert [f.name.split(".", 1)[1] for f in kept(tmp_path)] == KEPT
    before = [f.read_bytes() for f in kept(tmp_path)]
    multiply(SOURCE=1).succeeded()
    assert [f.read_bytes() for f in kept(tmp_path)] == before


def damaged(data, how):
    middle = len(data) // 2
    if how == "changed":
        return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    if how == "cut":
        return data[:middle]
    return data[:16] + bytes([data[16] ^ 1]) + data[17:]  # another driver's


@pytest.mark.parametrize("which, how", [(0, "changed"), (1, "cut"), (1, "another's")])
def test_kernels_that_are_damaged_are_not_taken(multiply, tmp_path, which, how):
    file = kept(tmp_path)[which]
    file.write_bytes(damaged(file.read_bytes(), how))
    assert "its compiler says" in multiply(SOURCE=1).stderr


@pytest.mark.surface
def test_kernels_that_others_may_write_are_not_taken(multiply, tmp_path):
    kept(tmp_path)[0].chmod(0o666)
    multiply().succeeded("kernels.opencl is ignored: everybody may write it")
    assert kept(tmp_path)[0].stat().st_mode & 0o002 == 0
    multiply(SOURCE=1).succeeded()


# The first product that is compiled is that of the device itself, all others are candidates.
@pytest.mark.more
@pytest.mark.surface
def test_a_configuration_that_computes_wrong_numbers_is_not_taken(tuned, device, layer, tmp_path):
    env = {**layer, "PRODUCT": "2", "XDG_CACHE_HOME": str(tmp_path / "empty")}
    outcome = tuned(*device, "-k", 200, **env).succeeded("candidates computed wrong numbers")
    row = re.search(r"^ *256 +\S+ +\S+ +1.000 +(\d+) +(\d+) ", outcome.stdout, re.M)
    assert int(row[1]) == int(row[2]) > 0, str(outcome)
