/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/tiling.h"

#include <math.h>
#include "testing/unit/unit.h"

/*
 * A device of rate flop/s, half of it with tiles of 1000, behind a link of
 * so many bytes/s each way.
 */
static hyb_rate_table_t device(double rate, double link)
{
    hyb_rate_table_t table = {.link_rate = link};

    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++)
            table.rate[d][s] = rate * (double)hyb_rate_size(s) /
                               (double)(hyb_rate_size(s) + 1000);
    return table;
}

static const double h100 = 6e13, pcie5 = 5e10;

/* Like an H100. */
static hyb_tile_model_t square(int64_t order, int64_t k)
{
    return (hyb_tile_model_t){
        .m = order, .n = order, .k = k, .executors = 1, .slots = 4};
}

static int64_t best(const hyb_tile_model_t *model,
                    const hyb_rate_table_t *rates)
{
    return hyb_tile_model_best(model, rates, 1000);
}

/* The part of its rate that the link reaches in an update of C. */
static double link_use(const hyb_tile_model_t *model,
                       const hyb_rate_table_t *rates, int64_t size)
{
    double bytes = 8.0 * (double)model->m * (double)model->n;

    return bytes / rates->link_rate /
           hyb_tile_model_seconds(model, rates, size);
}

/* What calls cost is part of the model: without it the smallest tiles would be
 * best, as the link sets the pace of all. */
TEST(a_gpu_on_a_link_gets_tiles_that_hide_their_calls)
{
    hyb_rate_table_t rates = device(h100, pcie5);
    hyb_tile_model_t model = square(65536, 512);

    assert_in_range(best(&model, &rates), 2048, 4096);
    assert_true(link_use(&model, &rates, best(&model, &rates)) > 0.9);
    assert_true(link_use(&model, &rates, 512) < 0.5);
}

/* A tile's way takes twice as long as its slowest stage. */
TEST(one_tile_in_flight_waits_for_its_whole_way)
{
    hyb_rate_table_t rates = device(1e18, pcie5);
    hyb_tile_model_t model = square(65536, 512);
    double many = hyb_tile_model_seconds(&model, &rates, 4096), one;

    model.slots = 1;
    one = hyb_tile_model_seconds(&model, &rates, 4096);
    assert_true(one > 1.8 * many && one < 2.2 * many);
}

/* With an unknown link one product of a tile is not hidden, and no more. */
TEST(without_a_link_the_products_count)
{
    hyb_rate_table_t rates = device(h100, 0.0);
    hyb_tile_model_t model = square(16384, 512);

    assert_true(fabs(hyb_tile_model_seconds(&model, &rates, 1024) -
                     257 * 2.0 * 1024 * 1024 * 512 * 2024 / 1024 / h100) <
                1e-12);
    model.m = model.n = 100000;
    assert_int_equal(best(&model, &rates), 8192);
}

TEST(a_large_product_gets_larger_tiles_than_a_small_one)
{
    hyb_rate_table_t rates = device(h100, pcie5);
    hyb_tile_model_t small = square(4096, 2048), large = square(100000, 2048);

    assert_true(best(&small, &rates) < best(&large, &rates));
}

/* Four tiles would leave four of eight devices idle. */
TEST(more_devices_get_smaller_tiles)
{
    hyb_rate_table_t rates = device(h100, pcie5);
    hyb_tile_model_t model = square(8192, 32768);

    model.executors = 8;
    assert_in_range(best(&model, &rates), 512, 2048);
    model.k = 262144;
    assert_in_range(best(&model, &rates), 512, 2048);
}

TEST(the_best_size_is_that_of_least_time)
{
    hyb_rate_table_t rates = device(h100, pcie5);
    int64_t found = 0;

    for (int64_t m = 8192; m <= 200000; m += 1111) {
        hyb_tile_model_t model = square(m, 1024);
        double least = INFINITY;

        for (int64_t size = 512; size <= 8192; size *= 2) {
            double time = hyb_tile_model_seconds(&model, &rates, size);

            found = time < least ? size : found;
            least = fmin(time, least);
        }
        assert_int_equal(best(&model, &rates), found);
    }
}

TEST(a_tile_is_no_longer_than_the_product)
{
    hyb_rate_table_t rates = device(h100, pcie5), empty = {0};
    hyb_tile_model_t model = square(70, 512);

    model.m = 50;
    assert_in_range(best(&model, &rates), 1, 70);
    assert_int_equal(best(&model, &empty), 70);
    model.m = 5000;
    assert_int_equal(best(&model, &empty), 1000);
}
