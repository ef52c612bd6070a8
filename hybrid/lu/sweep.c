/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/sweep.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

/*
 * Rows of a step, and columns: as many as the memory has streams for, or as
 * there are registers for their sums. The last columns are taken one by one.
 */
enum { LANES = 8, MANY = 8, FEW = 4 };

typedef double vec_t __attribute__((vector_size(LANES * sizeof(double)),
                                    aligned(sizeof(double))));
typedef int64_t bits_t __attribute__((vector_size(LANES * sizeof(double))));

/*
 * LANES rows from row i on. The products of a group are summed up apart: r is
 * larger, so each sum with it costs more digits.
 */
INLINE void subtract_step(const hyb_sweep_t *c, int group, int64_t i, double *r)
{
    vec_t sum = *(const vec_t *)(c->a + i) * c->x[0];
    int j;

#pragma GCC unroll 8
    for (j = 1; j < group; j++)
        sum += *(const vec_t *)(c->a + i + j * c->ld) * c->x[j];
    *(vec_t *)(r + i) -= sum;
}

/* The same rows; lane l of columns[j] has every LANES-th row of a column. */
INLINE void sum_step(const hyb_sweep_t *c, int group, int64_t i, double *rows,
                     vec_t *columns)
{
    vec_t size, row = *(const vec_t *)(rows + i);
    int j;

#pragma GCC unroll 4
    for (j = 0; j < group; j++) {
        size = (vec_t)((bits_t) * (const vec_t *)(c->a + i + j * c->ld) &
                       INT64_MAX);
        row += size;
        columns[j] += size;
    }
    *(vec_t *)(rows + i) = row;
}

/* The rows from row i on, fewer than LANES. */
INLINE void subtract_rest(const hyb_sweep_t *c, int group, int64_t i, double *r)
{
    int j;

    for (; i < c->rows; i++)
        for (j = 0; j < group; j++)
            r[i] -= c->a[i + j * c->ld] * c->x[j];
}

INLINE void sum_rest(const hyb_sweep_t *c, int group, int64_t i, double *rows,
                     vec_t *columns)
{
    double size;
    int j;

    for (; i < c->rows; i++)
        for (j = 0; j < group; j++) {
            size = fabs(c->a[i + j * c->ld]);
            rows[i] += size;
            columns[j][0] += size;
        }
}

INLINE void subtract_group(const hyb_sweep_t *c, int group, double *r)
{
    int64_t i;

    for (i = 0; i + LANES <= c->rows; i += LANES)
        subtract_step(c, group, i, r);
    subtract_rest(c, group, i, r);
}

INLINE void sum_group(const hyb_sweep_t *c, int group, double *r,
                      const hyb_sums_t *sums)
{
    vec_t columns[FEW] = {{0.0}};
    int64_t i;
    int j, l;

    for (i = 0; i + LANES <= c->rows; i += LANES) {
        subtract_step(c, group, i, r);
        sum_step(c, group, i, sums->rows, columns);
    }
    subtract_rest(c, group, i, r);
    sum_rest(c, group, i, sums->rows, columns);
    for (j = 0; j < group; j++)
        for (l = 0; l < LANES; l++)
            sums->columns[j] += columns[j][l];
}

/* Leave the first columns out. */
INLINE void advance(hyb_sweep_t *c, int columns)
{
    c->a += columns * c->ld;
    c->x += columns;
    c->cols -= columns;
}

INLINE void subtract(hyb_sweep_t c, double *r)
{
    for (; c.cols >= MANY; advance(&c, MANY))
        subtract_group(&c, MANY, r);
    for (; c.cols > 0; advance(&c, 1))
        subtract_group(&c, 1, r);
}

INLINE void subtract_and_sum(hyb_sweep_t c, double *r, hyb_sums_t sums)
{
    for (; c.cols >= FEW; advance(&c, FEW), sums.columns += FEW)
        sum_group(&c, FEW, r, &sums);
    for (; c.cols > 0; advance(&c, 1), sums.columns++)
        sum_group(&c, 1, r, &sums);
}

/* the same code, compiled for each instruction set */
#define SWEEPS(isa, target)                                                    \
    target static void subtract_##isa(const hyb_sweep_t *c, double *r)         \
    {                                                                          \
        subtract(*c, r);                                                       \
    }                                                                          \
    target static void subtract_and_sum_##isa(const hyb_sweep_t *c, double *r, \
                                              const hyb_sums_t *sums)          \
    {                                                                          \
        subtract_and_sum(*c, r, *sums);                                        \
    }

#define OPS(isa)                                                               \
    {                                                                          \
        .subtract = subtract_##isa, .subtract_and_sum = subtract_and_sum_##isa \
    }

SWEEPS(portable, )
#ifdef __x86_64__
SWEEPS(avx2, __attribute__((target("avx2"))))
SWEEPS(avx512, __attribute__((target("avx512f"))))
#endif

const hyb_sweep_ops_t *hyb_sweep_ops(xh_isa_t isa)
{
    static const hyb_sweep_ops_t ops[XH_ISA_COUNT] = {
        [XH_ISA_PORTABLE] = OPS(portable),
#ifdef __x86_64__
        [XH_ISA_AVX2] = OPS(avx2),
        [XH_ISA_AVX512] = OPS(avx512),
#endif
    };

    return &ops[isa];
}
