# SPDX-License-Identifier: BSD-3-Clause
#
#   make             build bin/<arch>/xhpl
#   make run         install what is missing, build, run a fitted benchmark
#   make test        install what is missing, build, test
#   make help        all targets
#
# make arch=<name> reads Make.<name>, or setup/Make.<name>. Without arch it
# is Make.UNKNOWN if setup/make_generic's was copied here, else Make.arch.

arch ?= $(if $(wildcard Make.UNKNOWN),UNKNOWN,arch)

all: build

# ---- the architecture file -------------------------------------------------

ARCHFILE := $(firstword $(wildcard Make.$(arch) setup/Make.$(arch)))
ifeq ($(ARCHFILE),)
$(error no Make.$(arch), neither here nor in setup/)
endif

-include config.make
include $(ARCHFILE)

# Output belongs to this tree, wherever the file was written for.
ifneq ($(realpath $(TOPdir)),$(realpath $(CURDIR)))
ifeq ($(MAKELEVEL),0)
$(info $(ARCHFILE): TOPdir = $(TOPdir) is not this tree, using $(CURDIR))
endif
override TOPdir := $(CURDIR)
endif

# All cores, unless make was told a number.
ifeq ($(filter -j% --jobs% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
endif
MAKEFLAGS += --no-builtin-rules
MAKEFLAGS += --no-print-directory

# ---- files -----------------------------------------------------------------

VERSION := $(shell cat VERSION)
BUILD := build/$(ARCH)
OBJ := $(BUILD)/obj
objects = $(patsubst %.c,$(OBJ)/%.o,$(sort $(wildcard $(1))))

BASE_OBJECTS := $(call objects,base/*.c)
HPL_OBJECTS := $(call objects,hpl/*/*.c)
PTEST_OBJECTS := $(call objects,testing/ptest/*.c)
DRIVER_OBJECTS := $(filter-out %/main.o,$(PTEST_OBJECTS))
PROBE_OBJECTS := $(call objects,testing/probe/*.c)
UNIT_OBJECTS := $(call objects,testing/unit/*.c)
UNIT_TESTS := $(patsubst $(OBJ)/testing/%.o,$(BUILD)/%, \
                $(filter %/test_%.o,$(UNIT_OBJECTS)))
UNIT_COMMON := $(filter-out %/test_%.o,$(UNIT_OBJECTS))
HEADERS := $(wildcard base/*.h hpl/*/*.h testing/*/*.h)

XHPL := $(BINdir)/xhpl
XPROBE := $(BINdir)/xprobe

# ---- compiling and linking -------------------------------------------------

# What the sources need whatever the architecture file says. Ours come first
# among the include folders; -fno-fast-math comes last, as a NaN must stay one.
XH_FIRST = -I. -Ihpl/include
XH_LAST = -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE \
          -DXH_VERSION='"$(VERSION)"' $(NO_FAST_MATH)
XH_LIBS = -lm -lpthread

NO_FAST_MATH := $(shell echo 'int x;' | \
    $(CC) -Werror -fno-fast-math -x c -c -o /dev/null - >/dev/null 2>&1 && \
    echo -fno-fast-math)

COMPILE = $(CC) $(XH_FIRST) $(CCFLAGS) $(XH_LAST)
LINK = $(LINKER) $(LINKFLAGS) $(NO_FAST_MATH)
LIBS_OF_XHPL = $(HPL_LIBS) $(XH_LIBS)

# Short messages; V=1 shows the commands.
SAY = @$(if $(V),echo '$(subst ','\'',$(2))',echo "$(1)"); $(2)

.DELETE_ON_ERROR:
.PHONY: all build unit FORCE
FORCE:

build: $(XHPL) $(XPROBE) $(BINdir)/HPL.dat testing/xhpl

unit: $(UNIT_TESTS)

# Changes only when a command does; all objects depend on it.
$(BUILD)/commands: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(COMPILE) | $(LINK) $(LIBS_OF_XHPL))' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

$(OBJ)/%.o: %.c $(BUILD)/commands
	@mkdir -p $(@D)
	$(call SAY,CC    $<,$(COMPILE) -MMD -MP -c -o $@ $<)

$(HPLlib): $(BASE_OBJECTS) $(HPL_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	$(call SAY,AR    $@,$(ARCHIVER) $(ARFLAGS) $@ $^ && $(RANLIB) $@)

$(XHPL): $(PTEST_OBJECTS) $(HPLlib) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(PTEST_OBJECTS) $(LIBS_OF_XHPL))

$(XPROBE): $(PROBE_OBJECTS) $(HPLlib) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(PROBE_OBJECTS) $(LIBS_OF_XHPL))

$(BUILD)/unit/%: $(OBJ)/testing/unit/%.o $(UNIT_COMMON) $(DRIVER_OBJECTS) \
                 $(HPLlib) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(filter %.o,$^) -lcmocka $(LIBS_OF_XHPL))

# A BLAS with 64-bit integers would compute nonsense: it is refused here.
$(BUILD)/blas-checked: setup/blas-check.c setup/blas-check $(HPLlib)
	@sh setup/blas-check $(BUILD)/blas-check \
	    '$(subst ','\'',$(COMPILE) $(LINK))' '$(LIBS_OF_XHPL)'
	@touch $@

# The user's own HPL.dat stays.
$(BINdir)/HPL.dat: | $(XHPL)
	cp testing/ptest/HPL.dat $@

testing/xhpl: $(XHPL)
	@ln -sf $(abspath $<) $@

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

.SECONDARY: $(UNIT_OBJECTS)
