/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "hybrid/device/rates.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/device/cuda_bench.h"

/* Queue a copy, a solve with a matrix of ones, and A x, until they are done. */
static xh_status_t finish_touch(const bench_t *b)
{
    XH_TRY(hyb_queue_copy(b->queue, b->a, b->c));
    XH_TRY(hyb_queue_trsm(b->queue, b->a, b->c));
    XH_TRY(hyb_queue_gemv(b->queue, b->a, hyb_device_view_first(b->a, ORDER, 1),
                          hyb_device_view_first(b->c, ORDER, 1)));
    return device_cases_finish(b->device, b->queue);
}

/* Queue a part of a random matrix, rows that change places, and a step of a
 * panel. */
static xh_status_t finish_rows(const bench_t *b)
{
    static const int64_t rows[ORDER];
    const hyb_dealt_t all = {0, ORDER, 0, 1};
    const hyb_device_view_t none = hyb_device_view(NULL, 0, 0, 1),
                            one = hyb_device_view_first(b->a, 1, ORDER),
                            list = hyb_device_view_first(b->c, 1, 1);

    XH_TRY(hyb_queue_generate(b->queue,
                              &(hyb_generate_t){100, ORDER, all, all, b->a}));
    XH_TRY(hyb_queue_upload(b->queue, rows, list));
    XH_TRY(hyb_queue_swap_rows(
        b->queue,
        &(hyb_row_swap_t){b->a, hyb_device_view_part(b->c, 1, 0, 1, ORDER),
                          list, none, none}));
    XH_TRY(hyb_queue_gather_rows(b->queue, one, list,
                                 hyb_device_view_part(b->c, 0, 1, ORDER, 1)));
    XH_TRY(hyb_queue_scatter_rows(
        b->queue, hyb_device_view_part(b->c, 0, 1, ORDER, 1), list, one));
    XH_TRY(hyb_queue_checksum(b->queue, b->a,
                              hyb_device_view_first(b->c, 2, ORDER)));
    XH_TRY(hyb_queue_panel_step(
        b->queue, &(hyb_panel_step_t){
                      .panel = b->a,
                      .count = 2,
                      .pivots = hyb_device_view_part(b->c, 0, 2, ORDER, 1)}));
    XH_TRY(hyb_queue_panel_column(
        b->queue,
        &(hyb_panel_column_t){.panel = hyb_device_view_first(b->a, 2, 2),
                              .end = 2,
                              .column = -1,
                              .pivot = hyb_device_view_part(
                                  b->c, 0, 2, hyb_pivot_elements(2), 1)}));
    return device_cases_finish(b->device, b->queue);
}

static void assert_fails(const char *faults)
{
    bench_t b = bench_open(0, faults);
    hyb_buffer_t *lost = NULL;
    xh_status_t status;

    capture_begin();
    status = square(&b);
    if (status == XH_OK)
        status = finish_touch(&b);
    if (status == XH_OK && hyb_device_has(b.device, HYB_OP_GENERATE))
        status = finish_rows(&b);
    assert_int_equal(status, XH_ERR_DEVICE);
    assert_true(hyb_device_failed(b.device));
    fill(result, 2.0);
    assert_int_equal(hyb_buffer_create(b.device, 8, &lost), XH_ERR_DEVICE);
    bench_close(&b);
    assert_in(capture_end(NULL), "cuda device 0: ");
    assert_true(result[0] == 2.0);
}

TEST(work_that_fails_is_told_by_what_follows)
{
    static const char *const faults[] = {
        "fail@copy_in:1",  "fail@gemm:1",   "fail@copy_out:1",
        "fail@record:1",   "refuse@gemm:1", "refuse@record:1",
        "fail@copy:1",     "fail@trsm:1",   "fail@gemv:1",
        "refuse@copy:1",   "refuse@trsm:1", "refuse@gemv:1",
        "refuse@copy_in:1"};

    for (size_t i = 0; i < COUNT_OF(faults); i++)
        assert_fails(faults[i]);
}

TEST(kernels_that_fail_are_told_by_what_follows)
{
    static const char *const faults[] = {
        "fail@checksum:1",      "refuse@checksum:1",   "fail@panel_pivot:1",
        "refuse@panel_pivot:1", "fail@panel_column:1", "fail@panel_step:1",
        "refuse@panel_step:1",  "refuse@fill:1",       "fail@generate:1",
        "fail@swap_rows:1",     "fail@gather_rows:1",  "fail@scatter_rows:1",
        "refuse@generate:1",    "refuse@swap_rows:1",  "refuse@gather_rows:1",
        "refuse@scatter_rows:1"};
    bench_t b = bench_open(0, "");
    bool has_kernels = hyb_device_has(b.device, HYB_OP_GENERATE);

    bench_close(&b);
    if (!has_kernels)
        skip();
    for (size_t i = 0; i < COUNT_OF(faults); i++)
        assert_fails(faults[i]);
}

/* Whatever CUDA may wait for in one of its versions. What waits for the stalled
 * queue stalls, too. */
TEST(cuda_is_not_called_for_a_device_that_was_given_up)
{
    bench_t b = bench_open(0, "stall@copy_in:1");
    hyb_event_t *event = device_cases_event(b.device);
    hyb_queue_t *behind = device_cases_queue(b.device);
    double *pinned;
    bool done = true;
    long calls;

    assert_ok(hyb_pinned_alloc(b.device, 8 * ORDER, &pinned));
    assert_ok(hyb_device_pin(b.device, ones, sizeof(ones)));
    assert_ok(hyb_queue_copy_in(b.queue, host(ones), b.a));
    assert_ok(hyb_event_record(b.queue, event));
    assert_ok(hyb_queue_wait(behind, event));
    assert_ok(hyb_event_record(behind, event));
    assert_ok(hyb_event_wait(event, 0.01, &done));
    assert_false(done);
    unheard(hyb_device_fail(b.device, "this test is tired of it"));
    calls = model_fixture_counts().calls;
    assert_int_equal(hyb_event_wait(event, 1, &done), XH_ERR_DEVICE);
    assert_int_equal(square(&b), XH_ERR_DEVICE);
    hyb_pinned_free(b.device, pinned, 8 * ORDER);
    hyb_device_unpin(b.device, ones);
    hyb_event_destroy(event);
    hyb_queue_destroy(behind);
    bench_close(&b);
    assert_int_equal(model_fixture_counts().calls, calls);
}

TEST(a_stall_while_rates_are_measured_ends)
{
    hyb_device_t *device = open_first(0, "stall@gemm:1");
    hyb_rate_table_t table;

    assert_said(
        hyb_device_rates_measure(device, (uint64_t)1 << 27, 0.01, 0.05, &table),
        XH_ERR_DEVICE, "it stalled");
    assert_true(hyb_device_failed(device));
    hyb_device_close(device);
}
