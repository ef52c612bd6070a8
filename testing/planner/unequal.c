/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/unequal.h"

#include <math.h>
#include <stdlib.h>

static double slowest_rate(const xhpl_weights_t *weights)
{
    double rate = weights->rate[0];

    for (int i = 1; i < weights->processes; i++)
        rate = fmin(rate, weights->rate[i]);
    return rate;
}

/* Those of the process columns of a grid, for free(). NULL: all are equal, or
 * there is no memory. */
static double *speeds(const xhpl_weights_t *weights, HPL_T_ORDER order,
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

xhpl_choice_t xhpl_unequal_choice(const xhpl_job_t *job,
                                  const xhpl_weights_t *weights,
                                  HPL_T_ORDER order, hpl_shape_t test,
                                  int bcast)
{
    hyb_model_rates_t rates = *job->rates;
    double *speed = speeds(weights, order, &test);
    xhpl_job_t dealt = *job;
    xhpl_choice_t choice;

    rates.speed = speed;
    dealt.rates = &rates;
    if (test.n == 0)
        test.n = xhpl_choices_largest(&dealt, test, bcast);
    choice = xhpl_choices_of(&dealt, test, bcast);
    free(speed);
    return choice;
}

xhpl_choice_t xhpl_unequal_best(const xhpl_job_t *job,
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
        next = xhpl_unequal_choice(job, weights, order, test, best->bcast);
        if (next.gflops > found.gflops)
            found = next;
    }
    return found;
}

int xhpl_unequal_without(const xhpl_job_t *job, const xhpl_weights_t *weights,
                         xhpl_choice_t *choice_p)
{
    const double alike = 1.05;
    hyb_model_rates_t rates = *job->rates;
    xhpl_job_t others = *job;
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
    others.rates = &rates;
    others.processes = weights->processes - count;
    return xhpl_choices_make(&others, 1, choice_p) > 0 ? count : 0;
}
