/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/device.h"

#include "testing/unit/base/capture.h"
#include "testing/unit/device/fake_backend.h"
#include "testing/unit/unit.h"

static hyb_device_t *device;
static hyb_queue_t *queue;
static hyb_buffer_t *buffer;
static double x[64];

UNIT_STEP(set_up)
{
    fake_reset();
    assert_ok(hyb_device_open((hyb_device_choice_t){&fake_backend, 0}, NULL, 0,
                              &device));
    assert_ok(hyb_queue_create(device, HYB_QUEUE_NORMAL, &queue));
    assert_ok(hyb_buffer_create(device, sizeof(x), &buffer));
    fake.calls = 0;
}

UNIT_STEP(tear_down)
{
    hyb_buffer_destroy(buffer);
    hyb_queue_destroy(queue);
    hyb_device_close(device);
}

/* The status of a call, which says one line if it refuses its arguments. */
static xh_status_t told(xh_status_t status)
{
    int lines;

    capture_end(&lines);
    assert_int_equal(lines, status == XH_ERR_ARG);
    return status;
}

#define TOLD(call) (capture_begin(), told(call))
#define REFUSED(call) assert_int_equal(TOLD(call), XH_ERR_ARG)
#define QUEUED(call) assert_ok(TOLD(call))

#define TEST_SET_UP(name) TEST_WITH(name, set_up, tear_down)

TEST_SET_UP(views_that_are_no_matrix_are_refused)
{
    const hyb_device_view_t good = hyb_device_view(buffer, 0, 4, 3);
    const xh_view_t bad[] = {
        {x, 4, 3, 3}, {x, -4, 3, 4},   {x, 4, -3, 4},
        {x, 0, 3, 0}, {NULL, 4, 3, 4}, {x, INT64_MAX, 3, 4},
    };

    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        REFUSED(hyb_queue_copy_in(queue, bad[i], good));
        REFUSED(hyb_queue_copy_out(queue, good, bad[i]));
    }
    assert_int_equal(fake.calls, 0);
    assert_false(hyb_device_failed(device));
}

/* The buffer holds 64 doubles. */
TEST_SET_UP(blocks_that_are_no_matrix_in_a_buffer_are_refused)
{
    const xh_view_t host = {x, 4, 3, 4};
    const hyb_device_view_t good[] = {
        {buffer, 0, 4, 3, 4},
        {buffer, 52, 4, 3, 4},
        {buffer, 0, 4, 3, 30},
    };
    const hyb_device_view_t bad[] = {
        {buffer, 0, 4, 3, 3},          {buffer, 0, -4, 3, 4},
        {buffer, 0, 4, -3, 4},         {NULL, 0, 4, 3, 4},
        {buffer, 53, 4, 3, 4},         {buffer, 0, 4, 3, 31},
        {buffer, -1, 4, 3, 4},         {buffer, INT64_MAX, 4, 3, 4},
        {buffer, 0, 4, 3, INT64_MAX},  {buffer, INT64_MIN, 4, 3, 4},
        {buffer, 0, 4, INT64_MAX, 16}, {buffer, 0, 65, 1, 65},
    };

    for (size_t i = 0; i < COUNT_OF(good); i++)
        QUEUED(hyb_queue_copy_in(queue, host, good[i]));
    fake.calls = 0;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        REFUSED(hyb_queue_copy_in(queue, host, bad[i]));
        REFUSED(hyb_queue_copy_out(queue, bad[i], host));
    }
    assert_int_equal(fake.calls, 0);
    assert_false(hyb_device_failed(device));
}

/* As are copies between matrices of different shapes. */
TEST_SET_UP(another_devices_buffer_is_refused)
{
    hyb_device_t *other;
    hyb_buffer_t *foreign;

    assert_ok(hyb_device_open((hyb_device_choice_t){&fake_backend, 1}, NULL, 0,
                              &other));
    assert_ok(hyb_buffer_create(other, sizeof(x), &foreign));
    fake.calls = 0;
    REFUSED(hyb_queue_copy_in(queue, (xh_view_t){x, 4, 3, 4},
                              hyb_device_view(foreign, 0, 4, 3)));
    REFUSED(hyb_queue_copy_in(queue, (xh_view_t){x, 4, 3, 5},
                              hyb_device_view(buffer, 0, 3, 4)));
    REFUSED(hyb_queue_copy_out(queue, hyb_device_view(buffer, 0, 4, 3),
                               (xh_view_t){x, 3, 4, 5}));
    assert_int_equal(fake.calls, 0);
    hyb_buffer_destroy(foreign);
    hyb_device_close(other);
}

TEST_SET_UP(products_must_conform)
{
    const hyb_device_view_t result = hyb_device_view(buffer, 40, 2, 5);
    static const struct {
        xh_trans_t trans_a, trans_b;
        int64_t a[2],
            b[3]; /* rows, columns; leading dimension if it is not 0 */
        bool conforms;
    } of[] = {
        {XH_NO_TRANS, XH_NO_TRANS, {2, 3}, {3, 5}, true},
        {XH_TRANS, XH_NO_TRANS, {3, 2}, {3, 5}, true},
        {XH_NO_TRANS, XH_TRANS, {2, 3}, {5, 3}, true},
        {XH_TRANS, XH_TRANS, {3, 2}, {5, 3}, true},
        {XH_NO_TRANS, XH_NO_TRANS, {2, 0}, {0, 5}, true}, /* it scales */
        {XH_TRANS, XH_NO_TRANS, {2, 3}, {3, 5}, false},
        {XH_NO_TRANS, XH_TRANS, {2, 3}, {3, 5}, false},
        {XH_NO_TRANS, XH_NO_TRANS, {2, 3}, {4, 5}, false},
        {XH_NO_TRANS, XH_NO_TRANS, {2, 3}, {3, 5, 2}, false},
    };

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        hyb_gemm_t p = {of[i].trans_a, of[i].trans_b, 1, 1, .c = result};

        p.a = hyb_device_view(buffer, 0, of[i].a[0], of[i].a[1]);
        p.b = hyb_device_view(buffer, 20, of[i].b[0], of[i].b[1]);
        p.b.ld = of[i].b[2] > 0 ? of[i].b[2] : p.b.ld;
        fake.calls = 0;
        assert_int_equal(TOLD(hyb_queue_gemm(queue, &p)),
                         of[i].conforms ? XH_OK : XH_ERR_ARG);
        assert_int_equal(fake.calls, of[i].conforms);
    }
}

/* ---- other work ---------------------------------------------------------- */

static hyb_device_view_t block(int64_t rows, int64_t cols)
{
    return hyb_device_view(buffer, 0, rows, cols);
}

static hyb_device_view_t list(int64_t count)
{
    return hyb_device_view(buffer, 32, count, 1);
}

static xh_status_t swapped(int64_t rows, int64_t nb, int64_t cols,
                           hyb_device_view_t source, hyb_device_view_t from,
                           hyb_device_view_t to)
{
    const hyb_row_swap_t swap = {block(rows, 5), block(nb, cols), source, from,
                                 to};

    return TOLD(hyb_queue_swap_rows(queue, &swap));
}

TEST_SET_UP(a_row_swap_conforms)
{
    const hyb_device_view_t none = hyb_device_view(NULL, 0, 0, 1),
                            beyond = hyb_device_view(buffer, 61, 4, 1),
                            negative = hyb_device_view(buffer, 0, -1, 1);

    assert_ok(swapped(6, 4, 5, list(4), list(2), list(2)));
    assert_ok(swapped(4, 4, 5, list(4), none, none));
    fake.calls = 0;
    assert_int_equal(swapped(6, 4, 4, list(4), none, none), XH_ERR_ARG);
    assert_int_equal(swapped(6, 4, 5, list(3), none, none), XH_ERR_ARG);
    assert_int_equal(swapped(6, 4, 5, list(4), list(2), list(1)), XH_ERR_ARG);
    assert_int_equal(swapped(6, 4, 5, list(4), list(5), list(5)), XH_ERR_ARG);
    assert_int_equal(swapped(3, 4, 5, list(4), none, none), XH_ERR_ARG);
    assert_int_equal(swapped(6, 4, 5, beyond, none, none), XH_ERR_ARG);
    assert_int_equal(swapped(6, 4, 5, list(4), negative, none), XH_ERR_ARG);
    assert_int_equal(fake.calls, 0);
}

TEST_SET_UP(packed_rows_conform)
{
    QUEUED(hyb_queue_gather_rows(queue, block(6, 5), list(3), block(5, 3)));
    QUEUED(hyb_queue_scatter_rows(queue, block(5, 7), list(7), block(6, 5)));
    fake.calls = 0;
    REFUSED(hyb_queue_gather_rows(queue, block(6, 5), list(3), block(3, 5)));
    REFUSED(hyb_queue_scatter_rows(queue, block(5, 2), list(3), block(6, 5)));
    REFUSED(hyb_queue_gather_rows(queue, block(6, 50), list(3), block(50, 3)));
    REFUSED(hyb_queue_scatter_rows(queue, block(5, 60), list(60), block(6, 5)));
    REFUSED(hyb_queue_gather_rows(queue, block(6, 5), list(33), block(5, 33)));
    assert_int_equal(fake.calls, 0);
}

TEST_SET_UP(algebra_on_the_device_conforms)
{
    QUEUED(hyb_queue_trsm(queue, block(4, 4), block(4, 7)));
    QUEUED(hyb_queue_gemv(queue, block(4, 6), block(6, 1), block(4, 1)));
    QUEUED(hyb_queue_checksum(queue, block(4, 6), block(2, 6)));
    QUEUED(hyb_queue_syrk(queue, 1, block(4, 6), 1, block(4, 4)));
    fake.calls = 0;
    REFUSED(hyb_queue_checksum(queue, block(4, 6), block(6, 2)));
    REFUSED(hyb_queue_checksum(queue, block(40, 6), block(2, 6)));
    REFUSED(hyb_queue_syrk(queue, 1, block(4, 6), 1, block(6, 6)));
    REFUSED(hyb_queue_syrk(queue, 1, block(4, 6), 1, block(4, 5)));
    REFUSED(hyb_queue_trsm(queue, block(4, 5), block(4, 7)));
    REFUSED(hyb_queue_trsm(queue, block(3, 3), block(4, 7)));
    REFUSED(hyb_queue_trsm(queue, block(4, 4), block(4, 17)));
    REFUSED(hyb_queue_gemv(queue, block(4, 6), block(4, 1), block(4, 1)));
    REFUSED(hyb_queue_gemv(queue, block(4, 6), block(6, 1), block(6, 1)));
    REFUSED(hyb_queue_gemv(queue, block(4, 6), block(6, 2), block(4, 1)));
    REFUSED(hyb_queue_gemv(queue, block(40, 6), block(6, 1), block(40, 1)));
    assert_int_equal(fake.calls, 0);
}

static xh_status_t generated(int64_t order, hyb_dealt_t rows, hyb_dealt_t cols,
                             hyb_device_view_t to)
{
    return TOLD(hyb_queue_generate(
        queue, &(hyb_generate_t){100, order, rows, cols, to}));
}

TEST_SET_UP(a_part_that_is_generated_is_dealt_out)
{
    const hyb_dealt_t good = {3, 4, 1, 2};
    const hyb_dealt_t bad[] = {
        {-1, 4, 1, 2}, {3, 0, 1, 2}, {3, 4, -1, 2}, {3, 4, 2, 2}, {3, 4, 0, 0},
    };

    assert_ok(generated(9, good, good, block(4, 4)));
    fake.calls = 0;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(generated(9, bad[i], good, block(4, 4)), XH_ERR_ARG);
        assert_int_equal(generated(9, good, bad[i], block(4, 4)), XH_ERR_ARG);
    }
    assert_int_equal(generated(-1, good, good, block(4, 4)), XH_ERR_ARG);
    assert_int_equal(generated(9, good, good, block(40, 4)), XH_ERR_ARG);
    assert_int_equal(fake.calls, 0);
}

/* ---- nothing ------------------------------------------------------------- */

TEST_SET_UP(work_on_nothing_is_not_queued)
{
    const xh_view_t nothing = {NULL, 0, 5, 1};
    const hyb_device_view_t none = hyb_device_view(NULL, 0, 0, 5);

    QUEUED(hyb_queue_copy_in(queue, nothing, none));
    QUEUED(hyb_queue_copy_out(queue, none, nothing));
    QUEUED(hyb_queue_gemm(queue,
                          &(hyb_gemm_t){.a = hyb_device_view(NULL, 0, 0, 3),
                                        .b = hyb_device_view(buffer, 0, 3, 5),
                                        .c = none}));
    QUEUED(hyb_queue_copy(queue, none, none));
    assert_ok(swapped(6, 0, 5, list(0), list(0), list(0)));
    QUEUED(hyb_queue_gather_rows(queue, block(6, 5), list(0), block(5, 0)));
    QUEUED(hyb_queue_scatter_rows(queue, block(0, 3), list(3), block(6, 0)));
    QUEUED(hyb_queue_trsm(queue, block(0, 0), none));
    QUEUED(hyb_queue_gemv(queue, none, block(5, 1), block(0, 1)));
    assert_ok(generated(9, (hyb_dealt_t){0, 1, 0, 1}, (hyb_dealt_t){0, 1, 0, 1},
                        none));
    assert_int_equal(fake.calls, 0);
}

TEST_SET_UP(the_traffic_is_what_was_queued)
{
    const xh_view_t view = {x, 3, 5, 8};
    const hyb_device_view_t block = {buffer, 0, 3, 5, 8};
    const int64_t rows[3] = {2, 1, 0};
    hyb_traffic_t traffic;

    QUEUED(hyb_queue_copy_in(queue, view, block));
    QUEUED(hyb_queue_upload(queue, rows, hyb_device_view(buffer, 0, 3, 1)));
    QUEUED(hyb_queue_copy_out(queue, block, view));
    QUEUED(hyb_queue_copy(queue, block, block));
    assert_ok(hyb_queue_copy(queue, hyb_device_view(buffer, 0, 3, 0),
                             hyb_device_view(buffer, 0, 3, 0)));
    fake.answer = XH_ERR_MEMORY;
    assert_int_equal(hyb_queue_copy_in(queue, view, block), XH_ERR_MEMORY);
    assert_int_equal(hyb_queue_copy_out(queue, block, view), XH_ERR_MEMORY);
    traffic = hyb_device_traffic(device);
    assert_int_equal(traffic.in, (15 + 3) * sizeof(double));
    assert_int_equal(traffic.out, 15 * sizeof(double));
    assert_int_equal(traffic.operations, 4);
}

TEST_SET_UP(steps_that_leave_the_panel_are_refused)
{
    const hyb_device_view_t panel = hyb_device_view(buffer, 0, 6, 8);
    const hyb_device_view_t pivots = hyb_device_view(buffer, 48, 8, 1);
    static const int64_t bad[][2] = {{0, 7}, {-1, 1}, {6, 1}, {3, -1}, {3, 4}};

    QUEUED(
        hyb_queue_panel_step(queue, &(hyb_panel_step_t){panel, 2, 4, pivots}));
    QUEUED(
        hyb_queue_panel_step(queue, &(hyb_panel_step_t){panel, 6, 0, pivots}));
    assert_int_equal(fake.calls, 1);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        REFUSED(hyb_queue_panel_step(
            queue, &(hyb_panel_step_t){panel, bad[i][0], bad[i][1], pivots}));
    REFUSED(hyb_queue_panel_step(
        queue,
        &(hyb_panel_step_t){panel, 2, 4, hyb_device_view(buffer, 48, 6, 1)}));
    assert_int_equal(fake.calls, 1);
}

TEST_SET_UP(columns_outside_their_step_are_refused)
{
    const hyb_panel_column_t good = {.panel = hyb_device_view(buffer, 0, 2, 4),
                                     .top = hyb_device_view(buffer, 8, 4, 4),
                                     .first = 1,
                                     .end = 4,
                                     .column = 3,
                                     .pivot =
                                         hyb_device_view(buffer, 24, 10, 1)};
    hyb_panel_column_t bad[6];

    QUEUED(hyb_queue_panel_column(queue, &good));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].column = 4;
    bad[1].column = -1;
    bad[2].end = 5;
    bad[3].top.rows = 0; /* the panel has no four rows of its own */
    bad[4].top.rows = 3;
    bad[5].pivot.rows = 9;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        REFUSED(hyb_queue_panel_column(queue, &bad[i]));
    assert_int_equal(fake.calls, 1);
}
