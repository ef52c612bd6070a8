# SPDX-License-Identifier: BSD-3-Clause
"""setup/ and configure, as guides and scripts for HPL 2.3 use them. Nothing is built."""
import re
import shutil
import subprocess

import pytest

import jobs

pytestmark = pytest.mark.scripts
UPSTREAMS = """FreeBSD_PIV_CBLAS HPUX_FBLAS I860_FBLAS IRIX_FBLAS Linux_ATHLON_CBLAS
Linux_ATHLON_FBLAS Linux_ATHLON_VSIPL Linux_Intel64 Linux_PII_CBLAS Linux_PII_CBLAS_gm
Linux_PII_FBLAS Linux_PII_FBLAS_gm Linux_PII_VSIPL Linux_PII_VSIPL_gm MacOSX_Accelerate
PWR2_FBLAS PWR3_FBLAS PWRPC_FBLAS PWR_FBLAS SUN4SOL2-g_FBLAS SUN4SOL2-g_VSIPL
SUN4SOL2_FBLAS T3E_FBLAS Tru64_FBLAS Tru64_FBLAS_elan""".split()


@pytest.fixture
def tree(tmp_path):
    """The tree by links, with a setup of its own."""
    folder = tmp_path / "tree"
    folder.mkdir()
    for path in jobs.SOURCE.iterdir():
        if path.name not in (".git", "bin", "build", "lib", "setup", "config.make"):
            (folder / path.name).symlink_to(path)
    shutil.copytree(jobs.SOURCE / "setup", folder / "setup", symlinks=True)
    (folder / "setup/Make.UNKNOWN").unlink(missing_ok=True)
    for name in "configure", "VERSION":
        (folder / name).unlink()
        shutil.copy(jobs.SOURCE / name, folder)
    return folder


def generated(tree):
    jobs.run(["sh", "make_generic"], tree / "setup").succeeded()
    return (tree / "setup/Make.UNKNOWN").read_text()


def plan(tree, arch, target):
    """What make would do; its outcome."""
    words = ["make", "-n", "V=1", f"arch={arch}", "HYB_CUDA=no", "HIP_CLANG=", target]
    return jobs.run(words, tree).succeeded()


def link_of(tree, arch, folder):
    """How it would link xhpl."""
    program = f"{tree}/bin/{folder}/xhpl"
    lines = plan(tree, arch, program).stdout.splitlines()
    return [x for x in lines if f"-o {program} " in x][-1]


# ---- make_generic --------------------------------------------------------------------


@pytest.mark.parametrize("shell, name", (("bash", "bash"), ("bash", "-bash"), ("sh", "sh")))
def test_make_generic_leaves_a_shell_that_sources_it_alone(tree, shell, name):
    script = 'before=$-; set -C; . ./make_generic; set +C; [ "$before" = "$-" ] || exit; false; echo at "$PWD"'
    words = ["bash", "-c", 'exec -a "$0" "$@"', name, shell, "-c", script]
    nobody = {"HOME": str(tree)}  # a login shell reads what a user has there
    for _ in range(2):  # there is one
        outcome = jobs.run(words, tree / "setup", nobody).succeeded()
        assert outcome.stdout == f"at {tree}/setup\n" and outcome.stderr == "", str(outcome)
    for words in (["sh", "setup/make_generic"], ["bash", "-c", ". setup/make_generic"]):
        (tree / "setup/Make.UNKNOWN").unlink()  # it is written beside the script
        jobs.run(words, tree).succeeded()
        assert (tree / "setup/Make.UNKNOWN").exists()


EDITS = r"""
s/ARCH         = UNKNOWN/ARCH         = Linux/
s,TOPdir       = $(HOME)/hpl,TOPdir       = /far/hpl,
s/MPdir        = /MPdir        = \/far\/mpi/
s,LAdir        =,LAdir        = /far/blis,
s,LAinc        =,LAinc        = -I/far/blis/include,
s,LAlib        = -lblas,LAlib        = /far/blis/lib/libblis.a -lm,
s/CCFLAGS      = $(HPL_DEFS)/CCFLAGS      = $(HPL_DEFS) -O2 -funroll-loops/
s/LINKER       = mpif77/LINKER       = mpicc -v/
"""


def test_edits_of_public_scripts_have_their_effect(tree):
    (tree / "edits").write_text(EDITS.strip())
    before = generated(tree).splitlines()
    after = subprocess.run(["sed", "-f", "edits", "setup/Make.UNKNOWN"], cwd=tree, text=True,
                           capture_output=True, check=True).stdout  # fmt: skip
    changed = [x for x, y in zip(after.splitlines(), before) if x != y]
    assert len(changed) == 8, changed
    (tree / "Make.Linux").write_text(after)
    line = link_of(tree, "Linux", "Linux")
    assert "mpicc -v" in line and "/far/blis/lib/libblis.a -lm" in line, line
    compiled = plan(tree, "Linux", "build/Linux/obj/base/log.o").stdout
    assert "-O2 -funroll-loops" in compiled and "-I/far/blis/include" in compiled, compiled


NORMAL = """64c64
< ARCH         = UNKNOWN
---
> ARCH         = Linux
159c159
< HPL_OPTS     =
---
> HPL_OPTS     = -DHPL_CALL_CBLAS
173c173
< LINKER       = mpif77
---
> LINKER       = mpicc -v
"""
UNIFIED = """--- Make.UNKNOWN
+++ Make.Linux
@@ -61,7 +61,7 @@
 # - other words ---
 # ---
 #
-ARCH         = UNKNOWN
+ARCH         = Linux
 #
 # ---
 # - other words ---
@@ -157,5 +157,5 @@
 # other words
 #
-HPL_OPTS     =
+HPL_OPTS     = -DHPL_CALL_CBLAS
 #
 # ---
@@ -172,3 +172,3 @@
 #
-LINKER       = mpif77
+LINKER       = mpicc -v
 LINKFLAGS    =\x20
"""


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
@pytest.mark.parametrize("patch", (NORMAL, UNIFIED))
def test_patches_for_hpl_2_3_apply(tree, patch):
    generated(tree)
    (tree / "patch").write_text(patch)
    shutil.copy(tree / "setup/Make.UNKNOWN", tree / "Make.Linux")
    jobs.run(["patch", "Make.Linux", "patch"], tree).succeeded()
    text = (tree / "Make.Linux").read_text()
    for line in "ARCH         = Linux", "HPL_OPTS     = -DHPL_CALL_CBLAS", "LINKER       = mpicc -v":
        assert f"\n{line}\n" in text, text


def test_what_computes_is_compiled_with_optimization_where_none_is_asked_for(tree):
    """As scripts fill in the template: HPL 2.3 lets the BLAS compute."""
    text = generated(tree).replace("UNKNOWN", "Unix")
    for flags, expected in ("-march=native", True), ("-O2", False), ("-O0 -g", False):
        (tree / "Make.Unix").write_text(text.replace("CCFLAGS      = $(HPL_DEFS)",
                                                     f"CCFLAGS      = $(HPL_DEFS) {flags}"))
        compiled = plan(tree, "Unix", "build/Unix/obj/base/log.o").stdout.splitlines()[-1]
        assert flags in compiled and (" -O3 " in compiled) == expected, compiled


def test_another_arch_in_the_file_than_on_the_command_line_is_told(tree):
    generated(tree)
    shutil.copy(tree / "setup/Make.UNKNOWN", tree / "Make.Linux")
    outcome = plan(tree, "Linux", "build/UNKNOWN/obj/base/log.o")
    assert "Make.Linux has ARCH = UNKNOWN, not Linux: the programs go to bin/UNKNOWN" in outcome.stderr
    for arch in "arch", "more":
        assert "warning" not in plan(tree, arch, "build/arch/obj/base/log.o").stderr


# ---- files of HPL 2.3 ----------------------------------------------------------------


@pytest.mark.parametrize("name", ("Linux_PII_CBLAS", "PWR_FBLAS"))
def test_each_name_of_hpl_2_3_is_there_and_a_copy_can_be_edited(tree, name):
    for each in UPSTREAMS:
        assert (jobs.SOURCE / f"setup/Make.{each}").read_text().startswith("# SPDX"), each
    text = (tree / f"setup/Make.{name}").read_text()
    text = re.sub(r"(?m)^LAlib[ \t]*=.*", "LAlib = /far/libblas.a", text)
    (tree / f"Make.{name}").write_text(text)
    assert "/far/libblas.a" in link_of(tree, name, name)
    compiled = plan(tree, name, f"build/{name}/obj/base/log.o").stdout
    assert ("-DHPL_CALL_CBLAS" in compiled) == ("CBLAS" in name), compiled


# ---- configure -----------------------------------------------------------------------


def test_configure_from_another_folder_is_refused(tree, tmp_path):
    outcome = jobs.run([tree / "configure", "--prefix=/p"], tmp_path).ended(1)
    assert outcome.stderr.count("\n") == 1, str(outcome)
    assert f"cd '{tree}' && ./configure" in outcome.stderr, str(outcome)
    assert not (tree / "config.make").exists()
    assert "xhpl" in jobs.run([tree / "configure", "--version"], tmp_path).succeeded().stdout
