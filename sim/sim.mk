# SPDX-License-Identifier: BSD-3-Clause
#
# xhpl under SimGrid's SMPI: its objects, compiled by smpicc, and those of this
# folder, whose __wrap_f takes the place of f.

SIM := build/sim/xhpl

## sim: build/sim/xhpl, which xhpl-sim beside xhpl runs on simulated nodes (needs SimGrid)
sim:
	@command -v smpicc >/dev/null || \
	    { echo 'make sim needs SimGrid: apt-get install libsimgrid-dev' >&2; exit 2; }
	@$(MAKE) arch=sim $(SIM)
	@mkdir -p $(BINdir) && ln -sf $(CURDIR)/scripts/xhpl-sim $(BINdir)/xhpl-sim

# A part of install, where sim was made.
install-sim:
	scripts/install-sim '$(DESTDIR)' '$(bindir)' '$(datarootdir)/xhpl' '$(libdir)/xhpl'
	@mkdir -p $(DESTDIR)$(man1dir)
	$(call MAN,xhpl-sim,xhpl on simulated nodes,scripts/xhpl-sim --help)

## test-sim: tests of simulated runs
test-sim: build sim
	@$(MAKE) suite TEST_MARKS=simulations TESTS=testing/system/test_simulation.py

.PHONY: sim install-sim test-sim

ifeq ($(ARCH),sim)
SIM_SOURCES := $(sort $(wildcard sim/*.c))
SIM_NAMES := $(sort $(shell sed -n 's/.*\<__wrap_\(\w*\).*/\1/p' $(SIM_SOURCES)))

SIM_NO_BLAS := $(OBJ)/hpl/blas/blas_fortran.o $(OBJ)/hybrid/cpu/product/blas.o

$(SIM): $(filter-out $(SIM_NO_BLAS),$(PTEST_OBJECTS) $(PLANNER_OBJECTS) \
          $(LU_OBJECTS) $(NODE_OBJECTS) $(BASE_OBJECTS) $(HPL_OBJECTS)) \
        $(call objects,sim/*.c)
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $^ $(SIM_NAMES:%=-Wl$(,)--wrap=%) \
	    $(HWLOC_LIBS) $(JSON_LIBS) -ldl $(XH_LIBS))
endif
