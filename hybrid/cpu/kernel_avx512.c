/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/kernel.h"

#ifdef __x86_64__

#include <immintrin.h>

/* 24 accumulators, 3 columns of A and one element of B in registers */
enum { ROWS = 24, COLS = 8, NEAR = 8 };

#define NAME "avx512"
#define ISA XH_ISA_AVX512
#define TARGET __attribute__((target("avx512f")))

typedef __m512d vector_t;

TARGET static inline void add_product(vector_t *sum, const vector_t *x,
                                      double y)
{
    *sum = _mm512_fmadd_pd(*x, _mm512_set1_pd(y), *sum);
}

#include "hybrid/cpu/kernel_loops.inc"

const hyb_kernel_t *const hyb_kernel_avx512 = &kernel;

#else

const hyb_kernel_t *const hyb_kernel_avx512 = 0;

#endif
