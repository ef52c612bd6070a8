/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words that let the kernels in this folder compile as OpenCL C 1.2, CUDA and
 * HIP.
 *
 * A kernel runs as a grid of groups, and a group as x times y items. The items
 * of a group share ON_CHIP arrays and meet at BARRIER(), after which each item
 * sees what the other items wrote. All kernels have C names, by which programs
 * find them. If groups can wait for each other, TELL writes a number visible to
 * the whole grid, LOOK reads it, and GRID_FENCE() orders this item's memory
 * accesses for all groups. A source that defines KERNEL before this file
 * defines all other words, too.
 */
#if defined(KERNEL)

typedef long long i64;
typedef unsigned long long u64;

#elif defined(__OPENCL_VERSION__)

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef long i64;
typedef ulong u64;

#define KERNEL(x, y)                                                           \
    __kernel __attribute__((reqd_work_group_size(x, y, 1))) void
#define FUNCTION static
#define GLOBAL __global
#define ON_CHIP __local
#define CHIP __local
#define GROUP(d) ((i64)get_group_id(d))
#define GROUPS(d) ((i64)get_num_groups(d))
#define ITEM(d) ((i64)get_local_id(d))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define AS_DOUBLE(bits) as_double(bits)
#if defined(__x86_64__) || defined(__aarch64__)
#define TOUCH(p) __builtin_prefetch((const void *)(size_t)(p))
#else
#define TOUCH(p)
#endif

#else

typedef long long i64;
typedef unsigned long long u64;

#define FUNCTION static __attribute__((device, always_inline)) inline
#define GLOBAL
#define CHIP
#define TOUCH(p)

#if defined(__HIP__)

/* Use built-in functions of the compiler, so that no ROCm header is needed. */
#define KERNEL(x, y)                                                           \
    extern "C" __attribute__((global))                                         \
    __attribute__((amdgpu_flat_work_group_size(1, (x) * (y)))) void
#define ON_CHIP __attribute__((shared))
#define BY_AXIS(d, name)                                                       \
    ((i64)(d == 0 ? __builtin_amdgcn_##name##_x()                              \
                  : __builtin_amdgcn_##name##_y()))
#define GROUP(d) BY_AXIS(d, workgroup_id)
#define GROUPS(d) (BY_AXIS(d, grid_size) / BY_AXIS(d, workgroup_size))
#define ITEM(d) BY_AXIS(d, workitem_id)
#define BARRIER()                                                              \
    (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"),                    \
     __builtin_amdgcn_s_barrier(),                                             \
     __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define AS_DOUBLE(bits) __builtin_bit_cast(double, bits)
#define TELL(p, x)                                                             \
    __hip_atomic_store(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define LOOK(p)                                                                \
    __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define GRID_FENCE() __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")

#else /* CUDA */

#define KERNEL(x, y) extern "C" __global__ void __launch_bounds__((x) * (y))
#define ON_CHIP __shared__
#define BY_AXIS(d, name) ((i64)(d == 0 ? name.x : name.y))
#define GROUP(d) BY_AXIS(d, blockIdx)
#define GROUPS(d) BY_AXIS(d, gridDim)
#define ITEM(d) BY_AXIS(d, threadIdx)
#define BARRIER() __syncthreads()
#define AS_DOUBLE(bits) __longlong_as_double((i64)(bits))
#define TELL(p, x) (*(volatile u64 *)(p) = (x))
#define LOOK(p) (*(volatile u64 *)(p))
#define GRID_FENCE() __threadfence()

#endif
#endif

#ifndef ITEMS
#define ITEMS 64 /* items per group, in kernels of one dimension */
#endif

/* A matrix within a buffer; element (i, j) is element AT(b, i, j) of the
 * buffer. */
typedef struct {
    i64 offset, rows, cols, ld;
} block_t;

#define AT(b, i, j) ((b).offset + (i) + (j) * (b).ld)
