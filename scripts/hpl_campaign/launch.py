# SPDX-License-Identifier: BSD-3-Clause
"""How a run is started: one object for each launcher, in the table LAUNCHERS."""
import concurrent.futures
import importlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from . import leftovers

HERE = Path(__file__).resolve().parent
MARK = leftovers.MARK
REPORT, LOG, RECORD = "report", "log", "record.json"  # what a run writes


LONG = 100000  # letters of a list of hosts; what is longer goes into a file, as Linux
# takes no word of more than 128 KiB
HOSTFILE = "hostfile"  # there


def host_list(folder, hosts, file_form="{}"):
    """Hosts with commas between, and None; if that is too long, None and the path of a
    file that has each in this form."""
    listed = ",".join(hosts)
    if len(listed) <= LONG:
        return listed, None
    path = os.path.join(folder, HOSTFILE)
    with open(path, "w") as file:
        file.writelines(file_form.format(*host.rsplit(":", 1)) + "\n" for host in hosts)
    return None, path


def joined(words):
    """Words as a line for a shell; shlex.join is none of Python 3.6."""
    return " ".join(map(shlex.quote, words))


class Later(OSError):
    """A run cannot be started now, which is no fault of its hosts."""


class Job:
    """The process of a run, in a group and a session of its own.

    waiting    it has not begun: what it waits for takes nothing of its time
    """

    waiting = False

    def __init__(self, words, folder, environment):
        with open(os.path.join(folder, REPORT), "wb") as report, \
                open(os.path.join(folder, LOG), "wb") as log:
            self.process = subprocess.Popen(
                words, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=report, stderr=log, start_new_session=True)

    def poll(self):
        return self.process.poll()

    def signal(self, number):
        """Send a signal to the whole group. A stopped process hears none but KILL."""
        try:
            os.killpg(self.process.pid, number)
            os.killpg(self.process.pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


class Launcher:
    """What all launchers have. options are those of the command line.

    at_once    runs at the same time, at most
    """

    at_once = 1000

    def __init__(self, options):
        self.options = options

    def command(self, run, words, folder):
        """The command line that starts words on run.p * run.q processes of
        run.hosts, in their order, and ends when they do, with their status. It
        is called in folder, which this machine and the hosts share."""
        raise NotImplementedError

    def start(self, words, folder, environment, run):
        """Start a command line; an object with poll() and signal(number). Errors:
        OSError, of its hosts; Later."""
        return Job(words, folder, environment)

    def remote(self, host, words):
        """The command line that runs words on a host, without load."""
        raise NotImplementedError

    def end(self, run, folder):
        """End what a run has left after the group of its command was ended."""
        leftovers.end(folder)

    def sweep(self, runs, mark):
        """End what is left of runs (start events) of an earlier xhpl-campaign,
        whose processes have mark in their environment."""
        leftovers.end(mark)


def helper_mpirun():
    """The mpirun that belongs to xhpl-campaign, or the system's."""
    program = Path(sys.argv[0]).resolve().parent
    for place in (HERE.parent / "mpirun", program / "xhpl-mpirun"):
        if os.access(place, os.X_OK):
            return shlex.quote(str(place))
    return "mpirun"


class Local(Launcher):
    """All hosts are names: everything runs on this machine."""

    def __init__(self, options):
        super().__init__(options)
        self.at_once = options.slots or 1
        self.mpirun = shlex.split(options.mpirun or helper_mpirun())

    def command(self, run, words, folder):
        processes = run.p * run.q
        if processes == 1:
            return words
        return [*self.mpirun, "-np", str(processes), *words]

    def remote(self, host, words):
        return words


def is_hydra(mpirun):
    """Is it Hydra, the launcher of MPICH and of Intel MPI?"""
    try:
        said = subprocess.run([*mpirun, "--version"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"HYDRA" in said.stdout or b"Intel(R) MPI" in said.stdout


class Ssh(Launcher):
    """mpirun over ssh, from this machine, of Open MPI or Hydra's."""

    def __init__(self, options):
        super().__init__(options)
        self.ssh = shlex.split(options.ssh or "ssh -o BatchMode=yes")
        self.mpirun = shlex.split(options.mpirun or "mpirun")
        self.at_once = options.slots or 256
        self.is_hydra = is_hydra(self.mpirun)

    def command(self, run, words, folder):
        each = run.p * run.q // len(run.hosts)
        hosts = [f"{host}:{each}" for host in run.hosts]
        mpirun = self.hydra if self.is_hydra else self.open_mpi
        return [*mpirun(hosts, each, folder), "-np", str(run.p * run.q), "-bind-to",
                self.binding(each), "-wdir", str(folder), *words]

    def open_mpi(self, hosts, each, folder):
        listed, path = host_list(folder, hosts, "{} slots={}")
        where = ["--hostfile", path] if path else ["--host", listed]
        return [*self.mpirun, *where, "--map-by", f"ppr:{each}:node",
                "-x", MARK, "-x", leftovers.HOSTS,
                "--mca", "plm_rsh_agent", joined(self.ssh)]

    def hydra(self, hosts, each, folder):
        """It hands on the whole environment, and takes options of ssh from there."""
        listed, path = host_list(folder, hosts, "{}:{}")
        where = ["-f", path] if path else ["-hosts", listed]
        return ["env", f"HYDRA_LAUNCHER_EXTRA_ARGS={joined(self.ssh[1:])}",
                *self.mpirun, *where, "-launcher", "ssh", "-launcher-exec",
                self.ssh[0]]

    def binding(self, each):
        return "none" if each == 1 else "numa"

    def remote(self, host, words):
        return [*self.ssh, host, joined(words)]

    def end(self, run, folder):
        self.sweep([{"hosts": run.hosts}], folder)

    def sweep(self, runs, mark):
        leftovers.end(mark)
        hosts = sorted({host for run in runs for host in run["hosts"]})
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            list(pool.map(lambda host: self.sweep_host(host, mark), hosts))

    def sweep_host(self, host, mark):
        """The same on one host, as far as it can be reached."""
        try:
            subprocess.run(self.remote(host, ["python3", "-", mark]),
                           input=(HERE / "leftovers.py").read_bytes(), timeout=20,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired):
            pass


def programs(options):
    """What a launcher starts on this machine: (option or None, word), ..."""
    if options.launcher == "slurm":
        return [(None, word) for word in (
            "srun", "sbatch", "squeue", "scancel", "sinfo", "scontrol")]
    mpirun = [("--mpirun", shlex.split(options.mpirun or "mpirun")[0])]
    if options.launcher == "ssh":
        return [("--ssh", shlex.split(options.ssh or "ssh")[0]), *mpirun]
    return mpirun if options.mpirun else []


def missing(options):
    """What of these is not there, in words; None if all are."""
    for option, word in programs(options):
        if shutil.which(word) is None:
            return f"{option}: {word} is not a program that runs here" if option else \
                f"Slurm is not on this machine: there is no {word}"
    return None


# name: class, or "module:class" of this package, loaded when it is asked for.
LAUNCHERS = {
    "local": Local,
    "ssh": Ssh,
    "slurm": "slurm:Slurm",
}


def launcher(options):
    """The launcher that options name."""
    found = LAUNCHERS[options.launcher]
    if isinstance(found, str):
        module, name = found.split(":")
        found = getattr(importlib.import_module("." + module, __package__), name)
    return found(options)
