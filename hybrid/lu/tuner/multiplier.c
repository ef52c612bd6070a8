/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/multiplier.h"

#include <math.h>
#include <string.h>
#include "base/blas_library.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hybrid/cpu/blas.h"
#include "hybrid/cpu/chunk.h"

/* the product that is timed, ROWS a multiple of all tiles' heights */
enum { ROWS = 480, COLS = 256, DEPTH = 256, TRIES = 4 };

/* how often the library must be found faster: others may use the core, too */
enum { CONFIRMED = 4 };

enum { A = ROWS * DEPTH, B = DEPTH * COLS, C = ROWS * COLS, ALL = A + B + C };

/* Operands of equal entries: the same memory does packed and in columns. */
typedef struct {
    const hyb_kernel_t *kernel;
    double *a, *b, *c;
} trial_t;

static void by_kernel(const trial_t *t)
{
    hyb_factors_t factors = {.kernel = t->kernel,
                             .l2 = {t->a, ROWS, DEPTH, t->kernel->rows}};

    hyb_chunk_multiply(&factors, 0, t->b, (xh_view_t){t->c, ROWS, COLS, ROWS},
                       NULL);
}

static void by_blas(const trial_t *t)
{
    xh_gemm_t product = {.alpha = -1.0,
                         .beta = 1.0,
                         .a = {t->a, ROWS, DEPTH, ROWS},
                         .b = {t->b, DEPTH, COLS, DEPTH},
                         .c = {t->c, ROWS, COLS, ROWS}};

    hyb_blas_gemm(&product);
}

static double rate(const trial_t *t, void (*multiply)(const trial_t *t))
{
    double start = xh_clock_now();

    multiply(t);
    return 2.0 * ROWS * COLS * DEPTH / (xh_clock_now() - start);
}

/* By turns, so that what disturbs one disturbs the other; the best counts. */
static hyb_multiplier_rates_t try_both(const trial_t *t)
{
    hyb_multiplier_rates_t rates = {0.0, 0.0};
    int i;

    for (i = 0; i < TRIES; i++) {
        rates.kernel = fmax(rates.kernel, rate(t, by_kernel));
        if (hyb_blas_present())
            rates.blas = fmax(rates.blas, rate(t, by_blas));
    }
    return rates;
}

hyb_multiplier_rates_t hyb_multiplier_measure(const hyb_kernel_t *kernel)
{
    hyb_multiplier_rates_t rates;
    trial_t trial = {.kernel = kernel};
    double *memory;
    int i;

    if (xh_memory_allocate(ALL * sizeof(double), (void **)&memory) != XH_OK)
        return (hyb_multiplier_rates_t){0.0, 0.0};
    for (i = 0; i < ALL; i++)
        memory[i] = 0.125;
    trial.a = memory;
    trial.b = trial.a + A;
    trial.c = trial.b + B;
    rates = try_both(&trial);
    xh_memory_free(memory, ALL * sizeof(double));
    return rates;
}

hyb_multiplier_t hyb_multiplier_choose(hyb_multiplier_rates_t rates)
{
    const double clearly = 1.05; /* L2 is copied into columns for the library */

    return rates.kernel > 0.0 && rates.blas > clearly * rates.kernel
               ? HYB_BY_BLAS
               : HYB_BY_KERNEL;
}

hyb_multiplier_t hyb_multiplier_of_setting(const hyb_kernel_t *kernel)
{
    const char *setting = xh_settings_text("kernel");
    int i;

    if (strcmp(setting, "blas") == 0)
        return HYB_BY_BLAS;
    if (strcmp(setting, "auto") != 0 || !hyb_blas_present() ||
        xh_blas_library_identify().threads != 1)
        return HYB_BY_KERNEL;
    for (i = 0; i < CONFIRMED; i++)
        if (hyb_multiplier_choose(hyb_multiplier_measure(kernel)) ==
            HYB_BY_KERNEL)
            return HYB_BY_KERNEL;
    return HYB_BY_BLAS;
}
