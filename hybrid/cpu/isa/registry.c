/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stddef.h>
#include "hybrid/cpu/isa/kernel.h"

/* Each instruction set has a table, in a file of its own. */
#define DECLARE(NAME, name) extern const hyb_kernel_t hyb_kernel_##name;
XH_EACH_ISA(DECLARE)

static hyb_kernel_t kernels[XH_ISA_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void complete_all(void)
{
#define ADDRESS(NAME, name) &hyb_kernel_##name,
    static const hyb_kernel_t *const tables[] = {XH_EACH_ISA(ADDRESS)};
    int isa;

    for (isa = 0; isa < XH_ISA_COUNT; isa++) {
        kernels[isa] = *tables[isa];
        kernels[isa].isa = (xh_isa_t)isa;
        kernels[isa].name = xh_cpu_isa_name((xh_isa_t)isa);
        hyb_kernel_complete(&kernels[isa]);
    }
}

#define TAKE(member, other)                                                    \
    if (!kernel->member)                                                       \
    kernel->member = (other)->member

void hyb_kernel_complete(hyb_kernel_t *kernel)
{
    const hyb_kernel_t *portable = &hyb_kernel_portable;
    const hyb_kernel_t *of_tile = &hyb_kernel_any;

    if (kernel->multiply == NULL) {
        kernel->rows = portable->rows;
        kernel->cols = portable->cols;
        kernel->solve = NULL;
        kernel->eliminate = NULL;
        kernel->substitute = NULL;
        of_tile = portable;
    }
    TAKE(multiply, portable);
    TAKE(solve, of_tile);
    TAKE(eliminate, of_tile);
    TAKE(substitute, of_tile);
    TAKE(subtract, portable);
    TAKE(subtract_and_sum, portable);
    TAKE(generate, portable);
    TAKE(blocks.depth, portable);
    TAKE(blocks.block, portable);
    TAKE(blocks.least_cols, portable);
    TAKE(blocks.most_cols, portable);
}

const hyb_kernel_t *hyb_kernel_find(xh_isa_t isa)
{
    pthread_once(&once, complete_all);
    return xh_cpu_has(isa) ? &kernels[isa] : NULL;
}

const hyb_kernel_t *hyb_kernel_widest(void)
{
    return hyb_kernel_find(xh_cpu_isa());
}
