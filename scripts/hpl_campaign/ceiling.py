# SPDX-License-Identifier: BSD-3-Clause
"""Ends a load whose node is too hot or draws too much: sensors.py on each of its
hosts, which ends when that is so."""
import resource
import subprocess
from pathlib import Path

from hpl_report.foreign import shown

from . import sensors

PROGRAM = Path(sensors.__file__)
SECONDS = 2.0  # between two looks
SAID = 100  # letters of what a node says of itself


class Ceiling:
    """A ceiling such as 95C or 450W for all runs that a launcher starts."""

    def __init__(self, text, launcher, seconds=SECONDS):
        self.words = ["python3", "-", text, str(seconds)]
        self.launcher = launcher
        self.watches = {}  # id of a run: {host: process}
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]  # a pipe a host
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    def begin(self, run):
        """Watch its hosts. OSError: not all of them can be."""
        watches = self.watches[run.id] = {}
        for host in run.hosts:
            watches[host] = self.watch(host)

    def watch(self, host):
        with PROGRAM.open() as program:
            return subprocess.Popen(
                self.launcher.remote(host, self.words), stdin=program,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                universal_newlines=True, errors="replace", start_new_session=True)

    def above(self, run):
        """Why a run has to end; None while it may go on."""
        for host, watch in self.watches.get(run.id, {}).items():
            if watch.poll() == sensors.ABOVE:
                said = shown(watch.stdout.readline(SAID).strip())
                return f"it was ended: {host} is at {said}"
        return None

    def end(self, run):
        for watch in self.watches.pop(run.id, {}).values():
            if watch.poll() is None:
                watch.terminate()
            watch.wait()
            watch.stdout.close()
