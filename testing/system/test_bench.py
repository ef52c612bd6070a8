# SPDX-License-Identifier: BSD-3-Clause
"""The benches of the host, of a GPU's first minutes, on an emulated device, and of
products on a device of OpenCL; and the program that the first measures with."""
import json
import re
import sys

import pytest

import jobs

BENCH = jobs.SOURCE / "bench"
XHOST = jobs.BIN / "xhost"
GPU = [BENCH / "gpu", "--quick", "--device", "emu:1", "--set", "emu_memory=64",
       "--set", "stall_seconds=60"]  # fmt: skip
OPENCL = [BENCH / "opencl", *"--size 96 --depth 64 --repeat 1 --tune 0.2 --clblast".split()]

pytestmark = [
    pytest.mark.scripts,
    pytest.mark.skipif(not XHOST.exists(), reason="built without hybrid/"),
]


def xhost(tmp_path, words):
    return jobs.run([XHOST, *words.split()], tmp_path)


MEASURED = [("ceiling", "1 10"), ("ceiling", "2 10"), ("pass", "2 301 203"),
            ("panel", "1 5 5"), ("panel", "2 400 32"), ("panel", "3 90 7")]
MEASURED += [(part, sizes) for part in ("update", "swap")
             for sizes in ("1 1 1 1", "2 301 203 37", "3 77 500 400")]


@pytest.mark.few(6)
@pytest.mark.parametrize("kernel", ["auto", "portable"])
@pytest.mark.parametrize("part, sizes", MEASURED)
def test_xhost_says_a_rate_and_the_kernel(tmp_path, part, sizes, kernel):
    outcome = xhost(tmp_path, f"{part} {kernel} {sizes}").succeeded()
    said = re.fullmatch(rf"kernel (\w+)\n{part} (\S+)\n", outcome.stdout)
    assert said and float(said[2]) > 0, str(outcome)
    assert said[1] == kernel or kernel == "auto"


def test_xhost_refuses_what_it_cannot_measure(tmp_path):
    for words, complaint in (
            ("", "how to call it"), ("update auto 1 10 10", "how to call it"),
            ("update blas 1 10 10 10", "'blas' is no kernel"),
            ("update auto 0 10 10 10", "'0' is not a number"),
            ("update auto 1 10 -3 10", "'-3' is not a number"),
            ("panel auto 1 10 11", "a panel of 11 columns"),
            ("update auto 1 9999999 9999999 1", "cannot allocate")):
        xhost(tmp_path, words).refused(complaint)


@pytest.mark.long
def test_a_quick_run_of_the_host_measures_every_row(tmp_path):
    words = [sys.executable, BENCH / "host", "--quick", jobs.BIN, jobs.XHPL]
    outcome = jobs.run(words, tmp_path, {"ORDERS": "80:16"}, limit=240).succeeded()
    for begin in ("Gflop/s, medians of 1", "FMA ceiling", "update alone", "panel alone",
                  "row swap", "xhpl, N = 80", "xhpl, N = 150", "generation",
                  "to reference", "to baseline", "1000 x residual",
                  r"\d+ threads?, \d+\.\d minutes$"):
        assert re.search(rf"^{begin}", outcome.stdout, re.M), str(outcome)
    assert "not measured" not in outcome.stdout, str(outcome)


def homes(record):
    """Blocks of columns that stay on the device, and of the others."""
    rows = {row["where"]: row["blocks"] for row in record["tests"][0]["plan"]["rows"]}
    others = rows["host"] + rows.get("guests of these", 0)
    return rows["all"] - others, others


@pytest.mark.more
def test_every_step_of_a_gpu_has_its_row_and_its_record(tmp_path):
    outcome = jobs.run([*GPU, "--json", "all.json", jobs.BIN], tmp_path).succeeded()
    said = outcome.stdout
    assert re.search(r"^emu +software devices", said, re.M), str(outcome)
    assert "double precision: native" in said, str(outcome)
    for begin in ("link, both", "DGEMM on its own data, k = 64", "visits for products, N",
                  "nothing resident, N", "syrk on its own data, checked",
                  "DGEMM of host memory, tile 150", "resident, N", "half resident, N",
                  "resident, panels of the host, N", "resident, panels of the device, N",
                  "resident, group = 8, N", "half resident, group = 4, N",
                  "larger than the device, N"):
        rate = rf"^{re.escape(begin)}.* (?!0\.00 )\d+\.\d\d "
        assert re.search(rate, said, re.M), f"{begin}\n{outcome}"
    assert re.search(r"^resident, N = \d+, NB = 64, \d+\.\d\d s ", said, re.M), str(outcome)
    assert "getrf of NVIDIA: not for devices of emu" in said, str(outcome)
    assert re.search(r"^host memory pinned, GB +0\.00 ", said, re.M), str(outcome)
    assert re.search(r"^before it: the self-test, s +\d+\.\d\d ", said, re.M), str(outcome)
    assert re.search(r"^torture, wrong products +0\.00 ", said, re.M), str(outcome)
    assert re.search(r"^torture, DGEMM at its end, .* \d+\.\d\d ", said, re.M), str(outcome)
    assert "0 steps failed" in said, str(outcome)
    records = json.loads((tmp_path / "all.json").read_text())
    assert {"probe 64", "operations", "pinned", "resident", "torture"} <= records.keys()
    assert homes(records["resident"])[1] == 0
    stay, others = homes(records["half resident"])
    assert 0.3 * others < stay < 2 * others


# Parameters with which CLBlast multiplies on any device, beside a worse one.
XGEMM = dict(GEMMK=0, KREG=1, KWG=32, KWI=2, MDIMA=8, MDIMC=8, MWG=32, NDIMB=8,
             NDIMC=8, NWG=32, PRECISION=64, SA=0, SB=0, STRM=0, STRN=0, VWM=1,
             VWN=1)  # fmt: skip


@pytest.mark.more
def test_products_stand_beside_those_of_others(tmp_path):
    """And of CLBlast, whose tuner might have written such files."""
    for kind in "xgemm", "xdot":
        results = [{"time": t, "parameters": {**XGEMM, "VWN": v}} for t, v in ((9, 2), (3, 1))]
        told = {"kernel_family": f"{kind}_1", "results": results}
        (tmp_path / f"clblast_{kind}_1_64.json").write_text(json.dumps(told))
    outcome = jobs.run([*OPENCL, tmp_path, jobs.BIN], tmp_path).succeeded()
    if "no device of OpenCL" in outcome.stdout:
        pytest.skip("no device of OpenCL")
    rows = re.findall(r"^k = (\d+): (\w.*?)  +(\S+) +(\S+) +(\S+)", outcome.stdout, re.M)
    assert len(rows) == 5, str(outcome)
    for _, name, *figures in rows:
        if "CLBlast" in name and "-" in figures:
            continue  # it is not there
        measured, reference, ratio = map(float, figures)
        assert ratio == pytest.approx(measured / reference, rel=0.05), name
