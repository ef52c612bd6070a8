# SPDX-License-Identifier: BSD-3-Clause
#
# Tests, and the programs that only they and benchmarks need; included by the
# Makefile.

# ---- unit tests ------------------------------------------------------------
#
# testing/unit/<layer>/test_*.c; the folder says what a program links, line 2 of
# the file what else the test depends on: /* ranks: 1 2 4; needs: mpi blas */

# Line 2 of a test may name: json, mpi and blas (it is repeated with other
# libraries), isa (with other instruction sets), threads (under the thread
# sanitizer).
needs = $(shell grep -lE '^/\*( ranks: [^;]*;[^/]*)? needs: [^/]*\b$(1)\b' \
    testing/unit/*/test_*.c)
folders = $(wildcard $(addsuffix /*.c,$(addprefix testing/unit/,$(1))))
tests_of = $(foreach file,$(1),$(if $(findstring /test_,$(file)),$(file)))
common_of = $(filter-out $(call tests_of,$(1)),$(1))
as_objects = $(patsubst %.c,$(OBJ)/%.o,$(1))
as_programs = $(patsubst testing/%.c,$(BUILD)/%,$(call tests_of,$(1)))
fixtures = $(call as_objects,testing/unit/unit.c $(call common_of,$(call folders,$(1))))

UNIT_ALL := $(wildcard testing/unit/*.c testing/unit/*/*.c)
UNIT_HYBRID := $(call folders,node cpu device xdgemm lu plan observe)
UNIT_LEFT_OUT := $(if $(filter yes,$(HYBRID)),,$(call tests_of,$(UNIT_HYBRID))) \
                 $(if $(filter yes,$(JSON)),,$(call needs,json))
programs_of = $(call as_programs,$(filter-out $(UNIT_LEFT_OUT),$(call folders,$(1))))

# Those of base/ alone link no MPI.
UNIT_BASE := $(call tests_of,$(call folders,base))
BASE_UNIT_TESTS := $(call programs_of,base)
UNIT_TESTS := $(call programs_of,hpl xhpl)
HEADERS += $(filter-out testing/cuda_model/model.h \
             $(if $(filter yes,$(HYBRID)),,testing/xdgemm/% testing/planner/%) \
             $(if $(filter yes,$(JSON)),,testing/ptest/record_% \
             testing/xdgemm/record.h testing/json/%), \
             $(wildcard base/*.h hpl/*/*.h testing/*/*.h)) \
           $(filter-out $(if $(filter yes,$(HYBRID)),, \
             $(patsubst %,testing/unit/%/%.h,node cpu device xdgemm lu plan observe)), \
             $(wildcard testing/unit/*/*.h))

## unit: the unit test programs
unit: $(UNIT_TESTS) $(BASE_UNIT_TESTS)

# What computes is elsewhere: here, where an architecture file may ask for more.
$(OBJ)/testing/unit/%.o: private XH_LAST += \
    $(if $(and $(findstring /test_,$@),$(filter -O3,$(CFLAGS))),-O1)

$(UNIT_TESTS): $(BUILD)/unit/%: $(OBJ)/testing/unit/%.o \
               $(call fixtures,base hpl xhpl) $(PTEST_TESTED) $(HPLlib) \
               $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(filter %.o,$^) -lcmocka \
	    $(JSON_LIBS) $(LIBS_OF_XHPL))

$(BASE_UNIT_TESTS): $(BUILD)/unit/%: $(OBJ)/testing/unit/%.o \
                    $(call fixtures,base) $(BASE_OBJECTS) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -o $@ $(filter %.o,$^) -lcmocka \
	    $(PLAIN_LIBS))

.SECONDARY: $(call as_objects,$(UNIT_ALL))

ifeq ($(HYBRID),yes)
HYB_UNIT_TESTS := $(call programs_of,node cpu device xdgemm)
HYB_SOLVER_TESTS := $(call programs_of,lu plan observe)

unit: $(HYB_UNIT_TESTS) $(HYB_SOLVER_TESTS)

# Programs in $(BUILD)/unit look for plug-ins in ../lib/xhpl.
$(BUILD)/unit/lib/xhpl: $(PLUGINS)
	@mkdir -p $(@D)
	@ln -sfn $(abspath $(BINdir)) $@

$(HYB_UNIT_TESTS): $(BUILD)/unit/%: $(OBJ)/testing/unit/%.o \
                   $(call fixtures,base node cpu device xdgemm) $(XDGEMM_TESTED) \
                   $(SHARES_OBJECTS) $(NODE_OBJECTS) $(BASE_OBJECTS) \
                   $(BUILD)/blas-checked | $(BUILD)/unit/lib/xhpl
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -o $@ $(filter %.o,$^) -lcmocka \
	    $(HYB_LIBS))

# Those of the solver link all there is.
$(HYB_SOLVER_TESTS): $(BUILD)/unit/%: $(OBJ)/testing/unit/%.o \
                     $(call fixtures,base hpl xhpl node cpu device xdgemm lu plan observe) \
                     $(XDGEMM_TESTED) $(call objects,testing/model/*.c) \
                     $(PTEST_TESTED) $(PLANNER_OBJECTS) $(LU_OBJECTS) \
                     $(NODE_OBJECTS) $(HPLlib) \
                     $(BUILD)/blas-checked | $(BUILD)/unit/lib/xhpl
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(filter %.o,$^) \
	    -lcmocka $(XHPL_LIBS) $(LIBS_OF_XHPL))
endif

# ---- all tests -------------------------------------------------------------

PYTHON ?= $(shell /usr/bin/python3 -c 'import pytest' 2>/dev/null && \
            echo /usr/bin/)python3
ARM = aarch64@sve512 aarch64@sve256 aarch64@sve128 aarch64@neon
TEST_ALL ?= more clang asan tsan Linux_BLIS Linux_refblas mpich $(firstword $(ARM))
# Files of tests at a time, which mostly wait for processes to start and to end.
WORKERS ?= 6

## test: install what is missing, build, run the main tests; ends with the counts
test:
	$(BOOTSTRAP) test
	@$(MAKE) suite

# What a sanitizer must know to tell leaks of libraries from ours. Thread-local
# data of a plug-in that happens to begin a page it would take for something
# else, and crash; it finds them without being told of them, too.
export ASAN_OPTIONS ?= malloc_context_size=10:intercept_tls_get_addr=0
export TSAN_OPTIONS ?= suppressions=$(CURDIR)/testing/sanitizer/tsan.supp
export LSAN_OPTIONS ?= print_suppressions=0:suppressions=$(CURDIR)/testing/sanitizer/lsan.supp

# What architecture files name: tests of threads, of the BLAS library, of the MPI
# library, of instruction sets.
TESTS_OF_THREADS = $(call needs,threads) testing/system/test_races.py
TESTS_OF_BLAS = $(call needs,blas) \
    $(patsubst %,testing/system/test_%.py,blas_report reference_runs)
TESTS_OF_MPI = $(call needs,mpi) \
    $(patsubst %,testing/system/test_%.py,failures hang launcher mpirun)
TESTS_OF_CPU = $(call needs,isa) testing/system/test_isas.py

# Of unit tests only those asked for are built. Runs for the thread sanitizer are
# only for it, unless an architecture file says otherwise.
TESTS ?= testing
MARKS_ELSEWHERE = not races and not clusters and not simulations
# What make test leaves to make test-all, unless files are named.
MARKS_LEFT = flows or long or more
TEST_MARKS ?= $(MARKS_ELSEWHERE)$(if $(filter testing testing/,$(TESTS)), \
    and not ($(MARKS_LEFT)))
SUITE_FILES = $(foreach test,$(TESTS:%/=%),$(filter $(test) $(test)/%,$(UNIT_ALL)))
SUITE_UNIT := $(if $(filter testing testing/ testing/unit testing/unit/,$(TESTS)), \
    unit,$(call as_programs,$(filter-out $(UNIT_LEFT_OUT),$(SUITE_FILES))))
SUITE_CHECKS ?= check-layers check-headers
tools:
suite-built: build tools $(SUITE_UNIT) $(SUITE_CHECKS)
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
	    $(shell grep -l '^/\* ranks:' testing/unit/*/test_*.c) \
	    $(patsubst %,testing/system/test_%.py,reference_runs device_faults \
	        damaged_messages checkpoint weights))'

# 800 threads at a time are too much for QEMU.
## test-arm: all tests of base and cores for Arm, under QEMU, at each length of vectors
test-arm:
	@MAKE='$(MAKE)' CROSS_TESTS='$(filter-out %/test_blas_callers.c, \
	    $(sort $(TESTS_OF_CPU) $(call tests_of,$(call folders,base cpu))))' \
	    scripts/test-archs $(ARM)

## test-portable: the kernel for all processors on POWER and RISC-V, under QEMU
test-portable:
	@MAKE='$(MAKE)' scripts/test-archs ppc64le riscv64

.PHONY: unit test tools suite suite-built test-all test-mpich test-arm test-portable \
        test-clusters
