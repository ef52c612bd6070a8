/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pauxil/map.h"
#include "hybrid/plan/model.h"
#include "testing/planner/weighted.h"
#include "testing/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20 };

static hyb_model_rates_t rates;

/* Memory of the process that asks, which may have more columns than others. */
static double bytes_of(const hpl_shape_t *shape)
{
    hpl_map_t columns = {.nb = shape->nb,
                         .nprocs = shape->npcol,
                         .me = shape->mycol,
                         .deal = shape->deal};

    return 8.0 * shape->n / shape->nprow *
           (double)hpl_map_count(&columns, shape->n);
}

/* Processes of these rates, and a job for them: a column takes the slowest of
 * them 1 ns a row. */
typedef struct {
    xhpl_weights_t *weights;
    xhpl_job_t job;
} unequal_t;

static unequal_t unequal(int processes, const double *rate)
{
    size_t bytes = (size_t)processes * sizeof(*rate);
    unequal_t u = {.weights = malloc(sizeof(*u.weights) + bytes)};

    assert_non_null(u.weights);
    u.weights->processes = processes;
    memcpy(u.weights->rate, rate, bytes);
    rates = (hyb_model_rates_t){
        .threads = 1,
        .widths = 1,
        .width[0] = {.nb = 64, .update = {2, {100, 1000}, {1e-7, 1e-6}}}};
    u.job = (xhpl_job_t){.rates = &rates,
                         .processes = processes,
                         .nb = {1, {64}},
                         .depth = {1, {2}},
                         .bcast = {1, {1}},
                         .align = 8,
                         .most_seconds = INFINITY,
                         .most_bytes = 64.0 * MIB,
                         .bytes = bytes_of};
    return u;
}

/* A shape for processes with the rates that follow. */
#define UNEQUAL(...)                                                           \
    unequal(sizeof((double[]){__VA_ARGS__}) / sizeof(double),                  \
            (double[]){__VA_ARGS__})

/* The best for them as if they were equal. */
static xhpl_choice_t equal_choice(const unequal_t *u)
{
    xhpl_choice_t equal;

    assert_int_equal(xhpl_choices_best(&u->job, 1, &equal), 1);
    return equal;
}

TEST(weights_share_work_and_the_memory_of_the_fastest)
{
    unequal_t u = UNEQUAL(30.0, 10.0);
    const hpl_shape_t test = {.nb = 64, .nprow = 1, .npcol = 2, .depth = 2};
    xhpl_choice_t equal =
        xhpl_weighted_choice(&u.job, NULL, HPL_ROW_MAJOR, test, 1);
    xhpl_choice_t dealt =
        xhpl_weighted_choice(&u.job, u.weights, HPL_ROW_MAJOR, test, 1);

    assert_true(fabs(dealt.gflops / equal.gflops - 2.0) < 0.1);
    assert_true(equal.bytes <= u.job.most_bytes);
    assert_true(dealt.bytes <= u.job.most_bytes);
    assert_true(fabs(dealt.test.n / (double)equal.test.n - sqrt(2.0 / 3)) <
                0.05);
    free(u.weights);
}

/* Ranks go along rows: 2 x 2 puts unlike ones into a column. */
TEST(the_grid_puts_equal_processes_into_a_column)
{
    unequal_t u = UNEQUAL(4.0, 4.0, 1.0, 1.0);
    xhpl_choice_t equal = equal_choice(&u), best;

    best = xhpl_weighted_best(&u.job, u.weights, HPL_ROW_MAJOR, &equal);
    assert_int_equal(best.test.npcol, 4);
    best = xhpl_weighted_best(&u.job, u.weights, HPL_COLUMN_MAJOR, &equal);
    assert_true(best.test.npcol >= 2);
    assert_true(best.gflops > 2.2 * equal.gflops);
    free(u.weights);
}

TEST(without_the_slowest_the_others_set_the_pace)
{
    unequal_t u = UNEQUAL(10.0, 1.0, 10.0, 1.02);
    xhpl_choice_t equal = equal_choice(&u), without;

    assert_int_equal(xhpl_weighted_without_slowest(&u.job, u.weights, &without),
                     2);
    assert_int_equal(without.test.nprow * without.test.npcol, 2);
    assert_true(fabs(without.gflops / equal.gflops - 5.0) < 0.3);
    free(u.weights);
}

TEST(none_is_slowest_among_equal_ones)
{
    unequal_t u = UNEQUAL(1.0, 1.04);
    xhpl_choice_t choice;

    assert_int_equal(xhpl_weighted_without_slowest(&u.job, u.weights, &choice),
                     0);
    free(u.weights);
}
