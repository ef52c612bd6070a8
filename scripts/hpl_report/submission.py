# SPDX-License-Identifier: BSD-3-Clause
"""The fields of a Top500 or Green500 entry: what the record knows, and blanks."""
from .run import clocks_agree, counts
from .words import NBSP, moment, significant, size

BLANK = "[fill in]"


def joined(values):
    """Different values, in order."""
    return "; ".join(dict.fromkeys(v for v in values if v)) or BLANK


def cores_a_socket(host):
    """As the system tells; None if it does not, or sockets differ."""
    machine = host.get("machine") or {}
    sockets, cores = machine.get("sockets"), machine.get("cores")
    if not sockets or not cores or cores % sockets:
        return None
    return str(cores // sockets)


def system(run):
    record = run.record
    hosts = record["hosts"]
    mhz = joined(f"{h['cpu_mhz']:.0f}" for h in hosts if h["cpu_mhz"])
    memory = sum(h["memory_bytes"] or 0 for h in hosts)
    blas = record["blas"] or {}
    library = " ".join(filter(None, (blas.get("name"), blas.get("version"))))
    program = record["program"]
    return [
        ("Site", BLANK),
        ("System name, model", BLANK),
        ("Manufacturer", BLANK),
        ("Year of installation", BLANK),
        ("Segment, application area", BLANK),
        ("Nodes", len(hosts)),
        ("Processor", joined(h["cpu"] for h in hosts)),
        ("Processor clock", f"{BLANK} (read at the start, a diagnostic: {mhz} MHz)"
         if mhz != BLANK else BLANK),
        ("Cores per processor", joined(map(cores_a_socket, hosts))),
        ("Total cores", f"{run.cores} (that the run could use)"
         if run.cores else BLANK),
        ("Accelerators", joined(d["model"] for d in record.get("devices") or ())),
        ("Accelerator cores", BLANK),
        ("Memory", size(memory) if memory else BLANK),
        ("Interconnect", BLANK),
        ("Operating system", joined(h["system"] for h in hosts)),
        ("Compiler", program["compiler"]),
        ("Math library", library or BLANK),
        ("MPI", record["mpi"]["library"].split(", package")[0]),
        ("Linpack program",
         f"{program['name']} {program['version']}, source {program['revision']}"),
    ]


def linpack(run):
    test = run.best
    if test is None or not counts(test) or not clocks_agree(test):
        why = ("this run has no result that passed" if test is None or not counts(test)
               else "the clocks of this restarted run do not agree")
        return [
            ("Rmax, Gflop/s", f"{BLANK} ({why})"),
            ("Nmax", BLANK), ("Nhalf", BLANK), ("Rpeak, Gflop/s", BLANK),
        ]
    return [
        ("Rmax, Gflop/s", f"{test['gflops']:.5g}"),
        ("Nmax", test["n"]),
        ("Nhalf", f"{BLANK} (N at which the rate is half of Rmax)"),
        ("Rpeak, Gflop/s", f"{BLANK} (cores x clock x flop per cycle; the measured "
         "ceiling is not Rpeak)"),
        ("NB, P x Q", f"{test['nb']}, {test['p']} x {test['q']}"),
        ("Seconds", f"{test['seconds']:.2f}"),
        ("Timed phase", f"{moment(test['start'])} to {moment(test['end'])}"),
        ("Scaled residual, status",
         f"{significant(test['residual'], 4)}, {test['status']}"),
    ]


def joules(test):
    """What counters say of the test, all together; None if nothing."""
    energy = (test or {}).get("energy") or {}
    return sum(energy.get(f"{part}_joules") or 0 for part in (
        "package", "dram", "device")) or None


def power(run):
    found = joules(run.best)
    told = (
        f"{found / run.best['seconds']:.1f} W by {run.best['energy']['source']}"
        if found and run.best["seconds"] else "not readable in this run"
    )
    return [
        ("Average power of the run", f"{BLANK} (by a meter that meets the rules)"),
        ("Measurement level, meter", BLANK),
        ("Share of the system measured", BLANK),
        ("Diagnostic, not to be submitted", told),
    ]


def text(run):
    """All fields as lines to copy."""
    lines = []
    for title, pairs in (
        ("System", system(run)),
        ("Linpack (Top500)", linpack(run)),
        ("Power (Green500)", power(run)),
    ):
        lines += [title, *(f"  {name + ':':<33} {value}" for name, value in pairs), ""]
    return "\n".join(lines).replace(NBSP, " ").rstrip()
