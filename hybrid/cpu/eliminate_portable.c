/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/cpu/eliminate.h"

#define TARGET /* what the compiler's baseline gives */

enum { LANES = 2, VECTORS = 2, COLS = 4 };

typedef double lanes_t __attribute__((vector_size(16), aligned(8), may_alias));

static inline lanes_t lanes_all(double x)
{
    return (lanes_t){x, x};
}

static inline lanes_t lanes_multiply_add(lanes_t a, lanes_t b, lanes_t c)
{
    return a * b + c;
}

static inline double magnitude(double x)
{
    return isnan(x) ? INFINITY : fabs(x);
}

static inline lanes_t lanes_magnitude(lanes_t x)
{
    return (lanes_t){magnitude(x[0]), magnitude(x[1])};
}

static inline void lanes_keep_larger(lanes_t key, lanes_t place, lanes_t *keys,
                                     lanes_t *places)
{
    int i;

    for (i = 0; i < LANES; i++)
        if (key[i] > (*keys)[i]) {
            (*keys)[i] = key[i];
            (*places)[i] = place[i];
        }
}

#include "hybrid/cpu/eliminate_loops.inc"

static const hyb_eliminate_t loops = {.rows = HEIGHT,
                                      .cols = COLS,
                                      .eliminate = eliminate,
                                      .substitute = substitute};
const hyb_eliminate_t *const hyb_eliminate_portable = &loops;
