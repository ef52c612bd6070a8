/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* All headers of the vendor are included here; no code outside this folder sees
 * them. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/opencl.h>

/* The functions of OpenCL that are used, without the prefix "cl". */
#define HYB_OPENCL_FUNCTIONS(X)                                                \
    X(BuildProgram)                                                            \
    X(CreateBuffer)                                                            \
    X(CreateCommandQueue)                                                      \
    X(CreateCommandQueueWithProperties)                                        \
    X(CreateContext)                                                           \
    X(CreateKernel)                                                            \
    X(CreateProgramWithBinary)                                                 \
    X(CreateProgramWithSource)                                                 \
    X(EnqueueBarrierWithWaitList)                                              \
    X(EnqueueMarkerWithWaitList)                                               \
    X(EnqueueMigrateMemObjects)                                                \
    X(EnqueueNDRangeKernel)                                                    \
    X(EnqueueReadBufferRect)                                                   \
    X(EnqueueWriteBufferRect)                                                  \
    X(Finish)                                                                  \
    X(Flush)                                                                   \
    X(GetDeviceIDs)                                                            \
    X(GetDeviceInfo)                                                           \
    X(GetEventInfo)                                                            \
    X(GetEventProfilingInfo)                                                   \
    X(GetKernelWorkGroupInfo)                                                  \
    X(GetPlatformIDs)                                                          \
    X(GetProgramBuildInfo)                                                     \
    X(GetProgramInfo)                                                          \
    X(ReleaseCommandQueue)                                                     \
    X(ReleaseContext)                                                          \
    X(ReleaseEvent)                                                            \
    X(ReleaseKernel)                                                           \
    X(ReleaseMemObject)                                                        \
    X(ReleaseProgram)                                                          \
    X(RetainEvent)                                                             \
    X(SetKernelArg)

typedef struct {
#define HYB_OPENCL_FUNCTION(name) __typeof__(cl##name) *name;
    HYB_OPENCL_FUNCTIONS(HYB_OPENCL_FUNCTION)
} hyb_opencl_library_t;

/* OpenCL's functions, set by hyb_opencl_load. */
extern hyb_opencl_library_t hyb_cl;

/* Open libOpenCL. Returns NULL, or why that failed (static text). */
const char *hyb_opencl_load(void);
