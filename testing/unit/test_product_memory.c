/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/product.h"
#include "testing/unit/capture.h"
#include "testing/unit/node_fixture.h"
#include "testing/unit/unit.h"

/* Memory for tiles, which is there before the first product begins. */

enum { M = 46, N = 40, K = 10, TILE = 8, SETTINGS = 8 };

static hyb_machine_t *open_with(const char *fault, const char *more)
{
    const char *const settings[] = {"devices=emu:2", "tile=8", fault, more,
                                    NULL};

    return node_open(1, settings, SETTINGS);
}

/* All tiles of an m x n product by the devices; is it right? */
static bool computes(hyb_machine_t *node, int64_t m, int64_t n)
{
    const shape_t any = {m, n, K, XH_NO_TRANS, XH_NO_TRANS, -1.0, 1.0, 2};
    problem_t problem = problem_create(any, false);
    hyb_product_t *product;
    xh_status_t status;
    bool right;

    assert_ok(hyb_product_begin(node, &problem.product, NULL, &product));
    hyb_product_release(product, n);
    while (!hyb_product_done(product) && !hyb_product_idle(product))
        hyb_product_wait(product);
    status = hyb_product_finish(product, NULL);
    right = status == XH_OK && problem_wrong(&problem) == 0;
    problem_destroy(&problem);
    return right;
}

/* The second request for memory would fail, on either side of the link. */
TEST(smaller_products_need_no_more)
{
    static const char *const faults[] = {"emu_fault=oom@alloc:2",
                                         "emu_fault=oom@pin:2"};

    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        hyb_machine_t *node = open_with(faults[i], NULL);

        hyb_product_reserve(node, M, N, K);
        for (int64_t m = 1; m <= M; m += 5)
            for (int64_t n = 1; n <= N; n += 3)
                assert_true(computes(node, m, n));
        assert_int_equal(hyb_machine_working_devices(node), 2);
        hyb_machine_close(node);
    }
}

/* Memory is refused once: tiles become smaller, and no device is lost. */
TEST(where_memory_is_refused_tiles_become_smaller)
{
    static const char *const faults[] = {"emu_fault=1:oom@alloc:1",
                                         "emu_fault=oom@alloc:1"};
    hyb_machine_t *node;
    const char *said;

    for (size_t i = 0; i < 4; i++) {
        node = open_with(faults[i / 2], NULL);
        capture_begin();
        if (i % 2 == 0)
            hyb_product_reserve(node, M, N, K);
        assert_true(computes(node, M, N));
        said = capture_end(NULL);
        assert_in(said, "device 1 lacks");
        assert_null(strstr(said, "dropped"));
        assert_int_equal(hyb_machine_working_devices(node), 2);
        hyb_machine_close(node);
    }
}

TEST(memory_that_was_refused_once_is_asked_for_again)
{
    hyb_machine_t *node = open_with("emu_fault=1:oom@alloc:1", NULL);
    uint64_t before = hyb_product_bytes(node, M, N, K);
    const char *said;

    said = heard(hyb_product_reserve(node, M, N, K));
    assert_in(said, "device 1 lacks");
    assert_true(hyb_product_bytes(node, M, N, K) < before);
    said = heard(hyb_product_reserve(node, M, N, K));
    assert_string_equal(said, "");
    assert_true(hyb_product_bytes(node, M, N, K) == before);
    assert_true(computes(node, M, N));
    hyb_machine_close(node);
}

/* Refused again and again, until tiles would be tiny. */
TEST(a_device_without_any_memory_is_dropped)
{
    hyb_machine_t *node =
        open_with("emu_fault=1:oom@alloc:1,1:oom@alloc:2,1:oom@alloc:3,"
                  "1:oom@alloc:4,1:oom@alloc:5",
                  NULL);
    const char *said;

    said = heard(hyb_product_reserve(node, M, N, K));
    assert_in(said, "device 1 is dropped");
    assert_null(strstr(said, "device 0 is dropped"));
    assert_int_equal(hyb_machine_working_devices(node), 1);
    assert_true(computes(node, M, N));
    hyb_machine_close(node);
}

/* Tiles are longer by half at most, where the last one is merged. */
TEST(bytes_are_those_of_the_longest_tiles)
{
    const uint64_t tile = (TILE + TILE / 2) * (TILE + TILE / 2);
    hyb_machine_t *node = open_with("pipeline=4", NULL);

    assert_int_equal(hyb_product_bytes(node, M, N, K),
                     2 * 4 * tile * sizeof(double));
    assert_int_equal(hyb_product_bytes(node, 9, 5, K),
                     2 * 4 * 9 * 5 * sizeof(double));
    assert_int_equal(hyb_product_bytes(node, 0, 5, K), 0);
    hyb_machine_close(node);
}

TEST(tiles_that_do_not_return_by_the_host_take_nothing)
{
    static const char *const ways[] = {"tile_return=direct", "emu_dry=on"};

    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        hyb_machine_t *node = open_with(ways[i], "emu_rate=10");

        assert_int_equal(hyb_product_bytes(node, M, N, K), 0);
        hyb_machine_close(node);
    }
}

TEST_MAIN()
