# SPDX-License-Identifier: BSD-3-Clause
#
# How to compile and link; included by the Makefile.

# What the sources need whatever the architecture file says. Ours come first
# among the include folders; what undoes -ffast-math comes last, as a NaN must stay
# one, and so must a subnormal number: with -ffast-math, -Ofast or
# -funsafe-math-optimizations gcc links an object that turns these off.
XH_FIRST = -I. -Ihpl/include
XH_LAST = $(PACKAGE_FLAGS) -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE \
          -DXH_VERSION='"$(VERSION)"' $(NO_FAST_MATH)
XH_LIBS = -lm -lpthread -ldl

NO_FAST_MATH := $(shell for flag in -fno-fast-math -fno-unsafe-math-optimizations; do \
    echo 'int x;' | $(CC) -Werror $$flag -x c -c -o /dev/null - >/dev/null 2>&1 && \
    echo $$flag; done) \
    $(if $(findstring -Ofast,$(CC) $(CCFLAGS) $(LINKER) $(LINKFLAGS)),-O3)

# Arm's SVE: one source, compiled for each length of vectors, by a compiler that
# can do so; clang has to be told of SVE as well.
IS_ARM := $(filter aarch64%,$(shell $(CC) -dumpmachine 2>/dev/null))
FLAGS_OF_sve = -DXH_SVE_BITS=$(1) -msve-vector-bits=$(1)
TRY = $(CC) $(XH_FIRST) $(CCFLAGS) -std=c11 -D_DEFAULT_SOURCE -Werror -fsyntax-only
SVE := $(if $(IS_ARM),$(shell for more in '' -march=armv8-a+sve; do \
    $(TRY) -DXH_SVE base/fma.c && \
    $(TRY) $(call FLAGS_OF_sve,256) $$more hybrid/cpu/isa/sve256.c && \
    echo "-DXH_SVE $$more" && break; done 2>/dev/null))
$(OBJ)/base/fma.o: private XH_LAST += $(firstword $(SVE))
$(OBJ)/hybrid/cpu/isa/sve%.o: private XH_LAST += $(if $(SVE), \
    $(call FLAGS_OF_sve,$(subst hybrid/cpu/isa/sve,,$*)) $(wordlist 2,2,$(SVE)))

# Files written for HPL 2.3, where the BLAS computes, may ask for no optimization.
COMPUTING ?= $(if $(filter -O% -fast%,$(CC) $(CCFLAGS)),,-O3)
$(OBJ)/base/%.o $(OBJ)/hpl/%.o $(OBJ)/hybrid/cpu/%.o: private XH_LAST += \
    $(COMPUTING)

COMPILE = $(CC) $(XH_FIRST) $(CCFLAGS) $(XH_LAST)
LINK = $(LINKER) $(LINKFLAGS) $(NO_FAST_MATH)

# Without MPI: the compiler that is inside mpicc, as the flags are meant for it.
# All of Open MPI, MPICH and Intel MPI tell what they would run; an mpicc that
# does not serves itself.
INSIDE_MPICC = $(shell line=$$($(CC) -show 2>/dev/null | sed '1!d; s/ -.*//'); \
    command -v "$${line%% *}" >/dev/null 2>&1 && echo "$$line")
ifndef HYB_CC
HYB_CC := $(or $(COMPILER),$(if $(findstring mpi,$(CC)),$(INSIDE_MPICC)),$(CC))
endif

# The BLAS is a weak symbol there, which alone would not have it linked.
PLAIN_LINK = $(HYB_CC) $(LINKFLAGS) $(NO_FAST_MATH)
PLAIN_LIBS = -Wl,--no-as-needed $(LAlib) $(LIBS) -Wl,--as-needed $(XH_LIBS)

LIBS_OF_XHPL = $(abspath $(MORE_OBJECTS)) $(HPL_LIBS) $(XH_LIBS)

# What setup/blas-check found to ask the BLAS for.
BLAS_NAMES = $$(cat $(BUILD)/blas-check.names)

# Short messages; V=1 shows the commands.
SAY = @$(if $(V),echo '$(subst ','\'',$(2))',echo "$(1)"); $(2)
