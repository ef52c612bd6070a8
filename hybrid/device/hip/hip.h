/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * The plug-in hip is compiled from CUDA's, hybrid/device/cuda/, with this
 * header in place of those of CUDA and cuBLAS. It declares HIP's equivalent
 * functions under CUDA's names, so no header of ROCm is needed. The
 * declarations hold for ROCm 5 and later; those of rocBLAS for ROCm 6.3 and
 * later (64-bit sizes).
 */
#include <stddef.h>
#include <stdint.h>

#define HYB_CUDA_NAME "hip"
#define HYB_CUDA_BLAS "rocblas"
#define HYB_CUDA_WORKSPACE(major) ((size_t)0) /* in the handle */

/* ---- HIP ---------------------------------------------------------------- */

typedef int cudaError_t; /* hipError_t; its values are those of CUDA */
enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorOperatingSystem = 304,
    cudaErrorNotReady = 600,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713,
    cudaErrorNotPermitted = 800,
    cudaErrorNotSupported = 801
};

typedef struct ihipStream_t *cudaStream_t;
typedef struct ihipEvent_t *cudaEvent_t;
typedef struct ihipModule_t *cudaLibrary_t;
typedef struct ihipModuleSymbol_t *cudaKernel_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3
};

enum {
    cudaStreamNonBlocking = 1,
    cudaEventBlockingSync = 1,
    cudaHostRegisterPortable = 1,
    cudaDeviceScheduleBlockingSync = 4,
    cudaInitDeviceFlagsAreValid = 1
};

struct dim3 {
    unsigned x, y, z;
};

/* Each is HIP's function of that name with the prefix "hip". */
#define HYB_HIP_FUNCTIONS(X)                                                   \
    X(DeviceCanAccessPeer, (int *can_p, int device, int other))                \
    X(DeviceEnablePeerAccess, (int other, unsigned flags))                     \
    X(DeviceGetAttribute, (int *value_p, int attribute, int device))           \
    X(DeviceGetName, (char *text_p, int bytes, int device))                    \
    X(DeviceGetPCIBusId, (char *text_p, int bytes, int device))                \
    X(DeviceGetStreamPriorityRange, (int *lowest_p, int *highest_p))           \
    X(DeviceSynchronize, (void))                                               \
    X(DeviceTotalMem, (size_t * bytes_p, int device))                          \
    X(EventCreateWithFlags, (cudaEvent_t * event_p, unsigned flags))           \
    X(EventDestroy, (cudaEvent_t event))                                       \
    X(EventElapsedTime, (float *ms_p, cudaEvent_t begin, cudaEvent_t end))     \
    X(EventQuery, (cudaEvent_t event))                                         \
    X(EventRecord, (cudaEvent_t event, cudaStream_t stream))                   \
    X(Free, (void *memory))                                                    \
    X(GetDeviceCount, (int *count_p))                                          \
    X(GetLastError, (void))                                                    \
    X(HostGetDevicePointer, (void **pointer_p, void *host, unsigned flags))    \
    X(HostRegister, (void *memory, size_t bytes, unsigned flags))              \
    X(HostUnregister, (void *memory))                                          \
    X(Malloc, (void **memory_p, size_t bytes))                                 \
    X(MemGetInfo, (size_t * free_p, size_t * all_p))                           \
    X(Memcpy, (void *to, const void *from, size_t bytes, int kind))            \
    X(Memcpy2DAsync,                                                           \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch,         \
       size_t width, size_t height, int kind, cudaStream_t stream))            \
    X(MemcpyAsync, (void *to, const void *from, size_t bytes, int kind,        \
                    cudaStream_t stream))                                      \
    X(MemsetAsync,                                                             \
      (void *memory, int value, size_t bytes, cudaStream_t stream))            \
    X(ModuleGetFunction,                                                       \
      (cudaKernel_t * kernel_p, cudaLibrary_t library, const char *name))      \
    X(ModuleLaunchCooperativeKernel,                                           \
      (cudaKernel_t kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
       unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,  \
       cudaStream_t stream, void **arguments))                                 \
    X(ModuleLaunchKernel,                                                      \
      (cudaKernel_t kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
       unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,  \
       cudaStream_t stream, void **arguments, void **extra))                   \
    X(ModuleLoadData, (cudaLibrary_t * library_p, const void *image))          \
    X(ModuleOccupancyMaxActiveBlocksPerMultiprocessor,                         \
      (int *groups_p, cudaKernel_t kernel, int items, size_t shared))          \
    X(ModuleUnload, (cudaLibrary_t library))                                   \
    X(SetDevice, (int device))                                                 \
    X(SetDeviceFlags, (unsigned flags))                                        \
    X(StreamCreateWithPriority,                                                \
      (cudaStream_t * stream_p, unsigned flags, int priority))                 \
    X(StreamDestroy, (cudaStream_t stream))                                    \
    X(StreamSynchronize, (cudaStream_t stream))                                \
    X(StreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags))

/* Pointers to HIP's functions, set once hyb_cuda_find_devices has found a
 * device. */
#define HYB_HIP_POINTER(name, arguments)                                       \
    extern cudaError_t(*cuda##name) arguments;
HYB_HIP_FUNCTIONS(HYB_HIP_POINTER)
extern const char *(*cudaGetErrorString)(cudaError_t error);

#define cudaOccupancyMaxActiveBlocksPerMultiprocessor                          \
    cudaModuleOccupancyMaxActiveBlocksPerMultiprocessor
#define cudaLibraryGetKernel cudaModuleGetFunction
#define cudaLibraryUnload cudaModuleUnload

/* ---- functions that differ in HIP --------------------------------------- */

static inline cudaError_t cudaInitDevice(int device, unsigned device_flags,
                                         unsigned flags)
{
    cudaError_t error = cudaSetDevice(device);

    (void)flags;
    return error != cudaSuccess ? error : cudaSetDeviceFlags(device_flags);
}

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    int major; /* 0: not a generation of NVIDIA's */
    int multiProcessorCount, cooperativeLaunch;
};

enum { HYB_HIP_COOPERATIVE_LAUNCH = 10, HYB_HIP_PROCESSORS = 63 };

static inline cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p,
                                                  int device)
{
    cudaError_t error = cudaDeviceTotalMem(&p->totalGlobalMem, device);

    p->major = 0;
    if (cudaDeviceGetAttribute(&p->multiProcessorCount, HYB_HIP_PROCESSORS,
                               device) != cudaSuccess ||
        cudaDeviceGetAttribute(&p->cooperativeLaunch,
                               HYB_HIP_COOPERATIVE_LAUNCH,
                               device) != cudaSuccess)
        p->cooperativeLaunch = 0;
    return error != cudaSuccess
               ? error
               : cudaDeviceGetName(p->name, sizeof(p->name), device);
}

enum { cudaMemoryTypeUnregistered, cudaMemoryTypeHost };

struct cudaPointerAttributes {
    int type;
};

/* Host memory is pinned if it has an address on the device. */
static inline cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *p, const void *address)
{
    void *pointer;
    cudaError_t error =
        cudaHostGetDevicePointer(&pointer, (void *)(uintptr_t)address, 0);

    if (error == cudaSuccess)
        p->type = cudaMemoryTypeHost;
    return error;
}

/* A module is loaded at once, with all of its kernels. */
#define cudaLibraryLoadData(library_p, image, ...)                             \
    cudaModuleLoadData(library_p, image)

struct cudaFuncAttributes {
    int none;
};

static inline cudaError_t
cudaFuncGetAttributes(const struct cudaFuncAttributes *p, cudaKernel_t kernel)
{
    (void)p, (void)kernel;
    return cudaSuccess;
}

static inline cudaError_t cudaLaunchKernel(cudaKernel_t kernel,
                                           struct dim3 grid, struct dim3 group,
                                           void **arguments, unsigned shared,
                                           cudaStream_t stream)
{
    return cudaModuleLaunchKernel(kernel, grid.x, grid.y, grid.z, group.x,
                                  group.y, group.z, shared, stream, arguments,
                                  NULL);
}

static inline cudaError_t
cudaLaunchCooperativeKernel(cudaKernel_t kernel, struct dim3 grid,
                            struct dim3 group, void **arguments,
                            unsigned shared, cudaStream_t stream)
{
    return cudaModuleLaunchCooperativeKernel(kernel, grid.x, grid.y, grid.z,
                                             group.x, group.y, group.z, shared,
                                             stream, arguments);
}

/* ---- rocBLAS ------------------------------------------------------------ */

typedef struct _rocblas_handle *cublasHandle_t;

typedef enum { /* rocblas_status */
               CUBLAS_STATUS_SUCCESS = 0,
               CUBLAS_STATUS_ALLOC_FAILED = 5,
               CUBLAS_STATUS_INVALID_VALUE = 11
} cublasStatus_t;

typedef enum { CUBLAS_OP_N = 111, CUBLAS_OP_T = 112 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 122 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_UNIT = 132 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 141 } cublasSideMode_t;

/* rocBLAS does not emulate double precision, so there is no mode to set. */
typedef enum { CUBLAS_DEFAULT_MATH, CUBLAS_PEDANTIC_MATH } cublasMath_t;

cublasStatus_t cublasCreate(cublasHandle_t *handle_p);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *memory,
                                  size_t bytes);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode_p);
cublasStatus_t cublasDgemm_64(cublasHandle_t handle, cublasOperation_t op_a,
                              cublasOperation_t op_b, int64_t m, int64_t n,
                              int64_t k, const double *alpha, const double *a,
                              int64_t lda, const double *b, int64_t ldb,
                              const double *beta, double *c, int64_t ldc);
cublasStatus_t cublasDtrsm_64(cublasHandle_t handle, cublasSideMode_t side,
                              cublasFillMode_t fill, cublasOperation_t op_a,
                              cublasDiagType_t diagonal, int64_t m, int64_t n,
                              const double *alpha, const double *a, int64_t lda,
                              double *b, int64_t ldb);
cublasStatus_t cublasDgemv_64(cublasHandle_t handle, cublasOperation_t op_a,
                              int64_t m, int64_t n, const double *alpha,
                              const double *a, int64_t lda, const double *x,
                              int64_t incx, const double *beta, double *y,
                              int64_t incy);
const char *cublasGetStatusString(cublasStatus_t status);
