# SPDX-License-Identifier: BSD-3-Clause
"""Tests that have to see how fast something goes, on machines that may be busy."""
import functools

TRIES = 4


def retried(test):
    """The test, tried again when it fails: it depends on who gets the cores, which
    a busy machine may spoil in any one run. What is wrong fails every time."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        for left in reversed(range(TRIES)):
            try:
                return test(*args, **kwargs)
            except AssertionError as error:
                if left == 0:
                    raise
                print(f"{test.__name__} failed, {left} tries are left: {error}")

    return run


def patience(fault, seconds=0.3):
    """The setting stall_seconds for a fault on demand: a device that has to stall is
    given up soon, others not in the second for which a busy machine may pause."""
    return f"stall_seconds={seconds if 'stall' in fault else 60}"
