# SPDX-License-Identifier: BSD-3-Clause
"""Processes that a run left: found by a word in their environment, and ended.

As a program, sent to another host: python3 - MARK.
"""
import glob
import os
import signal
import sys
import time

MARK = "HPL_CAMPAIGN_RUN"  # the folder of the run that a process belongs to
HOSTS = "HPL_CAMPAIGN_HOSTS"  # the hosts of this run, with commas between; not of too many


def marked(mark):
    """Ids of the processes of a run in the folder mark, or in one below it."""
    wanted = f"\0{MARK}={mark}".encode()
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                variables = b"\0" + file.read() + b"\0"
        except OSError:
            continue
        if wanted + b"\0" in variables or wanted + b"/" in variables:
            found.append(int(name))
    return found


def send(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            pass


def end(mark, grace=2.0):
    """End these processes, first politely, then not. Stopped ones go on first, as
    else they would not hear. Returns when none is left, or after ten seconds."""
    began = time.monotonic()
    left = marked(mark)
    send(left, signal.SIGTERM)
    send(left, signal.SIGCONT)
    while left and time.monotonic() - began < 10:
        time.sleep(0.02)
        left = marked(mark)
        if time.monotonic() - began > grace:
            send(left, signal.SIGKILL)
    return not left


def end_children():
    """Kill what this process has started, with all of its sessions."""
    found = []
    for path in glob.glob("/proc/self/task/*/children"):
        with open(path) as file:
            found += map(int, file.read().split())
    for child in found:
        try:
            os.killpg(child, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


if __name__ == "__main__":
    sys.exit(not end(sys.argv[1]))
