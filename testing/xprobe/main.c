/* SPDX-License-Identifier: BSD-3-Clause */
/* xprobe: what this machine's cores can do, for a script to read. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/blas_library.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pin.h"
#include "base/status.h"
#include "hpl.h"

static const char help[] =
    "usage: xprobe [--ceiling | --dgemm]\n"
    "\n"
    "Measure what this machine's cores can do; print it for a script to read:\n"
    "\n"
    "    cores 2\n"
    "    isa avx512\n"
    "    memory 20158324736     bytes that are free\n"
    "    ceiling 1.4e+11        flop/s of FMA on all cores together\n"
    "    dgemm 192 1.2e+11      flop/s of DGEMM, inner size 192, all together\n"
    "\n"
    "  --ceiling   print no rate but that of FMA\n"
    "  --dgemm     print no rate but that of DGEMM\n"
    "  --help      print this\n";

static const double ceiling_seconds = 1.0, dgemm_seconds = 0.6;
enum {
    CALLS = 4,       /* a run, of which the best counts */
    TIME_LIMIT = 60, /* seconds */
    ORDER = 1536     /* rows and columns of the matrix that is updated */
};

/* what the processes of one measurement share */
typedef struct {
    pthread_barrier_t barrier;
    double rate[]; /* flop/s, by process */
} shared_t;

static double *filled(size_t count)
{
    double *x = malloc(count * sizeof(double));

    if (x == NULL)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < count; i++)
        x[i] = 1.0 / (double)(i % 1000 + 3);
    return x;
}

/* Seconds of so many C := C - A * B. */
static double seconds_of(int calls, int inner, const double *a, const double *b,
                         double *c)
{
    const double begun = xh_clock_now();

    for (int i = 0; i < calls; i++)
        HPL_dgemm(HplColumnMajor, HplNoTrans, HplNoTrans, ORDER, ORDER, inner,
                  -1.0, a, ORDER, b, inner, 1.0, c, ORDER);
    return xh_clock_now() - begun;
}

/* Flop/s on this core, while the others do the same; the best of short runs, as
   for the ceiling. What it works with ends with the process. */
static double dgemm_rate(int inner, pthread_barrier_t *barrier)
{
    const double *a = filled((size_t)ORDER * inner);
    const double *b = filled((size_t)ORDER * inner);
    double *c = filled((size_t)ORDER * ORDER), best = 0.0;

    pthread_barrier_wait(barrier);
    seconds_of(1, inner, a, b, c); /* warms up */
    for (double left = dgemm_seconds; left > 0.0;) {
        const double seconds = seconds_of(CALLS, inner, a, b, c);

        left -= seconds;
        best = fmax(best, 2.0 * ORDER * ORDER * inner * CALLS / seconds);
    }
    return best;
}

/* Flop/s of DGEMM on all cores together, one process each; 0 on failure. */
static double dgemm_rate_of_all(int processes, const int *cpus, int inner)
{
    size_t bytes = sizeof(shared_t) + (size_t)processes * sizeof(double);
    pthread_barrierattr_t attribute;
    shared_t *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double sum = 0.0;
    int status, failed = 0;

    if (shared == MAP_FAILED)
        exit(EXIT_FAILURE);
    pthread_barrierattr_init(&attribute);
    pthread_barrierattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &attribute, (unsigned)processes);
    for (int i = 0; i < processes; i++)
        if (fork() == 0) {
            alarm(TIME_LIMIT); /* a process short, the rest would wait */
            xh_pin_thread(&cpus[i], 1);
            shared->rate[i] = dgemm_rate(inner, &shared->barrier);
            _exit(EXIT_SUCCESS);
        }
    for (int i = 0; i < processes; i++) {
        wait(&status);
        failed |= status;
        sum += shared->rate[i];
    }
    return failed ? 0.0 : sum;
}

typedef enum { CEILING = 1, DGEMM = 2, ALL = 3 } asked_t;

/* Leaves the program after --help and after what it does not know. */
static asked_t asked(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (argc == 1)
        return ALL;
    if (argc == 2 && strcmp(word, "--ceiling") == 0)
        return CEILING;
    if (argc == 2 && strcmp(word, "--dgemm") == 0)
        return DGEMM;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        fputs(help, stdout);
        exit(fflush(stdout) == 0 ? EXIT_SUCCESS : XH_EXIT_RUNTIME);
    }
    fprintf(
        stderr,
        "xprobe: error: xprobe takes --ceiling, --dgemm or --help, not %s\n",
        argv[argc - 1]);
    exit(XH_EXIT_INPUT);
}

int main(int argc, char **argv)
{
    const asked_t rates = asked(argc, argv);
    const int cores = xh_cpu_cores("");
    int *cpus = calloc((size_t)cores, sizeof(*cpus));
    uint64_t bytes = 0;

    if (cpus == NULL)
        return EXIT_FAILURE;
    xh_log_identify("xprobe", -1, "");
    if ((rates & DGEMM) != 0 && xh_blas_library_try_room() != XH_OK)
        return XH_EXIT_INPUT;
    xh_cpu_core_ids("", cpus, cores);
    xh_memory_available("", &bytes);
    printf("cores %d\nisa %s\nmemory %llu\n", cores,
           xh_cpu_isa_name(xh_cpu_isa()), (unsigned long long)bytes);
    if (rates & CEILING)
        printf("ceiling %.4e\n",
               xh_fma_ceiling(xh_cpu_isa(), NULL, cores, ceiling_seconds));
    if (rates & DGEMM)
        for (int inner = 192; inner <= 256; inner += 64) {
            fflush(stdout); /* before processes are forked */
            printf("dgemm %d %.4e\n", inner,
                   dgemm_rate_of_all(cores, cpus, inner));
        }
    free(cpus);
    return EXIT_SUCCESS;
}
