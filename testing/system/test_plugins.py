# SPDX-License-Identifier: BSD-3-Clause
"""Plug-ins beside the program: whose they may be, and which a build leaves."""
import shutil

import pytest

import jobs

EMU = "libhyb_emu.so"
OPTIONS = ["-n", "100", "-nb", "16", "-p", "1", "-q", "1", "--set", "devices=emu"]

pytestmark = pytest.mark.skipif(not (jobs.BIN / EMU).exists(), reason="built with HYBRID=no")


@pytest.fixture
def installed(tmp_path):
    """A folder with a program and a plug-in."""
    for name in ("xhpl", EMU):
        shutil.copy(jobs.BIN / name, tmp_path)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def solve(folder, *options, **settings):
    words = [folder / "xhpl", *OPTIONS, *options]
    return jobs.run(words, folder, {**settings})


@pytest.mark.parametrize("mode", (0o757, 0o775))
def test_a_plugin_that_others_may_write_is_not_loaded(installed, mode):
    try:
        shutil.chown(installed / EMU, group=4321)
    except PermissionError:
        pass  # then the user's own group may be one of several users
    (installed / EMU).chmod(mode)
    for more in ([], ["--set", f"plugin_dir={installed}"]):
        solve(installed, *more).refused(f"{EMU} is not used", "may write it")
    found = solve(installed, "--set", "devices=auto").succeeded()  # left out and named
    assert f"{EMU} is not used" in found.stderr, str(found)


def test_nor_is_one_in_a_folder_that_others_may_write_or_a_strangers_one(installed):
    installed.chmod(0o777)
    solve(installed).refused("is not used: everybody may write it")
    installed.chmod(0o755)
    try:
        shutil.chown(installed / EMU, 4321)
    except PermissionError:
        pytest.skip("only root can give files away")
    solve(installed).refused(f"{EMU} is not used", "user 4321")
    shutil.chown(installed / "xhpl", 4321)
    solve(installed).succeeded()


def test_a_strangers_xhpl_conf_runs_none_of_his_plugins(installed, tmp_path_factory):
    """A folder of another user, with a file of settings and a library."""
    folder = tmp_path_factory.mktemp("trap")
    shutil.copy(jobs.BIN / EMU, folder)
    (folder / "xhpl.conf").write_text(f"plugin_dir = {folder}\ndevices = emu\n")
    try:
        for name in ("", EMU, "xhpl.conf"):
            shutil.chown(folder / name, 4321)
    except PermissionError:
        pytest.skip("only root can give files away")
    words = [installed / "xhpl", *OPTIONS]
    told = jobs.run(words, folder)
    told.refused("xhpl.conf in this folder is refused", "user 4321", "--conf")
    told = jobs.run([*words, "--conf", "xhpl.conf"], folder)
    told.refused("is not used: it belongs to user 4321")


def test_a_build_removes_plugins_that_it_does_not_make(tmp_path):
    files = ("libhyb_emu.so", "libhyb_old.so", "other.so")
    for change, left in (("", ["libhyb_emu.so", "other.so"]), ("HYBRID=no", ["other.so"])):
        for name in files:
            (tmp_path / name).touch()
        words = ["make", "no-old-plugins", f"BINdir={tmp_path}", *change.split()]
        jobs.run(words, jobs.SOURCE).succeeded()
        assert sorted(x.name for x in tmp_path.iterdir()) == left
