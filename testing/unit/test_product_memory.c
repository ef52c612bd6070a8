/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/product.h"
#include "testing/unit/capture.h"
#include "testing/unit/node_fixture.h"
#include "testing/unit/unit.h"

/* Memory for tiles, which is there before the first product begins. */

enum { M = 46, N = 40, K = 10, SETTINGS = 8 };

static hyb_machine_t *open_with(const char *fault)
{
    const char *const settings[] = {"devices=emu:2", "tile=8", fault, NULL};

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
    status = hyb_product_finish(product, NULL);
    right = status == XH_OK && problem_wrong(&problem) == 0;
    problem_destroy(&problem);
    return right;
}

/* The second request for memory would fail. */
TEST(smaller_products_need_no_more)
{
    hyb_machine_t *node = open_with("emu_fault=oom@alloc:2");

    hyb_product_reserve(node, M, N, K);
    for (int64_t m = 1; m <= M; m += 5)
        for (int64_t n = 1; n <= N; n += 3)
            assert_true(computes(node, m, n));
    assert_int_equal(hyb_machine_working_devices(node), 2);
    hyb_machine_close(node);
}

/* Memory is refused once: tiles become smaller, and no device is lost. */
TEST(where_memory_is_refused_tiles_become_smaller)
{
    static const char *const faults[] = {"emu_fault=1:oom@alloc:1",
                                         "emu_fault=oom@alloc:1"};
    hyb_machine_t *node;
    const char *said;

    for (size_t i = 0; i < 4; i++) {
        node = open_with(faults[i / 2]);
        capture_begin();
        if (i % 2 == 0)
            hyb_product_reserve(node, M, N, K);
        assert_true(computes(node, M, N));
        said = capture_end(NULL);
        assert_in(said, "device 1 lacks");
        assert_null(strstr(said, "given up"));
        assert_int_equal(hyb_machine_working_devices(node), 2);
        hyb_machine_close(node);
    }
}

TEST(memory_that_was_refused_once_is_asked_for_again)
{
    hyb_machine_t *node = open_with("emu_fault=1:oom@alloc:1");
    problem_t problem = problem_create(
        (shape_t){M, N, K, XH_NO_TRANS, XH_NO_TRANS, -1.0, 1.0, 2}, false);
    hyb_product_t *product;
    const char *said;
    uint64_t less;

    said = heard(hyb_product_reserve(node, M, N, K));
    assert_in(said, "device 1 lacks");
    assert_ok(hyb_product_begin(node, &problem.product, NULL, &product));
    less = hyb_tiling_memory(&product->tiling);
    hyb_product_release(product, N);
    assert_ok(hyb_product_finish(product, NULL));
    said = heard(hyb_product_reserve(node, M, N, K));
    assert_string_equal(said, "");
    assert_ok(hyb_product_begin(node, &problem.product, NULL, &product));
    assert_true(hyb_tiling_memory(&product->tiling) > less);
    hyb_product_release(product, N);
    assert_ok(hyb_product_finish(product, NULL));
    problem_destroy(&problem);
    hyb_machine_close(node);
}

/* Refused again and again, until tiles would be tiny. */
static const char *const never = "emu_fault=1:oom@alloc:1,1:oom@alloc:2,"
                                 "1:oom@alloc:3,1:oom@alloc:4,1:oom@alloc:5";

TEST(a_device_without_any_memory_is_given_up)
{
    hyb_machine_t *node = open_with(never);
    const char *said;

    said = heard(hyb_product_reserve(node, M, N, K));
    assert_in(said, "emu device 1 is given up: it ran out of memory");
    assert_null(strstr(said, "device 0"));
    assert_int_equal(hyb_machine_working_devices(node), 1);
    assert_true(computes(node, M, N));
    hyb_machine_close(node);
}

TEST(a_product_whose_device_gets_no_memory_does_not_begin)
{
    hyb_machine_t *node = open_with(never);
    problem_t problem = problem_create(
        (shape_t){M, N, K, XH_NO_TRANS, XH_NO_TRANS, -1.0, 1.0, 2}, false);
    hyb_product_t *product;
    xh_status_t status;

    unheard(status = hyb_product_begin(node, &problem.product, NULL, &product));
    assert_int_equal(status, XH_ERR_DEVICE);
    assert_int_equal(hyb_machine_working_devices(node), 1);
    problem_destroy(&problem);
    assert_true(computes(node, M, N));
    hyb_machine_close(node);
}

TEST_MAIN()
