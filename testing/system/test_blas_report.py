# SPDX-License-Identifier: BSD-3-Clause
"""What xhpl says of the BLAS it computes with."""
import re
from pathlib import Path

import pytest

import hpl_dat
import jobs

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
    outcome = xhpl(dat=dat, processes=4)
    assert outcome.status == 0, str(outcome)
    assert f"xhpl: BLAS: {NAMES[jobs.BUILD.name]}" in blas_line(outcome)


def test_library_version_kernel_and_threads_are_named(xhpl, openblas):
    line = blas_line(xhpl(dat=hpl_dat.text(), env=PRESCOTT))
    assert re.fullmatch(
        r"xhpl: BLAS: OpenBLAS, version \d+\.\d+[\w.]*, kernel Prescott, "
        r"threads a process: 1",
        line,
    ), line


def test_it_is_said_once_by_a_launched_job(xhpl):
    outcome = xhpl(dat=hpl_dat.text(p="2", q="2"), processes=4, env=MEASURED)
    assert blas_line(outcome)
    assert outcome.status == 0


def test_the_number_of_threads_is_the_settings(xhpl, openblas):
    outcome = xhpl("--set", "blas_threads=2", dat=hpl_dat.text())
    assert blas_line(outcome).endswith("threads a process: 2")


@pytest.mark.skipif("avx2" not in FLAGS, reason="no AVX2 on this machine")
def test_a_kernel_far_below_the_core_is_warned_of_with_its_variable(
    xhpl, openblas
):
    outcome = xhpl(dat=hpl_dat.text(), env=PRESCOTT)
    assert outcome.status == 0
    assert len(warnings(outcome)) == 1, str(outcome)
    assert "OPENBLAS_CORETYPE" in warnings(outcome)[0]


def test_no_variable_is_blamed_when_none_is_set(xhpl):
    outcome = xhpl(dat=hpl_dat.text(), env=MEASURED)
    assert "OPENBLAS_CORETYPE=" not in outcome.stderr, str(outcome)
    assert not any("may have chosen" in line for line in warnings(outcome))


def test_the_report_itself_names_no_blas(xhpl):
    assert "BLAS" not in xhpl(dat=hpl_dat.text()).stdout


# A program of the engine without a BLAS, whose names may differ: -DUpCase.
NO_BLAS = """
#include "base/settings.h"
#include "hybrid/engine/node.h"

int main(void)
{
    hyb_node_t *node;

    xh_settings_load();
    xh_settings_assign("kernel=blas");
    xh_settings_assign("devices=none");
    return hyb_node_open(1, NULL, &node) == XH_ERR_INPUT ? 0 : 1;
}
"""


@pytest.mark.surface
@pytest.mark.skipif(jobs.sanitized(), reason="its flags are not known here")
def test_the_kernel_blas_is_refused_where_no_blas_is_seen(tmp_path):
    objects = jobs.BUILD / "obj"
    parts = [*objects.glob("base/*.o"), *objects.glob("hybrid/engine/**/*.o")]
    if not (objects / "hybrid/engine/node.o").exists():
        pytest.skip("built without hybrid/")
    (tmp_path / "main.c").write_text(NO_BLAS)
    words = ["cc", "-I", jobs.SOURCE, "main.c", *parts, "-o", "main"]
    libraries = ["-lhwloc", "-ldl", "-lpthread", "-lm"]
    linked = jobs.run([*words, *libraries], tmp_path)
    assert linked.status == 0, str(linked)
    outcome = jobs.run([tmp_path / "main"], tmp_path)
    assert outcome.status == 0, str(outcome)
    assert "error: kernel=blas: no BLAS library" in outcome.stderr, str(outcome)
