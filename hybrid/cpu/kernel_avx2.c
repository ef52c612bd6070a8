/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/kernel.h"

#ifdef __x86_64__

#include <immintrin.h>

/* 12 accumulators, 3 columns of A and one element of B in registers */
enum { ROWS = 12, COLS = 4, NEAR = 0 };

#define NAME "avx2"
#define ISA XH_ISA_AVX2
#define TARGET __attribute__((target("avx2,fma")))

typedef __m256d vector_t;

TARGET static inline void add_product(vector_t *sum, const vector_t *x,
                                      double y)
{
    *sum = _mm256_fmadd_pd(*x, _mm256_set1_pd(y), *sum);
}

#include "hybrid/cpu/kernel_loops.inc"

const hyb_kernel_t *const hyb_kernel_avx2 = &kernel;

#else

const hyb_kernel_t *const hyb_kernel_avx2 = 0;

#endif
