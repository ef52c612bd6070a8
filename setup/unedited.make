# SPDX-License-Identifier: BSD-3-Clause
#
# What make does with lines of a Make.UNKNOWN that nobody edited: it finds a BLAS,
# links with the compiler, and compiles with -O3. An edited line stays.

ifeq ($(strip $(value LAlib)),-lblas)
undefine LAlib
ifeq ($(strip $(LAinc)),)
undefine LAinc
endif
include setup/blas.make
endif
ifeq ($(strip $(value LINKER)),mpif77)
LINKER = $(CC)
endif
CFLAGS ?= -O3
ifeq ($(strip $(value CCFLAGS)),$$(HPL_DEFS))
CCFLAGS = $(HPL_DEFS) $(CPPFLAGS) $(CFLAGS)
endif
ifeq ($(strip $(LINKFLAGS)),)
LINKFLAGS = $(CFLAGS) $(LDFLAGS)
endif
HPL_LIBS += $(LIBS)
