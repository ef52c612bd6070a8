/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/choices.h"

#include <math.h>
#include "hpl/pauxil/deal.h"
#include "testing/ptest/processes.h"

enum {
    LARGEST = 1000000000, /* largest N of HPL.dat */
    MANY = 64, /* number of processes from which flat grids are skipped: */
    FLAT = 16, /* largest Q / P, unless the grid nearest to square is flatter */
    VARIED = 4, /* best grids and NBs to try with each DEPTH and BCAST */
};

static const double noticeable = 1e-3; /* fraction of the rate */

typedef struct { /* the best choices so far; equal ones stay in order */
    const xhpl_job_t *job;
    int count, capacity;
    xhpl_choice_t *choice;
} list_t;

/* ---- N ------------------------------------------------------------------- */

/* Bytes of the process that needs the most; columns may be dealt by speed. */
static double bytes_of(const xhpl_job_t *job, hpl_shape_t test)
{
    const double *speed = job->rates->speed;
    hpl_deal_t *deal = NULL;
    double bytes;

    if (speed != NULL &&
        hpl_deal_create(speed, test.npcol, test.n, test.nb, &deal) != XH_OK)
        return INFINITY;
    for (int q = 1; speed != NULL && q < test.npcol; q++)
        test.mycol = speed[q] > speed[test.mycol] ? q : test.mycol;
    test.deal = deal;
    bytes = job->bytes(&test);
    hpl_deal_destroy(deal);
    return bytes;
}

/* The largest number of units of N that fits into memory. Process (0, 0) has
 * most data: N is a multiple of NB times P and Q. */
static int64_t within_memory(const xhpl_job_t *job, hpl_shape_t test,
                             int64_t unit)
{
    int64_t good = 0, bad = LARGEST / unit + 1, middle;

    while (bad - good > 1) {
        middle = good + (bad - good) / 2;
        test.n = (int)(middle * unit);
        if (bytes_of(job, test) <= job->most_bytes)
            good = middle;
        else
            bad = middle;
    }
    return good;
}

static double seconds_of(const xhpl_job_t *job, hpl_shape_t test, int bcast,
                         int64_t n)
{
    test.n = (int)n;
    return hyb_model_seconds(job->rates, &test, bcast);
}

/*
 * The largest number of units of N, up to most, within the time limit. Time
 * other than that of products grows more slowly than n^3, so each guess is too
 * high until it is right.
 */
static int64_t within_time(const xhpl_job_t *job, hpl_shape_t test, int bcast,
                           int64_t unit, int64_t most)
{
    double limit = job->most_seconds, seconds;
    int64_t steps = most;

    while (steps > 0 &&
           (seconds = seconds_of(job, test, bcast, steps * unit)) > limit)
        steps = (int64_t)fmin((double)steps - 1,
                              (double)steps * cbrt(limit / seconds));
    while (steps < most &&
           seconds_of(job, test, bcast, (steps + 1) * unit) <= limit)
        steps++;
    return steps;
}

int64_t xhpl_choices_n_unit(const hpl_shape_t *test)
{
    int64_t multiple = test->npcol;

    while (multiple % test->nprow != 0)
        multiple += test->npcol;
    return test->nb * multiple;
}

int xhpl_choices_largest_n(const xhpl_job_t *job, hpl_shape_t test, int bcast)
{
    int64_t unit = xhpl_choices_n_unit(&test);
    int64_t steps = within_memory(job, test, unit);

    if (!isinf(job->most_seconds))
        steps = within_time(job, test, bcast, unit, steps);
    return (int)(steps * unit);
}

/* ---- grids --------------------------------------------------------------- */

bool xhpl_choices_grid_is_flat(int processes)
{
    int rows = xhpl_grid_rows(processes);

    return processes > FLAT * rows * rows;
}

/* Skip flat grids with many processes if there are better ones. */
static bool is_worth_it(int p, int q)
{
    int low = p < q ? p : q;

    return p * q <= MANY || p * q <= FLAT * low * low ||
           low == xhpl_grid_rows(p * q);
}

/* ---- choices ------------------------------------------------------------- */

xhpl_choice_t xhpl_choices_predict(const xhpl_job_t *job, hpl_shape_t test,
                                   int bcast)
{
    xhpl_choice_t choice = {.test = test,
                            .bcast = bcast,
                            .seconds =
                                hyb_model_seconds(job->rates, &test, bcast),
                            .bytes = bytes_of(job, test)};

    if (choice.seconds > 0.0)
        choice.gflops = (2.0 / 3.0 * test.n + 1.5) * test.n * test.n /
                        choice.seconds * 1e-9;
    return choice;
}

/* Does `list` have a choice with equal N, NB and grid, and an equal rate? */
static bool is_known(const list_t *list, const xhpl_choice_t *choice)
{
    const hpl_shape_t *a = &choice->test, *b;

    for (int i = 0; i < list->count; i++) {
        b = &list->choice[i].test;
        if (a->n == b->n && a->nb == b->nb && a->nprow == b->nprow &&
            fabs(list->choice[i].gflops / choice->gflops - 1.0) < noticeable)
            return true;
    }
    return false;
}

/* Add the test with the largest N that fits, if there is one. */
static void consider(list_t *list, hpl_shape_t test, int bcast)
{
    int at = list->count;
    xhpl_choice_t choice;

    test.n = xhpl_choices_largest_n(list->job, test, bcast);
    choice = xhpl_choices_predict(list->job, test, bcast);
    if (test.n == 0 || is_known(list, &choice))
        return;
    while (at > 0 && list->choice[at - 1].gflops < choice.gflops)
        at--;
    if (at == list->capacity)
        return;
    if (list->count < list->capacity)
        list->count++;
    for (int i = list->count - 1; i > at; i--)
        list->choice[i] = list->choice[i - 1];
    list->choice[at] = choice;
}

/* Add variants with every DEPTH and BCAST. With one process in a row, BCAST has
 * no effect. */
static void vary(list_t *list, hpl_shape_t test)
{
    const xhpl_job_t *job = list->job;
    int bcasts = test.npcol > 1 ? job->bcast.count : 1;

    for (int i = 0; i < job->depth.count * bcasts; i++) {
        test.depth = job->depth.value[i / bcasts];
        consider(list, test, job->bcast.value[i % bcasts]);
    }
}

int xhpl_choices_best(const xhpl_job_t *job, int capacity,
                      xhpl_choice_t *choices_p)
{
    list_t list = {.job = job, .capacity = capacity, .choice = choices_p};
    hpl_shape_t test = {.depth = job->depth.value[0], .align = job->align};
    hpl_shape_t best[VARIED];
    int count = 0;

    for (int p = 1; p <= job->processes; p++)
        if (job->processes % p == 0 && is_worth_it(p, job->processes / p))
            for (int i = 0; i < job->nb.count; i++) {
                test.nb = job->nb.value[i];
                test.nprow = p;
                test.npcol = job->processes / p;
                consider(&list, test, job->bcast.value[0]);
            }
    for (; count < VARIED && count < list.count; count++)
        best[count] = list.choice[count].test;
    for (int i = 0; i < count; i++)
        vary(&list, best[i]);
    return list.count;
}
