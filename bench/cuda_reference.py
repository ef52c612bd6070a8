#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What NVIDIA's own libraries reach on a device: DGEMM that goes on and on, and LU.

Nothing of this program is used, and nothing but Python and the libraries of
CUDA. Prints JSON: what was found, or of each part why not.
"""
import argparse
import array
import ctypes as c
import json
import os
import random
import sys
import time
from pathlib import Path

PERIOD = 1_000_003  # random values before they come again: a prime
BATCH = 0.2  # seconds of products that are queued at once
OF_MEMORY = 0.8
SMALL = 2048  # of the first LU, which loads kernels
TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 3  # cudaMemcpyKind
DOUBLE = 1  # CUDA_R_64F
KEEP = 0  # CUBLAS_OP_N, and CUBLAS_DEFAULT_MATH
SM_CLOCK = 1  # NVML_CLOCK_SM

p, size, i32, i64 = c.c_void_p, c.c_size_t, c.c_int, c.c_int64
out = c.POINTER

RUNTIME = {
    "cudaSetDevice": (i32,),
    "cudaDeviceGetPCIBusId": (c.c_char_p, i32, i32),
    "cudaMemGetInfo": (out(size), out(size)),
    "cudaMalloc": (out(p), size),
    "cudaFree": (p,),
    "cudaMemcpy": (p, p, size, i32),
    "cudaDeviceSynchronize": (),
    "cudaEventCreate": (out(p),),
    "cudaEventRecord": (p, p),
    "cudaEventSynchronize": (p,),
    "cudaEventElapsedTime": (out(c.c_float), p, p),
}
BLAS = {
    "cublasCreate_v2": (out(p),),
    "cublasDestroy_v2": (p,),
    "cublasSetMathMode": (p, i32),
    "cublasDgemm_v2": (p, i32, i32, i32, i32, i32, out(c.c_double), p, i32, p, i32,
                       out(c.c_double), p, i32),
}  # fmt: skip
SOLVER = {
    "cusolverDnCreate": (out(p),),
    "cusolverDnDestroy": (p,),
    "cusolverDnCreateParams": (out(p),),
    "cusolverDnDestroyParams": (p,),
    "cusolverDnXgetrf_bufferSize": (p, p, i64, i64, i32, p, i64, i32, out(size),
                                    out(size)),
    "cusolverDnXgetrf": (p, p, i64, i64, i32, p, i64, p, i32, p, size, p, size, p),
}  # fmt: skip
MANAGEMENT = {
    "nvmlInit_v2": (),
    "nvmlDeviceGetHandleByPciBusId_v2": (c.c_char_p, out(p)),
    "nvmlDeviceGetClockInfo": (p, i32, out(c.c_uint)),
    "nvmlDeviceGetPowerUsage": (p, out(c.c_uint)),
}


class Failure(Exception):
    """A library that is not there, or a call that failed: its name says which."""


# ---- libraries -----------------------------------------------------------------


def folders():
    """Where libraries may be beside the places that the loader knows."""
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    return [Path(root, below) for root in roots if root
            for below in ("lib64", "lib", "targets/x86_64-linux/lib")]  # fmt: skip


class Library:
    """Functions of one of these files; a status other than 0 is a Failure."""

    def __init__(self, files, functions):
        self.library = self.open(files)
        for name, arguments in functions.items():
            try:
                function = getattr(self.library, name)
            except AttributeError as error:
                raise Failure(f"{self.library._name} has no {name}") from error
            function.argtypes, function.restype = arguments, i32
            setattr(self, name, self.checked(name, function))

    @staticmethod
    def open(files):
        places = [Path(), *folders()]
        for path in (str(place / file) for file in files for place in places):
            try:
                return c.CDLL(path)
            except OSError as error:
                why = error
                if "cannot open shared object" not in str(error):
                    break
        raise Failure(f"{files[0]} does not load: {why}")

    @staticmethod
    def checked(name, function):
        def call(*arguments):
            status = function(*arguments)
            if status != 0:
                raise Failure(f"{name} returns {status}")

        return call


def made(create, kind=p):
    """What a function writes to the address that it takes."""
    value = kind()
    create(c.byref(value))
    return value


# ---- the device ----------------------------------------------------------------


class Sensors:
    """Clock and power, as long as there is somebody to ask."""

    def __init__(self, bus):
        self.clocks, self.watts = [], []
        try:
            self.nvml = Library(["libnvidia-ml.so.1"], MANAGEMENT)
            self.nvml.nvmlInit_v2()
            self.device = p()
            self.nvml.nvmlDeviceGetHandleByPciBusId_v2(bus, c.byref(self.device))
        except Failure:
            self.nvml = None

    def sample(self):
        value = c.c_uint()
        if self.nvml is not None:
            self.nvml.nvmlDeviceGetClockInfo(self.device, SM_CLOCK, c.byref(value))
            self.clocks.append(value.value)
            self.nvml.nvmlDeviceGetPowerUsage(self.device, c.byref(value))
            self.watts.append(value.value / 1000)

    def figures(self):
        def mean(values):
            return sum(values) / len(values) if values else None

        return {"mhz": mean(self.clocks), "watts": mean(self.watts)}


class Device:
    """Its memory and its events; all work is on the default stream."""

    def __init__(self, index):
        self.cuda = Library(["libcudart.so.13", "libcudart.so.12"], RUNTIME)
        self.cuda.cudaSetDevice(index)
        bus = c.create_string_buffer(32)
        self.cuda.cudaDeviceGetPCIBusId(bus, len(bus), index)
        self.bus = bus.value

    def free_bytes(self):
        free, total = size(), size()
        self.cuda.cudaMemGetInfo(c.byref(free), c.byref(total))
        return free.value

    def memory(self, count):
        """Its address as a number; pointers take numbers."""
        return made(lambda at: self.cuda.cudaMalloc(at, max(count, 8))).value

    def fill(self, memory, doubles):
        """Values of -0.5 to 0.5: what is there already is copied behind itself."""
        source = random.Random(1)
        values = array.array("d", (source.random() - 0.5 for _ in range(PERIOD)))
        there = min(PERIOD, doubles)
        self.cuda.cudaMemcpy(memory, values.buffer_info()[0], 8 * there, TO_DEVICE)
        while there < doubles:
            more = min(there, doubles - there)
            self.cuda.cudaMemcpy(memory + 8 * there, memory, 8 * more, ON_DEVICE)
            there += more
        self.cuda.cudaDeviceSynchronize()

    def event(self):
        return made(self.cuda.cudaEventCreate)

    def record(self, event):
        self.cuda.cudaEventRecord(event, None)

    def wait(self, event):
        self.cuda.cudaEventSynchronize(event)

    def seconds(self, begin, end):
        milliseconds = c.c_float()
        self.cuda.cudaEventElapsedTime(c.byref(milliseconds), begin, end)
        return milliseconds.value / 1000

    def timed(self, work):
        """Seconds of the device from before to after what work queues."""
        begin, end = self.event(), self.event()
        self.record(begin)
        work()
        self.record(end)
        self.wait(end)
        return self.seconds(begin, end)


# ---- DGEMM ---------------------------------------------------------------------


class Product:
    """C := C - A B of random matrices, m x k and k x m."""

    def __init__(self, device, m, k):
        os.environ["CUBLAS_EMULATE_DOUBLE_PRECISION"] = "0"
        self.blas = Library(["libcublas.so.13", "libcublas.so.12"], BLAS)
        self.m, self.k, self.flop = m, k, 2.0 * m * m * k
        self.handle = made(self.blas.cublasCreate_v2)
        self.blas.cublasSetMathMode(self.handle, KEEP)
        self.a = device.memory(8 * (2 * m * k + m * m))
        device.fill(self.a, 2 * m * k + m * m)
        self.b, self.c = self.a + 8 * m * k, self.a + 16 * m * k

    def queue(self, count):
        minus, one = c.c_double(-1.0), c.c_double(1.0)
        for _ in range(count):
            self.blas.cublasDgemm_v2(
                self.handle, KEEP, KEEP, self.m, self.m, self.k, c.byref(minus),
                self.a, self.m, self.b, self.k, c.byref(one), self.c, self.m,
            )  # fmt: skip

    def close(self, device):
        self.blas.cublasDestroy_v2(self.handle)
        device.cuda.cudaFree(self.a)


def keep_busy(device, product, count, seconds, sensors):
    """Batches of count products, two in flight, for so long; how many."""
    events, batches = (device.event(), device.event()), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        product.queue(count)
        device.record(events[batches % 2])
        if batches > 0:
            device.wait(events[(batches + 1) % 2])
        sensors.sample()
        batches += 1
    return batches


def dgemm(device, m, k, warm_up, seconds):
    """The rate that it keeps: after warm_up, over as many seconds."""
    while 8 * (2 * m * k + m * m) > OF_MEMORY * device.free_bytes() and m > 64:
        m //= 2
    product, found = Product(device, m, k), {"m": m, "k": k}
    device.timed(lambda: product.queue(1))
    one = device.timed(lambda: product.queue(2)) / 2
    count = max(1, int(BATCH / max(one, 1e-6)))
    keep_busy(device, product, count, warm_up, Sensors(device.bus))
    sensors = Sensors(device.bus)
    batches = []
    found["seconds"] = device.timed(
        lambda: batches.append(keep_busy(device, product, count, seconds, sensors))
    )
    product.close(device)
    found["products"] = batches[0] * count
    found["gflops"] = found["products"] * product.flop / found["seconds"] / 1e9
    return {**found, "cool_gflops": product.flop / one / 1e9, **sensors.figures()}


# ---- LU ------------------------------------------------------------------------


class Factorization:
    """LU with partial pivoting, by cuSOLVER's 64-bit interface."""

    def __init__(self, device):
        self.device = device
        self.solver = Library(["libcusolver.so.12", "libcusolver.so.11"], SOLVER)
        self.handle = made(self.solver.cusolverDnCreate)
        self.params = made(self.solver.cusolverDnCreateParams)

    def seconds(self, n):
        """Of a random matrix of order n."""
        a = self.device.memory(8 * n * n)
        there, here = size(), size()
        shape = (self.handle, self.params, n, n, DOUBLE, a, n)
        self.solver.cusolverDnXgetrf_bufferSize(
            *shape, DOUBLE, c.byref(there), c.byref(here)
        )
        pivots, work, info = map(self.device.memory, (8 * n, there.value, 4))
        room = c.create_string_buffer(max(here.value, 1))
        self.device.fill(a, n * n)
        took = self.device.timed(lambda: self.solver.cusolverDnXgetrf(
            *shape, pivots, DOUBLE, work, there.value, room, here.value, info
        ))  # fmt: skip
        self.check(info)
        for memory in (a, pivots, work, info):
            self.device.cuda.cudaFree(memory)
        return took

    def check(self, info):
        value = i32(-1)
        self.device.cuda.cudaMemcpy(c.byref(value), info, 4, TO_HOST)
        if value.value != 0:
            raise Failure(f"cusolverDnXgetrf sets info to {value.value}")

    def close(self):
        self.solver.cusolverDnDestroyParams(self.params)
        self.solver.cusolverDnDestroy(self.handle)


def getrf(device, n):
    lu = Factorization(device)
    lu.seconds(min(n, SMALL))
    seconds = lu.seconds(n)
    lu.close()
    return {"n": n, "seconds": seconds,
            "gflops": (2 / 3 * n + 3 / 2) * n * n / seconds / 1e9}  # fmt: skip


# ---- the program ---------------------------------------------------------------


def attempt(measure):
    try:
        return measure()
    except Failure as failure:
        return {"failed": str(failure)}


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", type=int, default=0, help="as CUDA counts them")
    parser.add_argument("--size", type=int, default=32768, help="m = n of DGEMM")
    parser.add_argument("--depth", type=int, default=1024, help="k of DGEMM")
    parser.add_argument("--warm-up", type=float, default=2, metavar="SECONDS")
    parser.add_argument("--seconds", type=float, default=8, help="0: no DGEMM")
    parser.add_argument("--order", type=int, default=0, help="N of LU; 0: no LU")
    return parser.parse_args()


def main():
    options, found = read_options(), {}
    device = attempt(lambda: Device(options.device))
    if isinstance(device, dict):
        found["device"] = device
    elif options.seconds > 0:
        found["dgemm"] = attempt(lambda: dgemm(
            device, options.size, options.depth, options.warm_up, options.seconds
        ))  # fmt: skip
    if options.order > 0 and "device" not in found:
        found["getrf"] = attempt(lambda: getrf(device, options.order))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
