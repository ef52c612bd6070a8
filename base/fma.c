/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/fma.h"

#include <stddef.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Let a * b + c be one instruction where the processor has one. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=fast")
#endif

#define EACH_OF_12(X)                                                          \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define EACH_OF_16(X) EACH_OF_12(X) X(12) X(13) X(14) X(15)

/*
 * The chains c = 0.999 c + 1 run towards 1000 and get neither large nor
 * denormal. Each starts elsewhere: equal ones would be computed once.
 */
#define START(i) wide c##i = zero + (i);
#define STEP(i) c##i = FMA(c##i, factor, one);
#define ADD(i) sum += c##i;

/* FMA(a, b, c) and the type wide belong to the place of use. */
#define LOOP(rounds, EACH)                                                     \
    const wide zero = {0}, factor = zero + 0.999, one = zero + 1.0;            \
    wide sum = zero;                                                           \
    double total = 0.0;                                                        \
    size_t lane;                                                               \
                                                                               \
    EACH(START)                                                                \
    for (; (rounds) > 0; (rounds)--) {                                         \
        EACH(STEP)                                                             \
    }                                                                          \
    EACH(ADD)                                                                  \
    for (lane = 0; lane < sizeof(wide) / sizeof(double); lane++)               \
        total += sum[lane];                                                    \
    return total;

#define FLOP(wide, chains) (2.0 * (chains) * sizeof(wide) / sizeof(double))

/* The widest vector of the compiler's baseline. */
typedef double vector_t __attribute__((vector_size(__BIGGEST_ALIGNMENT__)));

static bool usable_portable(void)
{
    return true;
}

static double run_portable(int64_t rounds)
{
    typedef vector_t wide;
#define FMA(a, b, c) ((a) * (b) + (c))
    LOOP(rounds, EACH_OF_12)
#undef FMA
}

#ifdef __x86_64__
static bool usable_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

__attribute__((target("avx2,fma"))) static double run_avx2(int64_t rounds)
{
    typedef __m256d wide;
#define FMA _mm256_fmadd_pd
    LOOP(rounds, EACH_OF_12)
#undef FMA
}

static bool usable_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

__attribute__((target("avx512f"))) static double run_avx512(int64_t rounds)
{
    typedef __m512d wide;
#define FMA _mm512_fmadd_pd
    LOOP(rounds, EACH_OF_16)
#undef FMA
}
#endif

static const xh_fma_t kernels[XH_ISA_COUNT] = {
    [XH_ISA_PORTABLE] = {usable_portable, run_portable, FLOP(vector_t, 12)},
#ifdef __x86_64__
    [XH_ISA_AVX2] = {usable_avx2, run_avx2, FLOP(__m256d, 12)},
    [XH_ISA_AVX512] = {usable_avx512, run_avx512, FLOP(__m512d, 16)},
#endif
};

const xh_fma_t *xh_fma_kernel(xh_isa_t isa)
{
    const xh_fma_t *kernel = &kernels[isa];

    return kernel->run != NULL && kernel->usable() ? kernel : NULL;
}
