# SPDX-License-Identifier: BSD-3-Clause
"""Where the things under test are, and how they are run.

Every job runs in a session of its own, with a time limit and without the
settings of whoever runs the tests; at the limit all its processes are killed.
"""
import importlib.util
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = Path(os.environ.get("TEST_XHPL_SOURCE", HERE.parent)).resolve()
BUILD = Path(os.environ.get("TEST_XHPL_BUILD", SOURCE / "build/arch")).resolve()
BIN = Path(os.environ.get("TEST_XHPL_BIN", SOURCE / "bin/arch")).resolve()
XHPL = BIN / "xhpl"
LAUNCHER = shlex.split(os.environ.get("TEST_XHPL_MPIRUN", str(SOURCE / "scripts/mpirun")))
# Before programs of another kind of machine: an emulator and its options.
EMULATOR = shlex.split(os.environ.get("TEST_XHPL_RUN", ""))
DATA = HERE / "data"
REFERENCE = DATA / "reference"
LIMIT = 120  # seconds a job may take unless it says otherwise

# A unit test runs on one of its numbers of processes.
ONE_COUNT = "TEST_XHPL_ONE_COUNT" in os.environ

# Launchers that start at the same time get into each other's way where their
# folders are: each of pytest-xdist's workers has one of its own.
PARALLEL = "PYTEST_XDIST_WORKER" in os.environ
FOLDER = tempfile.TemporaryDirectory(prefix="xhpl-") if PARALLEL else None

# Variables that would change what is tested.
FOREIGN = ("XHPL_", "TEST_XHPL_", "OPENBLAS_", "BLIS_", "MAKE", "MFLAGS")


@dataclass(repr=False)
class Outcome:
    """How a job ended: its exit status and what it wrote."""

    command: list
    status: int
    stdout: str
    stderr: str
    timed_out: bool = False

    def __repr__(self):
        return f"<{shlex.join(map(str, self.command))}>"

    def __str__(self):
        ending = f"exit status {self.status}"
        if self.timed_out:
            ending = "killed at its time limit"
        return (
            f"{shlex.join(self.command)}: {ending}\n"
            f"--- stdout\n{tail(self.stdout)}\n--- stderr\n{tail(self.stderr)}"
        )

    def ended(self, status, *said):
        """Itself, which ended in time with this status, and said on stderr."""
        assert (self.status, self.timed_out) == (status, False), str(self)
        assert [x for x in said if x not in self.stderr] == [], str(self)
        return self

    def succeeded(self, *said):
        return self.ended(0, *said)

    def refused(self, *said):
        """Input was bad: nothing on stdout, and said on stderr."""
        assert self.stdout == "", str(self)
        return self.ended(2, *said)


def tail(text, lines=60):
    """The last lines of text, for a failure report."""
    kept = text.splitlines()
    return "\n".join(["..."] * (len(kept) > lines) + kept[-lines:])


def environment(extra=None):
    """The environment of a job: ours without FOREIGN, with extra."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
    # Open MPI starts no daemon for a process that is alone.
    env.setdefault("OMPI_MCA_ess_singleton_isolated", "1")
    # Nor does it look for networks: all is on this machine, and the search takes
    # most of the time of a short run.
    env.setdefault("OMPI_MCA_pml", "ob1")
    # Several jobs share the cores: one that waits leaves its core to another.
    env.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    # Nor, with a plug-in of hwloc, for devices of OpenCL, which starts them.
    env.setdefault("HWLOC_COMPONENTS", "-opencl")
    # Compiling for PoCL takes seconds: once for all workers and builds.
    env.setdefault("POCL_CACHE_DIR", str(BUILD.parent / "pocl"))
    if FOLDER:
        env["TMPDIR"] = FOLDER.name
    if not Path("/etc/hosts").exists():  # as scripts/mpirun does
        env.setdefault("RES_OPTIONS", "timeout:1 attempts:1")
    env.update(extra or {})
    return env


def as_installed():
    """What environment() is given where programs are found by name, as if they were
    installed. mpirun is scripts/mpirun, which is told what to take, so as not to take
    itself."""
    return {"PATH": f"{BIN}:{SOURCE / 'scripts'}:{os.environ['PATH']}",
            "LAUNCHER": shlex.join(LAUNCHER),
            "MPIRUN": os.environ.get("MPIRUN") or shutil.which("mpirun") or "mpiexec"}


def living():
    """Of each process that is alive, by id: its parent and its session."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] != b"Z":
            found[int(name)] = int(fields[1]), int(fields[3])
    return found


def members(sessions):
    """Ids of the processes of these sessions that are alive. What they started joins:
    MPICH's launcher gives each process a session, which is added to sessions."""
    alive = living()
    while True:
        found = [pid for pid, (_, own) in alive.items() if own in sessions]
        more = {own for parent, own in alive.values() if parent in found} - sessions
        if not more:
            return found
        sessions |= more


def kill_session(session, grace=3):
    """End a session: first politely, then not; returns when it is gone."""
    sessions = {session}
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, 10)):
        found, until = members(sessions), time.monotonic() + seconds
        for pid in found:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        while found and time.monotonic() < until:
            time.sleep(0.02)
            found = members(sessions)
        if not found:
            return


# A background job, or nohup, starts the tests with some signals ignored, and a program
# keeps ignoring these. What is handled here has its default in a program that is
# started, without a function between fork and exec, which takes a copy of all pages.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda *_: None)


def built(words):
    """Where among these words the program is that was built; None without one."""
    for i, word in enumerate(words):
        folders = Path(word).parents
        if BUILD in folders or BIN in folders:
            return i
    return None


def start(command, cwd, env=None, stdin=subprocess.DEVNULL):
    """Start a job and return its Popen object; finish() collects it.

    A program that was built gets the emulator before it, if there is one, and keeps
    what it knows of devices where nobody else's is."""
    words, cache = [str(word) for word in command], {}
    at = built(words)
    if at is not None:
        words[at:at] = EMULATOR
        cache = {"XDG_CACHE_HOME": FOLDER.name} if FOLDER else {}
    return subprocess.Popen(
        words,
        cwd=cwd,
        env=environment({**cache, **(env or {})}),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        errors="replace",
    )


def communicated(job, limit):
    """What the job wrote. Where more wants to run than there are cores, it may take up
    to four times as long."""
    begin, allowed, longest = time.monotonic(), 0, limit
    while allowed < longest:
        allowed = longest
        try:
            left = begin + allowed - time.monotonic()
            return job.communicate(timeout=max(0, left))
        except subprocess.TimeoutExpired:
            crowd = os.getloadavg()[0] / len(os.sched_getaffinity(0))
            longest = limit * min(4, max(1, crowd))
    raise subprocess.TimeoutExpired(job.args, allowed)


def finish(job, limit=LIMIT):
    """Wait for a job, at most limit seconds, and leave no process of it."""
    timed_out = False
    try:
        out, err = communicated(job, limit)
    except subprocess.TimeoutExpired:
        timed_out = True
        kill_session(job.pid)
        out, err = job.communicate()
    finally:
        kill_session(job.pid)
    return Outcome(list(job.args), job.returncode, out, err, timed_out)


def run(command, cwd, env=None, limit=LIMIT):
    """Run a job to its end."""
    try:
        job = start(command, cwd, env)
    except OSError as error:
        return Outcome(list(map(str, command)), 127, "", str(error))
    return finish(job, limit)


def on_a_terminal(command, cwd, env=None):
    """What a command that must succeed writes to a terminal, and its standard output."""
    ours, its = pty.openpty()
    with tempfile.TemporaryFile("w+") as out:
        job = subprocess.Popen(list(map(str, command)), cwd=cwd, stdout=out, stderr=its,
                               env=environment(env))
        os.close(its)
        written = b""
        try:
            while chunk := os.read(ours, 4096):
                written += chunk
        except OSError:  # the other side has closed
            pass
        os.close(ours)
        assert job.wait() == 0, written
        out.seek(0)
        return written.decode(), out.read()


def targets():
    """The targets of make that are no files."""
    found = set()
    for path in (SOURCE / "Makefile", *SOURCE.glob("*/*.mk")):
        for listed in re.findall(r"^\.PHONY:((?:.*\\\n)*.*)", path.read_text(), re.M):
            found |= set(listed.split())
    return found


def sanitized():
    """Whether it was built with a sanitizer, whose library has to come first."""
    commands = BUILD / "commands"
    return commands.exists() and "-fsanitize=" in commands.read_text()


def sets(*settings):
    """Options of xhpl for settings, name=value each, several also in one text."""
    return [word for text in settings for pair in text.split() for word in ("--set", pair)]


def launched(processes, command):
    """The command line that runs command on so many MPI processes."""
    return [*LAUNCHER, "-np", processes, *command]


def program(path, text):
    """A script of the shell at path, which can be called."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return path


# Programs in Python run with what runs the tests. The first in PATH may take longer
# than they do, to find which version is wanted.
if FOLDER:
    program(Path(FOLDER.name) / "path/python3", f'exec "{sys.executable}" "$@"\n')
    os.environ["PATH"] = f"{FOLDER.name}/path:{os.environ['PATH']}"


def module(path):
    """A program in Python as a module, which finds what is beside it."""
    sys.path.insert(0, str(path.parent))
    name = path.name.replace("-", "_")
    loader = SourceFileLoader(f"program_{name}", str(path))
    found = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = found  # its dataclasses look there
    loader.exec_module(found)
    return found
