#!/usr/bin/python3 -IS
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what xhpl writes, and behaves as the hosts of its run are told to.

FAKE_XHPL is a JSON object: "seconds" of a run, and for a host how it behaves:
a factor of its speed, or one of "die", "crash", "hang", "deaf", "mute",
"wrong", "refuse", "babble". "company" has the same for runs of several hosts. In the folder FAKE_LOCKS a
run locks its hosts, and dies if another has one.
"""
import fcntl
import json
import os
import signal
import sys
import time

TOLD = json.loads(os.environ.get("FAKE_XHPL", "{}"))
HOSTS = os.environ.get("HPL_CAMPAIGN_HOSTS", "here").split(",")
if len(HOSTS) > 1:
    TOLD.update(TOLD.get("company", {}))
LOCKS = []
RATE = 100.0  # Gflop/s of a host

ROW = """\
HPLinpack 2.3  --  a fake
WR21R2C8  {n:10d} {nb:5d} {p:5d} {q:5d} {seconds:18.2f} {gflops:22.4e}
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.16851259e-03 ...... {check}
End of Tests."""


def option(name):
    return int(sys.argv[sys.argv.index(name) + 1])


def say(text):
    print(f"xhpl: {text}", file=sys.stderr, flush=True)


def plan():
    print("         N    NB     P     Q DEPTH BCAST      seconds      Gflop/s"
          "  GiB/process\n      9600   192     1     1     2     1          5.9"
          f"        {RATE}        0.687")


def lock():
    """Take the hosts. Children have the locks, too."""
    for host in HOSTS if "FAKE_LOCKS" in os.environ else []:
        file = open(os.path.join(os.environ["FAKE_LOCKS"], f"{host}.lock"), "w")
        os.set_inheritable(file.fileno(), True)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"error: rank 0 on here: {host} is in use")
            sys.exit(3)
        LOCKS.append(file)


def misbehave(how):
    """At half of the run."""
    if how == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
            os.execvp("sleep", ["sleep", "3600"])
        time.sleep(3600)
    if how == "die":
        say("error: rank 0 on here: it dies")
        sys.exit(3)
    if how == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "hang":
        say("warning: rank 0 on here: no progress for 1 s, iteration 3 of 9")
        time.sleep(3600)


def solve(told):
    n, p, q = option("-n"), option("-p"), option("-q")
    speeds = [told.get(host, 1.0) for host in HOSTS]
    faults = [speed for speed in speeds if isinstance(speed, str)]
    slowest = min([1.0] + [speed for speed in speeds if speed not in faults])
    seconds = TOLD.get("seconds", 0.05) / slowest
    if "mute" in faults:
        time.sleep(3600)
    say("solver: a fake")
    lock()
    if "refuse" in faults:
        say("error: rank 0 on here: N needs 9 GiB of node here, which has 1 available")
        sys.exit(2)
    for share in (0.25, 0.5, 0.75, 1.0):
        time.sleep(seconds / 4)
        say(f"progress: {100 * share:.1f}% done, 9 columns, 0:00 left, 99 Gflops, "
            f"mean {RATE * slowest * len(HOSTS):g}")
        if share == 0.5:
            for how in faults:
                misbehave(how)
    gflops = RATE * slowest * len(HOSTS) * (0.95 if len(HOSTS) > 1 else 1.0)
    check = "FAILED" if "wrong" in faults else "PASSED"
    row = ROW.format(n=n, nb=option("--nb"), p=p, q=q, check=check, gflops=gflops,
                     seconds=2 / 3 * n**3 / gflops / 1e9)
    if "babble" in faults:
        say("error: \x1b[2J\x1b]0;title\x07")
        row = row.replace(f"{gflops:.4e}", "nan\x1b[31m")
    print(row)
    with open("record.json", "w") as record:
        record.write("{}")
    sys.exit(check == "FAILED")


if "--plan" in sys.argv:
    plan()
else:
    solve(TOLD)
