/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include "hybrid/cpu/isa/kernel.h"
#include "testing/unit/unit.h"

/* The kernel of the widest instruction set that this processor has. */
static inline const hyb_kernel_t *widest_kernel(void)
{
    return hyb_kernel_find(xh_cpu_isa());
}

/* The kernels of this processor, one after the other; NULL begins and ends. */
static inline const hyb_kernel_t *kernel_after(const hyb_kernel_t *kernel)
{
    int isa = kernel != NULL ? (int)kernel->isa + 1 : 0;

    while (isa < XH_ISA_COUNT && hyb_kernel_find((xh_isa_t)isa) == NULL)
        isa++;
    return isa < XH_ISA_COUNT ? hyb_kernel_find((xh_isa_t)isa) : NULL;
}

#define FOR_EACH_KERNEL(kernel)                                                \
    for ((kernel) = kernel_after(NULL); (kernel) != NULL;                      \
         (kernel) = kernel_after(kernel))

/* A case that runs with each kernel. */
#define TEST_EVERY_KERNEL(sentence)                                            \
    static void sentence##_with(const hyb_kernel_t *kernel);                   \
    TEST(sentence)                                                             \
    {                                                                          \
        const hyb_kernel_t *kernel;                                            \
                                                                               \
        FOR_EACH_KERNEL(kernel)                                                \
        sentence##_with(kernel);                                               \
    }                                                                          \
    static void sentence##_with(const hyb_kernel_t *kernel)
