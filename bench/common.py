# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmarks share. Programs run alone, in turn, without the caller's
settings; medians count."""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
LAUNCHER = SCRIPTS / "mpirun"
BLAS_THREADS = "OPENBLAS_NUM_THREADS BLIS_NUM_THREADS MKL_NUM_THREADS OMP_NUM_THREADS"
PRESETS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "BLIS_ARCH_TYPE")
ROW = re.compile(r"^W[RC]\w+(?:\s+\d+){4}\s+\S+\s+(\S+)\s*$", re.MULTILINE)
RESIDUAL = re.compile(r"^\|\|Ax-b\|\|_oo/.*= *(\S+) \.+ PASSED$", re.MULTILINE)


@dataclass(frozen=True)
class Problem:
    """One test of Linpack."""

    n: int
    nb: int
    p: int
    q: int

    @property
    def processes(self):
        return self.p * self.q

    @property
    def flop(self):
        """What HPL counts for it."""
        return (2 / 3 * self.n + 3 / 2) * self.n**2


@dataclass(frozen=True)
class Outcome:
    """The result of a run of Linpack."""

    gflops: float
    residual: float
    wall: float  # seconds of the whole process, its start and end included


def environment(blas_threads=1):
    """The caller's, without variables that change a program's speed."""
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in PRESETS and not name.startswith("XHPL_")
    }
    env.update(dict.fromkeys(BLAS_THREADS.split(), str(blas_threads)))
    return env


def bound(processes):
    """The command that starts processes, each on a core of its own."""
    return [LAUNCHER, "--bind", "-np", str(processes)]


def unbound(processes):
    """The same, on whatever cores there are."""
    return [LAUNCHER, "-np", str(processes)]


def linpack(command, problem, blas_threads=1):
    """Run command on an HPL.dat for problem, in a folder of its own."""
    words = (problem.n, problem.nb, problem.p, problem.q)
    dat = subprocess.run(
        [SCRIPTS / "write-dat", *map(str, words)], check=True, capture_output=True
    ).stdout
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("HPL.dat", "hpccinf.txt"):
            (folder / file).write_bytes(dat)
        begun = time.monotonic()
        run = subprocess.run(
            command, cwd=folder, env=environment(blas_threads), text=True,
            capture_output=True,
        )  # fmt: skip
        wall = time.monotonic() - begun
        report = folder / "hpccoutf.txt"
        out = run.stdout + (report.read_text() if report.exists() else "")
    row, residual = ROW.search(out), RESIDUAL.search(out)
    if run.returncode != 0 or row is None or residual is None:
        shown = " ".join(map(str, command))
        sys.exit(f"{shown} did not pass:\n{out}{run.stderr}")
    return Outcome(float(row[1]), float(residual[1]), wall)


def run_alone(program, *words):
    """Run a program, which is not Linpack, to its end."""
    return subprocess.run(
        [program, *map(str, words)], env=environment(), text=True,
        capture_output=True,
    )  # fmt: skip


def works(program, *words):
    return run_alone(program, *words).returncode == 0


def output(program, *words):
    """What a program prints; a failure ends the benchmark."""
    run = run_alone(program, *words)
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, run.args))} failed:\n{run.stderr}")
    return run.stdout


def answer(program, *words):
    """The lines "name value" that a program prints."""
    lines = (x.split(maxsplit=1) for x in output(program, *words).splitlines())
    return {line[0]: line[1] for line in lines if len(line) == 2}


def ceiling(bin_dir):
    """Gflop/s of FMA that all cores reach together."""
    return float(answer(bin_dir / "xprobe", "--ceiling")["ceiling"]) / 1e9


def turns(rounds, times):
    """The rounds, evenly spread, in which a job of so many times runs."""
    return {(2 * i + 1) * rounds // (2 * times) for i in range(times)}


def interleaved(jobs, rounds, progress=lambda done: None):
    """Let jobs take turns: (key, times, function) each, in order.

    Returns what the functions said, a list for each key.
    """
    said = {key: [] for key, _, _ in jobs}
    for done in range(rounds):
        progress(done)
        for key, times, function in jobs:
            if done in turns(rounds, min(times, rounds)):
                said[key].append(function())
    return said


def numbers(text):
    """The numbers of an option's list, with commas."""
    return [int(x) for x in text.split(",")]


def median(values):
    """Of outcomes the one in the middle; None of nothing."""
    if values and isinstance(values[0], Outcome):
        return sorted(values, key=lambda v: v.gflops)[len(values) // 2]
    return statistics.median(values) if values else None
