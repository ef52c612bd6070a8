# SPDX-License-Identifier: BSD-3-Clause
"""What --trace and --iterations write, made up from a simple model of a run.

Not measured, and not exact: a run whose devices and threads take times of the
right order, so that pictures of it can be looked at and tested.
"""
import csv
import json
import random

DEVICE_RATE, HOST_RATE, PANEL_RATE, MEMORY_RATE = 1.5e12, 5e11, 9e10, 2e10
THREADS = 4
DEVICES_MOST = 8
LINE = (
    "rank run n nb p q iteration mode reason columns_left panel_threads begin "
    "seconds gflops share_used share_measured panel broadcast exchange swap "
    "solve update_host wait_panel wait_exchange wait_device"
).split() + [
    f"{name}_{d}" for name in ("update_device", "device_wait")
    for d in range(DEVICES_MOST)
]


class Simulation:
    """One process's rows and events."""

    def __init__(self, rank, devices, n, nb, ranks):
        self.noise = random.Random(rank)
        self.rank, self.devices, self.n, self.nb = rank, devices, n, nb
        self.ranks, self.now = ranks, 0.25
        self.share = 0.8 if devices else None
        self.rows, self.events = [], []

    def about(self, seconds):
        return seconds * self.noise.uniform(0.9, 1.1)

    def name(self, actor, name):
        self.events.append(
            {"name": "thread_name", "ph": "M", "pid": self.rank, "tid": actor,
             "args": {"name": name}}
        )

    def span(self, actor, name, k, begin, seconds):
        self.events.append(
            {"name": name, "ph": "X", "pid": self.rank, "tid": actor,
             "ts": round(1e6 * begin, 3), "dur": round(1e6 * seconds, 3),
             "args": {"iteration": k}}
        )
        return begin + seconds

    def device_work(self, k, begin, seconds):
        """Device d's copies and products; how long each computed."""
        times = []
        for d in range(self.devices):
            total = self.about(seconds)
            at = self.span(THREADS + d, "copy in", k, begin, 0.03 * total)
            for _ in range(4):
                at = self.span(THREADS + d, "gemm", k, at, 0.2375 * total)
                at += 0.004 * total
            times.append(0.95 * total)
        return times

    def host_work(self, k, times, update):
        """Thread 0 does one thing after the other, the others help."""
        at = self.now
        for name in ("exchange", "swap", "solve", "panel", "broadcast"):
            at = self.span(0, name, k, at, times[name])
        at = self.span(0, "update", k, at, update)
        for thread in range(1, THREADS):
            helped = self.now + times["exchange"]
            helped = self.span(thread, "swap", k, helped, times["swap"])
            helped = self.span(thread, "solve", k, helped, times["solve"])
            if thread == 1:
                helped = self.span(thread, "panel", k, helped, times["panel"])
            self.span(thread, "update", k, helped, max(0, at - helped))
        return at

    def row_times(self, left):
        rows = left * self.nb * 8 / MEMORY_RATE / THREADS
        return {
            "panel": self.about(left * self.nb**2 / PANEL_RATE / self.ranks),
            "broadcast": self.about(rows / 4 if self.ranks > 1 else 0),
            "exchange": self.about(rows if self.ranks > 1 else 0),
            "swap": self.about(2 * rows),
            "solve": self.about(left * self.nb**2 / HOST_RATE),
        }

    def balanced(self, flop, before):
        """The share with which devices and host end together, about."""
        rate = self.devices * DEVICE_RATE
        time = (flop + HOST_RATE * before) / (rate + HOST_RATE)
        return min(1.0, self.about(rate * time / flop) ** 0.9)

    def iterate(self, k):
        left = self.n - (k + 1) * self.nb
        mode = 2 if k % 50 != 49 and left > self.n / 5 else 1
        flop = 2.0 * left * left * self.nb / self.ranks
        times = self.row_times(left)
        share = self.share or 0.0
        before = sum(times.values())
        hidden = 0.15 * before if mode == 2 else 0.5 * before
        dev = self.about(share * flop / DEVICE_RATE / max(1, self.devices))
        computed = self.device_work(k, self.now + hidden, dev)
        end = self.host_work(k, times, (1 - share) * flop / HOST_RATE)
        wait = max(0.0, self.now + hidden + dev - end)
        end = self.span(0, "wait for devices", k, end, wait) if wait else end
        measured = None
        if self.devices:
            measured = self.balanced(flop, before)
            self.share = (self.share + measured) / 2
        self.rows.append(
            {"rank": self.rank, "run": 0, "n": self.n, "nb": self.nb,
             "p": 1, "q": self.ranks, "iteration": k, "mode": mode,
             "reason": "measured, k = %d" % k, "columns_left": left,
             "panel_threads": 2, "begin": self.now, "seconds": end - self.now,
             "gflops": flop / (end - self.now) * 1e-9, "share_used": share
             if self.devices else None, "share_measured": measured, **times,
             "update_host": (1 - share) * flop / HOST_RATE, "wait_panel": 0,
             "wait_exchange": times["exchange"] / 3, "wait_device": wait,
             **{f"update_device_{d}": t for d, t in enumerate(computed)},
             **{f"device_wait_{d}": hidden for d in range(len(computed))}}
        )
        self.now = end


def simulate(rank=0, devices=0, n=40000, nb=512, ranks=1):
    """The rows and the events of one process."""
    run = Simulation(rank, devices, n, nb, ranks)
    for thread in range(THREADS):
        run.name(thread, f"thread {thread}")
    for device in range(devices):
        run.name(THREADS + device, f"device {device}")
    for k in range((n - 1) // nb):
        run.iterate(k)
    return run.rows, run.events


def write(folder, runs):
    """The files of a job whose processes are runs; their paths."""
    trace, iterations = folder / "trace.json", folder / "iterations.csv"
    events = [event for _, events in runs for event in events]
    trace.write_text(json.dumps({"traceEvents": events}))
    with open(iterations, "w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, LINE, lineterminator="\n")
        writer.writeheader()
        for rows, _ in runs:
            writer.writerows(rows)
    return trace, iterations
