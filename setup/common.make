# SPDX-License-Identifier: BSD-3-Clause
#
# What the architecture files here have in common, in the names a Make.<arch>
# has always used. A file sets ARCH and what differs, then includes this one;
# what follows the include replaces what is found here.

SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -s
MKDIR = mkdir
RM = /bin/rm -f
TOUCH = touch

TOPdir = $(CURDIR)
INCdir = $(TOPdir)/hpl/include
BINdir = $(TOPdir)/bin/$(ARCH)
LIBdir = $(TOPdir)/lib/$(ARCH)
HPLlib = $(LIBdir)/libhpl.a

# MPI comes with mpicc; COMPILER is what works inside it. A CC of the
# environment that is no MPI compiler is taken as the latter. (:= matters: an
# mpicc whose compiler is mpicc calls itself for ever.)
ifeq ($(origin CC)-$(findstring mpi,$(CC)),environment-)
ifeq ($(COMPILER),)
COMPILER := $(CC)
endif
CC := mpicc
endif
ifeq ($(origin CC),default)
CC := mpicc
endif
ifneq ($(filter-out mpi%,$(notdir $(COMPILER))),)
export OMPI_CC = $(COMPILER)
export MPICH_CC = $(COMPILER)
export I_MPI_CC = $(COMPILER)
endif
MPdir =
MPinc =
MPlib =

LAdir =
include setup/blas.make

F2CDEFS = -DAdd_ -DF77_INTEGER=int -DStringSunStyle
HPL_INCLUDES = -I$(INCdir) $(LAinc) $(MPinc)
HPL_LIBS = $(HPLlib) $(LAlib) $(MPlib) $(LIBS)
HPL_OPTS =
HPL_DEFS = $(F2CDEFS) $(HPL_OPTS) $(HPL_INCLUDES)

WARNINGS = -Wall -Wextra $(if $(filter yes,$(WERROR)),-Werror)
CFLAGS ?= -O3
CCNOOPT = $(HPL_DEFS)
CCFLAGS = $(HPL_DEFS) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(SANITIZE)
LINKER = $(CC)
LINKFLAGS = $(CFLAGS) $(SANITIZE) $(LDFLAGS)
# For many programs with what a debugger needs.
QUICK_LINKER = $(if $(shell command -v ld.lld),-fuse-ld=lld)
ARCHIVER = ar
ARFLAGS = rc
RANLIB = ranlib
