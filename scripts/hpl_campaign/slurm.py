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

from hpl_report.foreign import DIGITS, shown, whole

from . import hosts, launch

SCRIPT, STATUS = "job.sh", "status"  # of a batch job, in the folder of its run
ORDER = "hosts"  # there, too: in which processes are dealt to hosts
SECOND = 1.0  # between two looks at the queue
SECONDS = 10.0  # between two looks at the nodes

# Reasons of a job that waits: it never starts; it may not, by the state of its nodes.
NEVER = re.compile("BadConstraints|Partition.*(Limit|Inactive|Down)|InvalidQOS|"
                   "AssociationNotAllowed|Deleted")
PERHAPS = re.compile("Down|DOWN|Drain|DRAIN|ReqNodeNotAvail")
GONE = re.compile("down|drain|maint|fail")  # states of a node

# What sbatch says of a node. All else it may accept later.
NO_NODE = re.compile("node configuration|node name|Required node")


def printed(*words):
    """What a command of Slurm prints; None if it fails."""
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           stdin=subprocess.DEVNULL, universal_newlines=True,
                           errors="replace")
    return ended.stdout if ended.returncode == 0 else None


def said(*words):
    """The same; nothing if it fails."""
    return printed(*words) or ""


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


def idle():
    """The hosts on which no job runs."""
    return hosts.expand(said("sinfo", "-h", "-N", "-t", "idle", "-o", "%N")
                        .replace("\n", ","))


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
    mpich = re.search(r"libmpi(_\w+)?\.so\.12|libmpich", libraries)
    wanted = ("pmi2", "pmix") if mpich else ("pmix", "pmi2")
    return next((name for name in wanted if name in known), None)


def mpi_words(xhpl):
    """The option of srun for this program's MPI, unless the environment says it."""
    if "SLURM_MPI_TYPE" in os.environ:
        return []
    ended = subprocess.run(["srun", "--mpi=list"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                           universal_newlines=True, errors="replace")
    found = mpi_type(ended.stdout, said("ldd", shlex.split(xhpl)[0]))
    return [f"--mpi={found}"] if found else []


# ---- batch jobs ------------------------------------------------------------------------


class Queue:
    """What squeue says of this user's jobs, asked once a second at most, and sinfo of
    the nodes. If they fail, the last answer holds.

    asked, read   when squeue was asked, and when it was asked and answered
    """

    def __init__(self):
        self.asked = self.read = 0.0
        self.jobs, self.nodes, self.looked = {}, {}, None

    def job(self, number, submitted):
        """State and reason of a job; None, "" once it is gone."""
        if time.monotonic() > self.asked + SECOND or self.asked < submitted:
            self.asked = time.monotonic()
            listed = printed("squeue", "-h", "-u", str(os.getuid()), "-o", "%i %T %r")
            if listed is not None:
                self.read = self.asked
                rows = [line.split(" ", 2) for line in listed.splitlines()]
                self.jobs = {row[0]: row[1:] for row in rows if len(row) == 3}
        unlisted = (None, "") if self.read >= submitted else ("PENDING", "")
        return self.jobs.get(number, unlisted)

    def gone(self, hosts):
        """Those of some hosts that are down, drained or in maintenance."""
        if self.looked is None or time.monotonic() > self.looked + SECONDS:
            self.looked = time.monotonic()
            listed = printed("sinfo", "-h", "-a", "-N", "-o", "%N %T")
            if listed is not None:
                rows = map(str.split, listed.splitlines())
                self.nodes = dict(row for row in rows if len(row) == 2)
        return [host for host in hosts if GONE.search(self.nodes.get(host, ""))]


class BatchJob:
    """A job that was submitted, with what launch.Job has; waiting: for its nodes."""

    def __init__(self, queue, number, folder, hosts):
        self.queue, self.number, self.folder = queue, number, folder
        self.hosts = hosts
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
        if state == "PENDING" and (NEVER.search(reason) or PERHAPS.search(reason)
                                   and self.queue.gone(self.hosts)):
            self.signal(signal.SIGKILL)
            return self.lost(f"its nodes are not available: {reason}")
        if state not in (None, "COMPLETING", "COMPLETED", "FAILED", "CANCELLED",
                         "NODE_FAIL", "TIMEOUT", "OUT_OF_MEMORY"):
            return None
        try:
            with open(os.path.join(self.folder, STATUS), errors="replace") as file:
                status = whole(file.read(DIGITS).strip(), 0, 255)
        except OSError:
            status = None
        return self.lost(self.why()) if status is None else status

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


def on_nodes(hosts, folder):
    """The option of srun and sbatch that names the nodes."""
    listed, path = launch.host_list(folder, hosts)
    return f"--nodefile={path}" if path else f"--nodelist={listed}"


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
            else (["srun"], on_nodes(run.hosts, folder))
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
        words = ["sbatch", "--parsable", "--exclusive", "--no-requeue", "--mem=0",
                 f"--job-name={folder}", f"--chdir={folder}",
                 f"--nodes={len(run.hosts)}", on_nodes(run.hosts, folder),
                 f"--ntasks={run.p * run.q}", f"--output={launch.REPORT}",
                 f"--error={launch.LOG}", f"--time={int(run.limit / 60) + 2}",
                 *self.where(), *self.more, SCRIPT]
        asked = subprocess.run(words, env=environment, cwd=folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, universal_newlines=True,
                               errors="replace")
        if asked.returncode:
            why = asked.stderr.strip()
            kind = OSError if NO_NODE.search(why) else launch.Later
            raise kind(asked.returncode, why)
        number = asked.stdout.split(";")[0].strip()
        if not re.fullmatch("[0-9]+", number):
            raise launch.Later(0, f"sbatch names no job but {shown(number)}")
        return BatchJob(self.queue, number, folder, run.hosts)

    def sweep(self, runs, mark):
        if allocated():
            super().sweep(runs, mark)
            return
        folders = [run["dir"] for run in runs if "dir" in run]
        for first in range(0, len(folders), 50):
            self.cancel(folders[first:first + 50])

    def cancel(self, folders):
        """Cancel the jobs of these names, and wait until they are gone."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            listed = printed("squeue", "-h", "-u", str(os.getuid()), "-o", "%i",
                             "--name=" + ",".join(folders))
            if listed is not None and not listed.split():
                return
            if listed:
                said("scancel", *listed.split())
            time.sleep(SECOND)

    def end(self, run, folder):
        self.sweep([{"hosts": run.hosts, "dir": folder}], str(folder))
