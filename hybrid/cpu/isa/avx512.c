/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/cpu/isa/kernel.h"

#ifdef __x86_64__

#include <immintrin.h>

/* The registers hold 24 accumulators, 3 columns of A and one element of B. */
enum { ROWS = 24, COLS = 8, NEAR = 8 };

#define TARGET __attribute__((target("avx512f")))

typedef __m512d vector_t;

TARGET static inline vector_t multiply_add(vector_t a, vector_t b, vector_t c)
{
    return _mm512_fmadd_pd(a, b, c);
}

#define MULTIPLY_LOW(a, b)                                                     \
    (words_t) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))

#include "hybrid/cpu/isa/loops.inc"

const hyb_kernel_t hyb_kernel_avx512 = {KERNEL(AVX512, avx512)};

#endif
