# SPDX-License-Identifier: BSD-3-Clause
"""Watches the hottest sensor of a node, or its power, and ends when that is too much.

This file goes to a node as it is, by `python3 -`:

    sensors.py CEILING SECONDS    such as 95C 5, or 450W 5

looks every so many seconds, until who started it is gone. Exit status 3: above it,
which a line on stdout says; 4: there is nothing to look at. Temperatures are those of
hwmon and of NVIDIA's devices; power is what RAPL counts of the processors and what
these devices draw.
"""
import glob
import os
import subprocess
import sys
import time

SYS = os.environ.get("HPL_CAMPAIGN_SYS", "/sys")
ABOVE, NOTHING = 3, 4


def number(path):
    """The number in a file, None without."""
    try:
        with open(path) as file:
            return float(file.read())
    except (OSError, ValueError):
        return None


def numbers(pattern):
    found = [number(path) for path in sorted(glob.glob(SYS + pattern))]
    return [value for value in found if value is not None]


def devices(name):
    """What nvidia-smi says of each device."""
    try:
        said = subprocess.run(
            ["nvidia-smi", f"--query-gpu={name}", "--format=csv,noheader,nounits"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20,
            stdin=subprocess.DEVNULL, universal_newlines=True).stdout
        return [float(line) for line in said.split()]
    except (OSError, ValueError, subprocess.SubprocessError):
        return []


def celsius():
    """Of the hottest sensor. What is above 150 is none."""
    found = [value / 1000 for value in numbers("/class/hwmon/hwmon*/temp*_input")]
    return max([value for value in found if value < 150] + devices("temperature.gpu"),
               default=None)


def joules():
    """What the processors' packages have counted; they begin again now and then."""
    found = numbers("/class/powercap/intel-rapl:[0-9]/energy_uj")
    return sum(found) / 1e6 if found else None


class Watts:
    """The mean power since the last look."""

    def __init__(self):
        self.last = (time.monotonic(), joules())

    def __call__(self):
        before, self.last = self.last, (time.monotonic(), joules())
        drawn = devices("power.draw")
        if self.last[1] is None:
            return sum(drawn) if drawn else None
        power = (self.last[1] - before[1]) / max(1e-9, self.last[0] - before[0])
        return max(0.0, power) + sum(drawn)


def main(ceiling, seconds):
    limit, unit = float(ceiling[:-1]), ceiling[-1]
    value = celsius if unit == "C" else Watts()
    parent = os.getppid()
    while True:
        time.sleep(float(seconds))
        if os.getppid() != parent:
            return 0
        found = value()
        if found is None:
            return NOTHING
        if found > limit:
            print(f"{found:.0f} {unit}, more than {limit:g} {unit}")
            return ABOVE


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
