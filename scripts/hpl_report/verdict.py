# SPDX-License-Identifier: BSD-3-Clause
"""Is it good? In one sentence, with the reason."""
import math
import re
import signal
from collections import namedtuple

from . import devices
from .foreign import number
from .run import THRESHOLD, counts, is_wrong
from .words import NBSP, duration, listed, moment, percent, plural, share, significant

GOOD, FAIR = 0.80, 0.60  # of the ceiling
NOISE = 1.02  # of the ceiling: more is no rate, but a ceiling that was disturbed
AS_PREDICTED, NEAR = 0.90, 0.75  # of the predicted rate
DISTURBED = 1.5  # of that: more means that what it was made of was disturbed
KEPT_UP, PARTLY = 0.90, 0.70  # of the devices' products: all, half of the columns there
CROWDED = 0.1  # of the time: more is too much for others
SMALL = 0.3  # of the memory: a matrix that could grow
FITS = 0.92  # of the devices' memory: a matrix that they hold
MEASURED = 0.5  # s that a test takes at least, for its devices' products to be measured
SHORT = 1.0  # s of a test on cores that tells of its size more than of the machine
LONG = 10.0  # s of a test that is long enough to judge
BY_SIGNAL = 128  # plus its number: the exit status of a run that it ended
LOST = re.compile(r"\bdevice .{0,200}(is dropped|is given up|is lost|has failed)|first work on .* fails")
WAITS = ("wait_panel", "wait_exchange", "wait_device", "broadcast", "exchange")


class Place(namedtuple("Place", "page section")):
    """In the documentation."""

    def __str__(self):
        return f'"{self.section}" in docs/{self.page} of xhpl'


# The kind of each reason, and the page and section that say what to do.
SEE = {
    "no result": Place("TROUBLESHOOTING.md", "It ends early"),
    "wrong result": Place("TROUBLESHOOTING.md", "It ends early"),
    "not checked": Place("TUNING.md", "Threshold: 16.0"),
    "emulated precision": Place("TOP500.md", "The rules"),
    "lost device": Place("TROUBLESHOOTING.md", "It ends early"),
    "idle cores": Place("TUNING.md", "Processes, threads and binding"),
    "others on the cores": Place("TROUBLESHOOTING.md", "It is slow"),
    "idle processes": Place("TUNING.md", "P x Q: flat"),
    "slow cores": Place("TROUBLESHOOTING.md", "It is slow"),
    "slow device": Place("TROUBLESHOOTING.md", "It is slow"),
    "columns in host memory": Place("GPU.md", "One GPU"),
    "software devices": Place("GPU.md", "Is the GPU there?"),
    "waiting": Place("TROUBLESHOOTING.md", "It is slow"),
    "small matrix": Place("TUNING.md", "N: as large as memory allows"),
    "not explained": Place("TROUBLESHOOTING.md", "It is slow"),
    "nothing measured": Place("REPORT.md", "Is it good?"),
}

Cause = namedtuple("Cause", "kind text")  # kind: of SEE

# What a rate is judged by: the part that it reached, and from where it is fair, or good.
Scale = namedtuple("Scale", "part fair good of")


class Verdict(namedtuple("Verdict", "grade answer reason kind", defaults=("",))):
    """Kind is that of the reason, of SEE; empty for a good run."""

    @property
    def see(self):
        """The place in the documentation; none for a good run."""
        return SEE.get(self.kind)


def under_way(record):
    """The test that was, in words, if any."""
    found = [t for t in record["tests"] if t["status"] == "RUNNING"]
    if not found:
        return ""
    test = found[-1]
    return (
        f"; N {test['n']} on {test['p']} x {test['q']} processes ran since "
        f"{moment(test['start'])}"
    )


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def ending(record):
    """How a run without a result ended."""
    status = record["exit_status"]
    if status is None:
        return "the record has no end: the run was killed, or is still under way"
    if status > BY_SIGNAL:
        return (
            f"{signal_name(status - BY_SIGNAL)} ended it: from a person, "
            "from the batch system, or from the launcher because another process "
            "failed, which stderr tells"
        )
    if any(test["status"] == "SKIPPED" for test in record["tests"]):
        return "every test was skipped"
    ended = {
        2: "its input was refused, or there was not enough memory",
        3: "it failed at run time",
    }
    return ended.get(status, "no test was solved")


def no_result(run):
    """Why there is none: the first error of the run, if any, comes first."""
    record, errors = run.record, run.said("error")
    how = ending(record) + under_way(record)
    if not errors:
        return Cause("no result", how)
    kind = "lost device" if LOST.search(errors[0]) else "no result"
    return Cause(kind, f"{errors[0]}; {how}")


def lost_device(run):
    """A device that the run went on without."""
    lost = [text for text in run.said("warning", "error") if LOST.search(text)]
    return Cause("lost device", f"{lost[0]}; the driver's log may tell why, and "
                 "xdgemm --torture 60 tests the device") if lost else None


UNEXPLAINED = Cause(
    "not explained", 'the record knows no reason; "Iterations" below shows where the time '
    "went")


def idle_cores(run):
    """A launcher's binding that left cores without work, which no ceiling counts."""
    bound = run.bound()
    return bound and Cause(
        "idle cores", f"only {bound[0]} of {bound[1]} cores were used; see binding: "
        "to use all cores, mpirun --bind-to none or --set bind=node")


def crowded(run, test):
    """What had the cores beside the threads that were to have them."""
    part, threads = run.others(test), run.threads()
    if part <= CROWDED:
        return None
    if run.cores and threads and threads > run.cores:
        return Cause(
            "others on the cores", f"{threads} threads shared {run.cores} cores, and "
            f"waited for each other up to {percent(part)} of the time; leave the setting "
            "threads alone")
    return Cause(
        "others on the cores", f"other programs had these cores up to {percent(part)} of "
        f"the time; end them ({run.rivals() or 'the command top shows them'}) and run again")


def holds_back(run, test):
    """What most likely keeps the rate from the ceiling."""
    if run.bound():
        return idle_cores(run)
    if crowded(run, test):
        return crowded(run, test)
    processes = run.record["mpi"]["processes"]
    if test["p"] * test["q"] < processes:
        return Cause(
            "idle processes", f"only {test['p'] * test['q']} of {processes} processes had "
            "a part of the matrix; choose P and Q whose product is their number"
        )
    high, filled, waits = run.high_rate(test), run.filled(test), run.part(*WAITS)
    is_small = filled is not None and filled < SMALL
    if is_small and test["seconds"] < SHORT:
        return Cause(
            "small matrix", f"the test took only {duration(test['seconds'])}, and a larger "
            "N spends a larger part of its time in the update: xhpl --plan names it"
        )
    if high is not None and high < FAIR:
        return Cause(
            "slow cores", f"even its fast iterations reach only {percent(high)}, so "
            "look at the BLAS library's kernel, the binding and the clock; make check and "
            "xdgemm --verify measure the cores alone"
        )
    if waits is not None and waits > 0.2:
        return Cause(
            "waiting", f"process 0 spent {percent(waits)} of its time on waiting and messages, "
            "so look at slow processes below, then at the grid (P = Q or Q = 2 P) and "
            "DEPTH"
        )
    if is_small:
        return Cause(
            "small matrix", f"the matrix took {percent(filled)} of the free memory, and a "
            "larger N spends a larger part of its time in the update: xhpl --plan names it"
        )
    return UNEXPLAINED


def disturbed(run, test, reached, something):
    """The rate is above what it is judged by."""
    others = crowded(run, test) or Cause("others on the cores", something)
    return Verdict("unknown", "The record cannot tell",
                   f"the rate is {reached}, and {others.text}", others.kind)


def of_rate(run, test, efficiency):
    ceiling = (
        f"{share(test['gflops'], run.ceiling)} that its {plural(run.cores, 'core')} reached "
        "in multiply-adds alone"
    )
    if efficiency > NOISE:
        return disturbed(run, test, ceiling,
                         "something else on these cores must have disturbed that")
    if efficiency >= GOOD and not run.bound():
        return Verdict("good", "Yes", ceiling + ", which is as fast as tuned runs are")
    grade = ("fair", "It is fair") if efficiency >= FAIR else ("low", "No")
    cause = holds_back(run, test)
    return Verdict(*grade, f"{ceiling}: {cause.text}", cause.kind)


def predicted(test):
    """Gflop/s; None without a prediction."""
    return (test.get("prediction") or {}).get("gflops")


def held_devices(run, test):
    """What most likely keeps devices from their rate."""
    slow = devices.slow(test)
    idle = None if run.lives_on_devices(test) else idle_cores(run)
    clock = ("; compare its clock and temperature below, and test it with "
             "xdgemm --torture 60")
    return (lost_device(run) or idle or (slow and Cause("slow device", slow[0] + clock))
            or crowded(run, test) or UNEXPLAINED)


def largest(test, memory):
    """The largest N, a multiple of NB, whose matrix devices with that memory hold."""
    return int((FITS * memory / 8) ** 0.5) // test["nb"] * test["nb"]


def too_small(run, test):
    """What a matrix of another size would do for devices."""
    home = run.home(test)
    memory = sum(device["memory_bytes"] for device in run.record["devices"] or [])
    fits = largest(test, memory)
    if home and not run.lives_on_devices(test):
        advice = ("take a smaller N, which the devices hold" if fits in (0, test["n"])
                  else f"N = {fits} fits them" if fits < test["n"]
                  else "--set home=device keeps them on the devices")
        return Cause(
            "columns in host memory", f"{home.host} of {home.all} block columns of "
            "process 0 live in host memory, and travel to the devices, which is slower; "
            + advice)
    if memory and 8 * test["n"] ** 2 < SMALL * memory:
        return Cause(
            "small matrix", f"the matrix took {percent(8 * test['n'] ** 2 / memory)} of "
            "the devices' memory, and a larger N spends a larger part of its time in "
            f"products: take up to N = {fits}")
    return None


def of_part(part, good, fair, reached, cause):
    """The verdict on a run with devices that reached a part of something."""
    lacks = cause.kind in ("lost device", "idle cores")
    if part >= good and not lacks:
        return Verdict("good", "Yes", reached + ", which is as fast as it should be")
    grade = ("fair", "It is fair") if part >= fair else ("low", "No")
    return Verdict(*grade, f"{reached}: {cause.text}", cause.kind)


def of_nothing(test):
    """With devices, where neither a prediction nor their products can be held beside
    the rate."""
    why = "the products of its devices were not measured"
    advice = "run again with --set predict=on"
    if test["seconds"] <= MEASURED:
        longer = (LONG / max(test["seconds"], 1e-3)) ** (1 / 3)
        n = math.ceil(longer * test["n"] / test["nb"]) * test["nb"]
        why = (f"the test took {duration(test['seconds'])}, and the products of its devices "
               f"are measured from {MEASURED} s on")
        advice = f"take N = {n}, which takes about {LONG:.0f} s, or --set predict=on"
    return Verdict("unknown", "The record cannot tell",
                   f"{why}, and no prediction was asked for: {advice}", "nothing measured")


def of_software(names):
    """Devices that cores play compute right, and as fast as nothing real."""
    are = "is a software device" if len(names) == 1 else "are software devices"
    return Verdict(
        "unknown", "This rate means nothing", f"{listed(names)} {are} for tests, played "
        "by cores; for a rate that counts run with --set devices=none, or with GPUs",
        "software devices")


def of_products(run, test):
    """With devices, by the rate at which they multiplied in this very test."""
    products = run.products(test)
    if not products:
        return of_nothing(test)
    part, count = test["gflops"] / products, len(test["devices"])
    devices_of = "device" if count == 1 else f"{count} devices together"
    reached = (f"{share(test['gflops'], products)} that its {devices_of} kept up in "
               "matrix products (DGEMM)")
    if part > NOISE:
        others = crowded(run, test)
        advice = others.text if others else "run again with --set predict=on"
        return Verdict(
            "unknown", "The record cannot tell", f"the rate is {reached}, so the cores "
            f"computed a part of it; {advice}",
            others.kind if others else "nothing measured")
    cause = held_devices(run, test)
    if cause is UNEXPLAINED:
        cause = too_small(run, test) or cause
    return of_part(part, KEPT_UP, PARTLY, reached, cause)


def of_prediction(run, test):
    """With devices, by what was expected of them and of the cores."""
    part = test["gflops"] / predicted(test)
    reached = (
        f"{share(test['gflops'], predicted(test))} that its devices and cores, measured just "
        "before, should reach together"
    )
    if part > DISTURBED:
        return disturbed(run, test, reached, "something else must have disturbed that "
                         "measurement: run again")
    return of_part(part, AS_PREDICTED, NEAR, reached, held_devices(run, test))


def failed_by(run, test):
    """The residual of a test, and the threshold that it did not meet."""
    allowed = number((run.record["hpl_dat"] or {}).get("threshold"))
    residual = test["residual"]
    return (f"{'no number' if residual is None else significant(residual)}, "
            f"allowed is less than {THRESHOLD if allowed is None else allowed:g}")


def of_wrong(run, wrong):
    """Nothing that was computed beside a wrong result is to be relied on."""
    if all(test["status"] == "PASSED" for test in wrong):
        reason = (
            "the residual is too large: it passed by the threshold of this run "
            f"alone, and HPL's is {THRESHOLD}")
    else:
        reason = (f"the residual is too large ({failed_by(run, wrong[0])}), so the rate "
                  "does not count")
    if len(wrong) < len(run.tests):
        reason = f"of {len(wrong)} of {len(run.tests)} tests {reason}"
    return Verdict("failed", "No", reason, "wrong result")


def judge(run):
    """The verdict on a run's best test."""
    test, wrong = run.best, [t for t in run.tests if is_wrong(t)]
    if wrong:
        return of_wrong(run, wrong)
    if test is None or run.broke_off():
        cause = no_result(run)
        return Verdict("none", "There is no result", cause.text, cause.kind)
    if test["status"] != "PASSED":
        return Verdict("unchecked", "Nobody knows", "the solution was not checked, so the "
                       "rate does not count", "not checked")
    if run.emulates():
        return Verdict(
            "failed", "No", "double precision was emulated (fp64=emulated), so this "
            "is not a valid run of HPL", "emulated precision",
        )
    if run.software_devices():
        return of_software(run.software_devices())
    if run.devices():
        return (of_prediction if predicted(test) else of_products)(run, test)
    efficiency = run.efficiency(test)
    if efficiency is None:
        return Verdict(
            "unknown", "The record cannot tell", "what the cores can do at most was "
            "not measured", "nothing measured",
        )
    return of_rate(run, test, efficiency)


def scale(run):
    """What the rate of the best test is judged by; None if by nothing."""
    test = run.best
    if test is None or run.software_devices():
        return None
    if not run.devices():
        part = run.efficiency(test)
        return part and Scale(part, FAIR, GOOD, "the ceiling")
    if predicted(test):
        return Scale(test["gflops"] / predicted(test), NEAR, AS_PREDICTED, "the prediction")
    products = run.products(test)
    return products and Scale(test["gflops"] / products, PARTLY, KEPT_UP,
                              "its devices' products")


STATES = ("good", "fair", "slow", "unknown", "unchecked", "wrong", "no result")
BAD = ("wrong", "no result", "unchecked", "slow")  # the worst first
OF_GRADE = {"low": "slow", "failed": "wrong", "none": "no result"}


def state(run):
    """One of STATES, for one run by itself."""
    grade = judge(run).grade
    return OF_GRADE.get(grade, grade)


def sentence(run, see=True):
    """The verdict on a line of plain text, and where to read on."""
    verdict = judge(run)
    more = f" See {verdict.see}." if see and verdict.see else ""
    return f"{verdict.answer}: {verdict.reason}.{more}".replace(NBSP, " ")
