/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_work.h"

#include "base/integers.h"

/* U of the right half, and what is below it. */
static xh_status_t update_right(hyb_queue_t *queue,
                                const hyb_panel_step_t *left,
                                const hyb_panel_step_t *right)
{
    bool apart = left->l1.rows > 0;
    hyb_block_t panel = left->panel, l1 = apart ? left->l1 : panel;
    int64_t from = left->first, half = left->count;
    int64_t top = apart ? 0 : right->first, below = panel.rows - top;
    hyb_block_t u = hyb_block_part(l1, from, right->first, half, right->count);
    const hyb_gemm_t product = {
        .alpha = -1.0,
        .beta = 1.0,
        .a = hyb_block_part(panel, top, from, below, half),
        .b = u,
        .c = hyb_block_part(panel, top, right->first, below, right->count)};

    XH_TRY(
        hyb_queue_trsm(queue, hyb_block_part(l1, from, from, half, half), u));
    return hyb_queue_gemm(queue, &product);
}

xh_status_t hyb_device_factor(hyb_queue_t *queue, const hyb_panel_step_t *all)
{
    int64_t half = xh_units(all->count, 2 * HYB_PANEL_STEP) * HYB_PANEL_STEP;
    hyb_panel_step_t left = *all, right = *all;

    if (all->count <= HYB_PANEL_STEP)
        return hyb_queue_panel_step(queue, all);
    left.count = half;
    right.first += half;
    right.count -= half;
    XH_TRY(hyb_device_factor(queue, &left));
    XH_TRY(update_right(queue, &left, &right));
    return hyb_device_factor(queue, &right);
}
