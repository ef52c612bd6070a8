/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/eliminate.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <math.h>

#define TARGET __attribute__((target("avx2,fma")))

enum { LANES = 4, VECTORS = 3, COLS = 4 };

typedef double lanes_t __attribute__((vector_size(32), aligned(8), may_alias));

#define HELPER TARGET static inline __attribute__((always_inline))

HELPER lanes_t lanes_all(double x)
{
    return _mm256_set1_pd(x);
}

HELPER lanes_t lanes_multiply_add(lanes_t a, lanes_t b, lanes_t c)
{
    return _mm256_fmadd_pd(a, b, c);
}

/* The minimum of a NaN and a number is the second operand. */
HELPER lanes_t lanes_magnitude(lanes_t x)
{
    return _mm256_min_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x),
                         _mm256_set1_pd(INFINITY));
}

HELPER void lanes_keep_larger(lanes_t key, lanes_t place, lanes_t *keys,
                              lanes_t *places)
{
    __m256d larger = _mm256_cmp_pd(key, *keys, _CMP_GT_OQ);

    *keys = _mm256_blendv_pd(*keys, key, larger);
    *places = _mm256_blendv_pd(*places, place, larger);
}

#include "hybrid/cpu/eliminate_loops.inc"

static const hyb_eliminate_t loops = {.rows = HEIGHT,
                                      .cols = COLS,
                                      .eliminate = eliminate,
                                      .substitute = substitute};
const hyb_eliminate_t *const hyb_eliminate_avx2 = &loops;

#else

const hyb_eliminate_t *const hyb_eliminate_avx2 = 0;

#endif
