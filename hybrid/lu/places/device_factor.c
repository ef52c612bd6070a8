/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/places/device_work.h"

#include "base/integers.h"

typedef struct {
    hyb_queue_t *queue;
    const hyb_panel_column_t *panel;
    hyb_device_view_t pivots;
    xh_status_t (*agree)(void *context, int64_t column);
    void *context;
} factoring_t;

static xh_status_t step(const factoring_t *f, int64_t first, int64_t count)
{
    const hyb_panel_step_t all = {f->panel->panel, first, count, f->pivots};
    hyb_panel_column_t one = *f->panel;

    if (f->agree == NULL)
        return hyb_queue_panel_step(f->queue, &all);
    one.first = first;
    one.end = first + count;
    one.column = first - 1;
    XH_TRY(hyb_queue_panel_column(f->queue, &one));
    while (++one.column < one.end) {
        XH_TRY(f->agree(f->context, one.column));
        XH_TRY(hyb_queue_panel_column(f->queue, &one));
    }
    return XH_OK;
}

/* Solve U in the columns right of the left half, and update the rows below. */
static xh_status_t update_right(const factoring_t *f, int64_t first,
                                int64_t half, int64_t count)
{
    bool apart = f->panel->top.rows > 0;
    hyb_device_view_t panel = f->panel->panel,
                      l1 = apart ? f->panel->top : panel;
    int64_t middle = first + half, right = count - half;
    int64_t top = apart ? 0 : middle, below = panel.rows - top;
    hyb_device_view_t u = hyb_device_view_part(l1, first, middle, half, right);
    const hyb_gemm_t product = {
        .alpha = -1.0,
        .beta = 1.0,
        .a = hyb_device_view_part(panel, top, first, below, half),
        .b = u,
        .c = hyb_device_view_part(panel, top, middle, below, right)};

    XH_TRY(hyb_queue_trsm(
        f->queue, hyb_device_view_part(l1, first, first, half, half), u));
    return hyb_queue_gemm(f->queue, &product);
}

/* Number of columns, of `count`, in the left half. */
static int64_t left_half(int64_t count)
{
    return xh_units(count, 2 * HYB_PANEL_STEP) * HYB_PANEL_STEP;
}

static xh_status_t factor(const factoring_t *f, int64_t first, int64_t count)
{
    int64_t half = left_half(count);

    if (count <= HYB_PANEL_STEP)
        return step(f, first, count);
    XH_TRY(factor(f, first, half));
    XH_TRY(update_right(f, first, half, count));
    return factor(f, first + half, count - half);
}

xh_status_t
hyb_place_factor(hyb_queue_t *queue, const hyb_panel_column_t *panel,
                 hyb_device_view_t pivots,
                 xh_status_t (*agree)(void *context, int64_t column),
                 void *context)
{
    const factoring_t f = {queue, panel, pivots, agree, context};

    return factor(&f, panel->first, panel->end - panel->first);
}
