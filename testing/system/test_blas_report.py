# SPDX-License-Identifier: BSD-3-Clause
"""What xhpl says of the BLAS it computes with."""
import re
from pathlib import Path

import pytest

import hpl_dat
import jobs
from busy import retried
from sabotage import dgemm, library, preloaded

FLAGS = Path("/proc/cpuinfo").read_text()


MEASURED = {"XHPL_BLAS_CHECK": "on"}
PRESCOTT = {**MEASURED, "OPENBLAS_CORETYPE": "Prescott"}


@pytest.fixture(scope="module")
def openblas(tmp_path_factory):
    """Skips what only OpenBLAS tells."""
    smallest = ["-n", "0", "-nb", "1", "-p", "1", "-q", "1"]
    directory = tmp_path_factory.mktemp("smallest")
    outcome = jobs.run([jobs.XHPL, *smallest], directory)
    if "xhpl: BLAS: OpenBLAS," not in outcome.stderr:
        pytest.skip("this build has another BLAS")


def blas_line(outcome):
    """The line of stderr that names the BLAS."""
    lines = [x for x in outcome.stderr.splitlines() if "xhpl: BLAS: " in x]
    assert len(lines) == 1, str(outcome)
    return lines[0]


def warnings(outcome):
    return [x for x in outcome.stderr.splitlines() if "warning:" in x]


# What an architecture's BLAS is called.
NAMES = {"Linux_BLIS": "BLIS", "Linux_refblas": "unknown"}


@pytest.mark.skipif(jobs.BUILD.name not in NAMES, reason="any BLAS will do")
def test_the_blas_that_was_asked_for_computes_and_is_named(xhpl):
    dat = hpl_dat.text(n="200", p="2", q="2")
    outcome = xhpl(dat=dat, processes=4).succeeded()
    assert f"xhpl: BLAS: {NAMES[jobs.BUILD.name]}" in blas_line(outcome)


def test_library_version_kernel_and_threads_are_named(xhpl, openblas):
    line = blas_line(xhpl(dat=hpl_dat.text(), env=PRESCOTT))
    assert re.fullmatch(
        r"xhpl: BLAS: OpenBLAS, version \d+\.\d+[\w.]*, kernel Prescott, "
        r"threads a process: 1",
        line,
    ), line


@pytest.mark.surface
def test_it_is_said_once_by_a_launched_job(xhpl):
    dat = hpl_dat.text(p="2", q="2")
    assert blas_line(xhpl(dat=dat, processes=4, env=MEASURED).succeeded())


def test_the_number_of_threads_is_the_settings(xhpl, openblas):
    outcome = xhpl("--set", "blas_threads=2", dat=hpl_dat.text())
    assert blas_line(outcome).endswith("threads a process: 2")


@pytest.mark.skipif("avx2" not in FLAGS, reason="no AVX2 on this machine")
@retried
def test_a_kernel_far_below_the_core_is_warned_of_with_its_variable(xhpl, openblas):
    outcome = xhpl(dat=hpl_dat.text(), env=PRESCOTT)
    assert outcome.status == 0
    assert len(warnings(outcome)) == 1, str(outcome)
    assert "OPENBLAS_CORETYPE" in warnings(outcome)[0]


@retried
def test_no_variable_is_blamed_when_none_is_set(xhpl):
    outcome = xhpl(dat=hpl_dat.text(), env=MEASURED)
    assert "OPENBLAS_CORETYPE=" not in outcome.stderr, str(outcome)
    assert not any("may have chosen" in line for line in warnings(outcome))


def test_the_report_itself_names_no_blas(xhpl):
    assert "BLAS" not in xhpl(dat=hpl_dat.text()).stdout


# ---- libraries that keep their threads to themselves ------------------------

# Between xhpl and the real library, on a machine with idle cores whatever else
# this one does: while DGEMM runs, two more threads are taken to work.
GREEDY = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MORE = 2 };

static double added; /* seconds of theirs */

static double now(void)
{
    struct timespec t;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int status = (int)syscall(SYS_clock_gettime, clock, t);
    double all;

    if (clock != CLOCK_PROCESS_CPUTIME_ID || status != 0)
        return status;
    all = (double)t->tv_sec + 1e-9 * (double)t->tv_nsec + added;
    t->tv_sec = (time_t)all;
    t->tv_nsec = (long)(1e9 * (all - (double)t->tv_sec));
    return 0;
}
"""
GREEDY += dgemm("added += MORE * (now() - start);", before="double start = now();")

# Of OpenBLAS: it does not tell how many threads there are.
SILENT = """
int openblas_get_num_threads(void) { return 0; }
int openblas_get_parallel(void) { return 1; }
"""


@preloaded
@retried
def test_threads_that_were_not_asked_for_are_warned_of(xhpl, openblas, tmp_path):
    def warned(*words):
        env = {**MEASURED, "LD_PRELOAD": str(library(tmp_path, GREEDY))}
        outcome = xhpl(*words, dat=hpl_dat.text(), env=env).succeeded()
        return [x for x in warnings(outcome) if "was to use one thread" in x]

    said = warned()
    assert len(said) == 1
    assert re.search(r"kept [23]\.\d cores busy", said[0]), said
    assert "OPENBLAS_NUM_THREADS=1" in said[0], said
    assert warned("--set", "blas_threads=2") == []
    assert warned("--set", "blas_check=off") == []


def test_a_library_on_one_thread_is_not_blamed(xhpl):
    outcome = xhpl(dat=hpl_dat.text(), env=MEASURED)
    assert "cores busy" not in outcome.stderr, str(outcome)


@preloaded
def test_an_unknown_number_of_threads_is_said_to_be_unknown(xhpl, openblas, tmp_path):
    env = {"LD_PRELOAD": str(library(tmp_path, SILENT))}
    outcome = xhpl(dat=hpl_dat.text(), env=env).succeeded()
    assert blas_line(outcome).endswith("threads a process: unknown")


# ---- without a BLAS ---------------------------------------------------------

# A program of the engine without a BLAS, whose names may differ: -DUpCase.
NO_BLAS = """
#include "base/settings.h"
#include "hybrid/device/machine.h"

int main(void)
{
    hyb_machine_t *machine;

    xh_settings_load();
    xh_settings_assign("kernel=blas");
    xh_settings_assign("devices=none");
    return hyb_machine_open(1, NULL, NULL, &machine) == XH_ERR_INPUT ? 0 : 1;
}
"""


@pytest.mark.surface
@pytest.mark.skipif(jobs.sanitized(), reason="its flags are not known here")
def test_the_kernel_blas_is_refused_where_no_blas_is_seen(tmp_path):
    objects = jobs.BUILD / "obj"
    sources = [path for layer in ("base", "hybrid/node", "hybrid/cpu")
               for path in (jobs.SOURCE / layer).glob("**/*.c")]
    sources += (jobs.SOURCE / "hybrid/device").glob("*.c")
    parts = [objects / path.relative_to(jobs.SOURCE).with_suffix(".o")
             for path in sources]
    if not (objects / "hybrid/device/machine.o").exists():
        pytest.skip("built without hybrid/")
    (tmp_path / "main.c").write_text(NO_BLAS)
    words = ["cc", "-I", jobs.SOURCE, "main.c", *parts, "-o", "main"]
    libraries = ["-lhwloc", "-ldl", "-lpthread", "-lm"]
    linked = jobs.run([*words, *libraries], tmp_path).succeeded()
    outcome = jobs.run([tmp_path / "main"], tmp_path).succeeded()
    assert "error: kernel=blas: no BLAS library" in outcome.stderr, str(outcome)
