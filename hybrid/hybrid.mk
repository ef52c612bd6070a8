# SPDX-License-Identifier: BSD-3-Clause
#
# The solver, what it stands on, and programs; included by the Makefile where hwloc
# is. Nothing but xhpl and the solver's tests links MPI.

NODE_OBJECTS := $(call objects,hybrid/node/*.c hybrid/cpu/*/*.c hybrid/device/*.c)
LU_OBJECTS := $(call objects,hybrid/lu/*.c hybrid/lu/*/*.c hybrid/observe/*.c hybrid/observe/*/*.c)
PLANNER_OBJECTS := $(call objects,hybrid/plan/*.c testing/planner/*.c)
# Of the solver xdgemm takes what shares a product out, which knows no MPI.
SHARES_OBJECTS := $(call objects,hybrid/lu/tune/split.c)
XDGEMM_OBJECTS := $(call objects,testing/xdgemm/*.c)
# These alone are about JSON.
XDGEMM_TESTED := $(filter-out $(addprefix %/,main.o record.o \
                   device_list.o),$(XDGEMM_OBJECTS))
HEADERS += $(filter-out hybrid/device/cuda/% hybrid/device/opencl/%, \
             $(wildcard hybrid/*/*.h hybrid/*/*/*.h))

HWLOC_LIBS := $(shell $(PKG_CONFIG) --libs hwloc)
HYB_LIBS = $(HWLOC_LIBS) $(PLAIN_LIBS)

# xhpl gets the solver and what that stands on.
$(OBJ)/testing/ptest/solvers.o: XH_FIRST += -DXH_HYBRID
$(XHPL): $(PLANNER_OBJECTS) $(LU_OBJECTS) $(NODE_OBJECTS)
XHPL_LIBS = $(HWLOC_LIBS)

XDGEMM := $(BINdir)/xdgemm
XBLAS := $(BINdir)/xblas
XHOST := $(BINdir)/xhost
XINJECT := $(BINdir)/xinject
XDGEMM_BUILT := $(if $(filter yes,$(JSON)),$(XDGEMM))

build: $(XDGEMM_BUILT)

# For tests and benchmarks.
tools: $(XBLAS) $(XHOST)
inject: $(XINJECT)

$(XDGEMM): $(XDGEMM_OBJECTS) $(SHARES_OBJECTS) $(JSON_OBJECTS) \
           $(NODE_OBJECTS) $(BASE_OBJECTS) \
           $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) $(BLAS_NAMES) -o $@ $(filter %.o,$^) \
	    $(JANSSON_LIBS) $(HYB_LIBS))

# Faults and what the online check says of them; no part of the product.
$(XINJECT): $(call objects,testing/xinject/*.c) $(LU_OBJECTS) $(NODE_OBJECTS) \
            $(HPLlib) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(filter %.o,$^) \
	    $(XHPL_LIBS) $(LIBS_OF_XHPL))

$(XBLAS): $(call objects,testing/xblas/*.c) $(BASE_OBJECTS)
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -o $@ $^ $(XH_LIBS))

$(XHOST): $(call objects,testing/xhost/*.c hybrid/cpu/trial/host_parts.c) \
          $(NODE_OBJECTS) $(BASE_OBJECTS) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -o $@ $(filter %.o,$^) $(HYB_LIBS))

check-layers: $(NODE_OBJECTS) $(LU_OBJECTS) $(PLUGINS)

.PHONY: inject
