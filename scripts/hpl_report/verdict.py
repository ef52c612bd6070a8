# SPDX-License-Identifier: BSD-3-Clause
"""Is it good? In one sentence, with the reason."""
import signal
from collections import namedtuple

from . import devices
from .foreign import number
from .run import THRESHOLD, counts, is_wrong
from .words import NBSP, moment, percent, rate, significant

GOOD, FAIR = 0.80, 0.60  # of the ceiling
NOISE = 1.02  # of the ceiling: more is no rate, but a ceiling that was disturbed
AS_PREDICTED, NEAR = 0.90, 0.75  # of the predicted rate
CROWDED = 0.1  # of the time: more is too much for others
SMALL = 0.3  # of the memory: a matrix that could grow
BY_SIGNAL = 128  # plus its number: the exit status of a run that it ended
WAITS = ("wait_panel", "wait_exchange", "wait_device", "broadcast", "exchange")

Verdict = namedtuple("Verdict", "grade answer reason")


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


def no_result(record):
    status = record["exit_status"]
    if status is None:
        return (
            "the record has no end: the run was killed, or is still under way"
            + under_way(record)
        )
    if status > BY_SIGNAL:
        return (
            f"{signal_name(status - BY_SIGNAL)} ended it: from a person, "
            "from the batch system, or from the launcher because another process "
            "failed, which stderr tells" + under_way(record)
        )
    if any(test["status"] == "SKIPPED" for test in record["tests"]):
        return "every test was skipped"
    ended = {
        2: "its input was refused, or there was not enough memory",
        3: "it failed at run time",
    }
    return ended.get(status, "no test was solved")


def idle_cores(run):
    """A launcher's binding that left cores without work, which no ceiling counts."""
    bound = run.bound()
    return bound and (f"only {bound[0]} of {bound[1]} cores were used; see binding: "
                      "mpirun --bind-to none, or --set bind=node, takes all")


def crowded(run, test):
    """What had the cores beside the threads that were to have them."""
    part, threads = run.others(test), run.threads()
    if part <= CROWDED:
        return None
    if run.cores and threads and threads > run.cores:
        return (f"{threads} threads shared {run.cores} cores, and waited for each other "
                f"up to {percent(part)} of the time; leave the setting threads alone")
    return (f"other programs had these cores up to {percent(part)} of the time; end them "
            "(top names them) and run again")


def holds_back(run, test):
    """What most likely keeps the rate from the ceiling."""
    if run.bound():
        return idle_cores(run)
    if crowded(run, test):
        return crowded(run, test)
    processes = run.record["mpi"]["processes"]
    if test["p"] * test["q"] < processes:
        return (
            f"only {test['p'] * test['q']} of {processes} processes had a part of "
            "the matrix; choose P and Q whose product is their number"
        )
    high, filled, waits = run.high_rate(test), run.filled(test), run.part(*WAITS)
    if high is not None and high < FAIR:
        return (
            f"even its fast iterations reach only {percent(high)}, so look at the "
            "BLAS library's kernel, the binding and the clock; make check and "
            "xdgemm --verify measure the cores alone"
        )
    if waits is not None and waits > 0.2:
        return (
            f"process 0 spent {percent(waits)} of its time on waiting and messages, "
            "so look at slow processes below, then at the grid (P a little below Q) and "
            "DEPTH"
        )
    if filled is not None and filled < SMALL:
        return (
            f"the matrix took {percent(filled)} of the free memory, and a larger N "
            "spends a larger part of its time in the update: xhpl --plan names it"
        )
    return "its iterations show where the time went"


def of_rate(run, test, efficiency):
    ceiling = (
        f"{percent(efficiency)} of the {rate(run.ceiling)} that its "
        f"{run.cores} core{'s' if run.cores > 1 else ''} reached in multiply-adds "
        "alone just before or after the run"
    )
    if efficiency > NOISE:
        return Verdict(
            "unknown", "The record cannot tell", f"the rate is {ceiling}, and "
            + (crowded(run, test) or "something else on these cores must have "
               "disturbed that"),
        )
    if efficiency >= GOOD and not run.bound():
        return Verdict("good", "Yes", ceiling + ", which is as fast as tuned runs are")
    grade = ("fair", "It is fair") if efficiency >= FAIR else ("low", "No")
    return Verdict(*grade, f"{ceiling}: {holds_back(run, test)}")


def of_prediction(run, test):
    """With devices, whose ceiling nobody measures."""
    predicted = (test.get("prediction") or {}).get("gflops")
    if not predicted:
        return Verdict(
            "unknown", "The record cannot tell", "devices took part, and without "
            "predict=on nothing says what they should reach; run again with "
            "--set predict=on",
        )
    part = test["gflops"] / predicted
    reached = (
        f"{percent(part)} of the {rate(predicted)} that its devices and cores, "
        "measured just before, should reach together"
    )
    if part >= AS_PREDICTED and not run.bound():
        return Verdict("good", "Yes", reached)
    grade = ("fair", "It is fair") if part >= NEAR else ("low", "No")
    reason = (idle_cores(run) or next(iter(devices.slow(test)), None) or crowded(run, test)
              or "its iterations show where the time went")
    return Verdict(*grade, f"{reached}: {reason}")


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
    return Verdict("failed", "No", reason)


def judge(run):
    """The verdict on a run's best test."""
    test, wrong = run.best, [t for t in run.tests if is_wrong(t)]
    if wrong:
        return of_wrong(run, wrong)
    if test is None or run.broke_off():
        return Verdict("none", "There is no result", no_result(run.record))
    if test["status"] != "PASSED":
        return Verdict("unchecked", "Nobody knows", "the solution was not checked, so the "
                       "rate does not count")
    if run.emulates():
        return Verdict(
            "failed", "No", "double precision was emulated (fp64=emulated), so this "
            "is no run of HPL",
        )
    if run.devices():
        return of_prediction(run, test)
    efficiency = run.efficiency(test)
    if efficiency is None:
        return Verdict(
            "unknown", "The record cannot tell", "what the cores can do at most was "
            "not measured",
        )
    return of_rate(run, test, efficiency)


STATES = ("good", "fair", "slow", "unknown", "unchecked", "wrong", "no result")
BAD = ("wrong", "no result", "unchecked", "slow")  # the worst first
OF_GRADE = {"low": "slow", "failed": "wrong", "none": "no result"}


def state(run):
    """One of STATES, for one run by itself."""
    grade = judge(run).grade
    return OF_GRADE.get(grade, grade)


def sentence(run):
    """The verdict on a line of plain text."""
    verdict = judge(run)
    return f"{verdict.answer}: {verdict.reason}.".replace(NBSP, " ")
