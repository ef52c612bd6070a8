/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/choices.h"

#include <math.h>
#include <stdlib.h>

enum {
    LARGEST = 1000000000, /* N that HPL.dat may have */
    MANY = 64,            /* with more processes, grids are at most so flat, */
    FLAT = 16,            /* or as flat as the one nearest to square */
    VARIED = 4,           /* best grids and NBs that try each DEPTH and BCAST */
};

static const double noticeable = 1e-3; /* of the rate */

typedef struct { /* the best choices so far; equal ones stay in order */
    int count, capacity;
    hyb_choice_t *choice;
} list_t;

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* ---- N ------------------------------------------------------------------- */

/* Process (0, 0) has most: N is a multiple of NB times P and Q. */
static double bytes_of(const hyb_choices_job_t *job,
                       const hyb_model_case_t *test)
{
    hpl_shape_t shape = {.n = test->n,
                         .nb = test->nb,
                         .nprow = test->nprow,
                         .npcol = test->npcol,
                         .depth = test->depth,
                         .align = job->align};

    return job->bytes(&shape);
}

/* The most steps of unit that the memory holds. */
static int64_t within_memory(const hyb_choices_job_t *job,
                             hyb_model_case_t test, int64_t unit)
{
    int64_t good = 0, bad = LARGEST / unit + 1, middle;

    while (bad - good > 1) {
        middle = good + (bad - good) / 2;
        test.n = (int)(middle * unit);
        if (bytes_of(job, &test) <= job->most_bytes)
            good = middle;
        else
            bad = middle;
    }
    return good;
}

static double seconds_of(const hyb_model_rates_t *rates, hyb_model_case_t test,
                         int64_t n)
{
    test.n = (int)n;
    return hyb_model_predict(rates, &test).seconds;
}

/*
 * The most steps, up to most, that keep within the time. All that is not work
 * grows more slowly than n^3: each guess is too high until it is right.
 */
static int64_t within_time(const hyb_model_rates_t *rates,
                           const hyb_choices_job_t *job, hyb_model_case_t test,
                           int64_t unit, int64_t most)
{
    double limit = job->most_seconds, seconds;
    int64_t steps = most;

    while (steps > 0 &&
           (seconds = seconds_of(rates, test, steps * unit)) > limit)
        steps = (int64_t)fmin((double)steps - 1,
                              (double)steps * cbrt(limit / seconds));
    while (steps < most && seconds_of(rates, test, (steps + 1) * unit) <= limit)
        steps++;
    return steps;
}

int hyb_choices_largest(const hyb_model_rates_t *rates,
                        const hyb_choices_job_t *job, hyb_model_case_t test)
{
    int64_t p = test.nprow, q = test.npcol;
    int64_t unit = test.nb * (p / gcd(p, q) * q);
    int64_t steps = within_memory(job, test, unit);

    if (!isinf(job->most_seconds))
        steps = within_time(rates, job, test, unit, steps);
    return (int)(steps * unit);
}

/* ---- choices ------------------------------------------------------------- */

/* Does one with the same N, NB and grid reach the same rate? */
static bool is_known(const list_t *list, const hyb_choice_t *choice)
{
    const hyb_model_case_t *a = &choice->test, *b;
    double apart;

    for (int i = 0; i < list->count; i++) {
        b = &list->choice[i].test;
        apart = fabs(list->choice[i].gflops / choice->gflops - 1.0);
        if (a->n == b->n && a->nb == b->nb && a->nprow == b->nprow &&
            apart < noticeable)
            return true;
    }
    return false;
}

static void insert(list_t *list, const hyb_choice_t *choice)
{
    int at = list->count;

    if (is_known(list, choice))
        return;

    while (at > 0 && list->choice[at - 1].gflops < choice->gflops)
        at--;
    if (at == list->capacity)
        return;
    if (list->count < list->capacity)
        list->count++;
    for (int i = list->count - 1; i > at; i--)
        list->choice[i] = list->choice[i - 1];
    list->choice[at] = *choice;
}

hyb_choice_t hyb_choices_of(const hyb_model_rates_t *rates,
                            const hyb_choices_job_t *job, hyb_model_case_t test)
{
    hyb_choice_t choice = {.test = test,
                           .predicted = hyb_model_predict(rates, &test),
                           .bytes = bytes_of(job, &test)};

    if (choice.predicted.seconds > 0.0)
        choice.gflops =
            hyb_model_flop(test.n) / choice.predicted.seconds * 1e-9;
    return choice;
}

/* The test with the largest N, if there is one. */
static void consider(const hyb_model_rates_t *rates,
                     const hyb_choices_job_t *job, hyb_model_case_t test,
                     list_t *list)
{
    hyb_choice_t choice;

    test.n = hyb_choices_largest(rates, job, test);
    if (test.n == 0)
        return;
    choice = hyb_choices_of(rates, job, test);
    insert(list, &choice);
}

static double flatness(int p, int q)
{
    return fmax(p, q) / fmin(p, q);
}

/* With many processes, skip flat grids if there are better ones. */
static bool is_worth_it(int p, int q)
{
    int rows = hyb_choices_rows(p * q);

    return p * q <= MANY ||
           flatness(p, q) <= fmax(FLAT, flatness(rows, p * q / rows));
}

int hyb_choices_rows(int processes)
{
    int rows = (int)sqrt(processes);

    while (processes % rows != 0)
        rows--;
    return rows;
}

bool hyb_choices_are_flat(int processes)
{
    int rows = hyb_choices_rows(processes);

    return flatness(rows, processes / rows) > FLAT;
}

/* Every NB on the grid of nprow rows. */
static void consider_grid(const hyb_model_rates_t *rates,
                          const hyb_choices_job_t *job, int nprow, list_t *list)
{
    for (int i = 0; i < job->nb.count; i++)
        consider(rates, job,
                 (hyb_model_case_t){.nb = job->nb.value[i],
                                    .nprow = nprow,
                                    .npcol = job->processes / nprow,
                                    .depth = job->depth.value[0],
                                    .bcast = job->bcast.value[0]},
                 list);
}

/* Every other DEPTH and BCAST. With one process in a row, BCAST has no effect.
 */
static void vary(const hyb_model_rates_t *rates, const hyb_choices_job_t *job,
                 hyb_model_case_t test, list_t *list)
{
    int bcasts = test.npcol > 1 ? job->bcast.count : 1;

    for (int d = 0; d < job->depth.count; d++)
        for (int b = 0; b < bcasts; b++) {
            if (d == 0 && b == 0)
                continue;
            test.depth = job->depth.value[d];
            test.bcast = job->bcast.value[b];
            consider(rates, job, test, list);
        }
}

int hyb_choices_make(const hyb_model_rates_t *rates,
                     const hyb_choices_job_t *job, int capacity,
                     hyb_choice_t *choices_p)
{
    hyb_choice_t best[VARIED];
    list_t varied = {.capacity = VARIED, .choice = best};
    list_t list = {.capacity = capacity, .choice = choices_p};

    for (int p = 1; p <= job->processes; p++)
        if (job->processes % p == 0 && is_worth_it(p, job->processes / p))
            consider_grid(rates, job, p, &list);
    for (int i = 0; i < list.count && i < VARIED; i++)
        insert(&varied, &list.choice[i]);
    for (int i = 0; i < varied.count; i++)
        vary(rates, job, varied.choice[i].test, &list);
    return list.count;
}
