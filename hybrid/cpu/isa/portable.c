/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/cpu/isa/kernel.h"

/* Vectors of the compiler, which work on any architecture. */
enum { ROWS = 4, COLS = 4, NEAR = 0 };

#define TARGET

typedef double vector_t __attribute__((vector_size(16)));

static inline vector_t multiply_add(vector_t a, vector_t b, vector_t c)
{
    return a * b + c;
}

#include "hybrid/cpu/isa/loops.inc"

const hyb_kernel_t hyb_kernel_portable = {KERNEL(PORTABLE, portable)};
