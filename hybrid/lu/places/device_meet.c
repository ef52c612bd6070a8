/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/places/device_columns.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"

/* Columns meet panels, one or several at once. */

/* From panel from on, up to `to` at most: the widest that there is. */
static const hyb_device_panel_t *widest(hyb_device_columns_t *d, int from,
                                        int to, int *end_p)
{
    hyb_group_t group = d->base.lu->groups.of[from];

    *end_p = from == group.first ? Mmin(to, group.end) : from + 1;
    return hyb_device_panels(d, from, *end_p);
}

/* So many columns at a time, as there is room for their rows of U. */
static xh_status_t meet(hyb_device_columns_t *d, const hyb_device_part_t *all,
                        const hyb_device_panel_t *panel)
{
    int64_t most = all->u.rows * all->u.cols / Mmax(panel->jb, 1);
    hyb_device_part_t part = *all;

    for (int64_t j = 0; j < all->columns.cols; j += most) {
        int64_t count = Mmin(most, all->columns.cols - j);

        part.columns =
            hyb_block_part(all->columns, 0, j, all->columns.rows, count);
        part.u = hyb_block(all->u.buffer, all->u.offset, panel->jb, count);
        XH_TRY(hyb_device_in_span(d, "swap", hyb_device_swap, panel, &part));
        XH_TRY(hyb_device_in_span(d, "solve", hyb_device_solve, panel, &part));
        XH_TRY(
            hyb_device_in_span(d, "product", hyb_device_update, panel, &part));
    }
    return XH_OK;
}

/* All at once: there is room for a parcel's. */
static xh_status_t meet_with_rows(hyb_device_columns_t *d,
                                  const hyb_device_part_t *all,
                                  const hyb_device_rows_t *rows,
                                  const hyb_device_panel_t *panel)
{
    hyb_device_part_t part = *all;

    part.u =
        hyb_block(all->u.buffer, all->u.offset, panel->jb, all->columns.cols);
    part.aside = hyb_block(rows->gathered.buffer, rows->gathered.offset,
                           panel->jb, all->columns.cols);
    hyb_device_span(d, part.queue, "swap");
    XH_TRY(hyb_device_rows_settle(d, part.queue, rows,
                                  hyb_device_u_that_comes(panel, &part)));
    hyb_device_span_end(d, part.queue, HYB_SPAN, 0.0);
    XH_TRY(hyb_device_in_span(d, "solve", hyb_device_solve, panel, &part));
    return hyb_device_in_span(d, "product", hyb_device_update, panel, &part);
}

xh_status_t hyb_device_apply(hyb_device_columns_t *d,
                             const hyb_device_part_t *part,
                             const hyb_device_rows_t *rows, int from, int to,
                             double *flop_p)
{
    const hyb_device_panel_t *panel;
    int end;

    for (; from < to; from = end) {
        panel = widest(d, from, to, &end);
        XH_TRY(rows != NULL ? meet_with_rows(d, part, rows, panel)
                            : meet(d, part, panel));
        *flop_p += hyb_device_flop(panel, part);
    }
    return XH_OK;
}
