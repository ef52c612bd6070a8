/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xprobe: what this machine's cores can do, for a script to read.
 *
 *     cores 2
 *     isa avx512
 *     memory 20158324736
 *     ceiling 1.4e+11        flop/s of FMA on all cores together
 *     dgemm 192 1.2e+11      flop/s of DGEMM, inner size 192, all together
 *
 * --ceiling and --dgemm print no rate but that one.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/cpu.h"
#include "base/fma.h"
#include "base/memory.h"
#include "base/pin.h"
#include "hpl.h"

#define CEILING_SECONDS 1.0
#define DGEMM_SECONDS 0.6
#define CALLS 4       /* a run, of which the best counts */
#define TIME_LIMIT 60 /* seconds */
#define ORDER 1536    /* rows and columns of the matrix that is updated */

/* what the processes of one measurement share */
typedef struct {
    pthread_barrier_t barrier;
    double rate[]; /* flop/s, by process */
} shared_t;

static double *filled(size_t count)
{
    double *x = malloc(count * sizeof(double));
    size_t i;

    if (x == NULL)
        exit(EXIT_FAILURE);
    for (i = 0; i < count; i++)
        x[i] = 1.0 / (double)(i % 1000 + 3);
    return x;
}

static void update(int inner, const double *a, const double *b, double *c)
{
    HPL_dgemm(HplColumnMajor, HplNoTrans, HplNoTrans, ORDER, ORDER, inner, -1.0,
              a, ORDER, b, inner, 1.0, c, ORDER);
}

/* Flop/s of C := C - A * B on this core, while the others do the same; the
   best of short runs, as for the ceiling. */
static double dgemm_rate(int inner, pthread_barrier_t *barrier)
{
    double *a = filled((size_t)ORDER * inner);
    double *b = filled((size_t)ORDER * inner);
    double *c = filled((size_t)ORDER * ORDER);
    double seconds, best = 0.0;
    double left = DGEMM_SECONDS;
    int i;

    pthread_barrier_wait(barrier);
    update(inner, a, b, c); /* warms up */
    while (left > 0.0) {
        const double begun = xh_clock_now();

        for (i = 0; i < CALLS; i++)
            update(inner, a, b, c);
        seconds = xh_clock_now() - begun;
        left -= seconds;
        best = fmax(best, 2.0 * ORDER * ORDER * inner * CALLS / seconds);
    }
    free(a);
    free(b);
    free(c);
    return best;
}

static shared_t *shared_create(int processes)
{
    pthread_barrierattr_t attribute;
    shared_t *shared =
        mmap(NULL, sizeof(*shared) + processes * sizeof(double),
             PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared == MAP_FAILED)
        exit(EXIT_FAILURE);
    pthread_barrierattr_init(&attribute);
    pthread_barrierattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &attribute, processes);
    return shared;
}

/* Flop/s of DGEMM on all cores together, one process each; 0 on failure. */
static double dgemm_rate_of_all(int processes, const int *cpus, int inner)
{
    shared_t *shared = shared_create(processes);
    double sum = 0.0;
    int i, status, failed = 0;

    for (i = 0; i < processes; i++) {
        if (fork() == 0) {
            alarm(TIME_LIMIT); /* a process short, the rest would wait */
            xh_pin_thread(&cpus[i], 1);
            shared->rate[i] = dgemm_rate(inner, &shared->barrier);
            _exit(EXIT_SUCCESS);
        }
    }
    for (i = 0; i < processes; i++) {
        wait(&status);
        failed |= status;
        sum += shared->rate[i];
    }
    return failed ? 0.0 : sum;
}

static int wanted(const char *rate, int argc, char **argv)
{
    return argc < 2 || strcmp(argv[1], rate) == 0;
}

static void print_dgemm(int cores, const int *cpus)
{
    static const int inner[] = {192, 256};
    size_t i;

    for (i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
        fflush(stdout); /* before processes are forked */
        printf("dgemm %d %.4e\n", inner[i],
               dgemm_rate_of_all(cores, cpus, inner[i]));
    }
}

int main(int argc, char **argv)
{
    const int cores = xh_cpu_cores("");
    int *cpus = calloc((size_t)cores, sizeof(*cpus));
    uint64_t bytes = 0;

    if (cpus == NULL)
        return EXIT_FAILURE;
    xh_cpu_core_ids("", cpus, cores);
    xh_memory_available("", &bytes);
    printf("cores %d\nisa %s\nmemory %llu\n", cores,
           xh_cpu_isa_name(xh_cpu_isa()), (unsigned long long)bytes);
    if (wanted("--ceiling", argc, argv))
        printf("ceiling %.4e\n",
               xh_fma_ceiling(xh_cpu_isa(), NULL, cores, CEILING_SECONDS));
    if (wanted("--dgemm", argc, argv))
        print_dgemm(cores, cpus);
    free(cpus);
    return EXIT_SUCCESS;
}
