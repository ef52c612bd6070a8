# SPDX-License-Identifier: BSD-3-Clause
"""What tortures say of cores and devices: which are throttled, slow or hot beside others
of their model, on any host."""
from statistics import median

from hpl_report.foreign import TEXT, Maybe, Refused, check, number, parsed, within
from hpl_report.words import NBSP, percent, plural, rate

from .compare import FEW

LEAST = 3  # of a model: with fewer there is no median to compare with
BEHIND = 0.05  # below the median rate of its model: an executor is slow
COOL = 0.97  # of the median clock: what is slow and below is throttled
HOT = 10.0  # degrees above the median of the highest temperatures

HOST = "host"  # the name of the cores, which other programs may have used
RATE, TEMPERATURE = Maybe(within()), Maybe(within(-300.0, 1e4))
READING = {"most": TEMPERATURE, "end": TEMPERATURE}

# The record of a torture.
SHAPE = {
    "machine": {"processor": TEXT,
                "devices": [{"executor": TEXT, "name": TEXT, "serial": TEXT}]},
    "torture": {"executors": [{
        "executor": TEXT, "end_rate": RATE, "kept": RATE, "temperature": READING,
        "clock": {"end": RATE}, "power": {"end": RATE}}]},
}

# What a campaign keeps of an executor.
EXECUTOR = {"executor": TEXT, "model": TEXT, "serial": TEXT, "gflops": RATE, "kept": RATE,
            "mhz": RATE, "celsius": TEMPERATURE, "watts": RATE}


def scaled(value, unit):
    return None if value is None else number(value) / unit


def of_record(text):
    """The executors of a torture, by its record; None if that cannot be read."""
    try:
        record = parsed(text.encode())
        check(record, SHAPE)
    except Refused:
        return None
    devices = {device["executor"]: device for device in record["machine"]["devices"]}
    cores = {"name": record["machine"]["processor"], "serial": ""}
    found = []
    for executor in record["torture"]["executors"]:
        device = devices.get(executor["executor"], cores)
        found.append({
            "executor": executor["executor"], "model": device["name"],
            "serial": device["serial"], "gflops": scaled(executor["end_rate"], 1e9),
            "kept": executor["kept"], "mhz": scaled(executor["clock"]["end"], 1e6),
            "celsius": executor["temperature"]["most"],
            "watts": executor["power"]["end"]})
    return found


def last_tortures(runs):
    """{host: its last torture that ended well}"""
    return {run["hosts"][0]: run for run in runs
            if run.get("torture") and run["outcome"] == "ok"}


def by_model(tortures):
    """For each model, [(host, run, executor)]; cores are no model of a device."""
    found = {}
    for host, run in tortures.items():
        for executor in run["torture"]:
            key = executor["model"], executor["executor"] == HOST
            found.setdefault(key, []).append((host, run["run"], executor))
    return found.values()


def middle(members, name):
    """The median of what is known; None if too few are."""
    known = [executor[name] for _, _, executor in members if executor[name] is not None]
    return median(known) if len(known) >= LEAST else None


def called(executor):
    """A device with model and serial number, or the cores."""
    if executor["executor"] == HOST:
        return f"its cores ({executor['model']})"
    serial = f", serial number {executor['serial']}" if executor["serial"] else ""
    return f"{executor['executor']} ({executor['model']}{serial})"


def is_below(value, usual, part):
    return value is not None and usual is not None and value < (1 - part) * usual


def is_hot(executor, usual):
    return executor["celsius"] is not None and usual["celsius"] is not None \
        and executor["celsius"] >= usual["celsius"] + HOT


def is_throttled(executor, usual):
    """Whether it is slow by its clock, or was faster before."""
    return is_below(executor["mhz"], usual["mhz"], 1 - COOL) \
        or is_below(executor["kept"], usual["kept"], BEHIND)


def beside(executor, usual):
    """All figures, each with the median of the model."""
    forms = (("gflops", "rate", rate), ("kept", "kept", percent),
             ("mhz", "clock", lambda x: f"{x:.0f} MHz"),
             ("celsius", "temperature", lambda x: f"{x:.0f} C"),
             ("watts", "power", lambda x: f"{x:.0f} W"))
    return "; ".join(f"{what} {form(executor[name])}, median {form(usual[name])}"
                     for name, what, form in forms
                     if executor[name] is not None and usual[name] is not None)


def judged(executor, usual, count):
    """Class and text of what is off in an executor; None if nothing is."""
    who, hot = called(executor), is_hot(executor, usual)
    if is_below(executor["gflops"], usual["gflops"], BEHIND):
        gap = percent(1 - executor["gflops"] / usual["gflops"])
        throttled = is_throttled(executor, usual)
        look = ("look at its cooling and its power" if throttled or hot else
                "look at its memory, its power cap and other programs")
        return ("hot" if throttled else "slow",
                f"{'throttled' if throttled else 'slow'}: {who} ended its torture {gap} "
                f"below the median of {plural(count, 'executor')} of its model"
                f"{', and is hot' * hot}; {look}")
    if hot:
        return "ok", (f"hot: {who} reached {executor['celsius']:.0f} C, "
                      f"{executor['celsius'] - usual['celsius']:.0f} C more than the median "
                      f"of {plural(count, 'executor')} of its model, and kept its rate")
    return None


def reasons(runs):
    """[(host, class, text, id of the run, whether it is certain, detail)]"""
    found = []
    for members in by_model(last_tortures(runs)):
        usual = {name: middle(members, name)
                 for name in ("gflops", "kept", "mhz", "celsius", "watts")}
        for host, run, executor in members:
            klass, text = judged(executor, usual, len(members)) or (None, None)
            if klass:
                certain = (klass != "ok" and len(members) >= FEW
                           and executor["executor"] != HOST)
                found.append((host, klass, text.replace(NBSP, " "), run, certain,
                              beside(executor, usual)))
    return found
