# SPDX-License-Identifier: BSD-3-Clause
"""The bundle, unpacked where nothing is but the C library and /proc."""
import os
import shutil
import tarfile
from pathlib import Path

import pytest

import jobs

pytestmark = pytest.mark.flows

C_LIBRARY = ("libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2",
             "librt.so.1", "libresolv.so.2")
LIMIT_BYTES = 60e6


def loader_and_library():
    """Files of the C library that a program of this machine loads."""
    shown = jobs.run(["ldd", jobs.XHPL], ".").succeeded().stdout.split()
    paths = [Path(word) for word in shown if word.startswith("/")]
    loader = [p for p in paths if p.name.startswith("ld-linux")]
    folder = next(p.parent for p in paths if p.name == "libc.so.6")
    return loader + [folder / n for n in C_LIBRARY if (folder / n).exists()]


@pytest.fixture(scope="module")
def bundle():
    if not (jobs.BIN / "xdgemm").exists():
        pytest.skip("xdgemm is not built")
    words = ["bundle/make-bundle", jobs.BIN, "xhpl-tested"]
    jobs.run(words, jobs.SOURCE).succeeded()
    packed = jobs.SOURCE / "dist/xhpl-tested.tar.gz"
    yield packed
    packed.unlink()


@pytest.fixture(scope="module")
def empty_root(bundle, tmp_path_factory):
    """A root folder with the C library, /proc, /tmp and the bundle in /x."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root can change its root")
    if jobs.run(["unshare", "-m", "true"], jobs.SOURCE).status != 0:
        pytest.skip("no mount namespace is to be had here")
    root = tmp_path_factory.mktemp("root")
    for name in ("proc", "tmp", "dev"):
        (root / name).mkdir()
    for path in loader_and_library():
        target = root / path.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (root / "dev/null").touch()
    with tarfile.open(bundle) as packed:
        packed.extractall(root)
    (root / "xhpl-tested").rename(root / "x")
    shutil.copy(root / "x/HPL.dat", root)
    return root


def run_inside(root, *words):
    """Run a program in root, in a mount namespace that ends with it."""
    script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    words = ["unshare", "-m", "sh", "-c", script, root, *words]
    return jobs.run(words, root).succeeded()


def test_the_bundle_is_smaller_than_60_megabytes(bundle):
    assert bundle.stat().st_size < LIMIT_BYTES


@pytest.mark.parametrize("words, said", (
    ("/x/bin/xdgemm -m 500 -n 400 -k 100 --devices emu:1 --verify", ", 0 wrong"),
    ("/x/bin/xhpl -n 300 --nb 32 -p 1 -q 1", "PASSED")))
def test_a_program_alone_is_right_in_an_empty_root(empty_root, words, said):
    outcome = run_inside(empty_root, *words.split())
    assert said in outcome.stdout, str(outcome)


def test_mpirun_starts_two_processes_in_an_empty_root(empty_root):
    outcome = run_inside(empty_root, "/x/bin/mpirun", "-np", "2", "/x/bin/xhpl")
    assert "1     2 " in outcome.stdout, str(outcome)
    assert "PASSED" in outcome.stdout, str(outcome)


@pytest.fixture(name="foreign")
def add_foreign_components(empty_root):
    """Components of another PMIx, which no program of the bundle can load."""
    own = next(Path("/usr/lib").glob("*/pmix2/lib/pmix"), None)
    if own is None:
        pytest.skip("the PMIx of this machine has no components")
    folder = empty_root / own.relative_to("/")
    folder.mkdir(parents=True)
    source = empty_root / "component.c"
    source.write_text("int pmix_nowhere(void); int (*x)(void) = pmix_nowhere;")
    for component in own.glob("pmix_mca_*.so"):
        words = ["cc", "-shared", "-fPIC", "-o", folder / component.name, source]
        jobs.run(words, folder).succeeded()
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("launcher", [(), ("/x/bin/mpirun", "-np", "1")])
def test_components_of_another_pmix_are_left_alone(empty_root, foreign, launcher):
    words = "/x/bin/xhpl -n 100 --nb 32 -p 1 -q 1"
    outcome = run_inside(empty_root, *launcher, *words.split())
    assert list(foreign.glob("*.so")), str(outcome)
    assert "PASSED" in outcome.stdout, str(outcome)
    assert "pmix" not in outcome.stderr, str(outcome)
