/* SPDX-License-Identifier: BSD-3-Clause */

#include "base/clock.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/worker.h"

/* The memory for the panel's pivot rows: the panel's first rows, or, if the top
 * is on another process, memory of their own. */
static hyb_device_view_t l1_of(hyb_place_device_t *d, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(d->base.lu, k)->hpl;

    return hyb_device_view_part(hpl_panel_top_rows(h) > 0
                                    ? hyb_place_panel_columns(d, k)
                                    : d->memory.pivot_rows,
                                0, 0, h->jb, h->jb);
}

/* A panel, and how its processes agree on pivots. */
typedef struct {
    hyb_place_device_t *d;
    const HPL_T_panel *h;
    hyb_panel_agree_fn_t agree;
    void *context;
    double since; /* when the wait for a proposal began */
} agreement_t;

/* Check the pivot row that the device chose, so that a flipped bit does not
 * lead out of the panel. */
static void check_row(const hyb_place_device_t *d, const HPL_T_panel *h,
                      int64_t column, double least, double row)
{
    if (!(row >= least && row < h->mp))
        HPL_pabort(__LINE__, "hyb_place_panel",
                   "%s device %d chose row %g of %d as pivot %d of a panel",
                   d->info.backend, d->info.index, row, h->mp, (int)column);
}

static hyb_device_view_t proposed(const hyb_place_device_t *d, int64_t jb)
{
    return hyb_device_view_first(d->memory.proposed, hyb_pivot_elements(jb), 1);
}

/* Has the proposal arrived on the host? */
static bool is_here(void *agreement)
{
    const agreement_t *a = agreement;

    return hyb_place_has_run(a->d, a->d->event.down, a->since);
}

/* Copy the device's proposal down, agree with the other processes, and copy the
 * pivot up. */
static xh_status_t agree_on(void *agreement, int64_t column)
{
    agreement_t *a = agreement;
    hyb_place_device_t *d = a->d;
    hyb_device_view_t there = proposed(d, a->h->jb);
    xh_view_t here = {d->host.proposal, there.rows, 1, there.rows};
    double *key = d->host.proposal + a->h->jb, *row = key + 1, mine;
    hyb_pivot_t pivot = {.candidate = row + 1, .current = d->host.proposal};

    XH_TRY(hyb_queue_copy_out(d->queue.factor, there, here));
    XH_TRY(hyb_event_record(d->queue.factor, d->event.down));
    a->since = xh_clock_now();
    hyb_wait_until(is_here, a, hyb_worker_turn, d->base.lu->worker);
    mine = *row;
    check_row(d, a->h, column, -1.0, mine);
    pivot.key = *key;
    pivot.row = (int64_t)mine;
    a->agree(a->context, &pivot);
    d->host.pivot[column] = pivot.row;
    *row = pivot.mine ? mine : -1.0;
    return hyb_queue_copy_in(d->queue.factor, here, there);
}

/* Queue the factorization and the copy down of L1, and of L2 if anyone but peer
 * devices reads it. */
static xh_status_t queue_factorization(hyb_place_device_t *d, int k,
                                       agreement_t *agreement)
{
    hyb_lu_t *lu = d->base.lu;
    hyb_device_view_t panel = hyb_place_panel_columns(d, k), l1 = l1_of(d, k);
    bool alone = lu->homes.places == 2 ||
                 hyb_homes_by_peers(&lu->homes, hyb_lu_panel_block(lu, k));
    bool is_read = !alone || lu->grid->npcol > 1 || hyb_lu_team_reads(lu, k);
    int top = hpl_panel_top_rows(agreement->h);
    int64_t below = is_read ? panel.rows - top : 0;
    xh_view_t l2 = hyb_lu_panel(lu, k)->columns;
    hyb_device_view_t pivots =
        hyb_device_view_first(d->memory.pivots, panel.cols, 1);
    const hyb_panel_column_t all = {
        .panel = panel,
        .top = top > 0 ? hyb_device_view_first(l1, 0, 0) : l1,
        .end = panel.cols,
        .pivot = proposed(d, panel.cols)};

    XH_TRY(hyb_queue_wait(d->queue.factor, d->event.computed));
    XH_TRY(hyb_event_record(d->queue.factor, d->event.begun));
    hyb_place_span(d, d->queue.factor, "panel");
    XH_TRY(hyb_place_factor(d->queue.factor, &all, pivots,
                            lu->grid->nprow > 1 ? agree_on : NULL, agreement));
    hyb_place_span_end(d, d->queue.factor, HYB_SPAN, 0.0);
    hyb_place_span(d, d->queue.factor, "panel down");
    if (lu->grid->nprow == 1)
        XH_TRY(hyb_queue_copy_out(
            d->queue.factor, pivots,
            (xh_view_t){(double *)d->host.pivot, panel.cols, 1, panel.cols}));
    XH_TRY(hyb_queue_copy_out(
        d->queue.factor, l1,
        (xh_view_t){d->host.l1_down, l1.rows, l1.cols, l1.rows}));
    XH_TRY(hyb_queue_copy_out(
        d->queue.factor, hyb_device_view_part(panel, top, 0, below, panel.cols),
        xh_view_part(l2, 0, 0, below, panel.cols)));
    XH_TRY(hyb_place_guard_queue_factored_seal(
        d, k,
        hyb_device_view_part(panel, top, 0, panel.rows - top, panel.cols)));
    hyb_place_span_end(d, d->queue.factor, HYB_SPAN, 0.0);
    return hyb_event_record(d->queue.factor, d->event.down);
}

void hyb_place_factor_panel(hyb_place_t *place, int k,
                            hyb_panel_agree_fn_t agree, void *context)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    agreement_t agreement = {d, hyb_lu_panel(place->lu, k)->hpl, agree, context,
                             0.0};

    hyb_place_require_ok(d, queue_factorization(d, k, &agreement));
    hyb_place_note(d, (hyb_block_range_t){0}, 0, 0.0, d->queue.factor);
}

xh_view_t hyb_place_take_panel(hyb_place_t *place, int k, int64_t *pivots)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    const HPL_T_panel *h = hyb_lu_panel(place->lu, k)->hpl;
    int jb = h->jb;
    bool is_down;

    hyb_place_require_ok(d, hyb_event_wait(d->event.down, 0.0, &is_down));
    for (int c = 0; c < jb && is_down; c++) {
        if (place->lu->grid->nprow == 1 && d->info.models_time)
            /* A device that models time chooses no pivots, so rows stay in
             * order. */
            d->host.pivot[c] = c;
        if (place->lu->grid->nprow == 1)
            check_row(d, h, c, c, (double)d->host.pivot[c]);
        pivots[c] = d->host.pivot[c];
    }
    if (is_down)
        hyb_place_guard_take_panel_sums(d, k, jb);
    return (xh_view_t){is_down ? d->host.l1_down : NULL, jb, jb, jb};
}

double hyb_place_panel_seconds(hyb_place_t *place)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    double seconds = 0.0;

    hyb_place_require_ok(
        d, hyb_event_elapsed(d->event.begun, d->event.down, &seconds));
    return seconds;
}

/* ---- the next panel's columns -------------------------------------------- */

xh_status_t hyb_place_fetch_panel(hyb_place_device_t *d, int k)
{
    hyb_device_view_t panel = hyb_place_panel_columns(d, k);

    XH_TRY(hyb_queue_wait(d->queue.link, d->event.computed));
    XH_TRY(hyb_event_record(d->queue.link, d->event.begun));
    hyb_place_span(d, d->queue.link, "panel down");
    XH_TRY(hyb_queue_copy_out(d->queue.link, panel,
                              d->base.panel_columns(&d->base, k)));
    hyb_place_span_end(d, d->queue.link, HYB_SPAN_DOWN,
                       sizeof(double) * (double)(panel.rows * panel.cols));
    return hyb_event_record(d->queue.link, d->event.down);
}

void hyb_place_start_next_panel(hyb_place_device_t *d, const hyb_step_t *step,
                                hyb_block_range_t blocks, int panels,
                                double flop)
{
    bool is_next = hyb_step_is_next(step, blocks.from);
    bool comes_down = is_next && !step->by_device;

    if (is_next)
        hyb_place_require_ok(d,
                             hyb_place_guard_queue_panel_sums(d, step->k + 1));
    if (is_next)
        hyb_place_require_ok(
            d, hyb_event_record(d->queue.compute, d->event.computed));
    if (comes_down)
        hyb_place_require_ok(d, hyb_place_fetch_panel(d, step->k + 1));
    hyb_place_note(d, blocks, hyb_stage(panels), flop,
                   comes_down ? d->queue.link : d->queue.compute);
}
