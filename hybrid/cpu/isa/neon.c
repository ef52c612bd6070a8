/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/cpu/isa/kernel.h"

#ifdef __aarch64__

#include <arm_neon.h>

/* The registers hold 24 accumulators, 6 vectors of A and 4 elements of B, two
 * in each register. */
enum { ROWS = 12, COLS = 4, NEAR = 0 };

#define TARGET

typedef float64x2_t vector_t;

static inline vector_t multiply_add(vector_t a, vector_t b, vector_t c)
{
    return vfmaq_f64(c, a, b);
}

#include "hybrid/cpu/isa/loops.inc"

const hyb_kernel_t hyb_kernel_neon = {KERNEL(NEON, neon)};

#endif
