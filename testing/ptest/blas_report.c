/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/blas_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "base/blas_library.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/run_delay.h"
#include "hpl.h"
#include "hpl_solver.h"
#include "hpl/grid/agree.h"
#include "testing/ptest/processes.h"

/* The timed product: C (M x N) += A (M x K) * B (K x N). */
enum {
    TRIES = 3,      /* attempts, if DGEMM is slow and disturbed */
    LEAST_N = 2000, /* smallest N of a run whose DGEMM is measured */
    ROUNDS = 100000 /* multiply-adds, about a millisecond */
};
enum { M = 512, N = 512, K = 256, DOUBLES = M * K + K * N + M * N };

static const double flop = 2.0 * M * N * K;
static const double seconds = 0.02;    /* for DGEMM, and for the ceiling */
static const double least_share = 0.6; /* of the core's ceiling; less is slow */
static const double least_disturbed_share =
    0.45; /* the same while other threads disturb it */
static const double patience = 0.5;   /* s to wait until other threads sleep */
static const double one_thread = 1.5; /* cores; more are several threads */

/* A measurement of DGEMM on one thread; all zero: not measured. */
typedef struct {
    double rate; /* flop/s, the best of several products */
    double busy; /* cores that this process kept busy */
    double
        run_delay; /* share of the time in which other threads had the core */
} dgemm_t;

/* Return CPU seconds of this thread. */
static double thread_cpu_seconds(void)
{
    return xh_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* Multiply, and return this thread's seconds on a core. */
static double multiply(double *memory)
{
    double *a = memory, *b = a + M * K, *c = b + K * N;
    double start = thread_cpu_seconds();

    HPL_dgemm(HplColumnMajor, HplNoTrans, HplNoTrans, M, N, K, 1.0, a, M, b, K,
              1.0, c, M);
    return thread_cpu_seconds() - start;
}

/* Return CPU seconds of all threads of this process. */
static double process_cpu_seconds(void)
{
    return xh_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* The threads of a library spin before they sleep: for a tenth of a second with
 * OpenBLAS. */
static void wait_until_idle(void)
{
    const struct timespec nap = {0, 10000000};
    double end = xh_clock_wall() + patience, start, before;

    do {
        start = xh_clock_wall();
        before = process_cpu_seconds();
        nanosleep(&nap, NULL);
    } while (process_cpu_seconds() - before > 0.1 * (xh_clock_wall() - start) &&
             start < end);
}

static dgemm_t measure_dgemm(void)
{
    double best = INFINITY, start, before, mine, wall;
    void *memory;

    if (xh_memory_allocate(DOUBLES * sizeof(double), &memory) != XH_OK)
        return (dgemm_t){0};
    for (int i = 0; i < DOUBLES; i++)
        ((double *)memory)[i] = (i % 7 - 3) * 0.125;
    wait_until_idle();
    multiply(memory);
    mine = thread_cpu_seconds();
    start = xh_clock_wall();
    before = process_cpu_seconds();
    do {
        best = fmin(best, multiply(memory));
        wall = xh_clock_wall() - start;
    } while (wall < seconds);
    xh_memory_free(memory, DOUBLES * sizeof(double));
    return (dgemm_t){best > 0 ? flop / best : 0,
                     (process_cpu_seconds() - before) / wall,
                     1.0 - (thread_cpu_seconds() - mine) / wall};
}

/* Return the flop/s of multiply-adds on this core, the best of several runs. */
static double measure_ceiling(void)
{
    const xh_fma_t *kernel = xh_fma_kernel(xh_cpu_isa());
    double best = INFINITY, start, end = xh_clock_wall() + seconds;
    volatile double result;

    do {
        start = thread_cpu_seconds();
        result = kernel->run(ROUNDS);
        best = fmin(best, thread_cpu_seconds() - start);
    } while (xh_clock_wall() < end);
    (void)result;
    return kernel->flop * ROUNDS / best;
}

static const char *known(const char *text)
{
    return text[0] == '\0' ? "unknown" : text;
}

/* Write "OPENBLAS_CORETYPE=Nehalem", or "" if no such variable is set. */
static void forced_kernel(char *text, size_t size)
{
    static const char *const variables[] = {
        "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "BLIS_ARCH_TYPE",
        "MKL_ENABLE_INSTRUCTIONS", "MKL_DEBUG_CPU_TYPE"};

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (getenv(variables[i]) != NULL)
            xh_text_append(text, size, "%s%s=%s", text[0] ? " " : "",
                           variables[i], getenv(variables[i]));
}

/* Return the name of this processor in OPENBLAS_CORETYPE; NULL: unknown. */
static const char *core_type(void)
{
    switch (xh_cpu_isa()) {
    case XH_ISA_AVX512:
        return "SKYLAKEX";
    case XH_ISA_AVX2:
        return strstr(xh_cpu_model(), "AMD") != NULL ? "ZEN" : "HASWELL";
    default:
        return NULL;
    }
}

/* Return the name of xhpl's own kernel if it computes the update; NULL: the
 * BLAS does. */
static const char *own_kernel(void)
{
    const char *kernel = hpl_solver()->workers().kernel;

    return kernel != NULL && strcmp(kernel, "blas") != 0 ? kernel : NULL;
}

/* Write into text what the user can do about a slow DGEMM. */
static void write_remedy(const xh_blas_library_t *library, char *text,
                         size_t size)
{
    const char *type =
        strcmp(library->name, "OpenBLAS") == 0 ? core_type() : NULL;
    char forced[256];

    text[0] = '\0';
    forced_kernel(forced, sizeof(forced));
    if (forced[0] != '\0')
        xh_text_append(text, size, "the environment may have chosen it: %s. ",
                       forced);
    if (type != NULL && strcasecmp(library->kernel, type) != 0)
        xh_text_append(text, size, "OPENBLAS_CORETYPE=%s suits this processor",
                       type);
    else
        xh_text_append(text, size, "a newer or another library may be faster");
    if (own_kernel() != NULL)
        xh_text_append(text, size,
                       ". You need not change it: xhpl's own kernel, %s, "
                       "computes the update, so this slows the run little",
                       own_kernel());
}

/* Is DGEMM clearly slower than its core? Threads that disturb it also take
 * caches and parts of a core, so the limit is lower then. */
static bool is_slow(dgemm_t dgemm, double ceiling)
{
    double least = dgemm.run_delay > XH_RUN_DELAY_CROWDED
                       ? least_disturbed_share
                       : least_share;

    return dgemm.rate > 0 && dgemm.rate < least * ceiling;
}

static void warn_if_slow(const xh_blas_library_t *library, dgemm_t dgemm,
                         double ceiling)
{
    double rate;
    char remedy[512];

    for (int i = 0; i < TRIES && dgemm.run_delay > XH_RUN_DELAY_CROWDED &&
                    is_slow(dgemm, ceiling);
         i++)
        dgemm = measure_dgemm();
    if (!is_slow(dgemm, ceiling))
        return;
    rate = dgemm.rate;
    write_remedy(library, remedy, sizeof(remedy));
    xh_log_message(
        own_kernel() != NULL ? XH_LOG_INFO : XH_LOG_WARNING,
        "DGEMM of %s on one thread reaches %.1f Gflop/s, %.0f%% of the %.1f "
        "Gflop/s that this core can do. Its kernel '%s' may be too old for "
        "this processor, %s: %s",
        library->name, rate * 1e-9, 100 * rate / ceiling, ceiling * 1e-9,
        known(library->kernel), xh_cpu_model(), remedy);
}

/* The environment variable that sets the threads of library. */
static const char *threads_variable(const xh_blas_library_t *library)
{
    static const char *const variables[][2] = {
        {"OpenBLAS", "OPENBLAS_NUM_THREADS"},
        {"BLIS", "BLIS_NUM_THREADS"},
        {"MKL", "MKL_NUM_THREADS"}};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (strcmp(library->name, variables[i][0]) == 0)
            return variables[i][1];
    return "OMP_NUM_THREADS";
}

/* Does variable ask for another number of threads than is used? */
static bool is_ignored(const char *variable, int64_t used)
{
    const char *requested = getenv(variable);

    return requested != NULL && requested[0] != '\0' &&
           strtol(requested, NULL, 10) != used;
}

/* Warn that environment variables set neither the solver's threads nor those of
 * library. */
static void warn_of_ignored_variable(const xh_blas_library_t *library)
{
    bool is_reference = strcmp(hpl_solver()->name, "reference") == 0;
    int64_t of_library = xh_settings_int("blas_threads");
    const char *variable = "OMP_NUM_THREADS";
    long requested;

    if (library->threads <= 0)
        return;
    if (!is_ignored(variable, is_reference ? of_library
                                           : hpl_solver()->workers().threads)) {
        variable = threads_variable(library);
        if (strcmp(variable, "OMP_NUM_THREADS") == 0 ||
            !is_ignored(variable, of_library))
            return;
    }
    requested = strtol(getenv(variable), NULL, 10); /* the first of a list */
    xh_log_info("%s=%.80s has no effect: use --set %s=%ld", variable,
                getenv(variable), is_reference ? "blas_threads" : "threads",
                requested > 0 ? requested : 1);
}

static void measure(const xh_blas_library_t *library)
{
    dgemm_t dgemm;

    xh_blas_library_set_threads(1);
    dgemm = measure_dgemm();
    if (dgemm.busy > one_thread) /* idle threads no longer spin */
        dgemm.busy = fmin(dgemm.busy, measure_dgemm().busy);
    /* threads of the library disturb those of the solver */
    if (dgemm.busy > one_thread && xh_settings_int("blas_threads") == 1)
        xh_log_warning("DGEMM of the BLAS library (%s) should use one thread, "
                       "but kept %.1f cores busy: set %s=1 in the environment",
                       library->name, dgemm.busy, threads_variable(library));
    warn_if_slow(library, dgemm, measure_ceiling());
}

/* Does the run take longer than the measurement? */
static bool is_long(const xhpl_parameters_t *parameters)
{
    const xhpl_list_t *n = &parameters->list[XHPL_N];
    int largest = 0;

    for (int i = 0; i < n->count; i++)
        largest = Mmax(largest, n->value[i]);
    return largest >= LEAST_N;
}

xh_status_t xhpl_blas_report(const xhpl_parameters_t *parameters)
{
    xh_blas_library_t library = xh_blas_library_identify();
    bool is_first = xhpl_rank(MPI_COMM_WORLD) == 0;
    char threads[16] = "";

    if (library.ilp64)
        xh_log_error("the BLAS library %s takes 64-bit integers; allowed: "
                     "one with 32-bit integers",
                     library.name);
    XH_TRY(hpl_agree(MPI_COMM_WORLD, library.ilp64 ? XH_ERR_INPUT : XH_OK));
    if (is_first && is_long(parameters))
        measure(&library);
    xh_blas_library_set_threads((int)xh_settings_int("blas_threads"));
    if (is_first) {
        library = xh_blas_library_identify();
        if (library.threads > 0)
            snprintf(threads, sizeof(threads), "%d", library.threads);
        xh_log_info("BLAS: %s, version %s, kernel %s, threads per process: %s",
                    library.name, known(library.version), known(library.kernel),
                    known(threads));
    }
    if (is_first)
        warn_of_ignored_variable(&library);
    xhpl_idle_barrier(MPI_COMM_WORLD);
    return XH_OK;
}
