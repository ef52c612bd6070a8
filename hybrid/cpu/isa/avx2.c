/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/cpu/isa/kernel.h"

#ifdef __x86_64__

#include <immintrin.h>

/* The registers hold 12 accumulators, 3 columns of A and one element of B. */
enum { ROWS = 12, COLS = 4, NEAR = 0 };

#define TARGET __attribute__((target("avx2,fma")))

typedef __m256d vector_t;

TARGET static inline vector_t multiply_add(vector_t a, vector_t b, vector_t c)
{
    return _mm256_fmadd_pd(a, b, c);
}

#define MULTIPLY_LOW(a, b)                                                     \
    (words_t) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))

#include "hybrid/cpu/isa/loops.inc"

const hyb_kernel_t hyb_kernel_avx2 = {KERNEL(AVX2, avx2)};

#endif
