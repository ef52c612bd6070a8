# SPDX-License-Identifier: BSD-3-Clause
#
# The solver, what it stands on, plug-ins and programs; included by the Makefile
# where hwloc is. Nothing but xhpl and the solver's tests links MPI.

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

build: $(XDGEMM_BUILT) $(XBLAS) $(XHOST)

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

$(XHOST): $(call objects,testing/xhost/*.c hybrid/plan/host_parts.c) \
          $(NODE_OBJECTS) $(BASE_OBJECTS) $(BUILD)/blas-checked
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -o $@ $(filter %.o,$^) $(HYB_LIBS))

# ---- plug-ins --------------------------------------------------------------

# A plug-in lies beside the programs, and where the unit tests look for it.
PIC := $(BUILD)/pic
pic = $(patsubst %.c,$(PIC)/%.o,$(sort \
    base/clock.c $(wildcard hybrid/device/$(1)/*.c) \
    $(if $(filter-out emu,$(1)),hybrid/device/kernels/launch.c)))
HYB_COMPILE = $(HYB_CC) $(XH_FIRST) $(CCFLAGS) $(XH_LAST)

# CUDA's runtime is linked in, cuBLAS is opened when a device is.
CUDA_HOME ?= /usr/local/cuda
CUDART := $(CUDA_HOME)/lib64/libcudart_static.a
HYB_CUDA ?= $(if $(and $(wildcard $(CUDA_HOME)/include/cuda_runtime_api.h), \
              $(wildcard $(CUDA_HOME)/include/cublas_v2.h), \
              $(wildcard $(CUDART))),yes,no)
# OpenCL is opened at run time; HYB_OPENCL=no leaves its plug-in out.
HYB_OPENCL ?= $(or $(shell $(HYB_CC) $(CPPFLAGS) -E -x c -include CL/opencl.h \
    -o /dev/null /dev/null 2>/dev/null && echo yes),no)
HYB_BACKENDS ?= emu $(if $(filter yes,$(HYB_CUDA)),cuda) hip \
                $(if $(filter yes,$(HYB_OPENCL)),opencl)
PLUGINS := $(HYB_BACKENDS:%=$(BINdir)/libhyb_%.so)

FLAGS_OF_cuda = -isystem $(CUDA_HOME)/include

# Its own kernels are an image for several kinds of devices, which takes nvcc;
# devices that are newer compile the last one's PTX. Images take long to compile,
# and are the same for every ARCH. Beside one is what ptxas said, for a test.
IMAGES := build/images
NVCC ?= $(or $(wildcard $(CUDA_HOME)/bin/nvcc),$(shell command -v nvcc))
CUDA_TARGETS := sm_80 sm_90 sm_100
KERNEL_PARTS := hybrid/device/cuda/groups.h $(wildcard hybrid/device/kernels/*.cl)
CUDA_IMAGE := $(IMAGES)/cuda.fatbin
ifneq ($(NVCC),)
CUDA_KNOWN = $(filter $(CUDA_TARGETS),$(shell $(NVCC) --list-gpu-code))
cuda_code = -gencode arch=$(subst sm,compute,$(1)),code=$(2)
CUDA_CODE = $(foreach t,$(CUDA_KNOWN),$(call cuda_code,$t,$t)) \
            $(call cuda_code,$(lastword $(CUDA_KNOWN)),$(subst sm,compute,$(lastword $(CUDA_KNOWN))))
$(CUDA_IMAGE): hybrid/device/cuda/kernels.cu $(KERNEL_PARTS)
	@mkdir -p $(@D)
	$(call SAY,NVCC  $<,$(NVCC) -x cu -I. -t 0 -fatbin --no-compress -Werror \
	    all-warnings -Xptxas -v $(CUDA_CODE) -o $@ $< > $@.log 2>&1 || \
	    { cat $@.log >&2; false; })
$(PIC)/hybrid/device/cuda/kernels.o: $(CUDA_IMAGE)
$(PIC)/hybrid/device/cuda/kernels.o: FLAGS_OF_cuda += -DHYB_CUDA_IMAGE='"$(CUDA_IMAGE)"'
else ifeq ($(HYB_CUDA),yes)
$(if $(INSIDE)$(INSTALLS),,$(info nvcc is not found: no matrix can live on a \
    device of the plug-in cuda (NVCC=<nvcc>)))
endif

LIBS_OF_cuda = $(CUDART) -Wl,--exclude-libs,ALL \
               -Wl,-rpath,'$$ORIGIN:$(CUDA_HOME)/lib64' -lrt

# The plug-in hip: cuda's sources with other libraries behind them, which are
# opened at run time, and an image by a clang that knows the devices.
HIP_TARGETS := gfx90a gfx942 gfx950
knows_hip = $(shell $(1) --target=amdgcn -print-supported-cpus 2>&1 | \
    grep -qw gfx942 && \
    test -x "$$($(1) -print-prog-name=clang-offload-bundler)" && \
    test -x "$$($(1) -print-prog-name=ld.lld)" && command -v $(1))
HIP_CLANG ?= $(firstword $(foreach clang,/opt/rocm/llvm/bin/clang \
    $(patsubst %,clang-%,22 21 20 19 18 17) clang,$(call knows_hip,$(clang))))
HIP_IMAGE := $(IMAGES)/hip.bundle
HIP_SHARED := $(addprefix hybrid/device/cuda/,\
    backend.c cuda.c kernels.c open.c queue.c work.c)
HIP_OBJECTS := $(HIP_SHARED:%.c=$(PIC)/hip/%.o) $(call pic,hip)
FLAGS_OF_hip = -DHYB_HIP
LIBS_OF_hip = -Wl,-rpath,'$$ORIGIN:/opt/rocm/lib'
ifneq ($(HIP_CLANG),)
HIP_KNOWN = $(filter $(HIP_TARGETS),\
    $(shell $(HIP_CLANG) --target=amdgcn -print-supported-cpus 2>&1))
$(HIP_IMAGE): hybrid/device/cuda/kernels.cu $(KERNEL_PARTS)
	@mkdir -p $(@D)
	$(call SAY,CLANG $< (hip),$(HIP_CLANG) -x hip -I. -nogpulib -nogpuinc -O3 \
	    --cuda-device-only --gpu-bundle-output -Wall -Wextra -Werror \
	    $(HIP_KNOWN:%=--offload-arch=%) -o $@ $<)
$(PIC)/hip/hybrid/device/cuda/kernels.o: $(HIP_IMAGE)
$(PIC)/hip/hybrid/device/cuda/kernels.o: FLAGS_OF_hip += -DHYB_CUDA_IMAGE='"$(HIP_IMAGE)"'
endif

FLAGS_OF_opencl = -I$(BUILD)

PIC_FLAGS = -fvisibility=hidden $(FLAGS_OF_$(word 3,$(subst /, ,$<)))

build: $(PLUGINS)
images: $(if $(and $(NVCC),$(filter cuda,$(HYB_BACKENDS))),$(CUDA_IMAGE)) \
        $(if $(and $(HIP_CLANG),$(filter hip,$(HYB_BACKENDS))),$(HIP_IMAGE))

$(PIC)/%.o: %.c $(BUILD)/commands
	@mkdir -p $(@D)
	$(call SAY,CC    $< (plug-in),$(HYB_COMPILE) -fPIC $(PIC_FLAGS) -MMD -MP \
	    -c -o $@ $<)

# Kernels as text.
KERNEL_TEXT := $(patsubst %.cl,$(BUILD)/%.inc,$(wildcard hybrid/device/kernels/*.cl))
$(KERNEL_TEXT): $(BUILD)/%.inc: %.cl
	@mkdir -p $(@D)
	@sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $< > $@
$(PIC)/hybrid/device/opencl/program.o: $(KERNEL_TEXT)

$(PIC)/hip/%.o: %.c $(BUILD)/commands
	@mkdir -p $(@D)
	$(call SAY,CC    $< (hip),$(HYB_COMPILE) -fPIC -fvisibility=hidden \
	    $(FLAGS_OF_hip) -MMD -MP -c -o $@ $<)

define PLUGIN
$(BINdir)/libhyb_$(1).so: $(if $(filter hip,$(1)),$(HIP_OBJECTS),$(call pic,$(1)))
	@mkdir -p $$(@D)
	$$(call SAY,LINK  $$@,$$(PLAIN_LINK) -shared -o $$@ $$^ \
	    $$(LIBS_OF_$(1)) $$(XH_LIBS))
endef
$(foreach backend,$(HYB_BACKENDS),$(eval $(call PLUGIN,$(backend))))

# Programs in $(BUILD)/unit look in ../lib/xhpl.
$(BUILD)/lib/xhpl: $(PLUGINS)
	@mkdir -p $(@D)
	@ln -sfn $(abspath $(BINdir)) $@

# ---- the model of CUDA -----------------------------------------------------

# The plug-ins cuda and hip with a model in place of the vendors' libraries, for
# tests. Only CUDA's headers are needed. CUDA_MODEL=no does without.
CUDA_MODEL ?= $(if $(and $(wildcard $(CUDA_HOME)/include/cuda_runtime_api.h), \
                $(wildcard $(CUDA_HOME)/include/cublas_v2.h)),yes,no)
ifeq ($(CUDA_MODEL),yes)
CUBLAS_MAJOR := $(shell sed -n 's/^\#define CUBLAS_VER_MAJOR *\([0-9]*\).*/\1/p' \
    $(CUDA_HOME)/include/cublas_api.h)
MODEL := $(BUILD)/cuda-model
MODEL_OWN := blas nvml hip rocblas rocm_smi driver
MODEL_RUNTIME := $(filter-out $(MODEL_OWN), \
    $(patsubst testing/cuda_model/%.c,%,$(wildcard testing/cuda_model/*.c)))
model_objects = $(1:%=$(PIC)/testing/cuda_model/%.o)
MODEL_FILES := $(addprefix $(MODEL)/,libcuda_model.so libhyb_cuda.so \
                 libcublas.so.$(CUBLAS_MAJOR) libnvidia-ml.so.1 \
                 libhyb_hip.so libamdhip64.so librocblas.so \
                 librocm_smi64.so)

unit suite: $(MODEL_FILES)

$(call model_objects,$(MODEL_RUNTIME) $(MODEL_OWN)): PIC_FLAGS = $(FLAGS_OF_cuda)
$(MODEL)/libcuda_model.so: $(call model_objects,$(MODEL_RUNTIME))
$(MODEL)/libhyb_cuda.so: $(call pic,cuda)
$(MODEL)/libcublas.so.$(CUBLAS_MAJOR): $(call model_objects,blas)
$(MODEL)/libhyb_hip.so: $(HIP_OBJECTS)
$(MODEL)/libamdhip64.so: $(call model_objects,hip)
$(MODEL)/librocblas.so: $(call model_objects,rocblas) \
                        $(MODEL)/libcublas.so.$(CUBLAS_MAJOR)
$(MODEL)/libnvidia-ml.so.1: $(call model_objects,nvml)
$(MODEL)/librocm_smi64.so: $(call model_objects,rocm_smi)
$(filter-out %/libcuda_model.so,$(MODEL_FILES)): $(MODEL)/libcuda_model.so

# What is beside them comes before what the system or the user has.
MODEL_LINK = -Wl,-soname,$(@F) -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN'
$(MODEL_FILES):
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -shared -o $@ $^ \
	    $(MODEL_LINK) $(XH_LIBS))
endif

# Installed programs look in ../lib/xhpl, too.
install: install-hybrid
install-hybrid: build
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(bindir)/../lib/xhpl
	$(if $(XDGEMM_BUILT),$(INSTALL) -d $(DESTDIR)$(man1dir); \
	    $(INSTALL) -m 755 $(XDGEMM) $(DESTDIR)$(bindir)/xdgemm; \
	    $(call MAN,xdgemm,products of matrices on cores and devices,$(XDGEMM) --help))
	$(INSTALL) -m 755 $(PLUGINS) $(DESTDIR)$(bindir)/../lib/xhpl

-include $(shell find $(PIC) -name '*.d' 2>/dev/null)

# ---- unit tests ------------------------------------------------------------

# Tests of the solver link all there is; those below it link no MPI.
UNIT_DRIVER := $(shell grep -lE '"(hybrid/(lu|observe|plan)/|testing/unit/driver_)' $(UNIT_HYBRID))
UNIT_ENGINE := $(filter-out $(UNIT_DRIVER),$(UNIT_HYBRID))
HYB_UNIT_TESTS := $(call as_programs,$(UNIT_ENGINE))
HYB_DRIVER_TESTS := $(call as_programs,$(UNIT_DRIVER))
HYB_UNIT_COMMON := $(call as_objects,$(call common_of, \
                     $(UNIT_ENGINE) $(UNIT_NEUTRAL)))
HYB_DRIVER_COMMON := $(call as_objects,$(call common_of,$(UNIT_DRIVER)))

unit: $(HYB_UNIT_TESTS) $(HYB_DRIVER_TESTS)

check-layers: $(NODE_OBJECTS) $(LU_OBJECTS) $(PLUGINS)

$(HYB_UNIT_TESTS): $(BUILD)/unit/%: $(OBJ)/testing/unit/%.o \
                   $(HYB_UNIT_COMMON) $(XDGEMM_TESTED) $(SHARES_OBJECTS) \
                   $(NODE_OBJECTS) $(BASE_OBJECTS) \
                   $(BUILD)/blas-checked | $(BUILD)/lib/xhpl
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -o $@ $(filter %.o,$^) -lcmocka \
	    $(HYB_LIBS))

$(HYB_DRIVER_TESTS): $(BUILD)/unit/%: $(OBJ)/testing/unit/%.o \
                     $(UNIT_COMMON) $(HYB_UNIT_COMMON) \
                     $(HYB_DRIVER_COMMON) $(XDGEMM_TESTED) \
                     $(call objects,testing/model/*.c) $(DRIVER_OBJECTS) \
                     $(PLANNER_OBJECTS) $(LU_OBJECTS) $(NODE_OBJECTS) $(HPLlib) \
                     $(BUILD)/blas-checked | $(BUILD)/lib/xhpl
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(LINK) -o $@ $(filter %.o,$^) \
	    -lcmocka $(XHPL_LIBS) $(LIBS_OF_XHPL))

# ---- benchmarks and bundle -------------------------------------------------

## bench-dgemm: DGEMM of cores, devices and both, beside the BLAS libraries
## bench-host: the solver on cores alone, beside goals and BASELINE=<an xhpl>
## bench-gpu: a GPU's first minutes: what it is, right, fast
## bench-opencl: DGEMM on a device of OpenCL, beside CLBlast and OpenBLAS
## bench-plan: predictions beside runs, on every grid of two
bench-dgemm bench-gpu bench-host bench-plan bench-opencl: \
  bench-%: build
	@bench/$* '$(BINdir)' $(BASELINE)

## bundle: dist/xhpl-<version>-<machine>.tar.gz, which runs where nothing is
bundle: build
	@bundle/make-bundle '$(BINdir)' xhpl-$(VERSION)-$(shell uname -m)

.PHONY: install-hybrid inject bench-dgemm bench-gpu bench-host \
        bench-plan bench-opencl bundle
