# SPDX-License-Identifier: BSD-3-Clause
"""Slurm on the hosts of cluster_net: a slurmd on each, munged and slurmctld on the
login node."""
import shutil
import subprocess
import time

import cluster_net

CONF = """\
ClusterName=test
SlurmctldHost=login
SlurmUser=root
MailProg=/bin/true
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmdSpoolDir=/run/slurmd
TmpFS=/run/tmp
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
TopologyPlugin=topology/tree
ReturnToService=2
SlurmdTimeout=300
KillWait=2
NodeName=n[01-08] CPUs=1 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=n[01-08] Default=YES State=UP OverSubscribe=NO
PartitionName=half Nodes=n[01-04] State=UP
"""
TOPOLOGY = """\
SwitchName=left Nodes=n[01-04]
SwitchName=right Nodes=n[05-08]
SwitchName=top Switches=left,right
"""
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch")


def why_not():
    """Why there can be no Slurm here; None if there can."""
    for name in PROGRAMS:
        if not shutil.which(name, path="/usr/bin:/usr/sbin"):
            return f"{name} is not installed"
    return cluster_net.why_not()


class Slurm(cluster_net.Cluster):
    def __init__(self, folder):
        super().__init__(folder)
        try:
            self.begin(self.folder / "slurm")
        except BaseException:
            self.close()
            raise

    def begin(self, place):
        (place / "state").mkdir(parents=True)
        (place / "munge.key").write_bytes(b"k" * 1024)
        (place / "munge.key").chmod(0o400)
        (place / "slurm.conf").write_text(CONF.format(folder=place))
        (place / "topology.conf").write_text(TOPOLOGY)
        self.at_login(f"munged -f --key-file={place}/munge.key"
                      f" --socket={place}/munge.socket --pid-file={place}/munge.pid"
                      f" --seed-file={place}/munge.seed --log-file={place}/munge.log")
        self.at_login("slurmctld")
        # By ssh, so that it has the host's share of a core.
        self.at_login(f"for host in {' '.join(cluster_net.HOSTS)}; do"
                      " ssh $host 'mkdir -p /run/slurmd /run/tmp;"
                      " slurmd -N $(hostname)' & done; wait")
        self.wait("Slurm", ["sinfo", "-h", "-p", "all", "-o", "%T %D"], "idle 8\n")

    def at_login(self, script):
        """Run a script of the shell on the login node."""
        subprocess.run(self.outside(["sh", "-c", script]), check=True,
                       stdin=subprocess.DEVNULL)

    def wait(self, what, words, wanted=None):
        """Until a command on the login node succeeds, and says what is wanted."""
        until = time.monotonic() + 40
        while True:
            tried = subprocess.run(self.outside(words), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True)
            if tried.returncode == 0 and wanted in (None, tried.stdout):
                return
            if time.monotonic() > until:
                raise RuntimeError(f"no {what}: {tried.stdout}")
            time.sleep(0.2)
