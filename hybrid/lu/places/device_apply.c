/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"

/* Apply one or several panels to columns. */

/* The widest panel here that begins with panel `from` and ends before panel
 * `to`; *end_p is its end. */
static const hyb_place_panel_t *widest(hyb_place_device_t *d, int from, int to,
                                       int *end_p)
{
    hyb_group_t group = d->base.lu->groups.of[from];

    *end_p = from == group.first ? Mmin(to, group.end) : from + 1;
    return hyb_place_panels(d, from, *end_p);
}

/* Apply a panel to as many columns at a time as `all->u` has room for. */
static xh_status_t apply_panel(hyb_place_device_t *d,
                               const hyb_place_part_t *all,
                               const hyb_place_panel_t *panel)
{
    int64_t most = all->u.rows * all->u.cols / Mmax(panel->jb, 1);
    hyb_place_part_t part = *all;

    for (int64_t j = 0; j < all->columns.cols; j += most) {
        int64_t count = Mmin(most, all->columns.cols - j);

        part.columns =
            hyb_device_view_part(all->columns, 0, j, all->columns.rows, count);
        part.u =
            hyb_device_view(all->u.buffer, all->u.offset, panel->jb, count);
        XH_TRY(hyb_place_in_span(d, "swap", hyb_place_swap, panel, &part));
        XH_TRY(hyb_place_in_span(d, "solve", hyb_place_solve, panel, &part));
        XH_TRY(hyb_place_in_span(d, "product", hyb_place_update, panel, &part));
    }
    return XH_OK;
}

/* Apply a panel to all columns at once: there is room for all rows of the
 * parcel. */
static xh_status_t apply_with_rows(hyb_place_device_t *d,
                                   const hyb_place_part_t *all,
                                   const hyb_place_rows_t *rows,
                                   const hyb_place_panel_t *panel)
{
    hyb_place_part_t part = *all;

    part.u = hyb_device_view(all->u.buffer, all->u.offset, panel->jb,
                             all->columns.cols);
    part.aside = hyb_device_view(rows->gathered.buffer, rows->gathered.offset,
                                 panel->jb, all->columns.cols);
    hyb_place_span(d, part.queue, "swap");
    XH_TRY(hyb_place_queue_scatter(d, part.queue, rows,
                                   hyb_place_u_that_comes(panel, &part)));
    hyb_place_span_end(d, part.queue, HYB_SPAN, 0.0);
    XH_TRY(hyb_place_in_span(d, "solve", hyb_place_solve, panel, &part));
    return hyb_place_in_span(d, "product", hyb_place_update, panel, &part);
}

xh_status_t hyb_place_apply_panels(hyb_place_device_t *d,
                                   const hyb_place_part_t *part,
                                   const hyb_place_rows_t *rows, int from,
                                   int to, double *flop_p)
{
    const hyb_place_panel_t *panel;
    int end;

    for (; from < to; from = end) {
        panel = widest(d, from, to, &end);
        XH_TRY(rows != NULL ? apply_with_rows(d, part, rows, panel)
                            : apply_panel(d, part, panel));
        *flop_p += hyb_place_flop(panel, part);
    }
    return XH_OK;
}
