/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/trial/trial.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include "base/blas_library.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/update/run.h"

/* ---- the trial ----------------------------------------------------------- */

/* The timed product; its operands have room for whole tiles. */
enum {
    ROWS = 480,
    COLS = 128,
    DEPTH = 256,
    A = (ROWS + HYB_KERNEL_MOST_ROWS) * DEPTH,
    B = (COLS + HYB_KERNEL_MOST_COLS) * DEPTH,
    C = ROWS * COLS,
    ALL = A + B + C
};

/*
 * Other programs may use the core, too, so an unexpected result must be
 * confirmed in many rounds. A kernel below a quarter of the best rate is tried
 * in every fourth round only.
 */
enum { ROUNDS = 8, MANY_ROUNDS = 32, SLOW = 4 };

/* Operands whose entries are all equal, so that the same memory serves as
 * packed and as column-major. */
typedef struct {
    const hyb_kernel_t *kernel; /* NULL: the BLAS library */
    double *a, *b, *c;
} trial_t;

static void multiply(const trial_t *t)
{
    xh_view_t c = {t->c, ROWS, COLS, ROWS};
    xh_gemm_t product = {.alpha = -1.0,
                         .beta = 1.0,
                         .a = {t->a, ROWS, DEPTH, ROWS},
                         .b = {t->b, DEPTH, COLS, DEPTH},
                         .c = c};
    hyb_factors_t factors = {.kernel = t->kernel, .l2 = {t->a, ROWS, DEPTH, 0}};

    if (t->kernel == NULL) {
        hyb_blas_gemm(&product);
        return;
    }
    factors.l2.height = t->kernel->rows;
    hyb_run_multiply(&factors, t->b, c, NULL);
}

/* Time one product, and update *rate_p, the best rate so far. */
static void try(trial_t *t, const hyb_kernel_t *kernel, double *rate_p)
{
    double start = xh_clock_now();

    t->kernel = kernel;
    multiply(t);
    *rate_p =
        fmax(*rate_p, 2.0 * ROWS * COLS * DEPTH / (xh_clock_now() - start));
}

static double best_rate(const hyb_kernels_t *kernels)
{
    double best = kernels->blas;

    for (int isa = 0; isa < XH_ISA_COUNT; isa++)
        best = fmax(best, kernels->rate[isa]);
    return best;
}

static bool contains(const hyb_kernels_t *kernels, int isa)
{
    return (kernels->set & 1u << isa) != 0;
}

static void try_each(trial_t *t, int round, bool blas, hyb_kernels_t *kernels)
{
    bool all = round < 2 || round % SLOW == 0;
    double least = all ? 0.0 : best_rate(kernels) / SLOW;

    for (int isa = 0; isa < XH_ISA_COUNT; isa++)
        if (contains(kernels, isa) && kernels->rate[isa] >= least)
            try(t, hyb_kernel_find((xh_isa_t)isa), &kernels->rate[isa]);
    if (blas && kernels->blas >= least)
        try(t, NULL, &kernels->blas);
}

/* Is the widest kernel the fastest, and at least as fast as the library? */
static bool as_expected(const hyb_kernels_t *kernels)
{
    const hyb_kernels_t unmeasured = {.set = kernels->set};
    const hyb_kernel_t *fastest = hyb_kernels_fastest(kernels);

    return fastest == hyb_kernels_fastest(&unmeasured) &&
           !hyb_kernels_prefer_blas(kernels, fastest);
}

void hyb_kernels_measure(hyb_kernels_t *kernels)
{
    bool blas = hyb_blas_present() && xh_blas_library_identify().threads == 1;
    double *memory;
    trial_t trial;

    if (xh_memory_allocate(ALL * sizeof(double), (void **)&memory) != XH_OK)
        return;
    for (int i = 0; i < ALL; i++)
        memory[i] = 0.125;
    trial.a = memory;
    trial.b = trial.a + A;
    trial.c = trial.b + B;
    for (int i = 0; i < ROUNDS || (i < MANY_ROUNDS && !as_expected(kernels));
         i++)
        try_each(&trial, i, blas, kernels);
    xh_memory_free(memory, ALL * sizeof(double));
}

/* ---- the choice ---------------------------------------------------------- */

hyb_kernels_t hyb_kernels_here(void)
{
    hyb_kernels_t kernels = {.set = 0};

    for (int isa = 0; isa < XH_ISA_COUNT; isa++)
        if (xh_cpu_has((xh_isa_t)isa))
            kernels.set |= 1u << isa;
    return kernels;
}

const hyb_kernel_t *hyb_kernels_fastest(const hyb_kernels_t *kernels)
{
    const double as_fast = 0.97;
    double best = 0.0;

    for (int isa = 0; isa < XH_ISA_COUNT; isa++)
        if (contains(kernels, isa))
            best = fmax(best, kernels->rate[isa]);
    for (int isa = 0; isa < XH_ISA_COUNT; isa++)
        if (contains(kernels, isa) && kernels->rate[isa] >= as_fast * best)
            return hyb_kernel_find((xh_isa_t)isa);
    return hyb_kernel_find(XH_ISA_PORTABLE);
}

bool hyb_kernels_prefer_blas(const hyb_kernels_t *kernels,
                             const hyb_kernel_t *kernel)
{
    const double clearly = 1.05;
    double rate = kernels->rate[kernel->isa];

    return rate > 0.0 && kernels->blas > clearly * rate;
}

static hyb_kernels_t measured;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void measure_all(void)
{
    measured = hyb_kernels_here();
    hyb_kernels_measure(&measured);
}

hyb_kernels_t hyb_kernels_of_setting(void)
{
    const char *name = xh_settings_text("kernel");
    hyb_kernels_t named = hyb_kernels_here();

    for (int isa = 0; isa < XH_ISA_COUNT; isa++)
        if (strcmp(name, xh_cpu_isa_name((xh_isa_t)isa)) == 0) {
            named.set &= 1u << isa | 1u << XH_ISA_PORTABLE;
            return named;
        }
    pthread_once(&once, measure_all);
    return measured;
}

xh_status_t hyb_kernel_of_setting(const hyb_kernel_t **kernel_p)
{
    const char *name = xh_settings_text("kernel");
    hyb_kernels_t kernels;
    const hyb_kernel_t *kernel;

    if (strcmp(name, "blas") == 0) {
        if (!hyb_blas_present()) {
            xh_log_error("kernel=blas: no BLAS library that has dgemm_ is "
                         "linked; kernel=auto takes a kernel of xhpl's own");
            return XH_ERR_INPUT;
        }
        *kernel_p = NULL;
        return XH_OK;
    }
    kernels = hyb_kernels_of_setting();
    kernel = hyb_kernels_fastest(&kernels);
    if (strcmp(name, "auto") != 0 && strcmp(name, kernel->name) != 0) {
        xh_log_error("kernel=%s: the best kernel for this processor is %s",
                     name, xh_cpu_isa_name(xh_cpu_isa()));
        return XH_ERR_INPUT;
    }
    *kernel_p = kernel;
    return XH_OK;
}
