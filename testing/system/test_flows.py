# SPDX-License-Identifier: BSD-3-Clause
"""Ways to build, install and pack, each in a copy of the tree."""
import os
import re
import shutil

import pytest

import hpl_dat
import jobs
import report

pytestmark = pytest.mark.flows

BUILD_LIMIT = 600
BUILT = ("build", "bin", "lib", "dist", ".git", "__pycache__", "config.make")

UPSTREAM_STYLE = """\
SHELL        = /bin/sh
CD           = cd
CP           = cp
LN_S         = ln -s
MKDIR        = mkdir
RM           = /bin/rm -f
TOUCH        = touch
ARCH         = {arch}
TOPdir       = $(HOME)/hpl
INCdir       = $(TOPdir)/include
BINdir       = $(TOPdir)/bin/$(ARCH)
LIBdir       = $(TOPdir)/lib/$(ARCH)
HPLlib       = $(LIBdir)/libhpl.a
MPdir        =
MPinc        =
MPlib        =
LAdir        =
LAinc        =
LAlib        = {blas}
F2CDEFS      = -DAdd_ -DF77_INTEGER=int -DStringSunStyle
HPL_INCLUDES = -I$(INCdir) -I$(INCdir)/$(ARCH) $(LAinc) $(MPinc)
HPL_LIBS     = $(HPLlib) $(LAlib) $(MPlib)
HPL_OPTS     = {options}
HPL_DEFS     = $(F2CDEFS) $(HPL_OPTS) $(HPL_INCLUDES)
CC           = {mpicc}
CCNOOPT      = $(HPL_DEFS)
CCFLAGS      = $(HPL_DEFS) {flags} -O3 {after}
LINKER       = {mpicc}
LINKFLAGS    = $(CCFLAGS)
ARCHIVER     = ar
ARFLAGS      = r
RANLIB       = echo
"""


def copy_tree(directory):
    """A copy of the tree's sources."""
    ignore = shutil.ignore_patterns(*BUILT, "shared", "Make.UNKNOWN", "xhpl", "*.o")
    copied = directory / "tree"
    return shutil.copytree(jobs.SOURCE, copied, symlinks=True, ignore=ignore)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy that several architectures are built in."""
    return copy_tree(tmp_path_factory.mktemp("flows"))


# Plug-ins that take long to compile are the same in every copy. What is compiled as in
# the tree itself, with these flags and -O3, ccache has, if it is in PATH.
AS_IN_THE_TREE = "-Wall -Wextra"
FEW = ("HYB_CUDA=no", "HYB_OPENCL=no", "HIP_CLANG=")


def make(directory, *words, env=None):
    parallel = f"-j{os.cpu_count()}"
    return jobs.run(["make", parallel, *FEW, *words], directory, env, limit=BUILD_LIMIT)


def made(directory, *words, env=None):
    """make that must succeed."""
    return make(directory, *words, env=env).succeeded()


def run_built(program, directory, processes=1, **changes):
    """Run a built xhpl on a small test that must pass."""
    (directory / "HPL.dat").write_text(hpl_dat.text(**changes))
    outcome = jobs.run(jobs.launched(processes, [program]), directory).succeeded()
    assert report.counts(outcome.stdout)["passed"] == 1, str(outcome)
    return outcome


def assert_layout(tree, arch):
    for name in (f"bin/{arch}/xhpl", f"lib/{arch}/libhpl.a"):
        assert (tree / name).exists(), name
    shipped = (tree / f"bin/{arch}/HPL.dat").read_text().splitlines()
    assert len(shipped) == 31


def write_make_arch(tree, arch, **changes):
    """A Make.<arch> as written for upstream."""
    usual = {"options": "", "blas": "-lopenblas", "mpicc": "mpicc", "flags": "", "after": ""}
    text = UPSTREAM_STYLE.format(arch=arch, **{**usual, **changes})
    (tree / f"Make.{arch}").write_text(text)


UPSTREAMS_OPTIONS = (
    "-DHPL_CALL_CBLAS -DHPL_COPY_L -DHPL_DETAILED_TIMING -DHPL_PROGRESS_REPORT"
)


STATIC_LIBRARY = "libopenblas.a"
ONE = ["-n", "20", "-nb", "4", "-p", "1", "-q", "1"]


@pytest.fixture(scope="module")
def has_static_blas():
    words = ["cc", f"-print-file-name={STATIC_LIBRARY}"]
    return jobs.run(words, ".").stdout.startswith("/")


@pytest.fixture(scope="module")
def typical(tree, has_static_blas, tmp_path_factory):
    """Build Linux_typical, which is written for upstream and has all of its
    options, where nobody finds a cblas.h; without jansson, with a static BLAS where
    there is one. The outcome of another call."""
    folder = tmp_path_factory.mktemp("include")
    (folder / "cblas.h").write_text("#error not every library has one\n")
    changes = {"options": f"{UPSTREAMS_OPTIONS} -I{folder}", "flags": AS_IN_THE_TREE}
    if has_static_blas:
        changes["blas"] = f"-l:{STATIC_LIBRARY} -lgfortran -lpthread -lm"
    write_make_arch(tree, "Linux_typical", **changes)
    made(tree, "arch=Linux_typical", "JSON=no")
    return tree / "bin/Linux_typical"


def test_a_make_arch_of_upstream_works_unchanged(tree, typical, has_static_blas, tmp_path):
    """Detailed timing adds six times behind the row; a static BLAS, out of which a weak
    symbol alone takes nothing, tells its version."""
    assert_layout(tree, "Linux_typical")
    outcome = run_built(typical / "xhpl", tmp_path, 2, q="2", n="600", nb="32")
    lines = outcome.stdout.splitlines()
    row = next(i for i, x in enumerate(lines) if report.ROW.match(x))
    fence = next(i for i, x in enumerate(lines) if "--VVV--" in x)
    times = [x for x in lines if re.search(r"time .*: +\d+\.\d\d$", x)]
    assert fence > row and len(times) == 6, str(outcome)
    assert lines[fence + 1 : fence + 7] == times
    if has_static_blas:
        said = re.search(r"OpenBLAS, version (\S+), kernel (\S+),", outcome.stderr)
        assert said and "unknown" not in said.groups(), str(outcome)


def test_make_again_builds_nothing_and_keeps_the_users_hpl_dat(tree, typical):
    (typical / "HPL.dat").write_text("mine\n")
    again = made(tree, "arch=Linux_typical", "JSON=no")
    assert not re.search(r"\b(CC|AR|LINK) ", again.stdout), again
    assert (typical / "HPL.dat").read_text() == "mine\n"


def test_without_jansson_it_refuses_to_record(tree, typical, tmp_path):
    assert not (typical / "xdgemm").exists()
    outcome = jobs.run([typical / "xhpl", *ONE, "--json", "run.json"], tmp_path)
    outcome.refused("--json: this program was built without jansson")
    assert not (tmp_path / "run.json").exists()
    plan = ["--plan", "--memory", "200M", "--nb", "64", "--force", "--set", "plan_seconds=0.1"]
    said = jobs.run([typical / "xhpl", *plan], tmp_path).succeeded().stdout
    (command,) = re.findall("^run: .*", said, re.M)
    assert "--json" not in command and "predict" not in command


PRIVATE_COMPILER = """\
for word in "$@"; do
    shift
    [ "$word" = -xPrivate ] || set -- "$@" "$word"
done
exec gcc "$@"
"""
PRIVATE_MPICC = """\
if [ "$1" = -show ]; then
    echo "$INSIDE -I/opt/mpi/include -L/opt/mpi/lib -lmpi"
    exit
fi
OMPI_CC=$INSIDE MPICH_CC=$INSIDE I_MPI_CC=$INSIDE exec mpicc "$@"
"""


def test_flags_of_the_compiler_inside_mpicc_reach_no_other(tree, tmp_path):
    inside = jobs.program(tmp_path / "compiler", PRIVATE_COMPILER)
    text = PRIVATE_MPICC.replace("$INSIDE", str(inside))
    mpicc = jobs.program(tmp_path / "mpicc", text)
    write_make_arch(tree, "Linux_private", mpicc=mpicc, flags="-xPrivate")
    programs = [f"{tree}/bin/Linux_private/{x}" for x in ("xblas", "libhyb_emu.so")]
    outcome = made(tree, "V=1", "arch=Linux_private", *programs)
    lines = [x for x in outcome.stdout.splitlines() if "-xPrivate" in x]
    plug_in = [x for x in lines if "hybrid/device/emu/emu.c" in x]
    assert plug_in[0].startswith(f"{inside} "), str(outcome)
    assert outcome.stdout.count(str(mpicc)) > 0, str(outcome)


GUARDS = {"-Ofast": "-O3", "-ffast-math": "-fno-fast-math",
          "-funsafe-math-optimizations": "-fno-unsafe-math-optimizations"}


def test_fast_math_turns_off_subnormal_numbers_in_nothing_that_is_linked(tree):
    """gcc adds an object that does so, to a program and to a plug-in."""
    write_make_arch(tree, "Linux_fast", after=" ".join(GUARDS))
    plan = made(tree, "-n", "V=1", "arch=Linux_fast", "build", "tools", "unit").stdout
    lines = [x.split() for x in plan.splitlines() if re.search(r" -Ofast .* -o \S*bin/", x)]
    assert len(lines) > 6 and any(".so" in x for x in plan.split()), plan
    for line in lines:
        for flag, guard in GUARDS.items():
            assert guard in line[line.index(flag) + 1 :], line
    plug_in = f"{tree}/bin/Linux_fast/libhyb_emu.so"
    made(tree, "arch=Linux_fast", plug_in)
    asked = f"import ctypes; ctypes.CDLL('{plug_in}'); print(2.0**-1022 * 0.5 > 0.0)"
    assert jobs.run(["/usr/bin/python3", "-c", asked], tree).stdout == "True\n"


WIDE_DDOT = """\
#include <stdint.h>
double ddot_(const int64_t *n, const double *x, const int64_t *incx,
             const double *y, const int64_t *incy)
{
    double sum = 0.0;
    for (int64_t i = 0; i < *n; i++)
        sum += x[i * *incx] * y[i * *incy];
    return sum;
}
"""


def test_a_blas_of_64_bit_integers_is_refused(tree, tmp_path):
    (tmp_path / "ddot.c").write_text(WIDE_DDOT)
    jobs.run(["gcc", "-c", "ddot.c"], tmp_path).succeeded()
    write_make_arch(tree, "Linux_wide", blas=tmp_path / "ddot.o")
    outcome = make(tree, "arch=Linux_wide", "build/Linux_wide/blas-checked").ended(2)
    assert "is an ILP64 build (64-bit integers)" in outcome.stderr, str(outcome)
    assert not (tree / "build/Linux_wide/blas-checked").exists()


def test_a_compiler_of_the_environment_works_inside_mpicc(tree):
    """Were mpicc to work inside mpicc, it would start itself for ever."""
    status = "build/arch/obj/base/status.o"
    outcome = jobs.run(["make", "V=1", status], tree, {"CC": "gcc"}).succeeded()
    assert "mpicc" in outcome.stdout


# ---- libraries that make finds ----------------------------------------------


@pytest.fixture
def planned(tree, tmp_path):
    """What make would do where pkg-config is this script."""

    def run(script, *words):
        text = script.replace("$real", shutil.which("pkg-config"))
        jobs.program(tmp_path / "pkg-config", f"{text}\nexit 1\n")
        env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
        return made(tree, "--dry-run", *words, env=env).stdout

    return run


def test_make_run_takes_what_was_installed_for_it_and_make_alone_what_is_there(planned):
    """As on a bare machine: only the make inside make run finds libraries."""
    inside = '[ "${MAKELEVEL:-0}" -gt 0 ] && exec $real "$@"'
    plan = planned(inside, "run")
    (fitted,) = re.findall(r"^scripts/run-fitted .*\n?.*", plan, re.M)
    assert "numa" in fitted and "building" not in plan, plan
    plan = planned(inside)
    assert len(re.findall(r"building without hybrid/ \(HYBRID=no\)$", plan, re.M)) == 1, plan
    assert "CC    hpl/" in plan and "CC    hybrid/" not in plan


def test_without_jansson_the_solver_is_built_all_the_same(planned):
    plan = planned('case "$*" in *jansson*) exit 1 ;; esac\nexec $real "$@"')
    said = re.findall("^jansson is not found: .*no xdgemm.*", plan, re.M)
    assert len(said) == 1 and "HYBRID=no" not in plan, plan
    assert "CC    hybrid/lu/" in plan and "LINK" in plan
    for missing in ("bin/arch/xdgemm", "jansson.h", "-ljansson"):
        assert missing not in plan


def test_libraries_are_used_as_pkg_config_says(planned):
    """They may lie where no compiler looks by itself."""
    says = """case "$*" in
    *--cflags*) echo -I/far/include ;; *--libs*) echo -L/far/lib -lfar ;; esac
    exit 0"""
    plan = planned(says, "V=1")
    compiled = re.findall(r".* -c -o \S*hybrid/node/topology\.o .*", plan)
    linked = re.findall(r".* -o \S*bin/arch/(?:xhpl|xdgemm) .*", plan)
    assert compiled and all("-I/far/include" in x for x in compiled)
    assert len(linked) >= 2 and all("-L/far/lib" in x for x in linked)


def test_all_is_built_again_when_other_parts_are(tree):
    """Objects of one kind of xhpl do not get into another."""
    stamp = tree / "build/arch/commands"
    made(tree, "build/arch/commands")
    whole = stamp.read_text()
    made(tree, "build/arch/commands", "HYBRID=no")
    assert stamp.read_text() != whole
    made(tree, "build/arch/commands")
    assert stamp.read_text() == whole


def test_the_generic_file_builds_arch_unknown(tree, tmp_path):
    jobs.run(["/bin/bash", "make_generic"], tree / "setup").succeeded()
    link = tree / "Make.UNKNOWN"
    link.symlink_to(tree / "setup/Make.UNKNOWN")
    try:
        compilers = ("CC=mpicc", "MPICC=mpicc", "LINKER=mpicc")
        flags = ("LAlib=-lopenblas", "CCFLAGS=$(HPL_DEFS) -O3")
        made(tree, "HYBRID=no", f"TOPdir={tree}", *compilers, *flags, "arch=UNKNOWN")
    finally:
        link.unlink()
    assert_layout(tree, "UNKNOWN")
    xhpl = tree / "bin/UNKNOWN/xhpl"
    run_built(xhpl, tmp_path)
    for options in "--plan", "--predict", "--set predict=on":
        jobs.run([xhpl, *options.split()], tmp_path).refused("HYBRID=no")


@pytest.fixture(scope="module")
def configured(tmp_path_factory):
    """A copy that was configured, built and installed below a DESTDIR."""
    tree = copy_tree(tmp_path_factory.mktemp("configured"))
    stage = tmp_path_factory.mktemp("stage")
    given = ["CFLAGS=-O3", "LIBS=-lopenblas"]  # as package managers do
    jobs.run(["./configure", "--prefix=/opt/hpl", *given], tree).succeeded()
    made(tree)
    outcome = made(tree, "install", f"DESTDIR={stage}")
    (stage / "said").write_text(outcome.stdout)
    return tree, stage / "opt/hpl"


def test_what_configure_make_and_install_leave_computes(configured, tmp_path):
    """Also with devices, and by its own check."""
    tree, prefix = configured
    run_built(tree / "testing/xhpl", tmp_path)
    hpl = ["xhpl", "-n", "60", "--nb", "8", "-p", "1", "-q", "1"]
    for name, *options in hpl, ["xdgemm", "-m", "60"]:
        command = [prefix / "bin" / name, *options, "--set", "devices=emu:1"]
        outcome = jobs.run(command, tmp_path).succeeded()
        assert "emu:0" in outcome.stdout + outcome.stderr, str(outcome)
    outcome = made(tree, "installcheck", f"DESTDIR={prefix.parent.parent}")
    assert outcome.stdout.count("ok - ") == 8, str(outcome)
    words = [prefix / "bin/write-dat", "60", "8", "1", "1"]
    (tmp_path / "HPL.dat").write_text(jobs.run(words, tmp_path).succeeded().stdout)
    words = [prefix / "bin/xhpl-mpirun", "-np", "1", prefix / "bin/xhpl"]
    assert "PASSED" in jobs.run(words, tmp_path).succeeded().stdout


def test_install_takes_the_tools_along_each_with_a_page(configured, tmp_path):
    tools = ["hpl-report", "xprobe", "write-dat", "xhpl-mpirun", "xdgemm",
             "xhpl-campaign", "xhpl-check", "pack-submission"]
    outcome = jobs.run([configured[1] / "bin/hpl-report", "none.json"], tmp_path)
    assert outcome.stderr == "hpl-report: none.json: No such file or directory\n"
    for name in tools:
        assert os.access(configured[1] / "bin" / name, os.X_OK), name
        page = (configured[1] / f"share/man/man1/{name}.1").read_text()
        assert page.count("\n") > 8 and page.startswith(".\\"), page


def test_installed_pages_name_what_is_installed_and_find_each_other(configured):
    pages = configured[1] / "share/doc/xhpl"
    names = "mpirun|hpl-report|pack-submission|write-dat|xhpl-campaign|xhpl-check"
    named = set()
    for page in pages.rglob("*.md"):
        text = page.read_text()
        found = re.search(rf"scripts/({names})\b|bin/arch/(xhpl|xdgemm|xprobe)\b", text)
        assert not found, f"{page}: {found}"
        named |= set(re.findall(r"\b(xhpl-mpirun|write-dat|hpl-report) -?\w", text))
    assert named == {"xhpl-mpirun", "write-dat", "hpl-report"}
    for page in [pages / "README.md", *(pages / "docs").glob("*.md")]:
        links = re.findall(r"\]\(((?:docs/)?[\w/]+\.(?:md|png|json))", page.read_text())
        for link in links:
            source = link.startswith(("testing/", "packages/"))
            assert source or (page.parent / link).exists(), f"{page.name}: {link}"
    assert (pages / "docs/images/run.png").exists()
    assert os.access(pages / "examples/slurm/campaign.sbatch", os.X_OK)


def test_pkg_config_names_what_a_driver_needs(configured, tmp_path):
    env = {"PKG_CONFIG_PATH": str(configured[1] / "lib/pkgconfig"),
           "PKG_CONFIG_SYSROOT_DIR": str(configured[1].parent.parent)}
    asked = jobs.run(["pkg-config", "--cflags", "--libs", "xhpl"], tmp_path, env)
    flags = asked.succeeded().stdout.replace(f"{env['PKG_CONFIG_SYSROOT_DIR']}/usr", "/usr")
    words = [jobs.HERE / "system/driver/driver.c", "-o", tmp_path / "driver"]
    jobs.run(["mpicc", *words, *flags.split()], tmp_path).succeeded()


def test_install_and_uninstall_leave_what_others_wrote(configured, tmp_path):
    stage = tmp_path / "stage"
    tree, prefix = configured[0], stage / "opt/hpl"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin/other").write_text("")
    (prefix / "bin/HPL.dat").write_text("mine")
    made(tree, "install", f"DESTDIR={stage}")
    made(tree, "uninstall", f"DESTDIR={stage}")
    left = sorted(x.name for x in stage.rglob("*") if x.is_file())
    assert left == ["HPL.dat", "other"]
    assert (prefix / "bin/HPL.dat").read_text() == "mine"
    assert not list(stage.rglob("*xhpl*"))


def test_archives_of_a_commit_are_the_same_bit_by_bit(tmp_path):
    if jobs.run(["git", "rev-parse", "HEAD"], jobs.SOURCE).status != 0:
        pytest.skip("not a git checkout")
    clone, found = tmp_path / "clone", []
    jobs.run(["git", "clone", "-q", ".", clone], jobs.SOURCE).succeeded()
    for _ in range(2):
        os.utime(clone / "Makefile")
        made(clone, "dist")
        (archive,) = (clone / "dist").glob("xhpl-*.tar.gz")
        found.append(archive.read_bytes())
        archive.unlink()
    assert found[0] == found[1]


# ---- Spack -------------------------------------------------------------------


def test_the_recipe_of_spack_asks_configure_for_what_it_knows(tmp_path):
    """With what the recipe uses of Spack; what make then does is the same for all."""
    tree = copy_tree(tmp_path)
    source = (jobs.SOURCE / "packages/spack/packages/xhpl/package.py").read_text()
    asked = []
    spack = {
        "AutotoolsPackage": object, "version": lambda *a, **k: None,
        "depends_on": lambda name, **k: asked.append(name),
    }  # fmt: skip
    exec(source.replace("from spack.package import *", ""), spack)
    package = spack["Xhpl"]()
    library = "-L/far/blas -lfarblas"

    class Spec:
        mpicc = "mpicc"

        class libs:
            ld_flags = library

    package.spec = {"mpi": Spec, "blas": Spec}
    # a BLAS that is not there is not asked for by what configure tries
    words = [w.replace(library, "-lopenblas") for w in package.configure_args()]
    jobs.run(["./configure", "--prefix=/p", *words], tree).succeeded()
    plan = made(tree, "-n", "V=1").stdout
    link = [x for x in plan.splitlines() if " -o " in x and "/xhpl " in x]
    assert link and all("-lopenblas" in x for x in link), link
    assert {"mpi", "blas", "hwloc", "jansson", "pkgconfig"} <= set(asked)
