/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PANEL_GROUPS_H
#define HYB_PANEL_GROUPS_H

#include "base/integers.h"
#include "hybrid/device/device.h"

/* How groups of items share a panel's rows in the kernels of panel.cl. */
typedef struct {
    int64_t most; /* groups */
    int64_t rows; /* of each, at least */
} hyb_panel_groups_t;

static inline int64_t hyb_rows_of_group(const hyb_panel_groups_t *g,
                                        hyb_block_t panel)
{
    return xh_larger(g->rows, xh_units(panel.rows, g->most));
}

static inline int64_t hyb_groups_of(const hyb_panel_groups_t *g,
                                    hyb_block_t panel)
{
    return xh_larger(1, xh_units(panel.rows, hyb_rows_of_group(g, panel)));
}

/* Doubles of what so many groups propose as the pivot of a panel of nb columns:
 * the current row, and each a row with two numbers. */
static inline int64_t hyb_proposals_doubles(int64_t nb, int64_t groups)
{
    return nb + groups * (nb + 2);
}

static inline hyb_block_t hyb_proposals_of(const hyb_panel_groups_t *g,
                                           hyb_block_t panel,
                                           hyb_buffer_t *memory)
{
    return hyb_block(memory, 0,
                     hyb_proposals_doubles(panel.cols, hyb_groups_of(g, panel)),
                     1);
}

/* A step's columns from its first row on, and their pivots. */
static inline hyb_block_t hyb_step_columns(const hyb_panel_step_t *s)
{
    return hyb_block_part(s->panel, s->first, s->first,
                          s->panel.rows - s->first, s->count);
}

static inline hyb_block_t hyb_step_pivots(const hyb_panel_step_t *s)
{
    return hyb_block_part(s->pivots, s->first, 0, s->count, 1);
}

#endif
