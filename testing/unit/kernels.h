/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include "hybrid/cpu/isa/kernel.h"

/*
 * The kernels of this processor, one after the other; NULL begins and ends.
 * The last one multiplies as the widest does, and has all else from
 * hyb_kernel_complete.
 */
static inline const hyb_kernel_t *kernel_after(const hyb_kernel_t *kernel)
{
    static hyb_kernel_t bare;
    const hyb_kernel_t *widest = hyb_kernel_widest();
    int isa;

    if (kernel == &bare)
        return NULL;
    for (isa = kernel != NULL ? (int)kernel->isa + 1 : 0; isa < XH_ISA_COUNT;
         isa++)
        if (hyb_kernel_find((xh_isa_t)isa) != NULL)
            return hyb_kernel_find((xh_isa_t)isa);
    bare = (hyb_kernel_t){.name = "bare",
                          .isa = widest->isa,
                          .rows = widest->rows,
                          .cols = widest->cols,
                          .multiply = widest->multiply};
    hyb_kernel_complete(&bare);
    return &bare;
}

#define FOR_EACH_KERNEL(kernel)                                                \
    for ((kernel) = kernel_after(NULL); (kernel) != NULL;                      \
         (kernel) = kernel_after(kernel))

/* A test case that runs body with each. */
#define WITH_EVERY_KERNEL(sentence, body)                                      \
    static void sentence(void **state)                                         \
    {                                                                          \
        const hyb_kernel_t *kernel;                                            \
                                                                               \
        (void)state;                                                           \
        FOR_EACH_KERNEL(kernel)                                                \
        body(kernel);                                                          \
    }

#endif
