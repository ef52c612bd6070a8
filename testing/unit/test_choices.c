/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model.h"
#include "testing/planner/choices.h"
#include "testing/unit/unit.h"

#include <math.h>

enum { MOST = 40 };

static xhpl_choice_t found[MOST];

static double matrix_bytes(const hpl_shape_t *shape)
{
    return 8.0 * shape->n * shape->n / shape->nprow / shape->npcol;
}

static hyb_model_rates_t rates_of(double row, double column)
{
    hyb_model_rates_t rates = {.threads = 2, .widths = 2};
    static const int nb[] = {100, 200};

    rates.row = (hyb_model_link_t){1e-6, row};
    rates.column = (hyb_model_link_t){1e-6, column};
    for (int i = 0; i < 2; i++)
        rates.width[i] = (hyb_model_width_t){
            .nb = nb[i],
            .update = {2, {100, 1000}, {nb[i] * 1e-9, nb[i] * 1e-8}},
            .alone = {2, {100, 1000}, {nb[i] * 1e-6, nb[i] * 1e-5}},
            .team = {2, {100, 1000}, {nb[i] * 5e-7, nb[i] * 5e-6}}};
    return rates;
}

static xhpl_job_t job_of(const hyb_model_rates_t *rates, int processes,
                         double bytes)
{
    return (xhpl_job_t){.rates = rates,
                        .processes = processes,
                        .nb = {2, {100, 200}},
                        .depth = {2, {2, 1}},
                        .bcast = {3, {1, 0, 4}},
                        .align = 8,
                        .most_seconds = INFINITY,
                        .most_bytes = bytes,
                        .bytes = matrix_bytes};
}

TEST(n_fills_the_memory_in_steps_that_are_even)
{
    hyb_model_rates_t rates = rates_of(1e9, 1e9);
    xhpl_job_t job = job_of(&rates, 6, 8e6);
    hpl_shape_t test = {.nb = 100, .nprow = 2, .npcol = 3, .depth = 2};
    int n = xhpl_choices_largest(&job, test, 1);

    assert_int_equal(n, 2400); /* of at most 2449, in steps of 600 */
}

TEST(n_is_0_where_not_even_one_step_fits)
{
    hyb_model_rates_t rates = rates_of(1e9, 1e9);
    xhpl_job_t job = job_of(&rates, 6, 8e4);
    hpl_shape_t test = {.nb = 100, .nprow = 2, .npcol = 3, .depth = 2};

    assert_int_equal(xhpl_choices_largest(&job, test, 1), 0);
    assert_int_equal(xhpl_choices_make(&job, MOST, found), 0);
}

TEST(n_never_passes_what_a_file_can_say)
{
    hyb_model_rates_t rates = rates_of(1e9, 1e9);
    xhpl_job_t job = job_of(&rates, 1, INFINITY);
    hpl_shape_t test = {.nb = 1000000, .nprow = 1, .npcol = 1, .depth = 2};

    assert_int_equal(xhpl_choices_largest(&job, test, 1), 1000000000);
}

TEST(a_time_limit_is_kept_and_used)
{
    hyb_model_rates_t rates = rates_of(1e9, 1e9);
    xhpl_job_t job = job_of(&rates, 1, 8e8);
    hpl_shape_t test = {.nb = 100, .nprow = 1, .npcol = 1, .depth = 2};
    double all;

    test.n = xhpl_choices_largest(&job, test, 1);
    assert_int_equal(test.n, 10000);
    all = hyb_model_seconds(&rates, &test, 1);
    job.most_seconds = all / 8;
    test.n = xhpl_choices_largest(&job, test, 1);
    assert_true(hyb_model_seconds(&rates, &test, 1) <= all / 8);
    assert_true(test.n > 4000 && test.n < 6000);
    test.n += 100;
    assert_true(hyb_model_seconds(&rates, &test, 1) > all / 8);
}

TEST(choices_fall_in_rate_and_keep_within_limits)
{
    hyb_model_rates_t rates = rates_of(1e9, 1e9);
    xhpl_job_t job = job_of(&rates, 4, 8e6);
    int count = xhpl_choices_make(&job, MOST, found);

    assert_true(count > 6);
    for (int i = 0; i < count; i++) {
        const hpl_shape_t *test = &found[i].test;
        int rows = test->nprow, larger = test->npcol;

        assert_int_equal(test->nprow * test->npcol, 4);
        larger = rows > larger ? rows : larger; /* lcm of powers of two */
        assert_int_equal(test->n % (test->nb * larger), 0);
        assert_true(found[i].bytes <= 8e6);
        assert_true(i == 0 || found[i].gflops <= found[i - 1].gflops);
        assert_true(found[i].gflops == (2.0 / 3.0 * test->n + 1.5) * test->n *
                                           test->n / found[i].seconds * 1e-9);
    }
}

TEST(every_grid_and_width_is_considered)
{
    hyb_model_rates_t rates = rates_of(1e9, 1e9);
    xhpl_job_t job = job_of(&rates, 6, 8e6);
    int count = xhpl_choices_make(&job, MOST, found), seen = 0;

    for (int p = 1; p <= 6; p++)
        for (int nb = 100; nb <= 200; nb += 100)
            for (int i = 0; i < count; i++)
                if (found[i].test.nprow == p && found[i].test.nb == nb) {
                    seen++;
                    break;
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
    hyb_model_rates_t rates = rates_of(1e9, 1e9);
    xhpl_job_t job;

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        int n = of[i].processes, count;

        assert_int_equal(xhpl_choices_rows(n), of[i].rows);
        assert_int_equal(xhpl_choices_are_flat(n), of[i].flat);
        job = job_of(&rates, n, 8e8);
        count = xhpl_choices_make(&job, MOST, found);
        assert_true(count > 0);
        for (int c = 0; n > 64 && of[i].flat && c < count; c++)
            assert_true(found[c].test.nprow == of[i].rows ||
                        found[c].test.npcol == of[i].rows);
        for (int c = 0; n > 64 && !of[i].flat && c < count; c++)
            assert_true(found[c].test.nprow <= 16 * found[c].test.npcol &&
                        found[c].test.npcol <= 16 * found[c].test.nprow);
    }
}

TEST(where_rows_are_slow_to_exchange_grids_are_flat)
{
    hyb_model_rates_t slow_columns = rates_of(1e10, 1e7);
    hyb_model_rates_t slow_rows = rates_of(1e7, 1e10);
    xhpl_job_t job = job_of(&slow_columns, 4, 8e6);

    assert_true(xhpl_choices_make(&job, MOST, found) > 0);
    assert_int_equal(found[0].test.nprow, 1);
    job.rates = &slow_rows;
    assert_true(xhpl_choices_make(&job, MOST, found) > 0);
    assert_true(found[0].test.nprow > 1);
}

TEST(a_variant_that_changes_nothing_is_left_out)
{
    hyb_model_rates_t rates = rates_of(0, 0); /* messages are free */
    xhpl_job_t job = job_of(&rates, 2, 8e6);
    int count = xhpl_choices_make(&job, MOST, found);

    for (int i = 0; i < count; i++)
        assert_int_equal(found[i].bcast, 1);
}

TEST(no_more_are_given_than_there_is_room_for)
{
    hyb_model_rates_t rates = rates_of(1e9, 1e9);
    xhpl_job_t job = job_of(&rates, 4, 8e6);
    double best;

    xhpl_choices_make(&job, MOST, found);
    best = found[0].gflops;
    assert_int_equal(xhpl_choices_make(&job, 2, found), 2);
    assert_true(found[0].gflops == best);
}

TEST_MAIN()
