/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include "hybrid/device/product.h"
#include "testing/unit/unit.h"

enum { COLS = 4, ROWS = 3, TILES = ROWS * COLS, TAKERS = 4, RETURNS = 500 };

static hyb_product_t product;
static const xh_gemm_t gemm = {.alpha = 1.0};
static const atomic_bool never = false, at_once = true;

/* The tile that a device, now or after a wait, or a host thread gets, or -1. */
static int64_t next(void)
{
    hyb_tile_t tile;

    return hyb_product_await(&product, &at_once, &tile) ? tile.index : -1;
}

static int64_t awaited(void)
{
    hyb_tile_t tile;

    return hyb_product_await(&product, &never, &tile) ? tile.index : -1;
}

static int64_t taken(int64_t keep)
{
    hyb_tile_t tile;

    return hyb_product_take(&product, keep, &tile) ? tile.index : -1;
}

static int64_t returned(void)
{
    hyb_tile_t tile;

    return hyb_product_take_returned(&product, &tile) ? tile.index : -1;
}

/* A device works on it; no column is ready. */
static int open_unreleased(void **state)
{
    const hyb_tiling_request_t request = {ROWS, COLS, 1, 1 << 20, 1, 1, 1};
    hyb_tiling_t tiling;

    (void)state;
    if (hyb_tiling_plan(&request, &tiling) != XH_OK ||
        hyb_product_init(&product, &gemm, &tiling) != XH_OK)
        return 1;
    hyb_product_join(&product);
    return 0;
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

#define TEST_RELEASED(name) TEST_WITH(name, open_released, close_product)

TEST_RELEASED(tiles_given_back_come_first)
{
    assert_int_equal(next(), 0);
    assert_int_equal(next(), 1);
    hyb_product_return(&product, 0, false);
    assert_int_equal(next(), 0);
    assert_int_equal(next(), 2);
    hyb_product_return(&product, 1, false);
    assert_int_equal(returned(), 1);
    assert_int_equal(returned(), -1);
}

/* Take tiles and give each back until RETURNS are; then keep them. */
static void *take_and_return(void *argument)
{
    int64_t tile, *kept = argument;
    int returns = 0;

    *kept = 0;
    while ((tile = next()) >= 0)
        if (returns++ < RETURNS)
            hyb_product_return(&product, tile, false);
        else
            *kept += tile;
    return NULL;
}

TEST_RELEASED(each_tile_is_given_out_once)
{
    pthread_t thread[TAKERS];
    int64_t kept[TAKERS], sum = 0;

    for (int i = 0; i < TAKERS; i++)
        assert_int_equal(
            pthread_create(&thread[i], NULL, take_and_return, &kept[i]), 0);
    for (int i = 0; i < TAKERS; i++) {
        pthread_join(thread[i], NULL);
        sum += kept[i];
    }
    assert_int_equal(sum, TILES * (TILES - 1) / 2);
    assert_int_equal(next(), -1);
}

/* ---- columns that become ready ------------------------------------------- */

#define TEST_SET_UP(name) TEST_WITH(name, open_unreleased, close_product)

TEST_SET_UP(given_back_tiles_are_taken_first_whatever_is_kept)
{
    hyb_product_release(&product, 1);
    assert_int_equal(next(), 0);
    hyb_product_return(&product, 0, false);
    assert_int_equal(taken(TILES), 0);
    assert_int_equal(taken(TILES), -1);
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
    assert_int_equal(next(), -1);
    assert_int_equal(taken(0), -1);
}

static void *await(void *tile)
{
    *(int64_t *)tile = awaited();
    return NULL;
}

/* Of the tiles of one column, one is given back and one is the host's. */
TEST_SET_UP(who_awaits_a_tile_gets_what_is_given_back)
{
    int64_t tile = -7;
    pthread_t thread;

    hyb_product_release(&product, 1);
    while (next() >= 0)
        ;
    assert_int_equal(pthread_create(&thread, NULL, await, &tile), 0);
    hyb_product_complete(&product, 0, 1);
    hyb_product_return(&product, 2, false);
    pthread_join(thread, NULL);
    assert_int_equal(tile, 2);
}

/* ---- ends ---------------------------------------------------------------- */

TEST_RELEASED(when_all_is_complete_nobody_waits)
{
    for (int64_t tile = 0; tile < TILES; tile++) {
        assert_false(hyb_product_done(&product));
        if (tile % 2 == 0) {
            assert_int_equal(next(), tile / 2);
            hyb_product_complete(&product, tile / 2, 5);
        } else {
            assert_int_equal(taken(0), TILES - 1 - tile / 2);
            hyb_product_complete(&product, TILES - 1 - tile / 2, 0);
        }
    }
    assert_true(hyb_product_done(&product));
    assert_true(hyb_product_idle(&product));
    assert_int_equal(awaited(), -1);
    hyb_product_wait(&product);
    assert_int_equal(product.owner[0], 5);
    assert_int_equal(product.owner[TILES - 1], 0);
}

TEST_SET_UP(a_product_that_ends_gives_what_it_can)
{
    hyb_product_release(&product, 1);
    hyb_product_end(&product);
    for (int64_t tile = 0; tile < ROWS; tile++)
        assert_int_equal(awaited(), tile);
    for (int64_t tile = 0; tile < ROWS; tile++)
        hyb_product_complete(&product, tile, 1);
    assert_int_equal(awaited(), -1);
    assert_false(hyb_product_done(&product));
}

/* Idle: no tile can be given back any more. */
TEST_RELEASED(devices_are_idle_without_a_tile_to_have)
{
    for (int64_t tile = 0; tile < TILES; tile++) {
        assert_false(hyb_product_idle(&product));
        assert_int_equal(next(), tile);
    }
    for (int64_t tile = 1; tile < TILES; tile++)
        hyb_product_complete(&product, tile, 1);
    assert_false(hyb_product_idle(&product));
    hyb_product_return(&product, 0, false);
    assert_false(hyb_product_idle(&product));
    hyb_product_wait(&product);
    assert_int_equal(returned(), 0);
    assert_true(hyb_product_idle(&product));
    hyb_product_wait(&product);
}

/* All else can be completed, and nobody waits for it. */
TEST_RELEASED(a_lost_tile_leaves_a_product_that_is_never_done)
{
    int64_t tile;

    assert_int_equal(next(), 0);
    assert_false(hyb_product_lost(&product));
    hyb_product_return(&product, 0, true);
    assert_true(hyb_product_lost(&product));
    while ((tile = next()) >= 0)
        hyb_product_complete(&product, tile, 1);
    assert_true(hyb_product_idle(&product));
    hyb_product_wait(&product);
    assert_int_equal(returned(), -1);
    assert_false(hyb_product_done(&product));
}

TEST_MAIN()
