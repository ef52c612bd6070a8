/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pauxil/map.h"
#include "hybrid/plan/model.h"
#include "testing/planner/unequal.h"
#include "testing/unit/unit.h"

#include <math.h>
#include <stdlib.h>

enum { MIB = 1 << 20 };

static hyb_model_rates_t rates;

/* Of the process that asks, which may have more columns than others. */
static double bytes_of(const hpl_shape_t *shape)
{
    hpl_map_t columns = {.nb = shape->nb,
                         .nprocs = shape->npcol,
                         .me = shape->mycol,
                         .deal = shape->deal};

    return 8.0 * shape->n / shape->nprow *
           (double)hpl_map_count(&columns, shape->n);
}

/* A column takes 1 ns a row on the slowest of four processes. */
static xhpl_job_t job_of(int processes)
{
    rates = (hyb_model_rates_t){
        .threads = 1,
        .widths = 1,
        .width[0] = {.nb = 64, .update = {2, {100, 1000}, {1e-7, 1e-6}}}};
    return (xhpl_job_t){.rates = &rates,
                        .processes = processes,
                        .nb = {1, {64}},
                        .depth = {1, {2}},
                        .bcast = {1, {1}},
                        .align = 8,
                        .most_seconds = INFINITY,
                        .most_bytes = 64.0 * MIB,
                        .bytes = bytes_of};
}

static xhpl_weights_t *weights_of(int processes, const double *rate)
{
    xhpl_weights_t *weights = malloc(sizeof(*weights) + 4 * sizeof(double));

    assert_non_null(weights);
    weights->processes = processes;
    for (int i = 0; i < processes; i++)
        weights->rate[i] = rate[i];
    return weights;
}

TEST(weights_share_work_and_the_memory_of_the_fastest)
{
    const double rate[] = {30.0, 10.0};
    xhpl_weights_t *weights = weights_of(2, rate);
    xhpl_job_t job = job_of(2);
    const hpl_shape_t test = {.nb = 64, .nprow = 1, .npcol = 2, .depth = 2};
    xhpl_choice_t equal =
        xhpl_unequal_choice(&job, NULL, HPL_ROW_MAJOR, test, 1);
    xhpl_choice_t dealt =
        xhpl_unequal_choice(&job, weights, HPL_ROW_MAJOR, test, 1);

    assert_true(fabs(dealt.gflops / equal.gflops - 2.0) < 0.1);
    assert_true(equal.bytes <= job.most_bytes);
    assert_true(dealt.bytes <= job.most_bytes);
    assert_true(fabs(dealt.test.n / (double)equal.test.n - sqrt(2.0 / 3)) <
                0.05);
    free(weights);
}

/* Ranks go along rows: 2 x 2 puts unlike ones into a column. */
TEST(the_grid_puts_equal_processes_into_a_column)
{
    const double rate[] = {4.0, 4.0, 1.0, 1.0};
    xhpl_weights_t *weights = weights_of(4, rate);
    xhpl_job_t job = job_of(4);
    xhpl_choice_t equal, best;

    assert_int_equal(xhpl_choices_make(&job, 1, &equal), 1);
    best = xhpl_unequal_best(&job, weights, HPL_ROW_MAJOR, &equal);
    assert_int_equal(best.test.npcol, 4);
    best = xhpl_unequal_best(&job, weights, HPL_COLUMN_MAJOR, &equal);
    assert_true(best.test.npcol >= 2);
    assert_true(best.gflops > 2.2 * equal.gflops);
    free(weights);
}

TEST(without_the_slowest_the_others_set_the_pace)
{
    const double rate[] = {10.0, 1.0, 10.0, 1.02};
    xhpl_weights_t *weights = weights_of(4, rate);
    xhpl_job_t job = job_of(4);
    xhpl_choice_t equal, without;

    assert_int_equal(xhpl_choices_make(&job, 1, &equal), 1);
    assert_int_equal(xhpl_unequal_without(&job, weights, &without), 2);
    assert_int_equal(without.test.nprow * without.test.npcol, 2);
    assert_true(fabs(without.gflops / equal.gflops - 5.0) < 0.3);
    free(weights);
}

TEST(none_is_slowest_among_equal_ones)
{
    const double rate[] = {1.0, 1.04};
    xhpl_weights_t *weights = weights_of(2, rate);
    xhpl_job_t job = job_of(2);
    xhpl_choice_t choice;

    assert_int_equal(xhpl_unequal_without(&job, weights, &choice), 0);
    free(weights);
}

TEST_MAIN()
