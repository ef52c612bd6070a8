# SPDX-License-Identifier: BSD-3-Clause
#
# What architecture files for another kind of machine have in common: MACHINE is
# its name, as in the compiler's. `setup/sysroot MACHINE build/sysroot-MACHINE`
# fetches its libraries, and programs run under QEMU.

SYSROOT ?= $(CURDIR)/build/sysroot-$(MACHINE)
ifeq ($(wildcard $(SYSROOT)/complete),)
$(error no $(SYSROOT): setup/sysroot $(MACHINE) $(SYSROOT) makes it)
endif
CROSS_LIBS := $(SYSROOT)/usr/lib/$(TRIPLE)
PKG_CONFIG := PKG_CONFIG_PATH= PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
    PKG_CONFIG_LIBDIR=$(CROSS_LIBS)/pkgconfig pkg-config

CC = $(TRIPLE)-gcc --sysroot=$(SYSROOT)
LAinc = -I$(SYSROOT)/usr/include/$(TRIPLE)
LAlib = -L$(CROSS_LIBS)/openblas-pthread -lopenblas \
        -Wl,-rpath,/usr/lib/$(TRIPLE)/openblas-pthread
EMULATOR = qemu-$(MACHINE) -L $(SYSROOT) -cpu $(QEMU_CPU)
# Between processes of different machines Open MPI's launcher and programs talk in
# plain words only, and QEMU has no call that reads another process's memory.
export PMIX_MCA_gds = hash
export OMPI_MCA_btl_vader_single_copy_mechanism = none
WERROR = yes
CROSS_TESTS ?= $(TESTS_OF_CPU)
TESTS = $(filter testing/%,$(CROSS_TESTS))
SUITE_CHECKS =
HYB_CUDA = no
CUDA_MODEL = no
HIP_CLANG =
include setup/common.make
MPinc = -I$(CROSS_LIBS)/openmpi/include
MPlib = -L$(CROSS_LIBS)/openmpi/lib -lmpi -Wl,-rpath-link,$(CROSS_LIBS)
