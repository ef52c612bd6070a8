# SPDX-License-Identifier: BSD-3-Clause
#
# Plug-ins for devices, and images of their kernels; included by the Makefile where
# hwloc is.

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

-include $(shell find $(PIC) -name '*.d' 2>/dev/null)
