# SPDX-License-Identifier: BSD-3-Clause
"""The bench of products on a device of OpenCL."""
import json
import re

import pytest

import jobs

pytestmark = pytest.mark.scripts
SCRIPT = jobs.SOURCE / "bench/opencl"
QUICK = "--size 96 --depth 64 --repeat 1 --tune 0.2 --clblast".split()

# Parameters with which CLBlast multiplies on any device, beside a worse one.
XGEMM = dict(GEMMK=0, KREG=1, KWG=32, KWI=2, MDIMA=8, MDIMC=8, MWG=32, NDIMB=8,
             NDIMC=8, NWG=32, PRECISION=64, SA=0, SB=0, STRM=0, STRN=0, VWM=1,
             VWN=1)  # fmt: skip


@pytest.fixture
def tuned(tmp_path):
    """A folder with what CLBlast's tuner might have written."""
    results = [{"time": t, "parameters": {**XGEMM, "VWN": v}} for t, v in ((9, 2), (3, 1))]
    told = {"kernel_family": "xgemm_1", "results": results}
    (tmp_path / "clblast_xgemm_1_64.json").write_text(json.dumps(told))
    other = {"kernel_family": "xdot_1", "results": results}
    (tmp_path / "clblast_xdot_1_64.json").write_text(json.dumps(other))
    return tmp_path


@pytest.mark.more
def test_products_stand_beside_those_of_others(tuned):
    outcome = jobs.run([SCRIPT, *QUICK, tuned, jobs.BIN], tuned).succeeded()
    if "no device of OpenCL" in outcome.stdout:
        pytest.skip("no device of OpenCL")
    rows = re.findall(r"^k = (\d+): (\w.*?)  +(\S+) +(\S+) +(\S+)", outcome.stdout, re.M)
    assert len(rows) == 5, str(outcome)
    for _, name, *figures in rows:
        if "CLBlast" in name and "-" in figures:
            continue  # it is not there
        measured, reference, ratio = map(float, figures)
        assert ratio == pytest.approx(measured / reference, rel=0.05), name
