# SPDX-License-Identifier: BSD-3-Clause
"""What devices did in a test, those of a model beside each other."""
import statistics

from . import html
from .words import NBSP, NONE, duration, percent, rate, significant

ROWS = 40
SLOW = 0.7  # of the median of the others of its model, as the run's diagnosis has it


def speed(bytes_per_second):
    if bytes_per_second is None:
        return NONE
    return f"{significant(bytes_per_second * 1e-9)}{NBSP}GB/s"


# What is compared, and how it is shown.
MEASURES = {
    "gflops": ("multiplies", rate),
    "up_bytes_per_second": ("is sent to", speed),
    "down_bytes_per_second": ("sends", speed),
}


def of_others(found, device, measure):
    """The median of the others of its model; None where nobody tells."""
    known = [d[measure] for d in found if d is not device
             and d["model"] == device["model"] and d[measure] is not None]
    return statistics.median(known) if known else None


def part(found, device, measure):
    """Of that median."""
    others = of_others(found, device, measure)
    return device[measure] / others if others and device[measure] is not None else None


def named(device):
    return f"{device['name']} of process {device['rank']}"


def slow(test):
    """Devices that are clearly slower than the others, in words, the slowest first."""
    found = test.get("devices") or []
    parts = [(part(found, device, measure), device, measure)
             for device in found for measure in MEASURES]
    worst = sorted((p for p in parts if p[0] is not None and p[0] < SLOW),
                   key=lambda p: p[0])
    return [f"device {named(device)} {MEASURES[measure][0]} at {percent(share)} of the "
            f"rate of the others" for share, device, measure in worst]


def number(value, unit):
    return NONE if value is None else f"{value:.0f}{NBSP}{unit}"


def link_wait(test, device):
    """How long it only copied over its link, and which part of the test that is."""
    seconds = device["link_wait_seconds"]
    if seconds is None:
        return NONE
    return duration(seconds) + (
        f" ({percent(seconds / test['seconds'])})" if test.get("seconds") else "")


def table(test):
    """The slowest at products first; nothing without any."""
    found = test.get("devices") if test else None
    if not found:
        return ""
    clocks = {(c["rank"], c["name"]): c for c in test.get("device_clocks") or []}
    rows = []
    for device in sorted(found, key=lambda d: d["gflops"] or 0)[:ROWS]:
        during = clocks.get((device["rank"], device["name"]), {})
        shares = [part(found, device, measure) for measure in MEASURES]
        cells = [form(device[measure]) + (f" ({percent(share)})" if share else "")
                 for share, (measure, (_, form)) in zip(shares, MEASURES.items())]
        rows.append([named(device), device["model"], *cells, link_wait(test, device),
                     number(during.get("mhz_mean", device["mhz"]), "MHz"),
                     number(during.get("temperature_celsius", device["celsius"]), "C"),
                     number(during.get("power_watts"), "W")])
    left_out = f", the slowest {ROWS} of {len(found)}" if len(found) > ROWS else ""
    legend = "; in brackets the part of what the others of the model reach" * any(
        "(" in str(cell) for row in rows for cell in row[2:])
    return html.table(
        f"Devices in the best test{left_out}{legend}",
        ["Device", "Model", "Products", "Link to it", "Link from it",
         "Waits for the link", "Clock", "Temperature",
         "Power"], rows)
