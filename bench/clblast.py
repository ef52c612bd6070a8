# SPDX-License-Identifier: BSD-3-Clause
"""DGEMM of CLBlast on the first device of OpenCL, as its own tuners set it."""
import ctypes
import json
import shutil
import subprocess
import time
from ctypes import byref, c_double, c_int, c_size_t, c_uint64, c_void_p
from itertools import cycle, islice

TUNERS = "copy_fast copy_pad transpose_fast transpose_pad xgemm".split()
KERNELS = {
    "copy": "Copy",
    "pad": "Pad",
    "transpose": "Transpose",
    "padtranspose": "Padtranspose",
    "xgemm": "Xgemm",
}  # by the family that a tuner's file names
DOUBLE = 64
COLUMN_MAJOR, NO_TRANSPOSE = 102, 111
ALL_DEVICES, COPY_HOST = 0xFFFFFFFF, 1 << 5
# The kernel that its tuner is for, also where it would take its "direct" one.
INDIRECT = {"XGEMM_MIN_INDIRECT_SIZE": 64}
BEST_MOST = 3  # of a tuner's file that are tried


def is_there():
    try:
        ctypes.CDLL("libclblast.so.1")
    except OSError:
        return False
    return shutil.which(f"clblast_tuner_{TUNERS[-1]}") is not None


def run_tuners(folder, size, depth, seconds):
    """Let CLBlast's tuners write their files into folder, within seconds in all."""
    end = time.monotonic() + seconds
    words = ["-precision", "64", "-m", size, "-n", size, "-k", depth, "-runs", 2]
    for tuner in TUNERS:
        options = words if tuner == "xgemm" else words[:6]
        command = [f"clblast_tuner_{tuner}", *map(str, options)]
        try:
            subprocess.run(
                command, cwd=folder, capture_output=True, check=True,
                timeout=max(1, end - time.monotonic()),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return  # what it has finished is there


def found_parameters(folder):
    """What the tuners in folder found: for each kernel the best ones, in order."""
    found = {}
    for file in sorted(folder.glob("clblast_*_64.json")):
        told = json.loads(file.read_text())
        kernel = KERNELS.get(told["kernel_family"].split("_")[0])
        best = sorted(told["results"], key=lambda x: x["time"])[:BEST_MOST]
        if kernel is not None:
            found.setdefault(kernel, []).extend(x["parameters"] for x in best)
    return found


class Product:
    """C := C - A B with CLBlast, m x n x k, of data that the device holds."""

    def __init__(self, m, n, k):
        self.cl = ctypes.CDLL("libOpenCL.so.1")
        self.blast = ctypes.CDLL("libclblast.so.1")
        self.shape = (m, n, k)
        for name in ("CreateContext", "CreateCommandQueue", "CreateBuffer"):
            getattr(self.cl, f"cl{name}").restype = c_void_p
        self.device = self.first_device()
        error = c_int()
        devices = (c_void_p * 1)(self.device)
        self.context = c_void_p(
            self.cl.clCreateContext(None, 1, devices, None, None, byref(error))
        )
        queue = self.cl.clCreateCommandQueue(
            self.context, self.device, c_uint64(0), byref(error)
        )
        self.queue = c_void_p(queue)
        self.buffers = [self.buffer(x * y) for x, y in ((m, k), (k, n), (m, n))]

    def first_device(self):
        platform, device = c_void_p(), c_void_p()
        self.cl.clGetPlatformIDs(1, byref(platform), None)
        self.cl.clGetDeviceIDs(
            platform, c_uint64(ALL_DEVICES), 1, byref(device), None
        )
        return device

    def buffer(self, doubles):
        values = (c_double * doubles)(*islice(cycle((0.5, -0.25, 0.125)), doubles))
        memory = self.cl.clCreateBuffer(
            self.context, c_uint64(COPY_HOST), c_size_t(8 * doubles), values, None
        )
        return c_void_p(memory)

    def set_parameters(self, kernel, parameters):
        """Does CLBlast take them?"""
        chosen = {x: y for x, y in parameters.items() if x != "PRECISION"}
        names = (ctypes.c_char_p * len(chosen))(*(x.encode() for x in chosen))
        values = (c_size_t * len(chosen))(*chosen.values())
        status = self.blast.CLBlastOverrideParameters(
            self.device, kernel.encode(), DOUBLE, c_size_t(len(chosen)), names, values
        )
        return status == 0

    def multiply(self):
        """Seconds of one product."""
        m, n, k = map(c_size_t, self.shape)
        a, b, c = self.buffers
        none = c_size_t(0)
        begun = time.perf_counter()
        status = self.blast.CLBlastDgemm(
            COLUMN_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, c_double(-1),
            a, none, m, b, none, k, c_double(1), c, none, m, byref(self.queue), None,
        )  # fmt: skip
        self.cl.clFinish(self.queue)
        if status != 0:
            raise OSError(f"CLBlast: error {status}")
        return time.perf_counter() - begun

    def gflops(self, times=3):
        """The best of some products, after one that compiles."""
        self.multiply()
        m, n, k = self.shape
        return 2e-9 * m * n * k / min(self.multiply() for _ in range(times))

    def tune(self, found):
        """Set what is best for this shape; its Gflop/s."""
        self.set_parameters("GemmRoutine", INDIRECT)
        for kernel, (best, *_) in found.items():
            if kernel != "Xgemm":
                self.set_parameters(kernel, best)
        rates = [
            (self.gflops(), i)
            for i, parameters in enumerate(found.get("Xgemm", []))
            if self.set_parameters("Xgemm", parameters)
        ]
        rate, best = max(rates)
        self.set_parameters("Xgemm", found["Xgemm"][best])
        return rate
