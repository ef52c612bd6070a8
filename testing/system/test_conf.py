# SPDX-License-Identifier: BSD-3-Clause
"""Files of settings: xhpl.conf, --conf and --print-config."""
import re

import pytest

import hpl_dat
import report

pytestmark = pytest.mark.surface


def write_conf(xhpl, text, name="xhpl.conf"):
    (xhpl.directory / name).write_text(text)


def printed(xhpl, *options, env=None):
    """The lines of --print-config, by the name of the setting."""
    outcome = xhpl("--print-config", *options, env=env).succeeded()
    lines = outcome.stdout.splitlines()
    return {line.split(" = ")[0]: line for line in lines}


def test_xhpl_conf_of_the_working_folder_is_read(xhpl):
    write_conf(xhpl, "blas_threads = 2  # a comment\n")
    outcome = xhpl(dat=hpl_dat.text()).succeeded("settings come from xhpl.conf")
    assert "threads per process: 2" in outcome.stderr, str(outcome)
    assert report.counts(outcome.stdout)["passed"] == 1


def test_conf_names_another_file_and_its_settings_reach_all(xhpl):
    write_conf(xhpl, "blas_threads = 0\n")
    write_conf(xhpl, "message_chunk = 100\n", "other")
    dat = hpl_dat.text(p="1", q="2")
    xhpl("--conf", "other", dat=dat, processes=2).succeeded()


def test_the_last_of_default_file_environment_and_set_wins(xhpl):
    write_conf(xhpl, "".join(f"{x} = 5\n" for x in ("tile", "pipeline", "threads")))
    env = {"XHPL_PIPELINE": "6", "XHPL_THREADS": "6"}
    lines = printed(xhpl, "--set", "threads=7", env=env)
    assert lines["tile"] == "tile = 5  # changed by xhpl.conf:1, default: 0"
    assert lines["pipeline"].startswith("pipeline = 6  # changed by XHPL_PIPELINE,")
    assert lines["threads"].startswith("threads = 7  # changed by --set,")
    assert lines["memory_reserve"] == "memory_reserve = 256"


def test_what_is_printed_is_a_file_of_settings(xhpl):
    first = printed(xhpl, "--set", "tile=512", "--set", "plugin_dir=/a b")
    write_conf(xhpl, "\n".join(first.values()))
    again = printed(xhpl)
    values = [[x.partition("  #")[0] for x in y.values()] for y in (first, again)]
    assert values[0] == values[1]
    assert "changed by xhpl.conf:" in again["tile"]


def test_every_setting_of_help_is_printed(xhpl):
    names = re.findall(r"^  (\w+)=VALUE", xhpl("--help", "all").stdout, re.M)
    assert names and list(printed(xhpl)) == names
    more = set(printed(xhpl, "--set", "emu_link=1")) - set(names)
    assert more == {"emu_link"}  # for tests: only if changed


BAD = [
    ("therads = 2", "therads: no such setting; the nearest is threads"),
    ("bind = nod", "allowed is mask, node; the nearest is node"),
    ("tile", "'tile' is no setting; allowed: name = value"),
]


@pytest.mark.parametrize("line, said", BAD)
def test_a_bad_line_is_refused_with_file_and_line(xhpl, line, said):
    write_conf(xhpl, f"# mine\n{line}\n")
    for ask in [], ["--print-config"]:
        xhpl(*ask, dat=hpl_dat.text()).refused("xhpl.conf:2: ", said)
