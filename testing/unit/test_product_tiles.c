/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include "hybrid/device/product.h"
#include "testing/unit/unit.h"

enum { COLS = 4, ROWS = 3, TILES = ROWS * COLS, TAKERS = 4 };

static hyb_product_t product;
static const xh_gemm_t gemm = {.alpha = 1.0};

/* The tile that a device or a host thread gets, or -1. */
static int64_t awaited(void)
{
    hyb_tile_t tile;

    return hyb_product_await(&product, &tile) ? tile.index : -1;
}

static int64_t taken(int64_t keep)
{
    hyb_tile_t tile;

    return hyb_product_take(&product, keep, &tile) ? tile.index : -1;
}

/* No column is ready. */
static int open_unreleased(void **state)
{
    const hyb_tiling_request_t request = {ROWS, COLS, 1, 1 << 20, 1, 1, 1};
    hyb_tiling_t tiling;

    (void)state;
    return hyb_tiling_plan(&request, &tiling) != XH_OK ||
           hyb_product_init(&product, &gemm, &tiling) != XH_OK;
}

static int open_released(void **state)
{
    int failed = open_unreleased(state);

    if (!failed)
        hyb_product_release(&product, COLS);
    return failed;
}

UNIT_STEP(close_product)
{
    hyb_product_destroy(&product);
}

#define TEST_SET_UP(name) TEST_WITH(name, open_unreleased, close_product)
#define TEST_RELEASED(name) TEST_WITH(name, open_released, close_product)

/* The sum of the tiles that a device gets. */
static void *await_all(void *sum)
{
    int64_t tile;

    *(int64_t *)sum = 0;
    while ((tile = awaited()) >= 0)
        *(int64_t *)sum += tile;
    return NULL;
}

/* Start TAKERS devices; end: they have left, and have tiles of sum. */
static void begin_all(pthread_t thread[TAKERS], int64_t sum[TAKERS])
{
    for (int i = 0; i < TAKERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, await_all, &sum[i]),
                         0);
}

static int64_t end_all(pthread_t thread[TAKERS], const int64_t sum[TAKERS])
{
    int64_t all = 0;

    for (int i = 0; i < TAKERS; i++) {
        pthread_join(thread[i], NULL);
        all += sum[i];
    }
    return all;
}

TEST_SET_UP(each_tile_is_given_out_once)
{
    pthread_t thread[TAKERS];
    int64_t sum[TAKERS], all = 0, tile;

    begin_all(thread, sum);
    for (int64_t cols = 1; cols <= COLS; cols++)
        hyb_product_release(&product, cols);
    while ((tile = taken(0)) >= 0)
        all += tile;
    all += end_all(thread, sum);
    assert_int_equal(all, TILES * (TILES - 1) / 2);
    assert_int_equal(awaited(), -1);
}

/* Of the end, released or not, as many as are left. */
TEST_SET_UP(the_last_tiles_can_be_taken_at_once)
{
    int64_t first = -1;

    assert_int_equal(hyb_product_take_last(&product, 0, &first), 0);
    assert_int_equal(hyb_product_take_last(&product, 2, &first), 2);
    assert_int_equal(first, TILES - 2);
    assert_int_equal(hyb_product_remaining(&product), TILES - 2);
    assert_int_equal(hyb_product_take_last(&product, TILES, &first), TILES - 2);
    assert_int_equal(first, 0);
    assert_int_equal(hyb_product_take_last(&product, 1, &first), 0);
    hyb_product_release(&product, COLS);
    assert_int_equal(awaited(), -1);
    assert_int_equal(taken(0), -1);
}

/* ---- ends ---------------------------------------------------------------- */

TEST_RELEASED(when_all_is_complete_nobody_waits)
{
    for (int64_t tile = 0; tile < TILES; tile++) {
        assert_false(hyb_product_done(&product));
        if (tile % 2 == 0) {
            assert_int_equal(awaited(), tile / 2);
            hyb_product_complete(&product, tile / 2, 5);
        } else {
            assert_int_equal(taken(0), TILES - 1 - tile / 2);
            hyb_product_complete(&product, TILES - 1 - tile / 2, 0);
        }
    }
    assert_true(hyb_product_done(&product));
    assert_int_equal(awaited(), -1);
    assert_int_equal(product.owner[0], 5);
    assert_int_equal(product.owner[TILES - 1], 0);
}

/* Devices wait for columns that are not ready. */
TEST_SET_UP(devices_leave_when_the_host_takes_what_is_left)
{
    pthread_t thread[TAKERS];
    int64_t sum[TAKERS], first;

    begin_all(thread, sum);
    hyb_product_take_last(&product, TILES, &first);
    assert_int_equal(end_all(thread, sum), 0);
}

TEST_SET_UP(devices_leave_a_product_that_is_lost)
{
    pthread_t thread[TAKERS];
    int64_t sum[TAKERS];

    begin_all(thread, sum);
    assert_int_equal(hyb_product_lost(&product), -1);
    hyb_product_lose(&product, 2);
    assert_int_equal(hyb_product_lost(&product), 1);
    assert_int_equal(end_all(thread, sum), 0);
    hyb_product_release(&product, COLS);
    assert_int_equal(awaited(), -1);
    assert_false(hyb_product_done(&product));
}

TEST_MAIN()
