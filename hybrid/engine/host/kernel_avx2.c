/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/engine/host/kernel.h"

#ifdef __x86_64__

#include <immintrin.h>

/* 12 x 4: 12 accumulators, 3 columns of A and one element of B in registers */
enum { ROWS = 12, COLS = 4, LANES = 4, VECTORS = ROWS / LANES };

#define TARGET __attribute__((target("avx2,fma")))

TARGET static void multiply(int64_t k, const double *a, const double *b,
                            double *c, int64_t ldc)
{
    __m256d sum[COLS][VECTORS], a0, a1, a2, element;
    int64_t p;
    int j, v;

    for (j = 0; j < COLS; j++) {
        _mm_prefetch((const char *)(c + j * ldc), _MM_HINT_T0);
        _mm_prefetch((const char *)(c + j * ldc + ROWS - 1), _MM_HINT_T0);
    }
#pragma GCC unroll 4
    for (j = 0; j < COLS; j++)
#pragma GCC unroll 3
        for (v = 0; v < VECTORS; v++)
            sum[j][v] = _mm256_setzero_pd();
    for (p = 0; p < k; p++) {
        a0 = _mm256_load_pd(a);
        a1 = _mm256_load_pd(a + LANES);
        a2 = _mm256_load_pd(a + 2 * LANES);
        _mm_prefetch((const char *)(a + 16 * ROWS), _MM_HINT_T0);
#pragma GCC unroll 4
        for (j = 0; j < COLS; j++) {
            element = _mm256_broadcast_sd(b + j);
            sum[j][0] = _mm256_fmadd_pd(a0, element, sum[j][0]);
            sum[j][1] = _mm256_fmadd_pd(a1, element, sum[j][1]);
            sum[j][2] = _mm256_fmadd_pd(a2, element, sum[j][2]);
        }
        a += ROWS;
        b += COLS;
    }
#pragma GCC unroll 4
    for (j = 0; j < COLS; j++)
#pragma GCC unroll 3
        for (v = 0; v < VECTORS; v++)
            _mm256_storeu_pd(
                c + j * ldc + v * LANES,
                _mm256_add_pd(_mm256_loadu_pd(c + j * ldc + v * LANES),
                              sum[j][v]));
}

static const hyb_kernel_t kernel = {.name = "avx2",
                                    .isa = XH_ISA_AVX2,
                                    .rows = ROWS,
                                    .cols = COLS,
                                    .multiply = multiply};
const hyb_kernel_t *const hyb_kernel_avx2 = &kernel;

#else

const hyb_kernel_t *const hyb_kernel_avx2 = 0;

#endif
