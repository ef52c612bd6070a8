/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/eliminate.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <math.h>

#define TARGET __attribute__((target("avx512f")))

enum { LANES = 8, VECTORS = 3, COLS = 8 };

typedef double lanes_t __attribute__((vector_size(64), aligned(8), may_alias));

#define HELPER TARGET static inline __attribute__((always_inline))

HELPER lanes_t lanes_all(double x)
{
    return _mm512_set1_pd(x);
}

HELPER lanes_t lanes_multiply_add(lanes_t a, lanes_t b, lanes_t c)
{
    return _mm512_fmadd_pd(a, b, c);
}

/* The minimum of a NaN and a number is the second operand. */
HELPER lanes_t lanes_magnitude(lanes_t x)
{
    return _mm512_min_pd(_mm512_abs_pd(x), _mm512_set1_pd(INFINITY));
}

HELPER void lanes_keep_larger(lanes_t key, lanes_t place, lanes_t *keys,
                              lanes_t *places)
{
    __mmask8 larger = _mm512_cmp_pd_mask(key, *keys, _CMP_GT_OQ);

    *keys = _mm512_mask_mov_pd(*keys, larger, key);
    *places = _mm512_mask_mov_pd(*places, larger, place);
}

#include "hybrid/cpu/eliminate_loops.inc"

static const hyb_eliminate_t loops = {.rows = HEIGHT,
                                      .cols = COLS,
                                      .eliminate = eliminate,
                                      .substitute = substitute};
const hyb_eliminate_t *const hyb_eliminate_avx512 = &loops;

#else

const hyb_eliminate_t *const hyb_eliminate_avx512 = 0;

#endif
