/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/pin.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifdef __aarch64__
#include <arm_neon.h>
#endif

#ifdef XH_SVE
#include <arm_sve.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

/* Let the compiler contract a * b + c to one instruction, if there is one. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=fast")
#endif

#define EACH_OF_12(X)                                                          \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define EACH_OF_16(X) EACH_OF_12(X) X(12) X(13) X(14) X(15)
#define EACH_OF_24(X)                                                          \
    EACH_OF_16(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)

/*
 * The chains c = 0.999 c + 1 converge to 1000, so they become neither large nor
 * subnormal. Their starts differ, because equal chains would be computed once.
 */
#define START(i) wide c##i = zero + (i);
#define STEP(i) c##i = FMA(c##i, factor, one);
#define ADD(i) sum += c##i;

/* The user of this macro defines FMA(a, b, c) and the type `wide`. */
#define LOOP(rounds, EACH)                                                     \
    const wide zero = {0}, factor = zero + 0.999, one = zero + 1.0;            \
    wide sum = zero;                                                           \
    double total = 0.0;                                                        \
                                                                               \
    EACH(START)                                                                \
    for (; (rounds) > 0; (rounds)--) {                                         \
        EACH(STEP)                                                             \
    }                                                                          \
    EACH(ADD)                                                                  \
    for (size_t lane = 0; lane < sizeof(wide) / sizeof(double); lane++)        \
        total += sum[lane];                                                    \
    return total;

#define FLOP(wide, chains) (2.0 * (chains) * sizeof(wide) / sizeof(double))

/* The widest vector of the compiler's baseline. */
typedef double vector_t __attribute__((vector_size(__BIGGEST_ALIGNMENT__)));

static double run_portable(int64_t rounds)
{
    typedef vector_t wide;
#define FMA(a, b, c) ((a) * (b) + (c))
    LOOP(rounds, EACH_OF_12)
#undef FMA
}

#ifdef __x86_64__
__attribute__((target("avx2,fma"))) static double run_avx2(int64_t rounds)
{
    typedef __m256d wide;
#define FMA _mm256_fmadd_pd
    LOOP(rounds, EACH_OF_12)
#undef FMA
}

__attribute__((target("avx512f"))) static double run_avx512(int64_t rounds)
{
    typedef __m512d wide;
#define FMA _mm512_fmadd_pd
    LOOP(rounds, EACH_OF_16)
#undef FMA
}
#endif

/*
 * Arm's instruction adds to the register that it overwrites: so the chains are
 * sums, c = c + 0.999 * 0.001.
 */
#ifdef __aarch64__
static double run_neon(int64_t rounds)
{
    typedef float64x2_t wide;
#define FMA(c, factor, one) vfmaq_f64(c, factor, 0.001 * (one))
    LOOP(rounds, EACH_OF_24)
#undef FMA
}
#endif

/* Vectors of any length have no size, so they need macros of their own. */
#ifdef XH_SVE
#define START_SVE(i) svfloat64_t c##i = svdup_f64(i);
#define STEP_SVE(i) c##i = svmla_x(all, c##i, factor, small);
#define ADD_SVE(i) total += svaddv(all, c##i);

__attribute__((target("+sve"))) static double run_sve(int64_t rounds)
{
    const svbool_t all = svptrue_b64();
    const svfloat64_t factor = svdup_f64(0.999), small = svdup_f64(0.001);
    double total = 0.0;

    EACH_OF_24(START_SVE)
    for (; rounds > 0; rounds--) {
        EACH_OF_24(STEP_SVE)
    }
    EACH_OF_24(ADD_SVE)
    return total;
}

#define FLOP_SVE(bits, chains) (2.0 * (chains) * (bits) / 64)

/* Are SVE vectors `bits` long in this process? */
static bool has_sve(int bits)
{
    return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 &&
           (prctl(PR_SVE_GET_VL) & PR_SVE_VL_LEN_MASK) * 8 == bits;
}
#endif

static const xh_fma_t kernels[XH_ISA_COUNT] = {
    [XH_ISA_PORTABLE] = {run_portable, FLOP(vector_t, 12)},
#ifdef __x86_64__
    [XH_ISA_AVX2] = {run_avx2, FLOP(__m256d, 12)},
    [XH_ISA_AVX512] = {run_avx512, FLOP(__m512d, 16)},
#endif
#ifdef __aarch64__
    [XH_ISA_NEON] = {run_neon, FLOP(float64x2_t, 24)},
#endif
#ifdef XH_SVE
    [XH_ISA_SVE128] = {run_sve, FLOP_SVE(128, 24)},
    [XH_ISA_SVE256] = {run_sve, FLOP_SVE(256, 24)},
    [XH_ISA_SVE512] = {run_sve, FLOP_SVE(512, 24)},
#endif
};

/* Does the processor have isa, and does the system save its state? */
static bool is_usable(xh_isa_t isa)
{
#ifdef __x86_64__
    if (isa == XH_ISA_AVX512)
        return __builtin_cpu_supports("avx512f");
    if (isa == XH_ISA_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#ifdef __aarch64__
    if (isa == XH_ISA_NEON)
        return true;
#endif
#ifdef XH_SVE
    if (isa == XH_ISA_SVE512)
        return has_sve(512);
    if (isa == XH_ISA_SVE256)
        return has_sve(256);
    if (isa == XH_ISA_SVE128)
        return has_sve(128);
#endif
    return isa == XH_ISA_PORTABLE;
}

const xh_fma_t *xh_fma_kernel(xh_isa_t isa)
{
    return is_usable(isa) ? &kernels[isa] : NULL;
}

/* ---- the ceiling --------------------------------------------------------- */

enum { RUNS = 8 };

/* Seconds of the shortest trial that the clock can measure. */
#define TRIAL 1e-4

typedef struct {
    const xh_fma_t *kernel;
    int64_t rounds; /* rounds per thread and run */
    pthread_barrier_t barrier;
    pthread_mutex_t gate; /* held until it is known which threads take part */
    bool cancelled;
} contest_t;

typedef struct {
    contest_t *contest;
    pthread_t thread;
    int core; /* core to pin to; negative: unpinned */
    double start[RUNS], end[RUNS];
    double result; /* keeps the arithmetic from being removed */
} runner_t;

static void *run(void *argument)
{
    runner_t *runner = argument;
    contest_t *contest = runner->contest;
    bool cancelled;

    pthread_mutex_lock(&contest->gate);
    cancelled = contest->cancelled;
    pthread_mutex_unlock(&contest->gate);
    if (cancelled)
        return NULL;
    if (runner->core >= 0)
        xh_pin_thread(&runner->core, 1);
    for (int i = 0; i < RUNS; i++) {
        pthread_barrier_wait(&contest->barrier);
        runner->start[i] = xh_clock_wall();
        runner->result += contest->kernel->run(contest->rounds);
        runner->end[i] = xh_clock_wall();
    }
    return NULL;
}

/* Find a number of rounds that takes about `seconds`, by doubling. */
static int64_t rounds_for(const xh_fma_t *kernel, double seconds)
{
    volatile double result;
    double start, elapsed;
    int64_t rounds = 1 << 12;

    for (;;) {
        start = xh_clock_wall();
        result = kernel->run(rounds);
        elapsed = xh_clock_wall() - start;
        if (elapsed >= fmax(TRIAL, seconds / 3))
            break;
        rounds *= 2;
    }
    (void)result;
    return (int64_t)fmax(1.0, (double)rounds * seconds / elapsed);
}

/* Start the threads, or none; wait until all have finished. */
static bool run_all(contest_t *contest, runner_t *runners, int threads)
{
    int started = 0;

    pthread_mutex_lock(&contest->gate);
    while (started < threads && pthread_create(&runners[started].thread, NULL,
                                               run, &runners[started]) == 0)
        started++;
    contest->cancelled = started < threads;
    pthread_mutex_unlock(&contest->gate);
    for (int i = 0; i < started; i++)
        pthread_join(runners[i].thread, NULL);
    return !contest->cancelled;
}

/* The shortest run, from the first thread's start to the last thread's end. */
static double shortest_run(const runner_t *runners, int threads)
{
    double shortest = HUGE_VAL;

    for (int i = 0; i < RUNS; i++) {
        double start = HUGE_VAL, end = 0.0;

        for (int t = 0; t < threads; t++) {
            start = fmin(start, runners[t].start[i]);
            end = fmax(end, runners[t].end[i]);
        }
        shortest = fmin(shortest, end - start);
    }
    return shortest;
}

/* The rate of all runners, on `cpus` (system numbers; NULL: unpinned). */
static double rate_of(contest_t *contest, runner_t *runners, const int *cpus,
                      int threads)
{
    double rate = 0.0;

    pthread_barrier_init(&contest->barrier, NULL, (unsigned int)threads);
    pthread_mutex_init(&contest->gate, NULL);
    for (int t = 0; t < threads; t++) {
        runners[t].contest = contest;
        runners[t].core = cpus != NULL ? cpus[t] : -1;
    }
    if (run_all(contest, runners, threads))
        rate = contest->kernel->flop * (double)contest->rounds * threads /
               shortest_run(runners, threads);
    pthread_mutex_destroy(&contest->gate);
    pthread_barrier_destroy(&contest->barrier);
    return rate;
}

double xh_fma_ceiling(xh_isa_t isa, const int *cpus, int threads,
                      double seconds)
{
    contest_t contest = {.kernel = xh_fma_kernel(isa)};
    runner_t *runners;
    double rate = 0.0;

    if (contest.kernel == NULL || threads < 1)
        return 0.0;
    runners = calloc((size_t)threads, sizeof(*runners));
    if (runners != NULL) {
        contest.rounds = rounds_for(contest.kernel, seconds / (RUNS + 1));
        rate = rate_of(&contest, runners, cpus, threads);
    }
    free(runners);
    return rate;
}
