/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "hybrid/device/device.h"
#include "testing/unit/device/emu_fixture.h"

/* ---- row numbers -------------------------------------------------------- */

enum { ROWS = 8, COLS = 3 };

/* Where the columns, packed rows or U, and lists are in a buffer. */
static hyb_device_view_t columns_in(hyb_buffer_t *buffer)
{
    return hyb_device_view(buffer, 0, ROWS, COLS);
}

static xh_status_t swap_by(hyb_queue_t *queue, hyb_buffer_t *buffer, int which)
{
    hyb_device_view_t good = hyb_device_view(buffer, 64, 2, 1),
                      bad = hyb_device_view(buffer, 66, 2, 1);
    const hyb_row_swap_t swap = {
        columns_in(buffer), hyb_device_view(buffer, 32, 2, COLS),
        which == 0 ? bad : good, which == 1 ? bad : good,
        which == 2 ? bad : good};

    return hyb_queue_swap_rows(queue, &swap);
}

/* Queue work of number which with a list that names row. */
static xh_status_t work_with(const device_fixture_t *f, hyb_buffer_t *buffer,
                             int which, int64_t row)
{
    const int64_t rows[4] = {0, 1, 1, row};
    const hyb_device_view_t list = hyb_device_view(buffer, 66, 2, 1);
    const hyb_device_view_t packed = hyb_device_view(buffer, 32, COLS, 2);
    xh_status_t status =
        hyb_queue_upload(f->queue, rows, hyb_device_view(buffer, 64, 4, 1));

    if (status == XH_OK && which < 3)
        status = swap_by(f->queue, buffer, which);
    else if (status == XH_OK && which == 3)
        status =
            hyb_queue_gather_rows(f->queue, columns_in(buffer), list, packed);
    else if (status == XH_OK)
        status =
            hyb_queue_scatter_rows(f->queue, packed, list, columns_in(buffer));
    return status == XH_OK ? device_cases_finish(f->device, f->queue) : status;
}

TEST(a_row_that_is_not_there_fails_the_device)
{
    enum { WHICH = 5 };
    static const int64_t bad[] = {-1, ROWS, INT64_MAX, INT64_MIN};

    for (int i = 0; i < WHICH * 4; i++) {
        void *fixture = NULL;
        const device_fixture_t *f;
        hyb_device_view_t memory;

        assert_int_equal(emu_open_shared(&fixture), 0);
        f = fixture;
        memory = device_cases_matrix(f->device, 80, 1);
        assert_ok(work_with(f, memory.buffer, i / 4, ROWS - 1));
        assert_said(work_with(f, memory.buffer, i / 4, bad[i % 4]),
                    XH_ERR_DEVICE, "a row number is not in");
        assert_true(hyb_device_failed(f->device));
        hyb_buffer_destroy(memory.buffer);
        device_cases_close(&fixture);
    }
}
