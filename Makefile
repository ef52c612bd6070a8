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
DRIVER_OBJECTS := $(filter-out %/main.o %/solvers.o,$(PTEST_OBJECTS))
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

# The tests of hybrid/ and its program, and what tests share with them.
HYBRID_WORDS := '"hybrid/|\<hyb_|"testing/(xdgemm/|unit/driver_)'
UNIT_ALL := $(wildcard testing/unit/*.c)
UNIT_HYBRID := $(shell grep -lE $(HYBRID_WORDS) $(UNIT_ALL))
UNIT_RECORD := $(wildcard testing/unit/test_record*.c)
UNIT_SOURCES := $(filter-out $(UNIT_HYBRID) \
                  $(if $(filter yes,$(JSON)),,$(UNIT_RECORD)),$(UNIT_ALL))
UNIT_NEUTRAL := $(shell grep -LE '"hpl|mpi\.h|"testing/unit/(reference_file|processes)' $(UNIT_SOURCES))
tests_of = $(filter testing/unit/test_%,$(1))
common_of = $(filter-out testing/unit/test_%,$(1))
as_objects = $(patsubst %.c,$(OBJ)/%.o,$(1))
as_programs = $(patsubst testing/%.c,$(BUILD)/%,$(call tests_of,$(1)))

# Those of base/ alone link no MPI.
UNIT_BASE := $(call tests_of,$(shell grep -LE '"testing/(ptest|planner|json)/' $(UNIT_NEUTRAL)))
BASE_UNIT_TESTS := $(call as_programs,$(UNIT_BASE))
BASE_UNIT_COMMON := $(call as_objects,$(call common_of,$(UNIT_NEUTRAL)))
UNIT_TESTS := $(call as_programs,$(filter-out $(UNIT_BASE),$(UNIT_SOURCES)))
UNIT_COMMON := $(call as_objects,$(call common_of,$(UNIT_SOURCES)))
UNIT_OBJECTS := $(call as_objects,$(UNIT_ALL))
UNIT_LEFT_OUT := $(if $(filter yes,$(HYBRID)),,$(UNIT_HYBRID)) \
                 $(if $(filter yes,$(JSON)),,$(UNIT_RECORD))
HEADERS := $(filter-out $(addprefix testing/cuda_model/,launch.h model.h) \
             $(if $(filter yes,$(HYBRID)),,testing/xdgemm/% \
             $(shell grep -lE $(HYBRID_WORDS) testing/*/*.h)) \
             $(if $(filter yes,$(JSON)),,testing/ptest/record_% \
             testing/xdgemm/record.h testing/json/%), \
             $(wildcard base/*.h hpl/*/*.h testing/*/*.h))

XHPL := $(BINdir)/xhpl
XPROBE := $(BINdir)/xprobe

# ---- compiling and linking -------------------------------------------------

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

# Of the unit tests what computes is elsewhere: here, where an architecture file may
# ask for more. Files written for HPL 2.3, where the BLAS computes, may ask for nothing.
COMPUTING ?= $(if $(filter -O% -fast%,$(CC) $(CCFLAGS)),,-O3)
$(OBJ)/testing/unit/test_%.o: private XH_LAST += $(if $(filter -O3,$(CFLAGS)),-O1)
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

## unit: the unit test programs
unit: $(UNIT_TESTS) $(BASE_UNIT_TESTS)

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

$(UNIT_TESTS): $(BUILD)/unit/%: $(OBJ)/testing/unit/%.o $(UNIT_COMMON) \
               $(DRIVER_OBJECTS) $(HPLlib) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(filter %.o,$^) -lcmocka \
	    $(JSON_LIBS) $(LIBS_OF_XHPL))

$(BASE_UNIT_TESTS): $(BUILD)/unit/%: $(OBJ)/testing/unit/%.o \
                    $(BASE_UNIT_COMMON) $(BASE_OBJECTS) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -o $@ $(filter %.o,$^) -lcmocka \
	    $(PLAIN_LIBS))

ifeq ($(HYBRID),yes)
include hybrid/hybrid.mk
include sim/sim.mk
endif
XHPL_LIBS += $(JSON_LIBS)

# The rows of all settings, in the order of --help; base/settings.h says how.
SETTINGS := $(wildcard $(addsuffix /settings.def,testing/ptest hpl hybrid/lu \
              hybrid/lu/checkpoint hybrid/lu/guard hybrid/observe hybrid/plan \
              hybrid/cpu hybrid/device \
              $(sort $(wildcard hybrid/device/*))))
$(BUILD)/settings/settings_table.def: FORCE
	@mkdir -p $(@D)
	@for folder in $(patsubst %/settings.def,%,$(SETTINGS)); do \
	    printf '#define XH_SETTING_FOLDER "%s"\n#include "%s/settings.def"\n%s\n' \
	        $$folder $$folder '#undef XH_SETTING_FOLDER'; done > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

$(OBJ)/base/settings.o: private XH_FIRST += -I$(BUILD)/settings
$(OBJ)/base/settings.o: $(BUILD)/settings/settings_table.def

# What a record says of the program; changes only when that does.
DESCRIBE = git --no-optional-locks describe --always --dirty 2>/dev/null
REVISION := $(strip $(or $(if $(wildcard .git),$(shell $(DESCRIBE))),unknown))
$(BUILD)/facts/facts.h: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '#define XH_REVISION "$(REVISION)"' > $@.new
	@printf '%s\n' '$(subst ','\'',$(COMPILE))' | \
	    sed 's/[\\"]/\\&/g; s/.*/#define XH_COMPILE "&"/' >> $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

$(OBJ)/testing/ptest/record_program.o: private XH_FIRST += -I$(BUILD)/facts
$(OBJ)/testing/ptest/record_program.o: $(BUILD)/facts/facts.h

# A BLAS with 64-bit integers would compute nonsense: it is refused here.
$(BUILD)/blas-checked: $(OBJ)/setup/blas-check.o $(HPLlib) $(MORE_OBJECTS) \
                       setup/blas-check
	@RUN='$(EMULATOR)' setup/blas-check $(BUILD)/blas-check \
	    '$(subst ','\'',$(LINK)) $<' '$(LIBS_OF_XHPL)'
	@touch $@

# The user's own HPL.dat stays.
$(BINdir)/HPL.dat: | $(XHPL)
	cp testing/ptest/HPL.dat $@

# Where ./configure && make is known to leave the program.
testing/xhpl: $(XHPL)
	@ln -sf $(abspath $<) $@

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

.SECONDARY: $(UNIT_OBJECTS)

# ---- running and testing ---------------------------------------------------

BOOTSTRAP = @CC='$(CC) $(MPinc)' LAlib='$(LAlib) $(MPlib)' setup/bootstrap
PYTHON ?= $(shell /usr/bin/python3 -c 'import pytest' 2>/dev/null && \
            echo /usr/bin/)python3
ARM = aarch64@sve512 aarch64@sve256 aarch64@sve128 aarch64@neon
TEST_ALL ?= more clang asan tsan Linux_BLIS Linux_refblas mpich $(firstword $(ARM))
# Files of tests at a time, which mostly wait for processes to start and to end.
WORKERS ?= 6

## run: install what is missing, build, run a benchmark fitted to this machine
run:
	$(BOOTSTRAP) run
	@$(MAKE) run-built

run-built: build
	@scripts/run-fitted '$(BINdir)' build/run \
	    $(if $(filter yes,$(HYBRID)),numa,core)

## test: install what is missing, build, run the main tests; ends with the counts
test:
	$(BOOTSTRAP) test
	@$(MAKE) suite

## check: does what was built compute right? Some seconds; installs nothing
check: build
	@LAUNCHER='$(LAUNCHER)' scripts/xhpl-check '$(BINdir)'

## installcheck: the same of what was installed
installcheck:
	@LAUNCHER='$(LAUNCHER)' $(DESTDIR)$(bindir)/xhpl-check

# What a sanitizer must know to tell leaks of libraries from ours. Thread-local
# data of a plug-in that happens to begin a page it would take for something
# else, and crash; it finds them without being told of them, too.
export ASAN_OPTIONS ?= malloc_context_size=10:intercept_tls_get_addr=0
export TSAN_OPTIONS ?= suppressions=$(CURDIR)/testing/sanitizer/tsan.supp
export LSAN_OPTIONS ?= print_suppressions=0:suppressions=$(CURDIR)/testing/sanitizer/lsan.supp

# What starts threads and runs without MPI, and small runs beside it, for the thread
# sanitizer. It takes half a minute for 800 threads in the BLAS.
STARTS_THREADS = pthread|small_team|(node|emu|model)_fixture|cuda_bench|device_cases|base/cpu
TESTS_OF_THREADS = testing/system/test_races.py $(filter-out %/test_blas_callers.c, \
    $(shell grep -L '^/\* ranks:' testing/unit/test_*.c | \
        xargs grep -lE '$(STARTS_THREADS)'))

# What computes with the BLAS library, for builds with another one.
TESTS_OF_BLAS = $(wildcard $(patsubst %,testing/unit/test_%.c,back_substitution \
    blas* driver_check driver_systems driver_ways factor_matrix host_gemm hyb_panel \
    l1_inverses panel_factor product_run solver trial xdgemm_gemm) \
    $(patsubst %,testing/system/test_%.py,blas_report reference_runs))

# What depends on the MPI library, for builds with another one, on few processes.
TESTS_OF_MPI = $(wildcard $(patsubst %,testing/unit/test_%.c, \
    driver_back_substitution driver_neighbours record record_phase timer trace_files) \
    $(patsubst %,testing/system/test_%.py,failures hang launcher mpirun))

# What instruction sets have a part in, for other kinds of machines.
TESTS_OF_CPU = $(patsubst %,testing/unit/test_%.c,cpu generator kernel pack hyb_panel) \
    testing/system/test_isas.py

# Of unit tests only those asked for are built. Runs for the thread sanitizer are
# only for it, unless an architecture file says otherwise.
TESTS ?= testing
MARKS_ELSEWHERE = not races and not clusters and not simulations
# What make test leaves to make test-all, unless files are named.
MARKS_LEFT = flows or long or more
TEST_MARKS ?= $(MARKS_ELSEWHERE)$(if $(filter testing testing/,$(TESTS)), \
    and not ($(MARKS_LEFT)))
SUITE_UNIT := $(if $(filter testing testing/ testing/unit testing/unit/,$(TESTS)), \
    unit,$(call as_programs,$(filter-out $(UNIT_LEFT_OUT),$(TESTS))))
SUITE_CHECKS ?= check-layers check-headers
suite-built: build $(SUITE_UNIT) $(SUITE_CHECKS)
suite: suite-built
	@TEST_XHPL_SOURCE='$(CURDIR)' TEST_XHPL_BUILD='$(abspath $(BUILD))' \
	    TEST_XHPL_BIN='$(abspath $(BINdir))' \
	    TEST_XHPL_MPIRUN='$(CURDIR)/scripts/mpirun' \
	    TEST_XHPL_RUN='$(EMULATOR)' PYTHONDONTWRITEBYTECODE=1 \
	    $(PYTHON) -m pytest -n $(WORKERS) --dist loadfile \
	    $(if $(TEST_MARKS),-m '$(TEST_MARKS)') \
	    $(addprefix --ignore=,$(UNIT_LEFT_OUT)) $(TESTS)

## test-clusters: campaigns, and jobs that hang, on small clusters of this machine, which need it to be idle
test-clusters:
	@$(MAKE) suite TEST_MARKS=clusters TESTS='$(addprefix \
	    testing/system/test_,campaign_net.py campaign_slurm.py hang.py hang_net.py)'

## test-all: what test leaves out, then other compilers, sanitizers, BLAS libraries
test-all:
	$(BOOTSTRAP) test-all
	@MAKE='$(MAKE)' WERROR=yes scripts/test-archs $(TEST_ALL)

## test-mpich: with MPICH, all unit tests on several processes, HPL 2.3's tests, faults
test-mpich:
	@$(MAKE) arch=mpich suite TESTS='$(sort $(TESTS_OF_MPI) \
	    $(shell grep -l '^/\* ranks:' testing/unit/test_*.c) \
	    $(patsubst %,testing/system/test_%.py,reference_runs device_faults \
	        damaged_messages checkpoint weights))'

# 800 threads at a time are too much for QEMU.
## test-arm: all tests of base and cores for Arm, under QEMU, at each length of vectors
test-arm:
	@MAKE='$(MAKE)' CROSS_TESTS='$(filter-out %/test_blas_callers.c, \
	    $(sort $(UNIT_BASE) $(TESTS_OF_CPU) \
	    $(shell grep -l '"hybrid/cpu/' $(UNIT_ALL))))' scripts/test-archs \
	    $(ARM)

## test-portable: the kernel for all processors on POWER and RISC-V, under QEMU
test-portable:
	@MAKE='$(MAKE)' scripts/test-archs ppc64le riscv64

## coverage: which lines of base, hpl and hybrid the tests run
coverage:
	@find build/gcov -name '*.gcda' -delete 2>/dev/null || true
	-@$(MAKE) arch=gcov suite
	@$(PYTHON) scripts/coverage build/gcov

## bench-hpl: speed at N = 10000, beside BASELINE=<an xhpl> if given
bench-hpl: build
	@bench/hpl '$(BINdir)' $(BASELINE)

## bench-homes: a modelled fast device, with all, half or none of the matrix on it
bench-homes: build
	@bench/homes '$(BINdir)'

## check-upstream: build UPSTREAM=<HPL 2.3>'s testing/ on this library, run it
check-upstream: $(HPLlib)
	@COMPILE='$(subst ','\'',$(COMPILE))' LINK='$(subst ','\'',$(LINK))' \
	    LIBS='$(LIBS_OF_XHPL)' scripts/check-upstream '$(UPSTREAM)' \
	    $(BUILD)/upstream

## check-layers: no include and no symbol runs upwards
check-layers: $(HPLlib)
	@scripts/check-layers '$(HPLlib)' $(BUILD)

## check-headers: every header compiles alone
check-headers: $(HEADERS:%=$(OBJ)/%.alone)

$(OBJ)/%.h.alone: %.h $(BUILD)/commands
	@mkdir -p $(@D)
	@echo '#include "$<"' | $(COMPILE) -Wall -Wextra -Werror -x c -c -MMD -MP \
	    -MT $@ -MF $(@:.alone=.d) -o $@ -

## check-style: what clang-format and shellcheck have to say
check-style:
	clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')
	shellcheck configure .ci/run $$(git ls-files packages scripts setup | \
	    xargs awk 'FNR == 1 && /^#!\/bin\/.*sh/ { print FILENAME }')

# ---- installing and packing ------------------------------------------------

prefix ?= /usr/local
exec_prefix ?= $(prefix)
bindir ?= $(exec_prefix)/bin
libdir ?= $(exec_prefix)/lib
includedir ?= $(prefix)/include
datarootdir ?= $(prefix)/share
docdir ?= $(datarootdir)/doc/xhpl
man1dir ?= $(datarootdir)/man/man1
completiondir ?= $(datarootdir)/bash-completion/completions
zshdir ?= $(datarootdir)/zsh/site-functions
fishdir ?= $(datarootdir)/fish/vendor_completions.d
INSTALL ?= install

# A page of the manual: name, what it is, the command whose words it has. A
# script without --help says it on top.
, := ,
MAN = $(3) | scripts/man-page $(1) '$(strip $(2))' > $(DESTDIR)$(man1dir)/$(1).1
HEAD = sed -n '4$(,)/^[^\#]/s/^\#[ ]*//p' scripts/$(1)

# Pages name commands of the tree: installed, they name what is installed.
PAGES = README.md $(wildcard docs/*.md examples/*.md)
AS_INSTALLED = sed -E -e 's@(\.\./)*scripts/mpirun@xhpl-mpirun@g' \
    -e 's@(\.\./)*scripts/(hpl-report|pack-submission|write-dat|xhpl-campaign|xhpl-check)\b@\2@g' \
    $(if $(wildcard $(SIM)),-e 's@(\.\./)*scripts/xhpl-sim\b@xhpl-sim@g') \
    -e 's@(\.\./)*bin/arch/(xhpl|xdgemm|xprobe)\b@\2@g'

## install: to prefix=/usr/local, below DESTDIR if given
install: build $(if $(wildcard $(SIM)),install-sim)
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir) \
	    $(DESTDIR)$(includedir) $(DESTDIR)$(docdir)/docs/images \
	    $(DESTDIR)$(man1dir) $(DESTDIR)$(libdir)/pkgconfig
	$(INSTALL) -m 755 $(XHPL) $(DESTDIR)$(bindir)/xhpl
	test -e $(DESTDIR)$(bindir)/HPL.dat || \
	    $(INSTALL) -m 644 $(BINdir)/HPL.dat $(DESTDIR)$(bindir)/HPL.dat
	$(INSTALL) -m 644 $(HPLlib) $(DESTDIR)$(libdir)/libhpl.a
	$(INSTALL) -m 644 $(filter-out %/hpl_solver.h, \
	    $(wildcard hpl/include/*.h)) $(DESTDIR)$(includedir)
	$(INSTALL) -m 644 $(wildcard LICENSE) $(DESTDIR)$(docdir)
	$(INSTALL) -m 644 $(wildcard docs/*.json) $(DESTDIR)$(docdir)/docs
	$(INSTALL) -m 644 $(wildcard docs/images/*) \
	    $(DESTDIR)$(docdir)/docs/images
	for file in $(wildcard examples/*.md examples/*/*.*); do \
	    $(INSTALL) -d $(DESTDIR)$(docdir)/$${file%/*}; \
	    $(INSTALL) $$file $(DESTDIR)$(docdir)/$$file; \
	done
	for page in $(PAGES); do \
	    rm -f $(DESTDIR)$(docdir)/$$page; \
	    $(AS_INSTALLED) $$page > $(DESTDIR)$(docdir)/$$page; \
	    chmod 644 $(DESTDIR)$(docdir)/$$page; \
	done
	$(INSTALL) -m 644 docs/xhpl.1 $(DESTDIR)$(man1dir)
	$(INSTALL) -m 755 $(XPROBE) scripts/write-dat scripts/xhpl-check \
	    $(DESTDIR)$(bindir)
	$(INSTALL) -m 755 scripts/mpirun $(DESTDIR)$(bindir)/xhpl-mpirun
	$(call MAN,hpl-report,a page about runs of xhpl,scripts/hpl-report --help)
	$(call MAN,xhpl-campaign,finds the slow$(,) wrong and dead nodes of a cluster, \
	    scripts/xhpl-campaign --help)
	$(call MAN,xprobe,what the cores of this machine can do,$(XPROBE) --help)
	$(call MAN,write-dat,an HPL.dat of one test,$(call HEAD,write-dat))
	$(call MAN,xhpl-check,does an installed xhpl compute right,$(call HEAD,xhpl-check))
	$(call MAN,pack-submission,packs what a submission asks for, \
	    scripts/pack-submission --help)
	$(call MAN,xhpl-mpirun,xhpl on this machine,$(call HEAD,mpirun) | \
	    sed 's/^mpirun/xhpl-mpirun/')
	sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' \
	    -e 's|@includedir@|$(includedir)|' -e 's|@version@|$(VERSION)|' \
	    -e 's|@libs@|$(strip $(LAlib) $(LIBS) $(XH_LIBS))|' setup/xhpl.pc.in \
	    > $(DESTDIR)$(libdir)/pkgconfig/xhpl.pc
	$(INSTALL) -d $(DESTDIR)$(completiondir) $(DESTDIR)$(zshdir) $(DESTDIR)$(fishdir)
	for name in xhpl xdgemm xhpl-campaign hpl-report; do \
	    $(INSTALL) -m 644 setup/completion.bash $(DESTDIR)$(completiondir)/$$name; \
	    $(INSTALL) -m 644 setup/completion.fish $(DESTDIR)$(fishdir)/$$name.fish; \
	done
	$(INSTALL) -m 644 setup/completion.zsh $(DESTDIR)$(zshdir)/_xhpl
	scripts/install-report '$(DESTDIR)' '$(bindir)' '$(datarootdir)/xhpl'
	@echo "installed: programs in $(DESTDIR)$(bindir), pages in $(DESTDIR)$(docdir)"
	@case ":$$PATH:" in *':$(bindir):'*) ;; \
	*) echo 'to find them, add to ~/.profile: export PATH="$(bindir):$$PATH"' ;; \
	esac
	@echo 'to try them: xhpl-check'

## uninstall: remove what install puts there, but an HPL.dat that was changed
uninstall:
	rm -rf $(BUILD)/installed
	$(MAKE) install DESTDIR=$(abspath $(BUILD)/installed) >/dev/null
	@cd $(BUILD)/installed && find . -type f | while read -r file; do \
	    there=$(DESTDIR)/$${file#./}; \
	    case $$file in */HPL.dat) cmp -s "$$file" "$$there" || continue ;; esac; \
	    rm -f "$$there"; \
	done
	@cd $(BUILD)/installed && find . -depth -type d ! -path . -path '*xhpl*' | \
	    while read -r dir; do rmdir "$(DESTDIR)/$${dir#./}" 2>/dev/null || true; done
	rm -rf $(BUILD)/installed

## dist: dist/xhpl-<version>.tar.gz of what is committed
dist:
	@mkdir -p dist
	git archive --prefix=xhpl-$(VERSION)/ -o dist/xhpl-$(VERSION).tar.gz HEAD

## deb: install what is missing, make Debian's packages of what is committed, in dist/
deb: dist
	$(BOOTSTRAP) deb
	packages/build-deb dist/xhpl-$(VERSION).tar.gz dist

## site: install what is missing, make a web site of pages and manuals, in dist/site
site:
	$(BOOTSTRAP) site
	@$(MAKE) site-built

site-built: build
	scripts/make-site dist/site

## test-packages: what each recipe in packages/ does, in an empty Debian
RECIPES ?= deb rpm oci apptainer spack easybuild conda guix
test-packages: dist
	packages/try dist/xhpl-$(VERSION).tar.gz build/packages $(RECIPES)

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

.PHONY: all build images no-old-plugins unit run run-built test check installcheck \
        suite suite-built test-all test-mpich test-arm test-portable \
        test-clusters coverage bench-hpl bench-homes check-upstream check-layers \
        check-headers check-style install uninstall dist deb site site-built \
        test-packages clean clean_arch \
        clean_arch_all help FORCE
