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


MEASURED = hpl_dat.text(n="2000")  # runs of smaller systems measure nothing
PRESCOTT = {"OPENBLAS_CORETYPE": "Prescott"}


@pytest.fixture(scope="module")
def openblas(tmp_path_factory):
    """Skips what only OpenBLAS tells."""
    smallest = ["-n", "0", "-nb", "1", "-p", "1", "-q", "1"]
    directory = tmp_path_factory.mktemp("smallest")
    outcome = jobs.run([jobs.XHPL, *smallest], directory)
    if "xhpl: BLAS: OpenBLAS," not in outcome.stderr:
        pytest.skip("this build has another BLAS")


def slow(outcome):
    """Lines of a slow DGEMM."""
    return [x for x in outcome.stderr.splitlines() if "may be too old" in x]


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
        r"threads per process: 1",
        line,
    ), line


def test_the_number_of_threads_is_the_settings(xhpl, openblas):
    outcome = xhpl("--set", "blas_threads=2", dat=hpl_dat.text())
    assert blas_line(outcome).endswith("threads per process: 2")


@pytest.mark.skipif("avx2" not in FLAGS, reason="no AVX2 on this machine")
@retried
def test_a_kernel_far_below_the_core_is_warned_of_with_its_variable(xhpl, openblas):
    outcome = xhpl(dat=MEASURED, env=PRESCOTT).succeeded()
    assert len(slow(outcome)) == 1, str(outcome)
    (warning,) = slow(outcome)
    assert "the environment may have chosen it: OPENBLAS_CORETYPE=Prescott. " in warning
    types = ["SKYLAKEX"] if "avx512f" in FLAGS else ["ZEN", "HASWELL"]
    assert any(f"OPENBLAS_CORETYPE={x} suits this processor" in warning for x in types)
    own = re.search(r"xhpl's own kernel, avx\w+, computes the update", warning)
    by_blas = "updates by the BLAS library" in outcome.stderr  # a kernel with sanitizers
    assert bool(own) != by_blas, str(outcome)
    assert warnings(outcome) == slow(outcome) * by_blas, str(outcome)
    outcome = xhpl(dat=hpl_dat.text(n="1999"), env=PRESCOTT)
    assert warnings(outcome.succeeded()) == [], str(outcome)


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
        env = {"LD_PRELOAD": str(library(tmp_path, GREEDY))}
        outcome = xhpl(*words, dat=MEASURED, env=env).succeeded()
        return [x for x in warnings(outcome) if "should use one thread" in x]

    said = warned()
    assert len(said) == 1
    assert re.search(r"kept [23]\.\d cores busy", said[0]), said
    assert "OPENBLAS_NUM_THREADS=1" in said[0], said
    assert warned("--set", "blas_threads=2") == []


@preloaded
def test_an_unknown_number_of_threads_is_said_to_be_unknown(xhpl, openblas, tmp_path):
    env = {"LD_PRELOAD": str(library(tmp_path, SILENT))}
    outcome = xhpl(dat=hpl_dat.text(), env=env).succeeded()
    assert blas_line(outcome).endswith("threads per process: unknown")


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
    parts = [objects / path.relative_to(jobs.SOURCE).with_suffix(".o") for path in sources]
    if not (objects / "hybrid/device/machine.o").exists():
        pytest.skip("built without hybrid/")
    (tmp_path / "main.c").write_text(NO_BLAS)
    words = ["cc", "-I", jobs.SOURCE, "main.c", *parts, "-o", "main"]
    libraries = ["-lhwloc", "-ldl", "-lpthread", "-lm"]
    jobs.run([*words, *libraries], tmp_path).succeeded()
    outcome = jobs.run([tmp_path / "main"], tmp_path).succeeded()
    assert "error: kernel=blas: no BLAS library" in outcome.stderr, str(outcome)


# ---- variables and limits of the environment -------------------------------


def test_a_variable_without_effect_is_named_with_the_setting_that_has_one(xhpl, openblas):
    def said(*words, **env):
        outcome = xhpl(*words, dat=hpl_dat.text(), env=env)
        return re.findall(".* has no effect: use.*", outcome.succeeded().stderr)

    reference, threads = ["--set", "solver=reference"], {"OMP_NUM_THREADS": "3"}
    assert said(*reference, **threads) == [
        "xhpl: OMP_NUM_THREADS=3 has no effect: use --set blas_threads=3"]
    assert said(*reference, "--set", "blas_threads=3", **threads) == []
    assert said("--set", "threads=2", OPENBLAS_NUM_THREADS="3") == [
        "xhpl: OPENBLAS_NUM_THREADS=3 has no effect: use --set threads=3"]
    assert said("--set", "threads=2", OPENBLAS_NUM_THREADS="1") == []
    assert said("--set", "threads=2", OMP_NUM_THREADS="") == []
    assert said("--set", "threads=2", OMP_NUM_THREADS="4,2") == [
        "xhpl: OMP_NUM_THREADS=4,2 has no effect: use --set threads=4"]


LIMITS = [f"-{letter} {mib << 10}" for letter in "vd" for mib in range(340, 800, 90)]


@pytest.mark.more
@pytest.mark.skipif(jobs.sanitized(), reason="sanitizers take terabytes")
@pytest.mark.parametrize("program", ["xhpl", "xdgemm", "xprobe"])
def test_a_limit_of_memory_is_told_or_kept_to_and_never_hangs(tmp_path, program):
    """Whatever a limit leaves: OpenBLAS repeats an allocation that fails for ever."""
    if not (jobs.BIN / program).exists():
        pytest.skip("not built")
    words = {"xhpl": "-n 300 --nb 64 -p 1 -q 1", "xdgemm": "-m 100 -n 100 -k 100",
             "xprobe": "--dgemm"}
    told = 0
    for limit in LIMITS:
        script = f"ulimit {limit} && exec timeout 100 {jobs.BIN / program} {words[program]}"
        outcome = jobs.run(["sh", "-c", script], tmp_path)
        assert outcome.status != 124, f"{limit}: {outcome}"
        told += f"ulimit {limit[:2]} leaves" in outcome.stderr
    assert told > 0


@pytest.mark.skipif(jobs.sanitized(), reason="sanitizers take terabytes")
def test_an_order_beyond_the_limit_of_a_process_is_refused(tmp_path):
    run = f"{jobs.XHPL} -n 40000 --nb 64 -p 1 -q 1"
    outcome = jobs.run(["sh", "-c", f"ulimit -v 4000000 && exec {run}"], tmp_path)
    outcome.refused("to which ulimit -v leaves")
    fits = int(re.search(r"the largest N that fits .* is (\d+)", outcome.stderr)[1])
    assert 8 * fits**2 < 4e9


# A BLAS that never returns.
ENDLESS = "#include <unistd.h>\nvoid dgemm_(void)\n{\n    for (;;)\n        sleep(1);\n}\n"


@preloaded
@retried
@pytest.mark.skipif(not (jobs.BIN / "xhost").exists(), reason="built with HYBRID=no")
@pytest.mark.parametrize("solver, where", [
    ("hybrid", "opening the solver: its BLAS, kernels, devices"),
    ("reference", "computing with solver=reference")])  # fmt: skip
def test_a_library_that_never_returns_is_told_and_ended(
    xhpl, openblas, tmp_path, solver, where
):
    env = {"LD_PRELOAD": str(library(tmp_path, ENDLESS)),
           "XHPL_WATCHDOG": "1", "XHPL_HANG": "3", "XHPL_SOLVER": solver}  # fmt: skip
    outcome = xhpl(dat=hpl_dat.text(), env=env).ended(3, f"{where}; the job ends")
    assert "ignores" not in outcome.stderr, str(outcome)


@preloaded
@retried
@pytest.mark.skipif(not (jobs.BIN / "xhost").exists(), reason="built with HYBRID=no")
def test_a_slow_run_of_the_reference_solver_is_no_hang(xhpl, tmp_path):
    """Panels that take longer together than the watchdog's patience."""
    env = {"LD_PRELOAD": str(library(tmp_path, dgemm("", before="usleep(100000);"))),
           "XHPL_WATCHDOG": "1", "XHPL_HANG": "3", "XHPL_SOLVER": "reference",
           "XHPL_TRUST": "off"}  # fmt: skip
    outcome = xhpl("-n", 320, "--nb", 8, "-p", 1, "-q", 1, env=env).succeeded()
    assert "no progress" not in outcome.stderr, str(outcome)


# A library whose thread often has no core: as one that others, a hypervisor or a
# control group keep from it.
KEPT_OFF = dgemm("", before="usleep(20000);")


@preloaded
def test_a_library_that_is_kept_from_its_core_is_not_blamed(xhpl, openblas, tmp_path):
    if slow(xhpl(dat=MEASURED)):
        pytest.skip("its kernel is slow by itself")
    env = {"LD_PRELOAD": str(library(tmp_path, KEPT_OFF))}
    outcome = xhpl(dat=MEASURED, env=env).succeeded()
    assert slow(outcome) == [], str(outcome)
