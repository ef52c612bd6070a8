# SPDX-License-Identifier: BSD-3-Clause
"""setup/bootstrap, where it may not or cannot install what is missing."""
import os

import pytest

import jobs

pytestmark = pytest.mark.scripts

# Whoever installs something leaves a trace.
INSTALLER = '#!/bin/sh\necho "$0 $*" >> installed\n'
STUBS = {
    "id": "#!/bin/sh\necho 1000\n",
    "sudo": "#!/bin/sh\nexit 1\n",
    "apt-get": INSTALLER,
    "dnf": INSTALLER,
    "zypper": INSTALLER,
    "spack": INSTALLER,
    "pkg-config": '#!/bin/sh\n[ "$2" != blas-netlib ]\n',
}

ADVICE = {
    "apt-get": ("apt-get install -y --no-install-recommends ", " (as root)"),
    "dnf": ("dnf install -y ", " && module load mpi"),
    "zypper": ("zypper install -y ", ""),
    "spack": ("spack install ", ""),
}
PACKAGES = {
    "apt-get": "libopenmpi-dev libhwloc-dev libcmocka-dev python3-pytest clang",
    "dnf": "openmpi-devel hwloc-devel libcmocka-devel python3-pytest clang",
    "zypper": "openmpi4-devel hwloc-devel libcmocka-devel python3-pytest clang",
    "spack": "openmpi hwloc cmocka py-pytest llvm",
}


@pytest.fixture
def bootstrap(tmp_path):
    """Run it with these stubs, by default in place of all other commands; the
    line that it advises, or all it said."""

    def run(group, *stubs, path=""):
        for name in stubs:
            (tmp_path / name).write_text(STUBS[name])
            (tmp_path / name).chmod(0o755)
        outcome = jobs.run(
            ["/bin/sh", jobs.SOURCE / "setup/bootstrap", group],
            tmp_path,
            {"PATH": f"{tmp_path}{path}"},
        )
        assert outcome.status == 2, str(outcome)
        assert outcome.stdout == "", str(outcome)
        assert not (tmp_path / "installed").exists()
        head, _, line = outcome.stderr.rstrip("\n").partition("\n  ")
        if line:
            assert head == "bootstrap: something is missing; please run"
        return line or head

    return run


@pytest.mark.parametrize("manager", ADVICE)
def test_the_line_to_type_is_printed(bootstrap, manager):
    line = bootstrap("test-all", manager, "id")
    begins, ends = ADVICE[manager]
    assert line.startswith(begins) and line.endswith(ends), line
    assert set(PACKAGES[manager].split()) <= set(line.split()), line


@pytest.mark.parametrize("manager", ADVICE)
def test_to_run_nothing_is_asked_for_that_only_tests_need(bootstrap, manager):
    line = bootstrap("run", manager, "id")
    assert "cmocka" not in line and "clang" not in line, line
    assert "hwloc" in line, line


def test_spack_is_to_load_what_it_installs(bootstrap):
    line = bootstrap("run", "spack")
    install, load = line.split(" && ")
    assert load == install.replace("install", "load")


def test_without_a_package_manager_what_is_needed_is_named(bootstrap):
    said = bootstrap("run")
    assert "no package manager known" in said
    assert "OpenBLAS, hwloc, jansson" in said


def test_a_blas_by_the_reference_ones_name_does_not_stand_in_for_it(bootstrap):
    stubs = ("apt-get", "id", "sudo", "pkg-config")
    line = bootstrap("test-all", *stubs, path=os.pathsep + os.environ["PATH"])
    assert "libblas-dev" in line.split(), line
