/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/engine/host/kernel.h"

#ifdef __x86_64__

#include <immintrin.h>

/* 24 x 8: 24 accumulators, 3 columns of A and one element of B in registers */
enum { ROWS = 24, COLS = 8, LANES = 8, VECTORS = ROWS / LANES };

#define TARGET __attribute__((target("avx512f")))

TARGET static inline void prefetch_tile(const double *c, int64_t ldc)
{
    int j;

    for (j = 0; j < COLS; j++) {
        _mm_prefetch((const char *)(c + j * ldc), _MM_HINT_T0);
        _mm_prefetch((const char *)(c + j * ldc + LANES), _MM_HINT_T0);
        _mm_prefetch((const char *)(c + j * ldc + ROWS - 1), _MM_HINT_T0);
    }
}

TARGET static void multiply(int64_t k, const double *a, const double *b,
                            double *c, int64_t ldc)
{
    __m512d sum[COLS][VECTORS], a0, a1, a2, element;
    int64_t p;
    int j, v;

    prefetch_tile(c, ldc);
#pragma GCC unroll 8
    for (j = 0; j < COLS; j++)
#pragma GCC unroll 3
        for (v = 0; v < VECTORS; v++)
            sum[j][v] = _mm512_setzero_pd();
    for (p = 0; p < k; p++) {
        a0 = _mm512_load_pd(a);
        a1 = _mm512_load_pd(a + LANES);
        a2 = _mm512_load_pd(a + 2 * LANES);
        _mm_prefetch((const char *)(a + 8 * ROWS), _MM_HINT_T0);
        _mm_prefetch((const char *)(a + 8 * ROWS + LANES), _MM_HINT_T0);
        _mm_prefetch((const char *)(a + 8 * ROWS + 2 * LANES), _MM_HINT_T0);
#pragma GCC unroll 8
        for (j = 0; j < COLS; j++) {
            element = _mm512_set1_pd(b[j]);
            sum[j][0] = _mm512_fmadd_pd(a0, element, sum[j][0]);
            sum[j][1] = _mm512_fmadd_pd(a1, element, sum[j][1]);
            sum[j][2] = _mm512_fmadd_pd(a2, element, sum[j][2]);
        }
        a += ROWS;
        b += COLS;
    }
#pragma GCC unroll 8
    for (j = 0; j < COLS; j++)
#pragma GCC unroll 3
        for (v = 0; v < VECTORS; v++)
            _mm512_storeu_pd(
                c + j * ldc + v * LANES,
                _mm512_add_pd(_mm512_loadu_pd(c + j * ldc + v * LANES),
                              sum[j][v]));
}

static const hyb_kernel_t kernel = {.name = "avx512",
                                    .isa = XH_ISA_AVX512,
                                    .rows = ROWS,
                                    .cols = COLS,
                                    .multiply = multiply};
const hyb_kernel_t *const hyb_kernel_avx512 = &kernel;

#else

const hyb_kernel_t *const hyb_kernel_avx512 = 0;

#endif
