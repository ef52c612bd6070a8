/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/weighted.h"

#include <math.h>
#include <stdlib.h>

static double slowest_rate(const xhpl_weights_t *weights)
{
    double rate = weights->rate[0];

    for (int i = 1; i < weights->processes; i++)
        rate = fmin(rate, weights->rate[i]);
    return rate;
}

/* The speeds of the process columns of a grid, relative to the slowest process,
 * for free(). NULL: all are equal, or there is no memory. */
static double *column_speeds(const xhpl_weights_t *weights, HPL_T_ORDER order,
                             const hpl_shape_t *shape)
{
    const xhpl_test_t grid = {.nprow = shape->nprow, .npcol = shape->npcol};
    double *speed, slowest;
    int least, most;

    if (weights == NULL)
        return NULL;
    slowest = slowest_rate(weights);
    speed = malloc((size_t)grid.npcol * sizeof(*speed));
    for (int q = 0; speed != NULL && q < grid.npcol; q++)
        speed[q] =
            xhpl_weights_column(weights, order, &grid, q, &least, &most) /
            slowest;
    return speed;
}

xhpl_choice_t xhpl_weighted_choice(const xhpl_job_t *job,
                                   const xhpl_weights_t *weights,
                                   HPL_T_ORDER order, hpl_shape_t test,
                                   int bcast)
{
    hyb_model_rates_t rates = *job->rates;
    double *speed = column_speeds(weights, order, &test);
    xhpl_job_t weighted = *job;
    xhpl_choice_t choice;

    rates.speed = speed;
    weighted.rates = &rates;
    if (test.n == 0)
        test.n = xhpl_choices_largest_n(&weighted, test, bcast);
    choice = xhpl_choices_predict(&weighted, test, bcast);
    free(speed);
    return choice;
}

xhpl_choice_t xhpl_weighted_best(const xhpl_job_t *job,
                                 const xhpl_weights_t *weights,
                                 HPL_T_ORDER order, const xhpl_choice_t *best)
{
    xhpl_choice_t found = {.gflops = -1.0}, next;
    hpl_shape_t test = best->test;

    test.n = 0;
    for (test.nprow = 1; test.nprow <= job->processes; test.nprow++) {
        if (job->processes % test.nprow != 0)
            continue;
        test.npcol = job->processes / test.nprow;
        next = xhpl_weighted_choice(job, weights, order, test, best->bcast);
        if (next.gflops > found.gflops)
            found = next;
    }
    return found;
}

int xhpl_weighted_without_slowest(const xhpl_job_t *job,
                                  const xhpl_weights_t *weights,
                                  xhpl_choice_t *choice_p)
{
    const double alike = 1.05;
    hyb_model_rates_t rates = *job->rates;
    xhpl_job_t faster = *job;
    double slowest = slowest_rate(weights), next = INFINITY;
    int count = 0;

    for (int i = 0; i < weights->processes; i++)
        if (weights->rate[i] <= alike * slowest)
            count++;
        else
            next = fmin(next, weights->rate[i]);
    if (count == weights->processes)
        return 0;
    hyb_model_slow_down(&rates, slowest / next);
    faster.rates = &rates;
    faster.processes = weights->processes - count;
    return xhpl_choices_best(&faster, 1, choice_p) > 0 ? count : 0;
}
