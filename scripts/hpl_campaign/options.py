# SPDX-License-Identifier: BSD-3-Clause
"""The options of xhpl-campaign."""
import argparse
import os
import shlex

from hpl_report import foreign
from hpl_report.foreign import COUNT, number

from . import blame, drain, launch
from .run import STAGES
from .state import CEILING, COMMAND, MEMORY, MORE_THAN_0, PART, SOME, WORDS

EPILOG = """\
  xhpl-campaign plan --partition compute
  xhpl-campaign run --partition compute -C /shared/acceptance
  xhpl-campaign run --hosts "n[01-64]" --racks racks.txt --seconds 60
  xhpl-campaign retest -C /shared/acceptance --hosts n07 --yes

The same command continues a campaign that was interrupted; so does
"xhpl-campaign run -C DIR". Exit status: 0 every node is ok, 1 a node is not,
2 bad input, 128 plus its number if a signal ended the campaign, which can continue.
docs/CAMPAIGN.md explains stages, classes and files.
"""


# ---- values --------------------------------------------------------------------


def fitting(shape, read=str):
    """A function that takes a text of such a shape."""
    def take(text):
        value = read(text)
        if not shape.fits(value):
            raise argparse.ArgumentTypeError(f"{text!r} is not {shape.called}")
        return value
    return take


positive = fitting(MORE_THAN_0, number)
count = fitting(SOME, foreign.whole)
whole = fitting(COUNT, foreign.whole)
ceiling = fitting(CEILING)
memory = fitting(MEMORY)
line = fitting(WORDS)
command = fitting(COMMAND)


def rounds(text):
    return {"log2": None, "all": 10**9}[text] if text in ("log2", "all") else count(text)


def stage_names(text):
    found = text.split(",")
    for name in found:
        if name not in STAGES:
            raise argparse.ArgumentTypeError(
                f"{name!r} is not a stage; the stages are {', '.join(STAGES)}")
    return [name for name in STAGES if name in found]


def program(text):
    """Words whose first is a program. Runs start in other folders."""
    words = shlex.split(command(text))
    if "/" in words[0]:
        words[0] = os.path.abspath(words[0])
    return launch.joined(words)


# What a campaign keeps. Of these some may change when it goes on, as all of FREE may.
DEFAULTS = {
    "launcher": None, "stages": list(STAGES), "seconds": 600.0, "short": 60.0,
    "full": False, "memory": "80%", "rate": None, "nb": None, "ranks_per_node": 1,
    "repeats": 1, "rounds": None, "leave_out": False, "weights": "auto", "retries": 8,
    "bound": 3.0, "grace": 60.0, "silence": 120.0, "ramp": 0.0, "torture": None,
    "ceiling": None, "xhpl": None, "xdgemm": None, "xhpl_options": "",
    "slow": blame.SLOW, "chance": blame.CHANCE, "drain_command": drain.COMMAND,
    "retest": [],  # nodes: the campaign is a second test of them
}
MAY_CHANGE = {"retries", "bound", "grace", "silence", "ramp", "ceiling", "slow", "chance",
              "drain_command"}
FREE = {"slots": None, "ssh": None, "mpirun": None, "slurm": None,
        "partition": None, "reservation": None, "compare": [], "yes": False}


def shape_options(group):
    """Options of what runs and how large it is."""
    add = group.add_argument
    add("--stages", type=stage_names, metavar="LIST",
        help="stages to run, of inventory,single,pairs,groups,all (default: all of "
        "these)")
    add("--seconds", type=positive, metavar="S",
        help="the longest a run of the stages single and all computes on the weakest "
        "node (default: 600)")
    add("--short", type=positive, metavar="S",
        help="the longest a run of the stages pairs and groups computes (default: "
        "60)")
    add("--full", action="store_true",
        help="runs of the stages single and all fill the memory, however long they "
        "take")
    add("--memory", type=memory, metavar="AMOUNT",
        help="memory to fill on each node: 80%%, 12G (default: 80%%)")
    add("--rate", type=positive, metavar="GFLOPS",
        help="the rate of the weakest node: nothing is measured, and --memory needs "
        "an amount")
    add("--nb", type=count, metavar="NB",
        help="width of a panel (default: the plan's)")
    add("--ranks-per-node", type=count, metavar="R",
        help="processes per node (default: 1)")
    add("--repeats", type=count, metavar="R",
        help="runs of each node alone (default: 1)")
    add("--rounds", type=rounds, metavar="R",
        help="rounds of pairs: log2, all or a number (default: log2)")
    add("--leave-out", action="store_true",
        help="run the last stage without nodes that make it slower")
    add("--weights", choices=("auto", "off"),
        help="auto: the last stage gives faster nodes more columns, if nodes are "
        "unequal and that pays (default: auto)")
    add("--retries", type=whole, metavar="R",
        help="how often a stage asks for more runs to find the node that is to blame "
        "(default: 8)")
    add("--torture", type=positive, metavar="S",
        help="after the stage single, run xdgemm --torture for S seconds on each "
        "node")
    add("--ramp", type=positive, metavar="S",
        help="start runs S seconds apart, so that the load rises slowly")


def bound_options(group):
    """Options of how long runs may take."""
    add = group.add_argument
    add("--bound", type=positive, metavar="X",
        help="end a run after X times its predicted time, plus --grace (default: 3)")
    add("--grace", type=positive, metavar="S",
        help="seconds that every run may take beyond that (default: 60)")
    add("--ceiling", type=ceiling, metavar="LIMIT",
        help="end a run if a node is hotter than LIMIT, such as 95C, or draws more, "
        "such as 450W")
    add("--silence", type=positive, metavar="S",
        help="end a run that shows no progress for S seconds (default: 120)")


def part(text):
    """A part of a whole, as 0.03 or 3%."""
    value = number(text.rstrip("%"))
    value = value / 100 if value and text.endswith("%") else value
    if not PART.fits(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a part such as 3% or 0.03")
    return value


def verdict_options(group):
    add = group.add_argument
    add("--slow", type=part, metavar="PART",
        help="a node this far below the median of its kind is slow (default: 3%%)")
    add("--chance", type=part, metavar="PART",
        help="the chance, at most, that any good node is called slow (default: 2%%)")
    add("--compare", nargs="+", metavar="FILE",
        help="campaign.json of earlier campaigns: the page compares them")
    add("--drain-command", type=command, metavar="COMMAND",
        help="the command that drains a node, with {host} and {reason}; it is "
        "printed, and kept for report --yes (default: Slurm's)")
    add("--yes", action="store_true",
        help="run the drain command for each node to drain; with retest on Slurm also "
        "reserve and resume nodes")


def host_options(group):
    add = group.add_argument
    add("--hosts", metavar="LIST",
        help='names, such as "n[01-16],gpu3"')
    add("--hostfile", metavar="FILE",
        help="a file with one host per line")
    add("--partition", metavar="NAME",
        help="the nodes of a Slurm partition (default: those of the allocation "
        "within which this runs)")
    add("--reservation", metavar="NAME",
        help="the nodes of a Slurm reservation")
    add("--racks", metavar="FILE",
        help='a file with lines such as "rack1: n[01-16]" (default: Slurm\'s '
        'switches)')


def launch_options(group):
    add = group.add_argument
    add("--launcher", choices=sorted(launch.LAUNCHERS),
        help="how runs are started (default: slurm for hosts of Slurm, else ssh)")
    add("--slots", type=count, metavar="N",
        help="runs at the same time, at most")
    add("--mpirun", type=program, metavar="COMMAND",
        help="the mpirun to use, with its options")
    add("--ssh", type=program, metavar="COMMAND",
        help="the ssh to use, with its options")
    add("--slurm", type=line, metavar="WORDS",
        help="more options for sbatch and srun, such as --slurm=--account=acceptance")
    add("--xhpl", type=program, metavar="FILE",
        help="the xhpl to run (default: the one beside xhpl-campaign)")
    add("--xdgemm", type=program, metavar="FILE",
        help="the xdgemm for --torture (default: the one beside xhpl-campaign)")
    add("--xhpl-options", type=line, metavar="WORDS",
        help="more options for xhpl, such as --xhpl-options='--bcast 1'")


def parser():
    """Options that are not given have no attribute."""
    made = argparse.ArgumentParser(
        prog="xhpl-campaign", usage="xhpl-campaign {plan,run,report,retest} [OPTION]...",
        epilog=EPILOG, argument_default=argparse.SUPPRESS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Find the slow, wrong, dead and hanging nodes of a cluster: run "
        "HPL on each node\nalone, on pairs, on groups and on all.")
    made.add_argument("command", choices=("plan", "run", "report", "retest"),
                      help="plan: print what would run; run: run it, or continue it; "
                      "report: write the pages of a campaign anew; retest: test the nodes "
                      "of --hosts again, beside good ones of the campaign")
    made.add_argument("-C", "--directory", default="campaign", metavar="DIR",
                      help="the folder of the campaign, which all nodes see "
                      "(default: campaign)")
    host_options(made.add_argument_group("nodes"))
    shape_options(made.add_argument_group("what runs"))
    bound_options(made.add_argument_group("how long it may take"))
    launch_options(made.add_argument_group("how it is started"))
    verdict_options(made.add_argument_group("verdicts and results"))
    return made
