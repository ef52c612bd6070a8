/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/blas_report.h"

#include <math.h>
#include <string.h>
#include "base/blas_library.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl.h"
#include "testing/ptest/idle.h"

/* the product that is timed: C (M x N) += A (M x K) * B (K x N) */
enum { M = 512, N = 512, K = 256, DOUBLES = M * K + K * N + M * N };

static const double flop = 2.0 * M * N * K;
static const double seconds = 0.08;   /* spent on measuring DGEMM */
static const double acceptable = 0.6; /* of the core's ceiling */

static double multiply(double *memory)
{
    double *a = memory, *b = a + M * K, *c = b + K * N;
    double start = xh_clock_now();

    HPL_dgemm(HplColumnMajor, HplNoTrans, HplNoTrans, M, N, K, 1.0, a, M, b, K,
              1.0, c, M);
    return xh_clock_now() - start;
}

/* Flop/s of the best of several products; 0 without memory. */
static double dgemm_rate(void)
{
    void *memory;
    double start, best = INFINITY;

    if (xh_memory_allocate(DOUBLES * sizeof(double), &memory) != XH_OK)
        return 0;
    for (int i = 0; i < DOUBLES; i++)
        ((double *)memory)[i] = (i % 7 - 3) * 0.125;
    multiply(memory);
    start = xh_clock_now();
    do
        best = fmin(best, multiply(memory));
    while (xh_clock_now() - start < seconds);
    xh_memory_free(memory, DOUBLES * sizeof(double));
    return best > 0 ? flop / best : 0;
}

/* "OPENBLAS_CORETYPE=Nehalem", or "" if no such variable is set. */
static void forced_kernel(char *text, size_t size)
{
    static const char *const variables[] = {
        "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "BLIS_ARCH_TYPE",
        "MKL_ENABLE_INSTRUCTIONS", "MKL_DEBUG_CPU_TYPE"};
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);

        if (value != NULL && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s",
                                     used > 0 ? " " : "", variables[i], value);
    }
}

static void warn_if_slow(const xh_blas_library_t *library, double rate,
                         double ceiling)
{
    char forced[256];

    if (rate <= 0 || ceiling <= 0 || rate >= acceptable * ceiling)
        return;
    forced_kernel(forced, sizeof(forced));
    xh_log_warning(
        "DGEMM of %s on one thread reaches %.1f Gflop/s, %.0f%% of the %.1f "
        "Gflop/s that this core can do. Its kernel '%s' may be too old for "
        "this processor, %s; %s%s",
        library->name, rate * 1e-9, 100 * rate / ceiling, ceiling * 1e-9,
        library->kernel[0] == '\0' ? "unknown" : library->kernel,
        xh_cpu_model(),
        forced[0] == '\0'
            ? "OPENBLAS_CORETYPE can choose another, a newer or another BLAS "
              "library may have a better one"
            : "the environment may have chosen it: ",
        forced);
}

static void measure(const xh_blas_library_t *library)
{
    xh_blas_library_set_threads(1);
    warn_if_slow(library, dgemm_rate(),
                 xh_cpu_fma_ceiling(xh_cpu_isa(), 1,
                                    xh_settings_real("ceiling_seconds")));
}

static void say_library(const xh_blas_library_t *library)
{
    const char *unknown = "unknown";

    xh_log_info("BLAS: %s, version %s, kernel %s, threads a process: %d",
                library->name,
                library->version[0] == '\0' ? unknown : library->version,
                library->kernel[0] == '\0' ? unknown : library->kernel,
                library->threads);
}

xh_status_t xhpl_blas_report(void)
{
    int threads = (int)xh_settings_int("blas_threads");
    xh_blas_library_t library;
    int rank, refused;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    library = xh_blas_library_identify();
    refused = library.ilp64;
    if (refused)
        xh_log_error("the BLAS library %s takes 64-bit integers; allowed: "
                     "one with 32-bit integers",
                     library.name);
    MPI_Allreduce(MPI_IN_PLACE, &refused, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (refused)
        return XH_ERR_INPUT;
    if (rank == 0 && strcmp(xh_settings_text("blas_check"), "on") == 0)
        measure(&library);
    xh_blas_library_set_threads(threads);
    if (rank == 0) {
        library = xh_blas_library_identify();
        say_library(&library);
    }
    xhpl_idle_barrier(MPI_COMM_WORLD);
    return XH_OK;
}
