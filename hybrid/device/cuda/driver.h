/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * For CUDA before 12.8, whose runtime cannot load an image of kernels. The
 * driver can, as a module; its functions get the names of the later runtime
 * here. Errors of driver and runtime have the same numbers.
 */
typedef struct CUmod_st *hyb_cuda_module_t;
typedef struct CUfunc_st *hyb_cuda_function_t;
#define cudaLibrary_t hyb_cuda_module_t
#define cudaKernel_t hyb_cuda_function_t

/* Each is the driver's function of that name with the prefix "cu". */
#define HYB_CUDA_DRIVER_FUNCTIONS(X)                                           \
    X(FuncGetAttribute, (int *value_p, int which, cudaKernel_t kernel))        \
    X(LaunchCooperativeKernel,                                                 \
      (cudaKernel_t kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
       unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,  \
       cudaStream_t stream, void **arguments))                                 \
    X(LaunchKernel,                                                            \
      (cudaKernel_t kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
       unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared,  \
       cudaStream_t stream, void **arguments, void **extra))                   \
    X(ModuleGetFunction,                                                       \
      (cudaKernel_t * kernel_p, cudaLibrary_t library, const char *name))      \
    X(ModuleLoadData, (cudaLibrary_t * library_p, const void *image))          \
    X(ModuleUnload, (cudaLibrary_t library))                                   \
    X(OccupancyMaxActiveBlocksPerMultiprocessor,                               \
      (int *groups_p, cudaKernel_t kernel, int items, size_t shared))

typedef struct {
#define HYB_CUDA_DRIVER_FUNCTION(name, arguments) cudaError_t(*name) arguments;
    HYB_CUDA_DRIVER_FUNCTIONS(HYB_CUDA_DRIVER_FUNCTION)
} hyb_cuda_driver_t;

extern hyb_cuda_driver_t hyb_cuda_driver; /* set by hyb_cuda_find_devices */

#define cudaLibraryGetKernel hyb_cuda_driver.ModuleGetFunction
#define cudaLibraryLoadData(library_p, image, ...)                             \
    hyb_cuda_driver.ModuleLoadData(library_p, image)
#define cudaLibraryUnload hyb_cuda_driver.ModuleUnload
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor                          \
    hyb_cuda_driver.OccupancyMaxActiveBlocksPerMultiprocessor
#define cudaFuncGetAttributes(p, kernel)                                       \
    hyb_cuda_driver.FuncGetAttribute(&(p)->numRegs, HYB_CUDA_REGISTERS, kernel)
#define cudaLaunchKernel(kernel, grid, group, arguments, shared, stream)       \
    hyb_cuda_driver.LaunchKernel(kernel, (grid).x, (grid).y, (grid).z,         \
                                 (group).x, (group).y, (group).z, shared,      \
                                 stream, arguments, NULL)
#define cudaLaunchCooperativeKernel(kernel, grid, group, arguments, shared,    \
                                    stream)                                    \
    hyb_cuda_driver.LaunchCooperativeKernel(                                   \
        kernel, (grid).x, (grid).y, (grid).z, (group).x, (group).y, (group).z, \
        shared, stream, arguments)

enum { HYB_CUDA_REGISTERS = 4 /* number of the driver's attribute */ };
