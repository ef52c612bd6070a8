/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/engine/host/kernel.h"

/* 4 x 4 in the compiler's own vectors: any architecture */
enum { ROWS = 4, COLS = 4 };

typedef double column_t __attribute__((vector_size(ROWS * sizeof(double)),
                                       aligned(sizeof(double))));

static void multiply(int64_t k, const double *a, const double *b, double *c,
                     int64_t ldc)
{
    column_t sum[COLS] = {{0.0}, {0.0}, {0.0}, {0.0}};
    int64_t p;
    int j;

    for (p = 0; p < k; p++) {
        column_t column = *(const column_t *)a;
#pragma GCC unroll 4
        for (j = 0; j < COLS; j++)
            sum[j] += column * b[j];
        a += ROWS;
        b += COLS;
    }
    for (j = 0; j < COLS; j++)
        *(column_t *)(c + j * ldc) += sum[j];
}

static const hyb_kernel_t kernel = {.name = "portable",
                                    .isa = XH_ISA_PORTABLE,
                                    .rows = ROWS,
                                    .cols = COLS,
                                    .multiply = multiply};
const hyb_kernel_t *const hyb_kernel_portable = &kernel;
