# SPDX-License-Identifier: BSD-3-Clause
"""The command xhpl-campaign: what it does."""
import copy
import os
import shlex
import shutil
import signal
import stat
import sys
import time
from pathlib import Path

from hpl_report.foreign import Refused, complain, say

from . import calls, campaign, hosts, launch, leftovers, live, planning, results
from . import retest as retesting
from . import slurm, weights
from .options import DEFAULTS, FREE, MAY_CHANGE, parser
from .state import STATE, Busy, Damaged, State

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HERE = Path(__file__).resolve().parent


# ---- what was given ------------------------------------------------------------


def beside(name):
    """A program that was installed, or built, with this one."""
    program = Path(sys.argv[0]).resolve().parent
    for place in (program / name, HERE.parents[1] / "bin/arch" / name):
        if os.access(place, os.X_OK):
            return shlex.quote(str(place))
    return name


def completed(given, stored):
    """Options: as given, else as the campaign has them, else by default."""
    for name, value in DEFAULTS.items():
        if stored is not None:
            value = stored.get(name, value)
            if name not in MAY_CHANGE and getattr(given, name, value) != value:
                option = "--" + name.replace("_", "-")
                raise Refused(f"{given.directory} has a campaign with another {option}: "
                              f"{value}; choose another -C, or leave {option} away")
        if not hasattr(given, name):
            setattr(given, name, value)
    for name, value in FREE.items():
        if not hasattr(given, name):
            setattr(given, name, value)
    given.xhpl = given.xhpl or beside("xhpl")
    given.xdgemm = given.xdgemm or beside("xdgemm")
    given.launcher = given.launcher or default_launcher(given)
    given.calls = calls.Calls(
        os.path.abspath(sys.argv[0]) if "/" in sys.argv[0] else sys.argv[0],
        given.directory, given.drain_command,
        os.path.dirname(given.directory) if given.retest else "")
    if given.rate and given.memory.endswith("%"):
        raise Refused("--rate needs --memory with an amount, such as 64G")
    return given


def startable(given):
    """Refuse what no run could be started with."""
    missing = launch.missing(given)
    if missing and (given.launcher == "slurm" or given.command == "run"
                    or not given.rate):
        raise Refused(missing)
    if given.ceiling and given.launcher == "slurm" and not slurm.allocated():
        raise Refused("--ceiling needs an allocation (salloc): a node that Slurm gave to "
                      "a job alone cannot be looked at")
    for name in ("xhpl", "xdgemm")[:2 if given.torture else 1]:
        path = shlex.split(getattr(given, name))[0]
        if ("/" in path or given.launcher == "local") and shutil.which(path) is None:
            raise Refused(f"--{name}: {path} is not a program that runs here")
    return given


def read(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def given_hosts(given):
    """The hosts that options name; [] if they name none."""
    names = hosts.expand(getattr(given, "hosts", ""))
    if hasattr(given, "hostfile"):
        names += hosts.hostfile(read(given.hostfile))
    groups = hosts.racks(read(given.racks)) if hasattr(given, "racks") else {}
    names = names or list(groups)
    if given.launcher == "slurm":
        names = names or slurm.names(given.partition, given.reservation)
        groups = groups or slurm.topology(names)
    return hosts.together(names, groups)


def default_launcher(given):
    """Slurm if its hosts are used."""
    asked = given.partition or given.reservation
    return "slurm" if asked or slurm.allocated() and not names_hosts(given) else "ssh"


def names_hosts(given):
    return any(getattr(given, name, None) for name in (
        "hosts", "hostfile", "racks", "partition", "reservation"))


# ---- commands ------------------------------------------------------------------


def interrupted(number, _):
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    if number == signal.SIGHUP:
        unheard()
    raise SystemExit(128 + number)


def unheard():
    """A terminal that has gone refuses each word: write none, so that the rest is done."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for file in (1, 2):
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.dup2(nowhere, file)


def named_hosts(given):
    """The hosts that options name, one at least."""
    found = given_hosts(given)
    if not found:
        where = [f"--{name} {value}" for name, value in (
            ("partition", given.partition), ("reservation", given.reservation)) if value]
        raise Refused(f"Slurm knows no hosts of {where[-1]}; sinfo and scontrol show its own" if where
                      else "no hosts: name them by --hosts or --hostfile")
    return found


def may_begin(given):
    """Refuse what no campaign could begin with, before a folder is made for it."""
    named_hosts(startable(completed(copy.copy(given), None)))
    for name in (*results.FILES, weights.FILE, "runs"):
        path = os.path.join(given.directory, name)
        if os.path.lexists(path):
            raise Refused(f"{path} is there, but no campaign: choose another -C")


def opened(given):
    """The state of a campaign that may have begun."""
    given.directory = os.path.realpath(given.directory)
    if not os.path.exists(os.path.join(given.directory, STATE)):
        may_begin(given)
    os.makedirs(os.path.join(given.directory, "runs"), exist_ok=True)
    return State(os.path.join(given.directory, STATE))


def begin(given, state):
    """Note what a campaign is, unless it goes on."""
    if state.hosts:
        if names_hosts(given) and [
                host._asdict() for host in given_hosts(given)] != state.hosts:
            raise Refused(f"{given.directory} has a campaign on other hosts: take "
                          "another -C")
        return
    found = named_hosts(given)
    options = {name: getattr(given, name) for name in DEFAULTS}
    first = {"event": "campaign", "version": 1, "time": time.time(),
             "name": os.path.basename(given.directory), "command": sys.argv,
             "stages": given.stages, "options": options}
    state.add(*[first] * (state.campaign is None),
              {"event": "hosts", "hosts": [host._asdict() for host in found]})


def run(given):
    found, _ = carry_out(given)
    return int(not results.is_good(found))


def carry_out(given, give_back=lambda: None):
    """Begin a campaign or go on with it, to its end: its object, and the nodes that were
    to be drained and are not. give_back() is called if it is interrupted."""
    state = opened(given)
    given = startable(completed(given, state.campaign and state.campaign["options"]))
    begin(given, state)
    view = live.View()
    work = campaign.Campaign(given, state, launch.launcher(given), view)
    try:
        work.run()
    except SystemExit as ending:
        view.say(f"interrupted; {len(state.ended)} runs have ended. The same command "
                 "continues")
        leftovers.end_children()  # threads may still wait for hosts that do not answer
        give_back()
        os._exit(ending.code)
    except planning.NoPlan:
        results.write_all(results.build(state, given), given)
        raise
    return conclude(given, state)


def conclude(given, state):
    """Write and say what came out, and drain; what carry_out returns."""
    found = results.build(state, given)
    results.write_all(found, given)
    say(results.said(found, given, given.yes))
    failed = results.drain_all(found, given.drain_command) if given.yes else []
    if failed:
        complain("xhpl-campaign", f"not drained: {', '.join(failed)}")
    return found, failed


def plan(given):
    given = startable(completed(given, None))
    found = named_hosts(given)
    say(campaign.plan_text(given, found, launch.launcher(given)))
    return 0


def existing(given, writes):
    """The state of a campaign that has begun."""
    given.directory = os.path.realpath(given.directory)
    path = os.path.join(given.directory, STATE)
    state = State(path, writes) if os.path.exists(path) else None
    if state is None or state.campaign is None:
        raise Refused(f"{given.directory} has no campaign")
    return state


def report(given):
    """Write the results again, also while the campaign runs."""
    state = existing(given, writes=False)
    found, _ = conclude(completed(given, state.campaign["options"]), state)
    return int(not results.is_good(found))


def retest(given):
    """Test nodes of a campaign again. No other test of it runs meanwhile, as that may need
    the same good nodes."""
    state = existing(given, writes=True)
    given = completed(given, state.campaign["options"])
    test = retesting.Retest(results.build(state, given),
                            list(dict.fromkeys(hosts.expand(getattr(given, "hosts", "")))),
                            given)
    try:
        options = test.options()
        if options is None:
            return 1
        found, failed = carry_out(options, test.give_back)
        test.conclude(found, failed)
    except BaseException:
        test.give_back()
        raise
    first = results.build(state, given)
    results.write_all(first, given)
    say(results.left(first, given))
    return int(not results.is_good(found))


COMMANDS = {"plan": plan, "run": run, "report": report, "retest": retest}


def main():
    given = parser().parse_args()
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup makes it
            signal.signal(number, interrupted)
    try:
        return COMMANDS[given.command](given)
    except (Refused, Busy, Damaged, hosts.BadHosts, planning.NoPlan, OSError) as error:
        complain("xhpl-campaign", error)
        return 2
