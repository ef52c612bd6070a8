# SPDX-License-Identifier: BSD-3-Clause
"""Where the processes ran."""
from . import html
from .html import escape
from .words import NONE, plural, significant, size

DRAWN = 16  # hosts with a picture
FEW = 4  # whose picture need not be asked for
DEVICES = 40  # rows of their table
CELLS = 400  # of the grid of processes
SLOW = 0.95  # of the ceiling a core of the middle host


def kind_of(host):
    """What makes hosts alike."""
    return (
        host["cpu"], host["isa"], host["system"], host["cpus_online"],
        host["numa_nodes"], len(host["ranks"]),
        round((host["memory_bytes"] or 0) / 2**30),
    )


def groups(hosts):
    found = {}
    for host in hosts:
        found.setdefault(kind_of(host), []).append(host)
    return list(found.values())


def spread(values, form):
    """One value, or the least and the largest."""
    known = sorted(v for v in values if v is not None)
    if not known:
        return NONE
    least, most = form(known[0]), form(known[-1])
    return least if least == most else f"{least} to {most}"


def a_core(host):
    ceiling = host["fma_ceiling"]
    return ceiling["gflops"] / ceiling["cores"] if ceiling else None


def names(hosts):
    shown = ", ".join(host["name"] for host in hosts[:3])
    return shown + (f" and {len(hosts) - 3} more" if len(hosts) > 3 else "")


def clocks_of(test):
    """What the best test had of each host's clocks, by name."""
    return {found["host"]: found for found in (test or {}).get("clocks") or []}


def under_load(hosts, clocks):
    """From the slowest core to the fastest, of all readings."""
    found = [clocks[host["name"]] for host in hosts if host["name"] in clocks]
    ends = [c[end] for c in found for end in ("mhz_least", "mhz_most")]
    return spread(ends, lambda mhz: f"{mhz:.0f} MHz")


def group_row(hosts, clocks):
    first = hosts[0]
    return [
        names(hosts), len(hosts), first["cpu"] or NONE, first["isa"],
        first["cpus_online"] or NONE, first["numa_nodes"] or NONE,
        len(first["ranks"]),
        spread([h["memory_bytes"] for h in hosts], size),
        spread([h["cpu_mhz"] for h in hosts], lambda mhz: f"{mhz:.0f} MHz"),
        under_load(hosts, clocks),
        spread([a_core(h) for h in hosts], lambda x: f"{significant(x)} Gflop/s"),
    ]


def table(hosts, test):
    head = [
        "Hosts", "How many", "Processor", "Instructions", "Hardware threads",
        "NUMA node numbers", "Processes each", "Memory", "Clock at the start",
        "Clock under load", "Ceiling per core",
    ]
    clocks = clocks_of(test)
    return html.table(
        "Hosts; those alike share a row", head,
        [group_row(group, clocks) for group in groups(hosts)])


def slow_hosts(hosts):
    """Hosts whose cores reach clearly less than those of the middle one."""
    known = sorted((h for h in hosts if h["fma_ceiling"]), key=a_core)
    if len(known) < 2:
        return []
    middle = a_core(known[len(known) // 2])
    return [
        f"The cores of {h['name']} reached {significant(a_core(h))} Gflop/s each in "
        f"multiply-adds alone before or after the run, those of the middle host "
        f"{significant(middle)}."
        for h in known if a_core(h) < SLOW * middle
    ]


def rank_box(rank):
    many = (
        plural(rank["threads"], "thread") if rank.get("threads")
        else plural(rank["cores"], "core")
    )
    where = rank.get("cpus_taken") or rank["cpus_allowed"] or "unknown"
    on = "on" if rank.get("cpus_taken") else "may use"
    threads = "thread" if where.isdigit() else "threads"
    return (
        f'<li><b>process {rank["rank"]}</b> <span>{many}, {on} hardware {threads} '
        f"{escape(where)}</span></li>"
    )


def picture(hosts):
    """A box for each host, with its processes and their binding."""
    boxes = "".join(
        f'<li class="host"><b>{escape(host["name"])}</b>'
        f'<ul>{"".join(map(rank_box, host["ranks"][:64]))}</ul></li>'
        for host in hosts[:DRAWN]
    )
    left_out = len(hosts) - DRAWN
    note = f" {plural(left_out, 'more host')} not drawn." if left_out > 0 else ""
    drawn = (
        '<p class="note">Processes by host, with the numbers of the hardware threads that '
        f"each computed on, or was allowed to use.{note}</p>"
        f'<ul class="hosts">{boxes}</ul>'
    )
    if len(hosts) <= FEW:
        return drawn
    return (
        '<details class="numbers"><summary>Processes by host</summary>'
        f"{drawn}</details>"
    )


def devices(found):
    """Devices, those alike of each process in a row; nothing without any."""
    many = {}
    for device in found:
        kind = (device["rank"], device["name"], device["model"], device["memory_bytes"])
        many[kind] = many.get(kind, 0) + 1
    if not many:
        return ""
    rows = [
        [rank, name, model, count, size(memory)]
        for (rank, name, model, memory), count in list(many.items())[:DEVICES]
    ]
    left_out = f", the first {DEVICES}" if len(many) > DEVICES else ""
    return html.table(
        f"Devices by process{left_out}",
        ["Process", "Name", "Model", "How many", "Memory"], rows)


def host_numbers(hosts):
    return {
        rank["rank"]: number
        for number, host in enumerate(hosts) for rank in host["ranks"]
    }


def grid(run, name):
    """Which process is where in the P x Q grid; the colour is the host's."""
    test = run.best
    if test is None or not 1 < test["p"] * test["q"] <= CELLS:
        return ""
    of_rank = host_numbers(run.record["hosts"])
    by_column = (run.record["hpl_dat"] or {}).get("pmap") == "column"
    rows = []
    for p in range(test["p"]):
        ranks = [
            p + q * test["p"] if by_column else p * test["q"] + q
            for q in range(test["q"])
        ]
        rows.append("<tr>" + "".join(
            f'<td class="host-{of_rank.get(r, 0) % 6}">{r}</td>' for r in ranks
        ) + "</tr>")
    return (
        f'<p class="note" id="{name}">Grid of {test["p"]} x {test["q"]} processes, by '
        "rank; one colour a host.</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Grid">'
        f'<table class="grid" aria-labelledby="{name}"><tbody>{"".join(rows)}'
        "</tbody></table></div>"
    )
