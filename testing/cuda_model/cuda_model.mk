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
MODEL_CUBLAS := $(MODEL)/libcublas.so.$(CUBLAS_MAJOR)
MODEL_FILES := $(MODEL_CUBLAS) $(addprefix $(MODEL)/,libcuda_model.so \
                 libhyb_cuda.so libhyb_hip.so libnvidia-ml.so.1 \
                 libamdhip64.so librocblas.so librocm_smi64.so)
MODEL_OBJECTS := $(patsubst %.c,$(PIC)/%.o,$(wildcard testing/cuda_model/*.c))
MODEL_BLAS := $(filter %/blas.o,$(MODEL_OBJECTS))

# Functions of HIP, of CUDA's driver and of rocBLAS that are others by new names.
HIP_SAME := DeviceCanAccessPeer DeviceEnablePeerAccess DeviceGetPCIBusId \
    DeviceGetStreamPriorityRange DeviceSynchronize EventCreateWithFlags \
    EventDestroy EventElapsedTime EventQuery EventRecord Free GetDeviceCount \
    GetErrorString GetLastError HostUnregister Malloc MemGetInfo Memcpy \
    Memcpy2DAsync MemcpyAsync MemsetAsync SetDevice StreamCreateWithPriority \
    StreamDestroy StreamSynchronize StreamWaitEvent
OCCUPANCY := OccupancyMaxActiveBlocksPerMultiprocessor
MODEL_SAME := $(foreach name,$(HIP_SAME),hip$(name)=cuda$(name)) \
    hipModuleUnload=cudaLibraryUnload hipModule$(OCCUPANCY)=cuda$(OCCUPANCY) \
    cuModuleUnload=cudaLibraryUnload cu$(OCCUPANCY)=cuda$(OCCUPANCY) \
    cuModuleGetFunction=cudaLibraryGetKernel \
    cuLaunchKernel=hipModuleLaunchKernel \
    cuLaunchCooperativeKernel=hipModuleLaunchCooperativeKernel
BLAS_SAME := rocblas_destroy_handle=cublasDestroy_v2 \
    rocblas_set_stream=cublasSetStream_v2 \
    rocblas_status_to_string=cublasGetStatusString \
    $(foreach name,gemm gemv trsm,rocblas_d$(name)_64=cublasD$(name)_v2_64)

unit suite: $(MODEL_FILES)

# The other libraries are names by which the plug-ins find these two.
$(MODEL_OBJECTS): PIC_FLAGS = $(FLAGS_OF_cuda)
$(MODEL)/libcuda_model.so: $(filter-out $(MODEL_BLAS),$(MODEL_OBJECTS))
$(MODEL)/libcuda_model.so: private SAME = $(MODEL_SAME)
$(MODEL_CUBLAS): $(MODEL_BLAS)
$(MODEL_CUBLAS): private SAME = $(BLAS_SAME)
$(MODEL)/libhyb_cuda.so: $(call pic,cuda)
$(MODEL)/libhyb_hip.so: $(HIP_OBJECTS)
$(MODEL)/librocblas.so: $(MODEL_CUBLAS)
$(filter-out %/libcuda_model.so,$(MODEL_FILES)): $(MODEL)/libcuda_model.so

# What is beside them comes before what the system or the user has.
MODEL_LINK = -Wl,-soname,$(@F) -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN' \
    $(SAME:%=-Wl,--defsym=%) -Wl,--no-as-needed
$(MODEL_FILES):
	@mkdir -p $(@D)
	$(call SAY,LINK  $@,$(PLAIN_LINK) -shared -o $@ $(MODEL_LINK) $^ $(XH_LIBS))
endif
