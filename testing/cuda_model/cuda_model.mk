# SPDX-License-Identifier: BSD-3-Clause
#
# The model of CUDA, for tests; included by the Makefile where hwloc is.

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
