# SPDX-License-Identifier: BSD-3-Clause
#
# Each file that HPL 2.3 has in setup/, by its name there. Make finds the compiler
# and the BLAS of this machine; the lines below can be edited in a copy.

include setup/common.make
BLAS_INC := $(LAinc)
BLAS_LIB := $(LAlib)

ARCH         = $(arch)

TOPdir       = $(CURDIR)

MPdir        =
MPinc        =
MPlib        =

LAdir        =
LAinc        = $(BLAS_INC)
LAlib        = $(BLAS_LIB)

HPL_OPTS     = $(if $(findstring CBLAS,$(ARCH)),-DHPL_CALL_CBLAS)

CC           := $(CC)
CCFLAGS      = $(HPL_DEFS) $(CPPFLAGS) $(WARNINGS) $(CFLAGS)

LINKER       = $(CC)
LINKFLAGS    = $(CFLAGS) $(LDFLAGS)
