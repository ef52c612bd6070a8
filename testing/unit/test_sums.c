/* SPDX-License-Identifier: BSD-3-Clause */
/* What the online check consists of: sums, bounds, location. */
#include "testing/unit/unit.h"

#include <math.h>
#include "hybrid/lu/verify/sums.h"
#include "testing/unit/framed.h"
#include "testing/unit/kernels.h"

enum { ROWS = 1300, NB = 13 };

static double a[ROWS], weight[ROWS + HYB_KERNEL_MOST_ROWS];

static void draw(void)
{
    for (int i = 0; i < ROWS + HYB_KERNEL_MOST_ROWS; i++)
        weight[i] = 1.0 + (double)i / ROWS;
    for (int i = 0; i < ROWS; i++)
        a[i] = framed_drawn();
}

static hyb_check_sums_t textbook(int rows)
{
    hyb_check_sums_t sum = {0.0, 0.0, 0.0};

    for (int i = 0; i < rows; i++) {
        sum.plain += a[i];
        sum.weighted += weight[i] * a[i];
        sum.squares += a[i] * a[i];
    }
    return sum;
}

static void assert_close(double got, double want)
{
    assert_true(fabs(got - want) <= 1e-11);
}

TEST_EVERY_KERNEL(a_column_is_summed)
{
    static const int rows[] = {0, 1, 7, 8, 512, 513, ROWS};

    draw();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        hyb_check_sums_t want = textbook(rows[i]), got;

        kernel->sum_column(a, weight, rows[i], &got);
        assert_close(got.plain, want.plain);
        assert_close(got.weighted, want.weighted);
        assert_close(got.squares, want.squares);
    }
}

TEST_EVERY_KERNEL(a_tile_is_summed_into_lanes)
{
    double lanes[2 * HYB_CHECK_LANES * 2] = {0.0}, plain = 0.0, weighted = 0.0;
    double squares;

    draw();
    squares = kernel->sum_tile(2, a, weight, lanes);
    for (int l = 0; l < HYB_CHECK_LANES; l++) {
        plain += lanes[2 * HYB_CHECK_LANES + l];
        weighted += lanes[3 * HYB_CHECK_LANES + l];
    }
    for (int i = 0; i < kernel->rows; i++) {
        plain -= a[kernel->rows + i];
        weighted -= weight[i] * a[kernel->rows + i];
    }
    assert_close(plain, 0.0);
    assert_close(weighted, 0.0);
    assert_close(squares, textbook(2 * kernel->rows).squares);
}

TEST_EVERY_KERNEL(u_is_multiplied_by_sums_of_l)
{
    hyb_check_sums_t got[HYB_KERNEL_MOST_COLS];

    draw();
    kernel->sum_u(NB, weight, weight + NB, a, got);
    for (int j = 0; j < kernel->cols; j++) {
        for (int p = 0; p < NB; p++) {
            double u = a[p * kernel->cols + j];

            got[j].plain -= weight[p] * u;
            got[j].weighted -= weight[NB + p] * u;
            got[j].squares -= u * u;
        }
        assert_close(got[j].plain, 0.0);
        assert_close(got[j].weighted, 0.0);
        assert_close(got[j].squares, 0.0);
    }
}

TEST_EVERY_KERNEL(exact_sums_are_those_of_any_pieces)
{
    uint64_t all, column[HYB_KERNEL_MOST_COLS], stored = 0;

    draw();
    all = kernel->sum_words(a, ROWS, 5);
    assert_true(all == kernel->sum_words(a, 333, 5) +
                           kernel->sum_words(a + 333, ROWS - 333, 338));
    a[700] = nextafter(a[700], 2.0);
    assert_true(all != kernel->sum_words(a, ROWS, 5));
    kernel->sum_u_words(NB, a, 40, column);
    for (int p = 0; p < NB; p++)
        stored += hyb_check_word(-a[p * kernel->cols + 1], 40 + (uint32_t)p);
    assert_true(column[1] == stored);
}

TEST_EVERY_KERNEL(rows_that_travel_have_the_sums_of_their_columns)
{
    enum { LD = 23, ROW = 6 }; /* not a whole number of vectors */
    double plain[LD] = {0.0}, weighted[LD] = {0.0};
    uint64_t words[LD] = {0};
    const hyb_check_rows_t sums = {plain, weighted, words};

    draw();
    kernel->sum_rows(10, LD - 2, a, LD, weight, ROW, &sums);
    kernel->sum_rows(7, LD - 2, a + 10 * LD, LD, weight + 10, ROW + 10, &sums);
    for (int j = 0; j < LD - 2; j++) {
        for (int k = 0; k < 17; k++) {
            plain[j] -= a[k * LD + j];
            weighted[j] -= weight[k] * a[k * LD + j];
            words[j] -= hyb_check_word(a[k * LD + j], ROW + (uint32_t)k);
        }
        assert_close(plain[j], 0.0);
        assert_close(weighted[j], 0.0);
        assert_true(words[j] == 0);
    }
    assert_true(plain[LD - 1] == 0.0 && words[LD - 2] == 0);
}

/* Of a column that is rounded, and of one with an element that is wrong. */
TEST(a_wrong_element_is_beyond_the_bound_and_its_row_is_told)
{
    hyb_check_sums_t before, after;
    const hyb_kernel_t *kernel = widest_kernel();
    double bound;

    draw();
    kernel->sum_column(a, weight, ROWS, &before);
    bound = hyb_noise_bound(2.0 * hyb_noise_sum(ROWS, before.squares));
    assert_true(fabs(before.plain - textbook(ROWS).plain) <= bound);
    assert_true(bound < 1e-11);
    a[777] += 1e-3;
    kernel->sum_column(a, weight, ROWS, &after);
    assert_true(after.plain - before.plain > bound);
    assert_int_equal(hyb_sums_row(weight, ROWS, after.plain - before.plain,
                                  after.weighted - before.weighted, bound),
                     777);
    a[20] += 3e-3;
    kernel->sum_column(a, weight, ROWS, &after);
    assert_int_equal(hyb_sums_row(weight, ROWS, after.plain - before.plain,
                                  after.weighted - before.weighted, bound),
                     -1);
}

TEST(bits_that_change_change_the_sum_of_a_message)
{
    uint64_t sum;

    draw();
    sum = hyb_sums_bits(a, ROWS);
    a[1] = -a[1];
    assert_true(sum != hyb_sums_bits(a, ROWS));
    a[2] = -a[2];
    assert_true(sum != hyb_sums_bits(a, ROWS));
}

TEST_MAIN()
