/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include <pthread.h>
#include "hybrid/device/product.h"
#include "testing/unit/unit.h"

enum { COLS = 4, ROWS = 3, TILES = ROWS * COLS, TAKERS = 4 };

static hyb_product_t product;
static const xh_gemm_t gemm = {.alpha = 1.0};

/* The tile that a device gets, or -1. */
static int64_t first_of(int device)
{
    hyb_tile_t tile;

    return hyb_product_take_first(&product, device + 1, &tile) ? tile.index
                                                               : -1;
}

static int open_product(void **state)
{
    const hyb_tiling_request_t request = {ROWS, COLS, 1, 1 << 20, 1, 1, 1};
    hyb_tiling_t tiling;

    (void)state;
    return hyb_tiling_plan(&request, &tiling) != XH_OK ||
           hyb_product_init(&product, &gemm, &tiling) != XH_OK;
}

UNIT_STEP(close_product)
{
    hyb_product_destroy(&product);
}

#define TEST_SET_UP(name) TEST_WITH(name, open_product, close_product)

/* The sum of the tiles that a device gets. */
static void *take_all(void *sum)
{
    int64_t tile;

    *(int64_t *)sum = 0;
    while ((tile = first_of(0)) >= 0)
        *(int64_t *)sum += tile;
    return NULL;
}

TEST_SET_UP(each_tile_is_given_out_once)
{
    pthread_t thread[TAKERS];
    int64_t sum[TAKERS], all = 0, tile;

    for (int i = 0; i < TAKERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_all, &sum[i]),
                         0);
    while (hyb_product_take_last(&product, 1, &tile) == 1)
        all += tile;
    for (int i = 0; i < TAKERS; i++) {
        pthread_join(thread[i], NULL);
        all += sum[i];
    }
    assert_int_equal(all, TILES * (TILES - 1) / 2);
    assert_int_equal(first_of(0), -1);
}

TEST_SET_UP(devices_take_from_the_front_and_the_host_from_the_back)
{
    int64_t first;

    for (int i = 0; i < TILES / 2; i++) {
        assert_int_equal(first_of(i), i);
        assert_int_equal(hyb_product_take_last(&product, 1, &first), 1);
        assert_int_equal(first, TILES - 1 - i);
        assert_int_equal(hyb_product_remaining(&product), TILES - 2 * (i + 1));
    }
    assert_int_equal(first_of(0), -1);
    for (int i = 0; i < TILES / 2; i++) {
        assert_int_equal(product.owner[i], i + 1);
        assert_int_equal(product.owner[TILES / 2 + i], 0);
    }
}

TEST_SET_UP(a_lost_product_has_no_tile_for_devices)
{
    assert_int_equal(hyb_product_lost(&product), -1);
    hyb_product_lose(&product, 2);
    assert_int_equal(hyb_product_lost(&product), 1);
    assert_int_equal(first_of(0), -1);
    assert_int_equal(hyb_product_remaining(&product), TILES);
}
