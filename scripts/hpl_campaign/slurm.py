# SPDX-License-Identifier: BSD-3-Clause
"""Slurm: its hosts and switches, and runs as steps of an allocation or as jobs.

Within an allocation each run is an srun. Elsewhere it is a batch job that has its
nodes for itself; the campaign looks at squeue, so that it need not stay on one
login node. That a job waits for its nodes takes nothing of a run's time.
"""
import os
import re
import shlex
import signal
import subprocess
import time

from . import hosts, launch

SCRIPT, STATUS = "job.sh", "status"  # of a batch job, in the folder of its run
ORDER = "hosts"  # there, too: in which processes are dealt to hosts
SECOND = 1.0  # between two looks at the queue
NEVER = re.compile(r"Down|DOWN|Drain|DRAIN|ReqNodeNotAvail|BadConstraints|Partition.*"
                   r"(Limit|Inactive)|InvalidQOS|AssociationNotAllowed|Deleted")


def said(*words):
    """What a command of Slurm prints; nothing if it fails."""
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           stdin=subprocess.DEVNULL, universal_newlines=True)
    return ended.stdout if ended.returncode == 0 else ""


# ---- hosts ---------------------------------------------------------------------------


def allocated():
    """Whether this runs within an allocation."""
    return "SLURM_JOB_NODELIST" in os.environ


def names(partition=None, reservation=None):
    """The hosts of a reservation, of a partition, or of this allocation."""
    if reservation:
        shown = said("scontrol", "show", "reservation", reservation)
        found = re.search(r"\bNodes=(\S+)", shown)
        return hosts.expand(found[1]) if found else []
    if partition:
        return hosts.expand(said("sinfo", "-h", "-p", partition, "-o", "%N")
                            .replace("\n", ","))
    return hosts.expand(os.environ.get("SLURM_JOB_NODELIST", ""))


def switches(text):
    """{host: switch} from what `scontrol show topology` prints."""
    found = {}
    for name, listed in re.findall(r"SwitchName=(\S+) Level=0 .*?\bNodes=(\S+)", text):
        found.update({host: name for host in hosts.expand(listed)})
    return found


def topology(wanted):
    """{host: switch} of the wanted hosts."""
    known = switches(said("scontrol", "show", "topology"))
    return {host: known[host] for host in wanted if host in known}


# ---- MPI -------------------------------------------------------------------------------


def mpi_type(listed, libraries):
    """What srun's --mpi should be; None: its default.

    listed     what `srun --mpi=list` prints
    libraries  what `ldd xhpl` prints
    """
    known = re.findall(r"^\s*(?:srun: )?(\w+)$", listed, re.M)
    mpich = re.search(r"libmpi\.so\.12|libmpich", libraries)
    wanted = ("pmi2", "pmix") if mpich else ("pmix", "pmi2")
    return next((name for name in wanted if name in known), None)


def mpi_words(xhpl):
    """The option of srun for this program's MPI, unless the environment says it."""
    if "SLURM_MPI_TYPE" in os.environ:
        return []
    ended = subprocess.run(["srun", "--mpi=list"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                           universal_newlines=True)
    found = mpi_type(ended.stdout, said("ldd", shlex.split(xhpl)[0]))
    return [f"--mpi={found}"] if found else []


# ---- batch jobs ------------------------------------------------------------------------


class Queue:
    """What squeue says of this user's jobs, asked once a second at most."""

    def __init__(self):
        self.read, self.jobs = 0.0, {}

    def job(self, number, submitted):
        """State and reason of a job; None, "" once it is gone."""
        if time.monotonic() > self.read + SECOND or self.read < submitted:
            self.read = time.monotonic()
            listed = said("squeue", "-h", "-u", str(os.getuid()), "-o", "%i %T %r")
            self.jobs = {line.split()[0]: line.split(" ", 2)[1:]
                         for line in listed.splitlines()}
        return self.jobs.get(number, (None, ""))


class BatchJob:
    """A job that was submitted, with what launch.Job has; waiting: for its nodes."""

    def __init__(self, queue, number, folder):
        self.queue, self.number, self.folder = queue, number, folder
        self.submitted = time.monotonic()
        self.waiting, self.status = True, None

    def poll(self):
        if self.status is None:
            self.status = self.ended()
        return self.status

    def ended(self):
        """The exit status of its program, None while there is none."""
        state, reason = self.queue.job(self.number, self.submitted)
        self.waiting = state in ("PENDING", "CONFIGURING")
        if state == "PENDING" and NEVER.search(reason):
            self.signal(signal.SIGKILL)
            return self.lost(f"its nodes are not available: {reason}")
        if state not in (None, "COMPLETING", "COMPLETED", "FAILED", "CANCELLED",
                         "NODE_FAIL", "TIMEOUT", "OUT_OF_MEMORY"):
            return None
        try:
            with open(os.path.join(self.folder, STATUS)) as file:
                return int(file.read())
        except (OSError, ValueError):
            return self.lost(self.why())

    def why(self):
        found = re.search(r"JobState=(\S+) Reason=(\S+)",
                          said("scontrol", "show", "job", self.number))
        return f"it ended as {found[1]} ({found[2]})" if found else "it is gone"

    def lost(self, why):
        """Say in the log of the run why there is no status."""
        with open(os.path.join(self.folder, launch.LOG), "a") as log:
            log.write(f"Slurm's job {self.number}: {why}\n")
        return -signal.SIGKILL

    def signal(self, number):
        hard = ["--signal=KILL", "--full"] if number == signal.SIGKILL else []
        said("scancel", *hard, self.number)
        if hard:
            said("scancel", self.number)


def placed_in_order(hosts, each, folder):
    """srun, and its option, for so many processes on each host in the order of hosts: a
    list of nodes it would sort."""
    path = os.path.join(folder, ORDER)
    with open(path, "w") as file:
        file.writelines(f"{host}\n" * each for host in hosts)
    return ["env", f"SLURM_HOSTFILE={path}", "srun"], "--distribution=arbitrary"


SHELL = """\
#!/bin/sh
{command}
echo $? > {status}
"""


class Slurm(launch.Ssh):
    """Steps of this allocation, or jobs of their own."""

    def __init__(self, options):
        super().__init__(options)
        self.at_once = options.slots or 1000
        self.more = shlex.split(options.slurm or "")
        self.mpi = mpi_words(options.xhpl)
        self.queue = Queue()

    def where(self):
        """Options of jobs and steps that are outside an allocation."""
        named = (("--partition", self.options.partition),
                 ("--reservation", self.options.reservation))
        return [f"{name}={value}" for name, value in named if value]

    def command(self, run, words, folder):
        each = run.p * run.q // len(run.hosts)
        srun, where = placed_in_order(run.hosts, each, folder) if "--weights" in words \
            else (["srun"], f"--nodelist={','.join(run.hosts)}")
        return [*srun, *self.mpi, f"--nodes={len(run.hosts)}",
                f"--ntasks={run.p * run.q}", f"--ntasks-per-node={each}",
                where, "--mem=0", "--cpu-bind=none",
                "--kill-on-bad-exit", f"--chdir={folder}",
                *(self.more if allocated() else []), *words]

    def remote(self, host, words):
        own = (["--overlap", "--mem=0"] if allocated()
               else ["--immediate=20", *self.where(), *self.more])
        return ["srun", "--nodes=1", "--ntasks=1", f"--nodelist={host}", *own, *words]

    def start(self, words, folder, environment, run):
        if allocated():
            return super().start(words, folder, environment, run)
        for name in (STATUS, SCRIPT):
            if os.path.exists(os.path.join(folder, name)):
                os.unlink(os.path.join(folder, name))
        with open(os.path.join(folder, SCRIPT), "w") as script:
            script.write(SHELL.format(command=launch.joined(words), status=STATUS))
        return self.submit(folder, environment, run)

    def submit(self, folder, environment, run):
        """A batch job. Its name is the folder, by which it can be found again."""
        words = ["sbatch", "--parsable", "--exclusive", "--no-requeue",
                 f"--job-name={folder}", f"--chdir={folder}",
                 f"--nodes={len(run.hosts)}", f"--nodelist={','.join(run.hosts)}",
                 f"--ntasks={run.p * run.q}", f"--output={launch.REPORT}",
                 f"--error={launch.LOG}", f"--time={int(run.limit / 60) + 2}",
                 *self.where(), *self.more, SCRIPT]
        asked = subprocess.run(words, env=environment, cwd=folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, universal_newlines=True)
        if asked.returncode:
            raise OSError(asked.returncode, asked.stderr.strip())
        return BatchJob(self.queue, asked.stdout.split(";")[0].strip(), folder)

    def sweep(self, runs, mark):
        if allocated():
            super().sweep(runs, mark)
            return
        folders = [run["dir"] for run in runs if "dir" in run]
        for first in range(0, len(folders), 50):
            self.cancel(folders[first:first + 50])

    def cancel(self, folders):
        """Cancel the jobs of these names, and wait until they are gone."""
        name = "--name=" + ",".join(folders)
        until = time.monotonic() + 60
        said("scancel", "-u", str(os.getuid()), name)
        while said("squeue", "-h", "-u", str(os.getuid()), name).strip() and \
                time.monotonic() < until:
            time.sleep(SECOND)

    def end(self, run, folder):
        self.sweep([{"hosts": run.hosts, "dir": folder}], str(folder))
