# SPDX-License-Identifier: BSD-3-Clause
#
# make builds bin/<arch>/xhpl; make run and make test do what their names say
# on a bare machine; make help lists all targets.
#
# make arch=<name> reads Make.<name>, or setup/Make.<name>. Without arch it
# is Make.UNKNOWN if setup/make_generic's was copied here, else Make.arch.

ifneq ($(words $(CURDIR)),1)
$(error make cannot build in a folder with a blank in its name: $(CURDIR))
endif

arch ?= $(if $(wildcard Make.UNKNOWN),UNKNOWN,arch)

all: build

# ---- the architecture file -------------------------------------------------

ARCHFILE := $(firstword $(wildcard Make.$(arch) setup/Make.$(arch)))
ifeq ($(ARCHFILE),)
$(error no Make.$(arch), neither here nor in setup/)
endif

PKG_CONFIG ?= pkg-config
-include config.make
include $(ARCHFILE)

# Output belongs to this tree, wherever the file was written for.
ifneq ($(realpath $(TOPdir)),$(realpath $(CURDIR)))
ifeq ($(MAKELEVEL)$(filter-out $$(HOME)/hpl,$(value TOPdir)),0$(value TOPdir))
$(info $(ARCHFILE): TOPdir = $(TOPdir) is not this tree, using $(CURDIR))
endif
override TOPdir := $(CURDIR)
endif

ifneq ($(strip $(ARCH)),$(arch))
ifeq ($(MAKELEVEL),0)
$(warning warning: $(ARCHFILE) has ARCH = $(ARCH), not $(arch): the programs go to bin/$(ARCH))
endif
endif

# All cores, unless make was told a number.
ifeq ($(MAKELEVEL)$(filter -j% --jobs%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || echo 1)
endif
MAKEFLAGS += --no-builtin-rules
MAKEFLAGS += --no-print-directory

# ---- files -----------------------------------------------------------------

VERSION := $(shell cat VERSION)
BUILD := build/$(ARCH)
OBJ := $(BUILD)/obj
objects = $(patsubst %.c,$(OBJ)/%.o,$(sort $(wildcard $(1))))

# xhpl's record of a run and xdgemm need jansson. JSON=no does without.
# What is left out is said once: by the first make, or by that inside one that
# first installs what is missing.
INSTALLS := $(filter run test test-all site,$(MAKECMDGOALS))
INSIDE := $(if $(filter run-built suite site-built,$(MAKECMDGOALS)),,$(MAKELEVEL:0=))
has = $(shell $(PKG_CONFIG) --exists $(1) 2>/dev/null && echo yes)
ASKED := $(if $(filter-out undefined,$(origin JSON)),json) \
         $(if $(filter-out undefined,$(origin HYBRID)),hybrid)
JSON ?= $(or $(call has,jansson),no)
ifneq ($(JSON),yes)
$(if $(INSIDE)$(filter json,$(ASKED))$(INSTALLS),,$(info jansson is not found: building no xdgemm, and \
    an xhpl that writes no records (JSON=no)))
endif
RECORD_NONE := $(OBJ)/testing/ptest/record_none.o
RECORD_NOT_BUILT := $(if $(filter yes,$(JSON)),$(RECORD_NONE), \
    $(filter-out $(RECORD_NONE),$(call objects,testing/ptest/record_*.c)))
JANSSON_LIBS := $(shell $(PKG_CONFIG) --libs jansson 2>/dev/null)
JSON_LIBS := $(if $(filter yes,$(JSON)),$(JANSSON_LIBS))

BASE_OBJECTS := $(call objects,base/*.c)
HPL_OBJECTS := $(call objects,hpl/*/*.c)
JSON_OBJECTS := $(if $(filter yes,$(JSON)),$(call objects,testing/json/*.c))
PTEST_OBJECTS := $(filter-out $(RECORD_NOT_BUILT), \
                   $(call objects,testing/ptest/*.c)) $(JSON_OBJECTS)
PTEST_TESTED := $(filter-out %/main.o %/solvers.o,$(PTEST_OBJECTS))
PROBE_OBJECTS := $(call objects,testing/xprobe/*.c)
MORE_OBJECTS := $(call objects,$(MORE_SOURCES))

# hybrid/ needs hwloc. HYBRID=no leaves it, its programs and their tests out.
HYBRID ?= $(or $(call has,hwloc),no)
ifneq ($(HYBRID),yes)
$(if $(INSIDE)$(filter hybrid,$(ASKED))$(INSTALLS),,$(info hwloc is not found: building without hybrid/ \
    (HYBRID=no)))
endif

# What is found with pkg-config is used as that says.
PACKAGES := $(if $(filter yes,$(HYBRID)),hwloc) \
            $(if $(filter yes,$(JSON)),jansson)
PACKAGE_FLAGS := $(if $(strip $(PACKAGES)),$(shell $(PKG_CONFIG) --cflags $(PACKAGES)))

XHPL := $(BINdir)/xhpl
XPROBE := $(BINdir)/xprobe

include setup/compile.mk

.DELETE_ON_ERROR:
FORCE:

## build: the program, bin/<arch>/xhpl, and its library (the default)
build: images $(XHPL) $(XPROBE) $(BINdir)/HPL.dat
build: $(if $(filter arch,$(ARCH)),testing/xhpl)

# What takes long to compile comes first.
images:

# Plug-ins that an earlier build left, and that this one does not make.
build: no-old-plugins
no-old-plugins:
	$(if $(OLD_PLUGINS),rm -f $(OLD_PLUGINS))
OLD_PLUGINS = $(filter-out $(PLUGINS),$(wildcard $(BINdir)/libhyb_*.so))

# What an MPI compiler calls: those of several MPIs have one name.
WRAPPED = $(shell $(firstword $(CC)) -show 2>/dev/null)
# Changes only when a command does, or what is built; all objects depend on it.
WHAT = $(WRAPPED) HYBRID=$(HYBRID) JSON=$(JSON) $(XHPL_LIBS) | $(PLAIN_LINK) $(PLAIN_LIBS)
$(BUILD)/commands: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(COMPILE) | $(LINK) $(LIBS_OF_XHPL) | $(WHAT))' > $@.new
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
	$(call SAY,LINK  $@,$(LINK) $(BLAS_NAMES) -o $@ $(filter %.o,$^) \
	    $(XHPL_LIBS) $(LIBS_OF_XHPL))

$(XPROBE): $(PROBE_OBJECTS) $(HPLlib) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(PROBE_OBJECTS) $(LIBS_OF_XHPL))

ifeq ($(HYBRID),yes)
include hybrid/hybrid.mk hybrid/device/plugins.mk
include testing/cuda_model/cuda_model.mk
include sim/sim.mk
endif
XHPL_LIBS += $(JSON_LIBS)
include setup/generated.mk testing/testing.mk testing/checks.mk \
    bench/bench.mk setup/install.mk

# The user's own HPL.dat stays.
$(BINdir)/HPL.dat: | $(XHPL)
	cp testing/ptest/HPL.dat $@

# Where ./configure && make is known to leave the program.
testing/xhpl: $(XHPL)
	@ln -sf $(abspath $<) $@

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

# ---- running ----------------------------------------------------------------

BOOTSTRAP = @CC='$(CC) $(MPinc)' LAlib='$(LAlib) $(MPlib)' setup/bootstrap

## run: install what is missing, build, run a benchmark fitted to this machine
run:
	$(BOOTSTRAP) run
	@$(MAKE) run-built

run-built: build
	@scripts/run-fitted '$(BINdir)' build/run \
	    $(if $(filter yes,$(HYBRID)),numa,core)

## check: does what was built compute right? Some seconds; installs nothing
check: build
	@LAUNCHER='$(LAUNCHER)' scripts/xhpl-check '$(BINdir)'

## installcheck: the same of what was installed
installcheck:
	@LAUNCHER='$(LAUNCHER)' $(DESTDIR)$(bindir)/xhpl-check

## clean: remove what was built for this arch
clean clean_arch clean_arch_all:
	rm -rf $(BUILD) $(HPLlib) $(XHPL) $(XPROBE) $(BINdir)/xhpl-sim testing/xhpl \
	    $(XDGEMM) $(XBLAS) $(XHOST) $(PLUGINS) $(IMAGES)
	-@rmdir $(LIBdir) $(BINdir) 2>/dev/null || true

## help: this list
help:
	@echo "make [arch=<name>] [TARGET]     V=1 shows the commands"
	@sed -n 's/^## \([a-z-]*\): /\1|/p' $(filter %Makefile %.mk,$(MAKEFILE_LIST)) | \
	    awk -F'|' '{ printf "  %-15s %s\n", $$1, $$2 }'

.PHONY: all build images no-old-plugins run run-built check installcheck clean \
        clean_arch clean_arch_all help FORCE
