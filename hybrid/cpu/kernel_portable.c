/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/kernel.h"

/* the compiler's own vectors: any architecture */
enum { ROWS = 4, COLS = 4, NEAR = 0 };

#define NAME "portable"
#define ISA XH_ISA_PORTABLE
#define TARGET

typedef double vector_t __attribute__((vector_size(COLS * sizeof(double))));

static inline void add_product(vector_t *sum, const vector_t *x, double y)
{
    *sum += *x * y;
}

#include "hybrid/cpu/kernel_loops.inc"

const hyb_kernel_t *const hyb_kernel_portable = &kernel;
