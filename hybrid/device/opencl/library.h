/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* All that is included from the vendor; nothing outside this folder sees it. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/opencl.h>

/* What is used of OpenCL, each without its prefix. */
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

/* Its functions, after hyb_opencl_load. */
extern hyb_opencl_library_t hyb_cl;

/* Open libOpenCL; why there is none (static text), or NULL. */
const char *hyb_opencl_load(void);
