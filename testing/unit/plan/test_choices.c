/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model.h"
#include "testing/planner/choices.h"
#include "testing/ptest/processes.h"
#include "testing/unit/unit.h"

#include <math.h>

enum { MOST = 40 };

static hyb_model_rates_t rates;
static xhpl_choice_t found[MOST];

static double matrix_bytes(const hpl_shape_t *shape)
{
    return 8.0 * shape->n * shape->n / shape->nprow / shape->npcol;
}

/* Links of a row and of a column have so many B/s, 0: messages are free. */
static xhpl_job_t job_on(double row, double column, int processes, double bytes)
{
    static const int nb[] = {100, 200};

    rates = (hyb_model_rates_t){.threads = 2,
                                .widths = 2,
                                .row = {1e-6, row},
                                .column = {1e-6, column}};
    for (int i = 0; i < 2; i++)
        rates.width[i] = (hyb_model_width_t){
            .nb = nb[i],
            .update = {2, {100, 1000}, {nb[i] * 1e-9, nb[i] * 1e-8}},
            .alone = {2, {100, 1000}, {nb[i] * 1e-6, nb[i] * 1e-5}},
            .team = {2, {100, 1000}, {nb[i] * 5e-7, nb[i] * 5e-6}}};
    return (xhpl_job_t){.rates = &rates,
                        .processes = processes,
                        .nb = {2, {100, 200}},
                        .depth = {2, {2, 1}},
                        .bcast = {3, {1, 0, 4}},
                        .align = 8,
                        .most_seconds = INFINITY,
                        .most_bytes = bytes,
                        .bytes = matrix_bytes};
}

static xhpl_job_t job_of(int processes, double bytes)
{
    return job_on(1e9, 1e9, processes, bytes);
}

TEST(n_fills_the_memory_in_steps_that_are_even)
{
    static const struct {
        double bytes;
        hpl_shape_t test;
        int n;
    } of[] = {
        {8e6, {.nb = 100, .nprow = 2, .npcol = 3}, 2400}, /* of 2449, by 600 */
        {8e4, {.nb = 100, .nprow = 2, .npcol = 3}, 0},
        /* what a file can say */
        {INFINITY, {.nb = 1000000, .nprow = 1, .npcol = 1}, 1000000000}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        xhpl_job_t job = job_of(6, of[i].bytes);

        assert_int_equal(xhpl_choices_largest_n(&job, of[i].test, 1), of[i].n);
        assert_true(of[i].n > 0 || xhpl_choices_best(&job, MOST, found) == 0);
    }
}

TEST(a_time_limit_is_kept_and_used)
{
    xhpl_job_t job = job_of(1, 8e8);
    hpl_shape_t test = {.nb = 100, .nprow = 1, .npcol = 1, .depth = 2};

    test.n = xhpl_choices_largest_n(&job, test, 1);
    assert_int_equal(test.n, 10000);
    job.most_seconds = hyb_model_seconds(&rates, &test, 1) / 8;
    test.n = xhpl_choices_largest_n(&job, test, 1);
    assert_true(hyb_model_seconds(&rates, &test, 1) <= job.most_seconds);
    assert_true(test.n > 4000 && test.n < 6000);
    test.n += 100;
    assert_true(hyb_model_seconds(&rates, &test, 1) > job.most_seconds);
}

TEST(choices_fall_in_rate_and_keep_within_limits)
{
    xhpl_job_t job = job_of(4, 8e6);
    int count = xhpl_choices_best(&job, MOST, found);
    double best = found[0].gflops;

    assert_true(count > 6);
    for (int i = 0; i < count; i++) {
        const hpl_shape_t *test = &found[i].test;
        int larger = (int)fmax(test->nprow, test->npcol); /* powers of two */

        assert_int_equal(test->nprow * test->npcol, 4);
        assert_int_equal(test->n % (test->nb * larger), 0);
        assert_true(found[i].bytes <= 8e6);
        assert_true(i == 0 || found[i].gflops <= found[i - 1].gflops);
        assert_true(found[i].gflops == (2.0 / 3.0 * test->n + 1.5) * test->n *
                                           test->n / found[i].seconds * 1e-9);
    }
    /* with room for fewer, the best are given */
    assert_int_equal(xhpl_choices_best(&job, 2, found), 2);
    assert_true(found[0].gflops == best);
}

TEST(every_grid_and_width_is_considered)
{
    xhpl_job_t job = job_of(6, 8e6);
    int count = xhpl_choices_best(&job, MOST, found), seen = 0;
    bool is_there[7][3] = {{false}};

    for (int i = 0; i < count; i++) {
        bool *there = &is_there[found[i].test.nprow][found[i].test.nb / 100];

        seen += !*there;
        *there = true;
    }
    assert_int_equal(seen, 8); /* 1 x 6, 2 x 3, 3 x 2, 6 x 1 */
}

/* 67 is prime, 74 = 2 x 37, 62 = 2 x 31; 1 x 31 of 64 and fewer. */
TEST(many_processes_without_a_good_grid_get_the_best_there_is)
{
    static const struct {
        int processes, rows;
        bool flat;
    } of[] = {{67, 1, true},  {74, 2, true},  {31, 1, true},
              {68, 4, false}, {96, 8, false}, {1, 1, false},
              {62, 2, false}, {16, 4, false}, {127, 1, true}};

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        int n = of[i].processes, count;
        xhpl_job_t job = job_of(n, 8e8);

        assert_int_equal(xhpl_grid_rows(n), of[i].rows);
        assert_int_equal(xhpl_choices_grid_is_flat(n), of[i].flat);
        count = xhpl_choices_best(&job, MOST, found);
        assert_true(count > 0);
        for (int c = 0; n > 64 && c < count; c++) {
            int p = found[c].test.nprow, q = found[c].test.npcol;

            assert_true(of[i].flat ? p == of[i].rows || q == of[i].rows
                                   : p <= 16 * q && q <= 16 * p);
        }
    }
}

TEST(where_rows_are_slow_to_exchange_grids_are_flat)
{
    xhpl_job_t job = job_on(1e10, 1e7, 4, 8e6);

    assert_true(xhpl_choices_best(&job, MOST, found) > 0);
    assert_int_equal(found[0].test.nprow, 1);
    job = job_on(1e7, 1e10, 4, 8e6);
    assert_true(xhpl_choices_best(&job, MOST, found) > 0);
    assert_true(found[0].test.nprow > 1);
}

TEST(a_variant_that_changes_nothing_is_left_out)
{
    xhpl_job_t job = job_on(0, 0, 2, 8e6);
    int count = xhpl_choices_best(&job, MOST, found);

    for (int i = 0; i < count; i++)
        assert_int_equal(found[i].bcast, 1);
}
