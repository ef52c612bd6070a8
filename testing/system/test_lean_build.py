# SPDX-License-Identifier: BSD-3-Clause
"""A build without jansson, and with a static BLAS where there is one."""
import re

import pytest

import jobs
import test_flows

pytestmark = pytest.mark.flows

STATIC_LIBRARY = "libopenblas.a"
STATIC = f"LAlib=-l:{STATIC_LIBRARY} -lgfortran -lpthread -lm"
ONE = ["-n", "20", "-nb", "4", "-p", "1", "-q", "1"]


def static_blas():
    """What makes the BLAS library a static one; nothing where there is none."""
    words = ["cc", f"-print-file-name={STATIC_LIBRARY}"]
    return [STATIC] if jobs.run(words, ".").stdout.startswith("/") else []


@pytest.fixture(scope="module")
def lean(tmp_path_factory):
    """Where its programs are."""
    tree = test_flows.copy_tree(tmp_path_factory.mktemp("lean"))
    test_flows.made(tree, "JSON=no", "CFLAGS=-O0", *static_blas())
    return tree / "bin/arch"


def test_it_refuses_to_record(lean, tmp_path):
    assert not (lean / "xdgemm").exists()
    plain = jobs.run([lean / "xhpl", *ONE], tmp_path).succeeded()
    outcome = jobs.run([lean / "xhpl", *ONE, "--json", "run.json"], tmp_path)
    outcome.refused("--json: this program was built without jansson")
    assert not (tmp_path / "run.json").exists()


def test_a_static_blas_tells_its_version_and_kernel(lean, tmp_path):
    """A weak symbol alone takes nothing out of an archive."""
    if not static_blas():
        pytest.skip("no static OpenBLAS")
    outcome = jobs.run([lean / "xhpl", *ONE], tmp_path, {"XHPL_BLAS_CHECK": "off"})
    said = re.search(r"OpenBLAS, version (\S+), kernel (\S+),", outcome.stderr)
    assert said and "unknown" not in said.groups(), str(outcome)
