/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/offload.h"
#include "testing/unit/capture.h"
#include "testing/unit/node_fixture.h"
#include "testing/unit/unit.h"

/*
 * Memory for tiles before the first product: how much, that it is not asked for
 * again, and what becomes of a device that has not as much.
 */

enum { SETTINGS = 8, TILE = 8, SLOTS = 4, M = 46, N = 40, K = 10 };

static hyb_machine_t *open_with(const char *fault, const char *more)
{
    const char *const settings[] = {"devices=emu:2", "tile=8", fault, more,
                                    NULL};

    return node_open(1, settings, SETTINGS);
}

/* All tiles of an m x n product by the devices; is it right? */
static bool computes(hyb_machine_t *node, int64_t m, int64_t n)
{
    const shape_t shape = {m, n, K, XH_NO_TRANS, XH_NO_TRANS, -1.0, 1.0, 2};
    problem_t problem = problem_create(shape, false);
    hyb_offload_t *offload;
    xh_status_t status;
    bool right;

    assert_ok(hyb_offload_begin(node, &problem.product, &offload));
    hyb_offload_release(offload, n);
    while (!hyb_offload_done(offload) && !hyb_offload_devices_idle(offload))
        hyb_offload_wait(offload);
    status = hyb_offload_finish(offload, NULL);
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

        hyb_offload_reserve(node, M, N, K);
        for (int64_t m = 1; m <= M; m += 5)
            for (int64_t n = 1; n <= N; n += 3)
                assert_true(computes(node, m, n));
        assert_int_equal(hyb_machine_working_devices(node), 2);
        hyb_machine_close(node);
    }
}

TEST(a_device_that_has_not_as_much_is_dropped)
{
    hyb_machine_t *node = open_with("emu_fault=1:oom@alloc:1", NULL);
    const char *said;

    capture_begin();
    hyb_offload_reserve(node, M, N, K);
    said = capture_end(NULL);
    assert_non_null(strstr(said, "device 1 is dropped"));
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

    assert_int_equal(hyb_offload_bytes(node, M, N, K),
                     2 * SLOTS * tile * sizeof(double));
    assert_int_equal(hyb_offload_bytes(node, 9, 5, K),
                     2 * SLOTS * 9 * 5 * sizeof(double));
    assert_int_equal(hyb_offload_bytes(node, 0, 5, K), 0);
    hyb_machine_close(node);
}

TEST(tiles_that_do_not_return_by_the_host_take_nothing)
{
    static const char *const ways[] = {"direct=on", "emu_dry=on"};

    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        hyb_machine_t *node = open_with(ways[i], "emu_rate=10");

        assert_int_equal(hyb_offload_bytes(node, M, N, K), 0);
        hyb_machine_close(node);
    }
}

TEST_MAIN()
