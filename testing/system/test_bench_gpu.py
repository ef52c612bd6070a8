# SPDX-License-Identifier: BSD-3-Clause
"""The bench of a GPU's first minutes, on an emulated device."""
import json
import re

import pytest

import jobs

pytestmark = pytest.mark.scripts
SCRIPT = jobs.SOURCE / "bench/gpu"
QUICK = [SCRIPT, "--quick", "--device", "emu:1", "--set", "emu_memory=64",
         "--set", "stall_seconds=60"]  # fmt: skip


def homes(record):
    """Blocks of columns that stay on the device, and of the others."""
    rows = {row["where"]: row["blocks"] for row in record["tests"][0]["plan"]["rows"]}
    others = rows["host"] + rows.get("guests of these", 0)
    return rows["all"] - others, others


@pytest.mark.more
def test_every_step_has_its_row_and_its_record(tmp_path):
    outcome = jobs.run([*QUICK, "--json", "all.json", jobs.BIN], tmp_path).succeeded()
    said = outcome.stdout
    assert re.search(r"^emu +software devices", said, re.M), str(outcome)
    assert "double precision: native" in said, str(outcome)
    for begin in ("link, both", "DGEMM on its own data, k = 64", "visits for products, N",
                  "nothing resident, N",
                  "syrk on its own data, checked",
                  "DGEMM of host memory, tile 150",
                  "resident, N", "half resident, N", "resident, panels of the host, N",
                  "resident, panels of the device, N",
                  "resident, group = 8, N", "half resident, group = 4, N",
                  "larger than the device, N"):  # fmt: skip
        rate = rf"^{re.escape(begin)}.* (?!0\.00 )\d+\.\d\d "
        assert re.search(rate, said, re.M), f"{begin}\n{outcome}"
    assert re.search(r"^resident, N = \d+, NB = 64, \d+\.\d\d s ", said, re.M), str(outcome)
    assert "getrf of NVIDIA: not for devices of emu" in said, str(outcome)
    assert re.search(r"^host memory pinned, GB +0\.00 ", said, re.M), str(outcome)
    assert re.search(r"^before it: the self-test, s +\d+\.\d\d ", said, re.M), str(outcome)
    assert re.search(r"^torture, wrong products +0\.00 ", said, re.M), str(outcome)
    assert "0 steps failed" in said, str(outcome)
    records = json.loads((tmp_path / "all.json").read_text())
    assert {"probe 64", "operations", "pinned", "resident", "torture"} <= records.keys()
    assert homes(records["resident"])[1] == 0
    stay, others = homes(records["half resident"])
    assert 0.3 * others < stay < 2 * others
