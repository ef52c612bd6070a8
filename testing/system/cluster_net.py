# SPDX-License-Identifier: BSD-3-Clause
"""A cluster on this machine: hosts in namespaces of their own.

A host has its own name, network with an address, processes, mounts, and a part of
a core that it cannot exceed; an sshd is its first process. A login node, in
namespaces too, bridges their links and holds them all: when it ends, the kernel
ends every process in it and drops all networks and mounts. It ends when the pipe
that holds it closes, also if the tests are killed.

This file is also the login node's first process: cluster_net.py FOLDER HOSTS.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import cluster_share  # noqa: E402
import jobs  # noqa: E402

HOSTS = [f"n{i:02}" for i in range(1, 9)]
NEW = ["--net", "--mount", "--uts", "--pid", "--ipc"]  # namespaces of each host
UNSHARE = ["unshare", *NEW, "--fork", "--mount-proc", "--kill-child"]
NETWORK = "10.77.0"
SSHD = """\
HostKey {folder}/key
AuthorizedKeysFile {folder}/key.pub
PermitRootLogin yes
StrictModes no
UsePAM no
PidFile none
MaxStartups 100
"""
SSH = """\
IdentityFile {folder}/key
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
ConnectTimeout 5
"""


def why_not():
    """Why there can be no such cluster here; None if there can."""
    if os.geteuid() != 0:
        return "namespaces with networks need root"
    for name in ("unshare", "nsenter", "ip", "sshd", "ssh-keygen", "mpirun"):
        if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin"):
            return f"{name} is not installed"
    tried = subprocess.run([*UNSHARE, "sh", "-c", "ip link add b0 type bridge && "
                            "ip link add v0 type veth peer name v1 && "
                            "mount -t tmpfs none /run"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           stdin=subprocess.DEVNULL, text=True)
    if tried.returncode:
        return f"no namespaces with networks: {tried.stdout.strip()}"
    return cluster_share.why_not()


# ---- seen from the tests ------------------------------------------------------------


class Cluster:
    """A running cluster; end it with close().

    folder  where keys are, and what tests leave; the same on all hosts
    count   hosts that there are, of HOSTS
    """

    def __init__(self, folder, count=len(HOSTS)):
        self.folder = Path(folder)
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "key"]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
        self.login = subprocess.Popen(
            [*UNSHARE, sys.executable, __file__, str(folder), str(count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=jobs.environment(), start_new_session=True)
        said = self.login.stdout.readline()
        if said != "ready\n":
            self.close()
            raise RuntimeError(f"no cluster: {said}")
        self.inits = {host: int((self.folder / f"{host}.pid").read_text())
                      for host in HOSTS[:count]}

    def close(self):
        self.login.stdin.close()
        self.login.wait(30)
        self.login.stdout.close()

    def outside(self, words, host=None):
        """The command line that runs words on the login node, or on a host."""
        inner = [] if host is None else [
            "nsenter", "-t", str(self.inits[host]), "-m", "-u", "-i", "-n", "-p", "--"]
        (child,) = (Path(f"/proc/{self.login.pid}/task/{self.login.pid}/children")
                    .read_text().split())
        return ["nsenter", "-t", child, "-m", "-u", "-i", "-n", "-p", "--",
                *inner, *map(str, words)]

    def on(self, host, script):
        """Run a script of the shell on a host, None: the login node, to its end."""
        return subprocess.run(self.outside(["sh", "-ec", script], host), check=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              text=True).stdout

    def start(self, host, script):
        """Start a script of the shell there, which stays until the cluster ends."""
        return subprocess.Popen(self.outside(["sh", "-c", script], host),
                                stdin=subprocess.DEVNULL, start_new_session=True)


def clusters(tmp_path, kind=Cluster):
    """For a fixture: a function that starts a cluster of this class, each time a new
    one; the last one is gone when the test ends."""
    running = []

    def start():
        while running:
            running.pop().close()
        folder = tmp_path / f"cluster{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        running.append(kind(folder))
        return running[0]

    yield start
    while running:
        running.pop().close()


def result(folder, outcome):
    """The campaign.json in folder of a campaign with this outcome."""
    path = Path(folder, "campaign.json")
    assert path.exists(), str(outcome)
    return json.loads(path.read_text())


def classes(found):
    """Those of hosts that are not ok."""
    return {host["name"]: host["class"] for host in found["hosts"] if host["class"] != "ok"}


# ---- the login node --------------------------------------------------------------------


def run(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def own_etc(folder, name):
    """An /etc that belongs to this host, with names and keys of the cluster."""
    top = Path("/run")
    run("mount", "-t", "tmpfs", "none", str(top))
    for part in ("sshd", "upper", "work"):
        (top / part).mkdir(mode=0o755)
    run("mount", "-t", "overlay", "none", "-o",
        "lowerdir=/etc,upperdir=/run/upper,workdir=/run/work", "/etc")
    lines = [f"{NETWORK}.{i + 1} {host}" for i, host in enumerate(HOSTS)]
    Path("/etc/hosts").write_text(
        "\n".join(["127.0.0.1 localhost", f"{NETWORK}.100 login", *lines, ""]))
    Path("/etc/ssh/ssh_config").write_text(SSH.format(folder=folder))
    run("rm", "-rf", "/etc/slurm")
    Path("/etc/slurm").symlink_to(Path(folder, "slurm"))
    run("hostname", name)
    run("ip", "link", "set", "lo", "up")


def address(device, number):
    run("ip", "addr", "add", f"{NETWORK}.{number}/24", "dev", device)
    run("ip", "link", "set", device, "up")


def be_host(folder, name):
    """The first process of a host: becomes its sshd."""
    own_etc(folder, name)
    while not os.path.exists("/proc/sys/net/ipv4/conf/eth0"):
        time.sleep(0.01)
    address("eth0", HOSTS.index(name) + 1)
    Path("/run/sshd_config").write_text(SSHD.format(folder=folder))
    os.execv("/usr/sbin/sshd", ["/usr/sbin/sshd", "-D", "-f", "/run/sshd_config"])


def add_host(folder, name, share):
    """Start a host and link it to the bridge; the id of its first process."""
    job = subprocess.Popen([*UNSHARE, sys.executable, __file__, folder, name],
                           stdin=subprocess.DEVNULL, stdout=sys.stderr,
                           preexec_fn=lambda: share.enter(name))
    children = Path(f"/proc/{job.pid}/task/{job.pid}/children")
    while not children.read_text().strip():
        time.sleep(0.01)
    run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns",
        str(job.pid))
    run("ip", "link", "set", name, "master", "br0", "up")
    return int(children.read_text())


def answers(name):
    """Whether a host's sshd listens."""
    words = ["ssh-keyscan", "-T", "1", name]
    return subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdout=subprocess.PIPE).stdout != b""


def be_login(folder, hosts):
    own_etc(folder, "login")
    run("ip", "link", "add", "br0", "type", "bridge")
    address("br0", 100)
    share = cluster_share.Share(hosts)
    try:
        for name in hosts:
            init = add_host(folder, name, share)
            Path(folder, f"{name}.pid").write_text(str(init))
        until = time.monotonic() + 120
        while not all(map(answers, hosts)) and time.monotonic() < until:
            time.sleep(0.05)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for orphans
        print("ready", flush=True)
        sys.stdin.read()
    finally:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.kill(-1, signal.SIGKILL)
        share.remove()


if __name__ == "__main__":
    place, what = sys.argv[1:]
    if what.isdigit():
        be_login(place, HOSTS[:int(what)])
    else:
        be_host(place, what)
