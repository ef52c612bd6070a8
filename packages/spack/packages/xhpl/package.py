# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *

try:  # from Spack 1.0 on
    from spack_repo.builtin.build_systems.autotools import AutotoolsPackage
except ImportError:
    pass


class Xhpl(AutotoolsPackage):
    """The High-Performance Linpack benchmark, a drop-in for HPL 2.3, that shares its
    work between cores and GPUs."""

    # Where your copy of this repository is: spack develop -p FOLDER xhpl@main
    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("blas")
    depends_on("hwloc")
    depends_on("jansson")
    depends_on("python", type="run")  # hpl-report

    def configure_args(self):
        """configure is there as it is; make finds hwloc and jansson."""
        return [
            "MPICC=" + self.spec["mpi"].mpicc,
            "CFLAGS=-O3",
            "LIBS=" + self.spec["blas"].libs.ld_flags,
        ]

    def check(self):
        """Not make test, too: that is for developers, and installs what it needs."""
        make("check")
