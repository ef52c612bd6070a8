# SPDX-License-Identifier: BSD-3-Clause
"""setup/bootstrap, where it may not or cannot install what is missing, and where
it does."""
import shutil

import pytest

import jobs

pytestmark = pytest.mark.scripts
BOOTSTRAP = jobs.SOURCE / "setup/bootstrap"

# What each manager is told, what follows, and some packages of its own.
MANAGERS = {
    "apt-get": (
        "apt-get install -y --no-install-recommends ", " (as root)",
        "libopenmpi-dev libhwloc-dev libcmocka-dev python3-pytest clang"),
    "dnf": (
        "dnf install -y ", " && module load mpi",
        "openmpi-devel hwloc-devel libcmocka-devel python3-pytest clang"),
    "zypper": (
        "zypper install -y ", "",
        "openmpi4-devel hwloc-devel libcmocka-devel python3-pytest clang"),
    "spack": ("spack install ", "", "openmpi hwloc cmocka py-pytest llvm"),
}  # fmt: skip
STUBS = {
    "id": "echo 1000\n",
    "sudo": "exit 1\n",
    "pkg-config": '[ "$2" != blas-netlib ]\n',
    **{name: f'exec {shutil.which(name)} "$@"\n' for name in ("sed", "dirname", "tr")},
    # whoever installs something leaves a trace
    **dict.fromkeys(MANAGERS, 'echo "$0 $*" >> installed\n'),
}


@pytest.fixture
def bootstrap(tmp_path):
    """Run it with these stubs, by default in place of all other commands; the
    line that it advises, or all it said."""

    def run(group, *stubs, path=""):
        for name in stubs:
            jobs.program(tmp_path / name, STUBS[name])
        words = ["/bin/sh", BOOTSTRAP, group]
        outcome = jobs.run(words, tmp_path, {"PATH": f"{tmp_path}{path}"}).refused()
        assert not (tmp_path / "installed").exists()
        head, _, line = outcome.stderr.rstrip("\n").partition("\n  ")
        if line:
            assert head == "bootstrap: something is missing; please run"
        return line or head

    return run


@pytest.mark.parametrize("manager", MANAGERS)
def test_the_line_to_type_is_printed(bootstrap, manager):
    line = bootstrap("test-all", manager, "id")
    begins, ends, packages = MANAGERS[manager]
    assert line.startswith(begins) and line.endswith(ends), line
    assert set(packages.split()) <= set(line.split()), line
    line = bootstrap("run", manager, "id")
    assert "cmocka" not in line and "clang" not in line, line
    assert "hwloc" in line, line


@pytest.mark.parametrize("manager, group, packages", (
    ("apt-get", "deb", "dpkg-dev debhelper libhwloc-dev ocl-icd-opencl-dev python3"),
    ("apt-get", "site", "mkdocs-material libopenmpi-dev"),
    ("dnf", "site", "mkdocs-material openmpi-devel"),
    ("zypper", "site", "python3-mkdocs-material"),
))  # fmt: skip
def test_what_packages_and_site_need_is_named(bootstrap, manager, group, packages):
    line = bootstrap(group, manager, "id", "sed", "dirname", "tr")
    assert set(packages.split()) <= set(line.split()), line
    assert "cmocka" not in line and "(=" not in line, line


# ---- what is installed for it -------------------------------------------------


@pytest.fixture
def installed(tmp_path):
    """Run bootstrap run where nothing is missing, but what is named; its outcome,
    and what it had installed."""
    folder, asked = tmp_path / "path", tmp_path / "asked"
    stubs = {
        **dict.fromkeys(("pkg-config", "mpirun", "mpicc", "python3"), "exit 0\n"),
        "apt-get": f'echo "$*" >> {asked}\n[ "$broken" = no ]\n',
        "id": "echo 0\n",
    }

    def run(*missing, broken="no"):
        for name, text in stubs.items():
            jobs.program(folder / name, text)
        for name in missing:
            (folder / name).unlink()
        env = {"PATH": str(folder), "broken": broken, "CC": "mpicc", "MPIRUN": ""}
        outcome = jobs.run([shutil.which("sh"), BOOTSTRAP, "run"], tmp_path, env)
        return outcome, asked.read_text() if asked.exists() else ""

    return run


def test_python_is_installed_for_the_page(installed):
    outcome, asked = installed("python3")
    assert outcome.status == 0, str(outcome)
    assert asked.splitlines()[-1].split()[-1] == "python3"
    assert "installing python3\n" in outcome.stderr


def test_a_run_does_without_python(installed):
    outcome, asked = installed("python3", broken="yes")
    assert outcome.status == 0 and "python3" in asked, str(outcome)
    assert "cannot install: python3" in outcome.stderr
    outcome, _ = installed("python3", "apt-get")
    assert (outcome.status, outcome.stderr) == (0, ""), str(outcome)


def test_a_run_does_not_do_without_a_launcher(installed):
    outcome, asked = installed("mpirun")
    assert outcome.status == 2 and "openmpi-bin" in asked, str(outcome)
    assert "still missing for: run" in outcome.stderr
