/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/cpu.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/fma.h"

enum { RUNS = 8 };

/* Seconds of the shortest trial that its clock can be believed. */
#define TRIAL 1e-4

typedef struct {
    const xh_fma_t *kernel;
    int64_t rounds; /* of each thread in each run */
    pthread_barrier_t barrier;
    pthread_mutex_t gate; /* held until it is known who takes part */
    bool cancelled;
} contest_t;

typedef struct {
    contest_t *contest;
    pthread_t thread;
    int core; /* pinned to it unless < 0 */
    double start[RUNS], end[RUNS];
    double result; /* of the arithmetic; makes it necessary */
} runner_t;

static void pin(int core)
{
    cpu_set_t *set = CPU_ALLOC(core + 1);
    size_t bytes = CPU_ALLOC_SIZE(core + 1);

    if (set == NULL)
        return;
    CPU_ZERO_S(bytes, set);
    CPU_SET_S((size_t)core, bytes, set);
    sched_setaffinity(0, bytes, set);
    CPU_FREE(set);
}

static void *run(void *argument)
{
    runner_t *runner = argument;
    contest_t *contest = runner->contest;
    bool cancelled;
    int i;

    pthread_mutex_lock(&contest->gate);
    cancelled = contest->cancelled;
    pthread_mutex_unlock(&contest->gate);
    if (cancelled)
        return NULL;
    if (runner->core >= 0)
        pin(runner->core);
    for (i = 0; i < RUNS; i++) {
        pthread_barrier_wait(&contest->barrier);
        runner->start[i] = xh_clock_wall();
        runner->result += contest->kernel->run(contest->rounds);
        runner->end[i] = xh_clock_wall();
    }
    return NULL;
}

/* Rounds that take about seconds, found by doubling. */
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

/* From the first start to the last end in the shortest run. */
static double shortest_run(const runner_t *runners, int threads)
{
    double shortest = HUGE_VAL;
    int i, t;

    for (i = 0; i < RUNS; i++) {
        double start = HUGE_VAL, end = 0.0;

        for (t = 0; t < threads; t++) {
            start = fmin(start, runners[t].start[i]);
            end = fmax(end, runners[t].end[i]);
        }
        shortest = fmin(shortest, end - start);
    }
    return shortest;
}

double xh_cpu_fma_ceiling_on(xh_isa_t isa, const int *cpus, int threads,
                             double seconds)
{
    contest_t contest = {.kernel = xh_fma_kernel(isa)};
    runner_t *runners;
    double rate = 0.0;
    int t;

    if (contest.kernel == NULL || threads < 1)
        return 0.0;
    runners = calloc((size_t)threads, sizeof(*runners));
    if (runners == NULL)
        return 0.0;
    contest.rounds = rounds_for(contest.kernel, seconds / (RUNS + 1));
    pthread_barrier_init(&contest.barrier, NULL, (unsigned int)threads);
    pthread_mutex_init(&contest.gate, NULL);
    for (t = 0; t < threads; t++) {
        runners[t].contest = &contest;
        runners[t].core = cpus != NULL ? cpus[t] : -1;
    }
    if (run_all(&contest, runners, threads))
        rate = contest.kernel->flop * (double)contest.rounds * threads /
               shortest_run(runners, threads);
    pthread_mutex_destroy(&contest.gate);
    pthread_barrier_destroy(&contest.barrier);
    free(runners);
    return rate;
}

double xh_cpu_fma_ceiling(xh_isa_t isa, int threads, double seconds)
{
    int *ids = threads > 0 ? malloc((size_t)threads * sizeof(*ids)) : NULL;
    bool enough = ids != NULL && xh_cpu_core_ids("", ids, threads) >= threads;
    double rate =
        xh_cpu_fma_ceiling_on(isa, enough ? ids : NULL, threads, seconds);

    free(ids);
    return rate;
}
