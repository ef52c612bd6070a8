# SPDX-License-Identifier: BSD-3-Clause
"""What a node is, and in which state: one JSON object of flat facts on stdout.

This file goes to a node as it is, by `python3 -`; it imports the standard library
alone, puts next to no load on the node, and leaves a fact out where it is not readable.

    probe.py FOLDER PROGRAM    facts; FOLDER is where runs will write
    probe.py log SECONDS       {"log": [...]}, what the kernel said of faults since
"""
import collections
import glob
import hashlib
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time


def read(path):
    """The text of a small file, stripped; None if it cannot be read or is empty."""
    try:
        with open(path, errors="replace") as file:
            return file.read().strip() or None
    except OSError:
        return None


def output(*words):
    """What a command prints; nothing if it is not there, fails or hangs."""
    try:
        return subprocess.run(words, stdout=subprocess.PIPE, timeout=10,
                              stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, check=True,
                              universal_newlines=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def counted(values):
    """Values as one text, such as "8 x a, 1 x b"."""
    counts = collections.Counter(value for value in values if value)
    return ", ".join(f"{n} x {value}" for value, n in sorted(counts.items())) or None


def total(pattern):
    """The sum of the numbers in all files that pattern names; None without any."""
    found = [read(path) for path in glob.glob(pattern)]
    numbers = [int(text) for text in found if text and text.isdigit()]
    return sum(numbers) if numbers else None


# ---- processors and memory -----------------------------------------------------


def processor_field(name):
    found = re.search(rf"^{name}\s*: (.*)$", read("/proc/cpuinfo") or "", re.M)
    return found and found[1]


def cores():
    names = glob.glob("/sys/devices/system/cpu/cpu[0-9]*/topology/core_cpus_list")
    return len({read(name) for name in names}) or None


def meminfo(name):
    found = re.search(rf"^{name}: *(\d+)( kB)?$", read("/proc/meminfo") or "", re.M)
    return found and int(found[1]) * (1024 if found[2] else 1)


def module(data):
    """The text of a memory module, by its entry in the firmware's table (SMBIOS,
    type 17); None for an empty slot."""
    size, = struct.unpack_from("<H", data, 0x0C)
    if size == 0x7FFF:
        size, = struct.unpack_from("<I", data, 0x1C)
    strings = [""] + data[data[1]:].decode(errors="replace").split("\0")
    speed, = struct.unpack_from("<H", data, 0x20 if data[1] > 0x21 else 0x15)
    words = [f"{size} MiB", strings[data[0x17]].strip(), strings[data[0x1A]].strip(),
             f"{speed} MT/s"]
    return " ".join(word for word in words if word) if size else None


def modules():
    """Memory modules; only root reads them."""
    found = []
    for path in glob.glob("/sys/firmware/dmi/entries/17-*/raw"):
        try:
            with open(path, "rb") as file:
                found.append(module(file.read()))
        except (OSError, IndexError, struct.error):
            pass
    return counted(found)


def boost():
    pstate = read("/sys/devices/system/cpu/intel_pstate/no_turbo")
    if pstate:
        return "off" if pstate == "1" else "on"
    boosts = read("/sys/devices/system/cpu/cpufreq/boost")
    return boosts and ("on" if boosts == "1" else "off")


def each_processor(name):
    return counted(map(read, glob.glob(f"/sys/devices/system/cpu/cpu[0-9]*/{name}")))


def chosen(path):
    """The word in brackets of such a file."""
    found = re.search(r"\[(.*?)\]", read(path) or "")
    return found and found[1]


# ---- networks and devices ------------------------------------------------------


def pci(classes, speed):
    """Devices of PCI classes, each with the speed and the width of its link."""
    found = []
    for folder in glob.glob("/sys/bus/pci/devices/*"):
        width = read(folder + "/current_link_width")
        if (read(folder + "/class") or "")[:6] in classes and width:
            found.append(f"{read(folder + '/vendor')[2:]}:"
                         f"{read(folder + '/device')[2:]} "
                         f"{read(folder + '/' + speed)} x{width}")
    return counted(found)


def links():
    """Network ports: their rates, by name."""
    found = []
    for folder in sorted(glob.glob("/sys/class/net/*")):
        speed = read(folder + "/speed") if os.path.exists(folder + "/device") else None
        if speed and int(speed) > 0:
            found.append(f"{os.path.basename(folder)} {speed} Mb/s")
    for folder in sorted(glob.glob("/sys/class/infiniband/*/ports/*")):
        words = folder.split("/")
        found.append(f"{words[4]}/{words[6]} {read(folder + '/rate')} "
                     f"{read(folder + '/state')}")
    return ", ".join(found) or None


def nvidia(names):
    """What nvidia-smi says of its devices."""
    said = output("nvidia-smi", f"--query-gpu={names}", "--format=csv,noheader")
    return [", ".join(part.strip() for part in line.split(","))
            for line in said.splitlines()]


def nvidia_errors():
    said = nvidia("ecc.errors.uncorrected.volatile.total")
    return sum(map(int, filter(str.isdigit, said))) if said else None


# ---- programs ------------------------------------------------------------------


def digest(path):
    """A file's name, links followed, and the first digits of its SHA-256."""
    path = os.path.realpath(path)
    total = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                total.update(block)
    except OSError as error:
        return f"{os.path.basename(path)}: {error.strerror}"
    return f"{os.path.basename(path)} {total.hexdigest()[:12]}"


def libraries(program, pattern):
    """The libraries that program finds, of those whose names match."""
    found = re.findall(r"^\s*(\S+) => (\S+|not found)", output("ldd", program), re.M)
    return ", ".join(digest(path) if path.startswith("/") else f"{name}: not found"
                     for name, path in sorted(found) if re.match(pattern, name)) or None


CHECK = ("--trust", "-n", "8000", "--nb", "128", "-p", "1", "-q", "1")


def trust(program):
    """What the check says that each run begins with, on this node alone: "right", or
    the first wrong result; None if it says neither."""
    alone = {name: value for name, value in os.environ.items()
             if not re.match("SLURM|PMI|OMPI_COMM", name)}
    try:
        ended = subprocess.run([program, *CHECK], stdout=subprocess.DEVNULL, timeout=20,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               universal_newlines=True, env=alone)
    except (OSError, subprocess.SubprocessError):
        return None
    wrong = re.search(r"error: .*?\btrust: (.*)", ended.stderr)
    return wrong[1] if wrong else "right" if ended.returncode == 0 else None


def program_facts(program):
    path = shutil.which(program)
    return {
        "xhpl": digest(path) if path else f"{program}: not found",
        "mpi": path and libraries(path, r"libmpi\b"),
        "blas": path and libraries(path, r"lib(mkl_|blis|flexiblas|.*blas)"),
        "trust": path and trust(path),
    }


# ---- all -----------------------------------------------------------------------


def machine_facts():
    return {
        "processor": processor_field("model name") or platform.machine(),
        "microcode": processor_field("microcode"),
        "board": read("/sys/class/dmi/id/product_name"),
        "firmware": read("/sys/class/dmi/id/bios_version"),
        "cores": cores(),
        "threads": os.cpu_count(),
        "numa_nodes": read("/sys/devices/system/node/online"),
        "governor": each_processor("cpufreq/scaling_governor"),
        "clock_limit": each_processor("cpufreq/scaling_max_freq"),
        "boost": boost(),
        "memory_bytes": meminfo("MemTotal"),
        "memory_modules": modules(),
        "huge_pages": meminfo("HugePages_Total"),
        "transparent_huge_pages": chosen("/sys/kernel/mm/transparent_hugepage/enabled"),
        "kernel": platform.release(),
        "system": (re.search(r'^PRETTY_NAME="?(.*?)"?$', read("/etc/os-release") or "",
                             re.M) or [None, None])[1],
        "links": links(),
        "nics": pci(("0x0200", "0x0207"), "current_link_speed"),
        # The speed of an idle one is no fault.
        "gpus": pci(("0x0300", "0x0302", "0x0380", "0x1200"), "max_link_speed"),
        "nvidia": counted(nvidia("name,driver_version,vbios_version,memory.total,"
                                 "ecc.mode.current")),
        "amdgpu": read("/sys/module/amdgpu/version"),
    }


def writes(folder):
    """Whether a file can be written there."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            while file.tell() < 65536:
                file.write(bytes(4096))
        return "writable"
    except OSError as error:
        return error.strerror


def free_bytes(folder):
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def state_facts(folder):
    return {
        "folder": writes(folder),
        "memory_available_bytes": meminfo("MemAvailable"),
        "disk_free_bytes": free_bytes(folder),
        "load": os.getloadavg()[0],
        "ecc_corrected": total("/sys/devices/system/edac/mc/mc*/ce_count"),
        "ecc_uncorrected": total("/sys/devices/system/edac/mc/mc*/ue_count"),
        "gpu_ecc_uncorrected": nvidia_errors(),
        "throttled": total("/sys/devices/system/cpu/cpu*/thermal_throttle/"
                           "core_throttle_count"),
        "link_errors": total("/sys/class/infiniband/*/ports/*/counters/symbol_error"),
        "links_downed": total("/sys/class/infiniband/*/ports/*/counters/link_downed"),
    }


FAULTS = re.compile(
    r"EDAC|mce:|Hardware Error|Machine check|Out of memory|oom-kill|Killed process|"
    r"NVRM: Xid|amdgpu.*(error|hang|reset)|segfault|temperature above|"
    r"clock throttled|I/O error|No space left|link is down|link down|soft lockup|"
    r"blocked for more than", re.I)


def kernel_messages():
    """The kernel's log: microseconds since it booted, and the text."""
    try:
        log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    while True:
        try:
            head, _, text = os.read(log, 8192).decode(errors="replace").partition(";")
        except BrokenPipeError:  # the oldest ones went while we read
            continue
        except OSError:  # there is no more
            return os.close(log)
        yield int(head.split(",")[2]), text.splitlines()[0]


def kernel_log(seconds):
    """What the kernel said of faults, not longer ago than so many seconds."""
    since = (time.clock_gettime(time.CLOCK_MONOTONIC) - seconds) * 1e6
    found = [text for at, text in kernel_messages() if at >= since
             and FAULTS.search(text)]
    return found[-20:]


def main(words):
    if words[0] == "log":
        facts = {"log": kernel_log(float(words[1]))}
    else:
        facts = {"host": platform.node(), **machine_facts(), **program_facts(words[1]),
                 **state_facts(words[0]), "clock": time.time()}
    print(json.dumps({name: x for name, x in facts.items() if x is not None}))


if __name__ == "__main__":
    main(sys.argv[1:])
