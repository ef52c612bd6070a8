/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xblas LIBRARY THREADS M N K: the rate of a BLAS library's DGEMM with threads
 * of its own, C := C - A B, in Gflop/s on stdout; the median of three calls.
 *
 * LIBRARY is a path or a name that the loader finds.
 *
 * Exit status: 2 bad input, 3 no such library.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/median.h"
#include "base/memory.h"
#include "base/status.h"

enum { CALLS = 3 };

/* BLAS's interface, and the libraries' own calls for their threads. */
typedef void (*dgemm_fn_t)(const char *, const char *, const int *, const int *,
                           const int *, const double *, const double *,
                           const int *, const double *, const int *,
                           const double *, double *, const int *, size_t,
                           size_t);
typedef void (*set_int_fn_t)(int);
typedef void (*set_long_fn_t)(int64_t);

typedef struct {
    int m, n, k;
    double *a, *b, *c;
} product_t;

/* By the library's call, and for those without one by the variables that
   libraries read when they are loaded. */
static void announce_threads(const char *threads)
{
    static const char *const variables[] = {
        "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS",
        "OMP_NUM_THREADS"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        setenv(variables[i], threads, 1);
}

/* Functions are found through memory, as ISO C has no cast for them. */
static void set_threads(void *library, int threads)
{
    set_int_fn_t set_int;
    set_long_fn_t set_long;

    *(void **)&set_int = dlsym(library, "openblas_set_num_threads");
    *(void **)&set_long = dlsym(library, "bli_thread_set_num_threads");
    if (set_int != NULL)
        set_int(threads);
    else if (set_long != NULL)
        set_long(threads);
}

static double *filled(size_t count)
{
    void *memory;
    double *x;

    if (xh_memory_allocate(count * sizeof(double), &memory) != XH_OK) {
        fprintf(stderr, "xblas: no memory for %zu numbers\n", count);
        exit(XH_EXIT_INPUT);
    }
    x = memory;
    for (size_t i = 0; i < count; i++)
        x[i] = 1.0 / (double)(i % 1009 + 3);
    return x;
}

static double seconds_of(dgemm_fn_t dgemm, const product_t *p)
{
    const double minus_one = -1.0, one = 1.0, begun = xh_clock_now();

    dgemm("N", "N", &p->m, &p->n, &p->k, &minus_one, p->a, &p->m, p->b, &p->k,
          &one, p->c, &p->m, 1, 1);
    return xh_clock_now() - begun;
}

static double median_rate(dgemm_fn_t dgemm, const product_t *p)
{
    double seconds[CALLS];

    seconds_of(dgemm, p); /* warms up */
    for (int i = 0; i < CALLS; i++)
        seconds[i] = seconds_of(dgemm, p);
    return 2.0 * p->m * p->n * p->k / xh_median(seconds, CALLS);
}

static int size_of(const char *text)
{
    char *end;
    long size = strtol(text, &end, 10);

    if (*end == '\0' && size > 0 && size < 1000000)
        return (int)size;
    fprintf(stderr, "xblas: '%s' is no size\n", text);
    exit(XH_EXIT_INPUT);
}

int main(int argc, char **argv)
{
    product_t p;
    dgemm_fn_t dgemm = NULL;
    void *library;

    if (argc != 6) {
        fprintf(stderr, "usage: xblas LIBRARY THREADS M N K\n");
        return XH_EXIT_INPUT;
    }
    announce_threads(argv[2]);
    library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (library != NULL)
        *(void **)&dgemm = dlsym(library, "dgemm_");
    if (dgemm == NULL) {
        fprintf(stderr, "xblas: %s\n", dlerror());
        return XH_EXIT_RUNTIME;
    }
    set_threads(library, size_of(argv[2]));
    p.m = size_of(argv[3]);
    p.n = size_of(argv[4]);
    p.k = size_of(argv[5]);
    p.a = filled((size_t)p.m * (size_t)p.k);
    p.b = filled((size_t)p.k * (size_t)p.n);
    p.c = filled((size_t)p.m * (size_t)p.n);
    printf("%.3f\n", median_rate(dgemm, &p) / 1e9);
    return XH_EXIT_PASSED;
}
