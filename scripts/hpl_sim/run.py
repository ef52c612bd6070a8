# SPDX-License-Identifier: BSD-3-Clause
"""One simulation."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

from hpl_sim import platform

ROOT = Path(__file__).resolve().parents[2]
XHPL = ROOT / "build/sim/xhpl"

# Computing takes no time but the model's, messages take the platform's: SMPI's own
# factors are those of other networks.
CONFIGURATION = {
    "smpi/simulate-computation": "no",
    "smpi/privatization": "dlopen",
    "smpi/shared-malloc": "global",
    "smpi/test": "0",
    "smpi/iprobe": "0",
    "smpi/grow-injected-times": "no",
    "smpi/host-speed": "1Gf",
    "smpi/bw-factor": "0:1",
    "smpi/lat-factor": "0:1",
    "smpi/send-is-detached-thresh": "8192",
    "smpi/coll-selector": "ompi",
    "smpi/bcast": "binomial_tree",
    "network/crosstraffic": "no",
}
OF_XHPL = ["--threshold", "-1", "--set", "diagnosis=off", "--set", "progress=off"]
OF_XHPL += ["--set", "watchdog=0", "--set", "devices=none", "--set", "trust=off"]


class Failed(Exception):
    """The simulation did not come to its end."""


def numbers(path):
    """The simulated xhpl's own report: a name and a number in each line."""
    with open(path, encoding="ascii") as file:
        return {name: float(value) for name, value in map(str.split, file)}


def command(folder, options, words):
    """smpirun's, and what it reads in folder."""
    ranks = options.nodes * options.ranks_per_node
    topology = Path(options.topology)
    if options.topology in platform.TOPOLOGIES:
        topology = folder / "platform.xml"
        topology.write_text(
            platform.text(
                options.topology,
                options.nodes,
                options.cores or options.ranks_per_node,
                options.link,
                options.latency,
                options.slow_link,
            )
        )
    hosts = folder / "hosts"
    hosts.write_text(platform.hostfile(options.nodes, options.ranks_per_node))
    line = ["smpirun", "-np", str(ranks), "-platform", str(topology.resolve())]
    line += ["-hostfile", str(hosts), "--log=root.thresh:warning"]
    line += [f"--cfg={name}:{value}" for name, value in CONFIGURATION.items()]
    line += [f"--cfg={word}" for word in options.cfg]
    return [*line, str(XHPL), *OF_XHPL, *words]


def rates_file(folder, options):
    """What each process reaches: --rates has a part for each node."""
    path = folder / "rates"
    path.write_text(
        "".join(
            f"{parts[i % len(parts)]:.9g}\n"
            for parts in options.rates
            for i in range(options.ranks_per_node)
        )
    )
    return {"SIM_RATES": str(path)}


def simulate(options, model, words):
    """Seconds of the run (None: panels alone) and the report of its end."""
    with tempfile.TemporaryDirectory(prefix="xhpl-sim-") as name:
        folder = Path(name)
        report = folder / "report"
        environment = dict(
            os.environ,
            SIM_MODEL=" ".join(f"{key}={value:.12g}" for key, value in model.items()),
            SIM_REPORT=str(report),
            TMPDIR=str(folder),  # a copy of the program for each process
            HWLOC_SYNTHETIC=f"numa:1 core:{options.ranks_per_node} pu:1",
            **rates_file(folder, options),
        )
        done = subprocess.run(
            command(folder, options, words),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if not report.exists() or done.returncode != 0:
            raise Failed(done.stdout)
        found = re.search(r"processes: ([0-9.e+-]+) seconds", done.stdout)
        return float(found.group(1)) if found else None, numbers(report)
