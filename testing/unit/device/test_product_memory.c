/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "hybrid/device/product.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"

/* Memory for tiles, when a device has less than it says. */

enum { M = 46, N = 40, K = 10, SETTINGS = 8 };

static hyb_machine_t *open_with(const char *fault)
{
    const char *const settings[] = {"devices=emu:2", "tile=8", fault, NULL};

    return node_open(1, settings, SETTINGS);
}

/* All tiles of problem by the devices; is it right? */
static bool computes(hyb_machine_t *node, problem_t *problem)
{
    hyb_product_t *product;

    problem_restore(problem);
    assert_ok(hyb_product_begin(node, &problem->product, UINT64_MAX, &product));
    hyb_product_start(product);
    return hyb_product_finish(product, NULL) == XH_OK &&
           problem_wrong(problem) == 0;
}

static const shape_t shape = {M, N, K, XH_NO_TRANS, XH_NO_TRANS, -1.0, 1.0, 2};

/* Memory is refused once: tiles become smaller, and no device is lost. */
TEST(where_memory_is_refused_tiles_become_smaller)
{
    static const char *const faults[] = {"emu_fault=1:oom@alloc:1",
                                         "emu_fault=oom@alloc:1"};
    problem_t problem = problem_create(shape, false);
    hyb_machine_t *node;
    const char *said;
    bool right;

    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        node = open_with(faults[i]);
        said = heard(right = computes(node, &problem));
        assert_true(right);
        assert_in(said, "device 1 lacks");
        assert_null(strstr(said, "given up"));
        assert_int_equal(hyb_machine_working_devices(node), 2);
        hyb_machine_close(node);
    }
    problem_destroy(&problem);
}

/* Refused again and again, until tiles would be tiny. */
TEST(a_device_without_any_memory_is_given_up)
{
    hyb_machine_t *node =
        open_with("emu_fault=1:oom@alloc:1,1:oom@alloc:2,"
                  "1:oom@alloc:3,1:oom@alloc:4,1:oom@alloc:5");
    problem_t problem = problem_create(shape, false);
    hyb_product_t *product = NULL;
    xh_status_t status;
    const char *said;

    said = heard(status = hyb_product_begin(node, &problem.product, UINT64_MAX,
                                            &product));
    assert_int_equal(status, XH_ERR_DEVICE);
    assert_null(product);
    assert_in(said, "emu device 1 is given up: it ran out of memory");
    assert_null(strstr(said, "device 0"));
    assert_int_equal(hyb_machine_working_devices(node), 1);
    assert_true(computes(node, &problem));
    problem_destroy(&problem);
    hyb_machine_close(node);
}

TEST(memory_of_tiles_is_kept_until_it_is_freed)
{
    hyb_machine_t *node = open_with("emu_memory=1");
    uint64_t all = hyb_machine_device_info(node, 0)->memory;
    problem_t problem = problem_create(shape, false);
    hyb_device_t *device = hyb_machine_device(node, 0);
    hyb_buffer_t *buffer = NULL;

    assert_true(computes(node, &problem));
    assert_said(hyb_buffer_create(device, all, &buffer), XH_ERR_MEMORY,
                "bytes of memory are free");
    hyb_machine_free_tiles(node, 0);
    assert_ok(hyb_buffer_create(device, all, &buffer));
    hyb_buffer_destroy(buffer);
    assert_true(computes(node, &problem));
    problem_destroy(&problem);
    hyb_machine_close(node);
}
