# SPDX-License-Identifier: BSD-3-Clause
"""Plug-ins beside the program: whose they may be, and which a build leaves."""
import shutil

import pytest

import jobs
from conftest import UNMEASURED

EMU = "libhyb_emu.so"
OPTIONS = ["-n", "100", "-nb", "16", "-p", "1", "-q", "1", "--set", "devices=emu"]

pytestmark = pytest.mark.skipif(
    not (jobs.BIN / EMU).exists(), reason="built with HYBRID=no")  # fmt: skip


@pytest.fixture
def installed(tmp_path):
    """A folder with a program and a plug-in."""
    for name in ("xhpl", EMU):
        shutil.copy(jobs.BIN / name, tmp_path)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def solve(folder, *options, **settings):
    words = [folder / "xhpl", *OPTIONS, *options]
    return jobs.run(words, folder, {**UNMEASURED, **settings})


@pytest.mark.parametrize("mode", (0o757, 0o775))
def test_a_plugin_that_others_may_write_is_not_loaded(installed, mode):
    (installed / EMU).chmod(mode)
    solve(installed).refused(f"{EMU} is not loaded", "may write it", "plugin_dir")
    found = solve(installed, "--set", f"plugin_dir={installed}").succeeded()
    assert "is not loaded" not in found.stderr, str(found)


def test_nor_is_a_strangers_one(installed):
    try:
        shutil.chown(installed / EMU, 4321)
    except PermissionError:
        pytest.skip("only root can give files away")
    solve(installed).refused(f"{EMU} is not loaded", "user 4321")
    shutil.chown(installed / "xhpl", 4321)
    solve(installed).succeeded()


def test_without_a_choice_it_is_left_out_and_named(installed):
    (installed / EMU).chmod(0o777)
    found = solve(installed, "--set", "devices=auto").succeeded()
    assert f"{EMU} is not loaded" in found.stderr, str(found)


def test_a_build_removes_plugins_that_it_does_not_make(tmp_path):
    files = ("libhyb_emu.so", "libhyb_old.so", "other.so")
    for change, left in (("", ["libhyb_emu.so", "other.so"]),
                         ("HYBRID=no", ["other.so"])):  # fmt: skip
        for name in files:
            (tmp_path / name).touch()
        words = ["make", "no-old-plugins", f"BINdir={tmp_path}", *change.split()]
        jobs.run(words, jobs.SOURCE).succeeded()
        assert sorted(x.name for x in tmp_path.iterdir()) == left
