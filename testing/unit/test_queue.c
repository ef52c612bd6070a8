/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/device.h"

#include "testing/unit/capture.h"
#include "testing/unit/fake_backend.h"
#include "testing/unit/unit.h"

static hyb_device_t *device;
static hyb_queue_t *queue;
static double x[64], y[64], z[64];

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    assert_int_equal(hyb_device_open((hyb_device_choice_t){&fake_backend, 0},
                                     NULL, 0, &device),
                     XH_OK);
    assert_int_equal(hyb_queue_create(device, &queue), XH_OK);
    fake.calls = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    return 0;
}

static xh_status_t refused(xh_status_t (*call)(xh_view_t, xh_view_t),
                           xh_view_t from, xh_view_t to)
{
    xh_status_t status;
    int lines;

    capture_begin();
    status = call(from, to);
    capture_end(&lines);
    assert_int_equal(lines, status == XH_ERR_ARG);
    return status;
}

static xh_status_t copied_in(xh_view_t from, xh_view_t to)
{
    return hyb_queue_copy_in(queue, from, to);
}

static xh_status_t copied_out(xh_view_t from, xh_view_t to)
{
    return hyb_queue_copy_out(queue, from, to);
}

static void views_that_are_no_matrix_are_refused(void **state)
{
    const xh_view_t good = {x, 4, 3, 4};
    const xh_view_t bad[] = {
        {x, 4, 3, 3}, {x, -4, 3, 4},   {x, 4, -3, 4},
        {x, 0, 3, 0}, {NULL, 4, 3, 4}, {x, INT64_MAX, 3, 4},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(refused(copied_in, good, bad[i]), XH_ERR_ARG);
        assert_int_equal(refused(copied_in, bad[i], good), XH_ERR_ARG);
        assert_int_equal(refused(copied_out, good, bad[i]), XH_ERR_ARG);
        assert_int_equal(refused(copied_out, bad[i], good), XH_ERR_ARG);
    }
    assert_int_equal(fake.calls, 0);
    assert_false(hyb_device_failed(device));
}

static void copies_of_different_shapes_are_refused(void **state)
{
    const xh_view_t tall = {x, 4, 3, 5}, wide = {y, 3, 4, 5};

    (void)state;
    assert_int_equal(refused(copied_in, tall, wide), XH_ERR_ARG);
    assert_int_equal(refused(copied_out, tall, wide), XH_ERR_ARG);
    assert_int_equal(fake.calls, 0);
}

static xh_status_t product(xh_trans_t trans_a, xh_trans_t trans_b,
                           xh_view_t left, xh_view_t right)
{
    const xh_view_t result = {z, 2, 5, 2};
    xh_status_t status;

    capture_begin();
    status = hyb_queue_gemm(
        queue, &(xh_gemm_t){trans_a, trans_b, 1, 1, left, right, result});
    capture_end(NULL);
    return status;
}

static void products_must_conform(void **state)
{
    const xh_view_t a23 = {x, 2, 3, 2}, a32 = {x, 3, 2, 3};
    const xh_view_t b35 = {y, 3, 5, 3}, b53 = {y, 5, 3, 5};
    const xh_view_t b45 = {y, 4, 5, 4}, bad = {y, 3, 5, 2};

    (void)state;
    assert_int_equal(product(XH_NO_TRANS, XH_NO_TRANS, a23, b35), XH_OK);
    assert_int_equal(product(XH_TRANS, XH_NO_TRANS, a32, b35), XH_OK);
    assert_int_equal(product(XH_NO_TRANS, XH_TRANS, a23, b53), XH_OK);
    assert_int_equal(product(XH_TRANS, XH_TRANS, a32, b53), XH_OK);
    assert_int_equal(fake.calls, 4);
    assert_int_equal(product(XH_TRANS, XH_NO_TRANS, a23, b35), XH_ERR_ARG);
    assert_int_equal(product(XH_NO_TRANS, XH_TRANS, a23, b35), XH_ERR_ARG);
    assert_int_equal(product(XH_NO_TRANS, XH_NO_TRANS, a23, b45), XH_ERR_ARG);
    assert_int_equal(product(XH_NO_TRANS, XH_NO_TRANS, a23, bad), XH_ERR_ARG);
    assert_int_equal(fake.calls, 4);
}

static void work_on_nothing_is_not_queued(void **state)
{
    const xh_view_t none = {NULL, 0, 5, 1}, b35 = {y, 3, 5, 3};
    const xh_view_t a03 = {NULL, 0, 3, 1};

    (void)state;
    assert_int_equal(hyb_queue_copy_in(queue, none, none), XH_OK);
    assert_int_equal(hyb_queue_copy_out(queue, none, none), XH_OK);
    assert_int_equal(
        hyb_queue_gemm(queue, &(xh_gemm_t){.a = a03, .b = b35, .c = none}),
        XH_OK);
    assert_int_equal(fake.calls, 0);
}

static void a_product_over_nothing_is_queued(void **state)
{
    const xh_view_t a20 = {NULL, 2, 0, 2}, b05 = {NULL, 0, 5, 1};

    (void)state;
    assert_int_equal(product(XH_NO_TRANS, XH_NO_TRANS, a20, b05), XH_OK);
    assert_int_equal(fake.calls, 1);
}

static void the_traffic_is_what_was_queued(void **state)
{
    const xh_view_t part = {x, 3, 5, 8}, a = {x, 4, 4, 4}, b = {y, 4, 4, 4};
    uint64_t in, out;

    (void)state;
    assert_int_equal(hyb_queue_copy_in(queue, part, part), XH_OK);
    assert_int_equal(hyb_queue_copy_in(queue, a, b), XH_OK);
    assert_int_equal(hyb_queue_copy_out(queue, part, part), XH_OK);
    fake.answer = XH_ERR_MEMORY;
    assert_int_equal(hyb_queue_copy_in(queue, part, part), XH_ERR_MEMORY);
    assert_int_equal(hyb_queue_copy_out(queue, part, part), XH_ERR_MEMORY);
    hyb_device_traffic(device, &in, &out);
    assert_int_equal(in, (15 + 16) * sizeof(double));
    assert_int_equal(out, 15 * sizeof(double));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(views_that_are_no_matrix_are_refused,
                                    set_up, tear_down),
    cmocka_unit_test_setup_teardown(copies_of_different_shapes_are_refused,
                                    set_up, tear_down),
    cmocka_unit_test_setup_teardown(products_must_conform, set_up, tear_down),
    cmocka_unit_test_setup_teardown(work_on_nothing_is_not_queued, set_up,
                                    tear_down),
    cmocka_unit_test_setup_teardown(a_product_over_nothing_is_queued, set_up,
                                    tear_down),
    cmocka_unit_test_setup_teardown(the_traffic_is_what_was_queued, set_up,
                                    tear_down),
};
UNIT_MAIN(cases)
