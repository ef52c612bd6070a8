/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

#include <string.h>

hyb_block_t hyb_device_panel(hyb_device_columns_t *d, int k)
{
    int64_t b = hyb_lu_trailing(d->base.lu, k - 1).from;
    const HPL_T_panel *h = hyb_lu_panel(d->base.lu, k)->hpl;
    const hyb_seat_t *seat = hyb_device_seat(d, b);

    if (seat != NULL)
        return hyb_block_part(seat->columns, h->ii, 0, h->mp, h->jb);
    return hyb_device_trailing(d, h,
                               hyb_device_run(d, (hyb_blocks_t){b, b + 1}));
}

bool hyb_device_factored(const hyb_device_columns_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;

    return hyb_lu_panel(d->base.lu, k)->by_device &&
           hyb_lu_panel_home(lu, k) == &d->base;
}

/* Where its pivots' rows come to stand: its own first ones, or the place of L1
 * where the top is on another process. */
static hyb_block_t l1_of(hyb_device_columns_t *d, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(d->base.lu, k)->hpl;

    return hyb_block_part(hpl_panel_top_rows(h) > 0 ? hyb_device_panel(d, k)
                                                    : hyb_device_slot(d, k)->l1,
                          0, 0, h->jb, h->jb);
}

/* L1 comes down, and L2 if others read it, but for devices that reach it. */
static xh_status_t queue_factorization(hyb_device_columns_t *d, int k)
{
    hyb_lu_t *lu = d->base.lu;
    hyb_block_t panel = hyb_device_panel(d, k), l1 = l1_of(d, k);
    bool alone =
        lu->homes.places == 2 ||
        hyb_homes_by_peers(&lu->homes, hyb_lu_trailing(lu, k - 1).from);
    int top = hpl_panel_top_rows(hyb_lu_panel(lu, k)->hpl);
    int64_t below = alone && lu->grid->npcol == 1 ? 0 : panel.rows - top;
    xh_view_t host = {d->body, panel.rows, panel.cols, Mmax(panel.rows, 1)};
    const hyb_panel_step_t all = {
        .panel = panel,
        .count = panel.cols,
        .pivots = hyb_block_part(d->pivots, 0, 0, panel.cols, 1),
        .l1 = top > 0 ? hyb_block_part(l1, 0, 0, 0, 0) : l1,
        .box = d->box};

    XH_TRY(hyb_queue_wait(d->factor, d->computed));
    XH_TRY(hyb_event_record(d->factor, d->begun));
    XH_TRY(hyb_device_factor(d->factor, &all));
    if (d->box == NULL)
        XH_TRY(hyb_queue_copy_out(
            d->factor, hyb_block_part(d->pivots, 0, 0, panel.cols, 1),
            (xh_view_t){(double *)d->pivot, panel.cols, 1, panel.cols}));
    XH_TRY(hyb_queue_copy_out(
        d->factor, l1, (xh_view_t){d->l1_down, l1.rows, l1.cols, l1.rows}));
    XH_TRY(hyb_queue_copy_out(d->factor,
                              hyb_block_part(panel, top, 0, below, panel.cols),
                              xh_view_part(host, top, 0, below, panel.cols)));
    return hyb_event_record(d->factor, d->down);
}

/* A device that only models time leaves the pivots as they are here. */
hyb_pivot_box_t *hyb_device_factor_panel(hyb_place_t *place, int k)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    for (int c = 0; c < hyb_lu_panel(place->lu, k)->hpl->jb; c++)
        d->pivot[c] = c;
    if (d->box != NULL) {
        atomic_store(&d->box->agreed, 0);
        atomic_store(&d->box->proposed, 0);
    }
    hyb_device_check(d, queue_factorization(d, k));
    hyb_device_note(d, (hyb_blocks_t){0}, 0, 0.0, d->factor);
    return d->box;
}

xh_view_t hyb_device_take_panel(hyb_place_t *place, int k, int64_t *pivots)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;
    int jb = hyb_lu_panel(place->lu, k)->hpl->jb;
    bool is_down;

    hyb_device_check(d, hyb_event_wait(d->down, 0.0, &is_down));
    if (is_down && d->box == NULL)
        memcpy(pivots, d->pivot, (size_t)jb * sizeof(*pivots));
    return (xh_view_t){is_down ? d->l1_down : NULL, jb, jb, jb};
}

double hyb_device_panel_seconds(hyb_place_t *place)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;
    double seconds = 0.0;

    hyb_device_check(d, hyb_event_elapsed(d->begun, d->down, &seconds));
    return seconds;
}

/* ---- the next panel's columns --------------------------------------------
 */

xh_status_t hyb_device_fetch_panel(hyb_device_columns_t *d, int k)
{
    hyb_block_t panel = hyb_device_panel(d, k);

    XH_TRY(hyb_queue_wait(d->link, d->computed));
    XH_TRY(hyb_event_record(d->link, d->begun));
    XH_TRY(hyb_queue_copy_out(
        d->link, panel,
        (xh_view_t){d->host, panel.rows, panel.cols, Mmax(panel.rows, 1)}));
    return hyb_event_record(d->link, d->down);
}

void hyb_device_has_met(hyb_device_columns_t *d, const hyb_step_t *step,
                        hyb_blocks_t blocks, int panels, double flop)
{
    bool is_next = hyb_step_is_next(step, blocks.from);
    bool comes_down = is_next && !step->by_device;

    if (is_next)
        hyb_device_check(d, hyb_event_record(d->compute, d->computed));
    if (comes_down)
        hyb_device_check(d, hyb_device_fetch_panel(d, step->k + 1));
    hyb_device_note(d, blocks, panels, flop, comes_down ? d->link : d->compute);
}
