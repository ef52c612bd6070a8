/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COUNTED_KERNEL_H
#define COUNTED_KERNEL_H

#include <stdatomic.h>
#include "hybrid/cpu/isa/kernel.h"

/* The portable kernel, counting its calls. */
static atomic_int generations, sweeps;

static inline void counted_generate(const xh_lanes_t *lanes, uint64_t x,
                                    int64_t count, double *a)
{
    generations++;
    hyb_kernel_find(XH_ISA_PORTABLE)->generate(lanes, x, count, a);
}

static inline void counted_subtract(const hyb_sweep_t *sweep, double *r)
{
    sweeps++;
    hyb_kernel_find(XH_ISA_PORTABLE)->subtract(sweep, r);
}

static inline void counted_subtract_and_sum(const hyb_sweep_t *sweep, double *r,
                                            const hyb_sums_t *sums)
{
    sweeps++;
    hyb_kernel_find(XH_ISA_PORTABLE)->subtract_and_sum(sweep, r, sums);
}

static inline hyb_kernel_t counted_kernel(void)
{
    hyb_kernel_t kernel = *hyb_kernel_find(XH_ISA_PORTABLE);

    generations = sweeps = 0;
    kernel.generate = counted_generate;
    kernel.subtract = counted_subtract;
    kernel.subtract_and_sum = counted_subtract_and_sum;
    return kernel;
}

#endif
