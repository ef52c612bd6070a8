/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/places/place_device.h"

#include <math.h>
#include "base/clock.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/panel/l1_inverses.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/places/visits.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/tune/sizes.h"

static xh_view_t host_view(double *data, int64_t rows, int64_t cols)
{
    return (xh_view_t){data, rows, cols, Mmax(rows, 1)};
}

/* ---- panels -------------------------------------------------------------- */

/* Prepare L1 for the device's solve, in pinned memory. */
static xh_view_t stage_l1(hyb_place_device_t *d, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(d->base.lu, k)->hpl;
    hyb_place_panel_t *panel = hyb_place_panel(d, k);
    xh_view_t l1 = host_view(h->L1, h->jb, h->jb);
    xh_view_t staged =
        host_view(d->host.l1 + k % HYB_SLOTS * d->nb * d->nb, h->jb, h->jb);
    double growth = hyb_l1_invert(l1, staged);

    panel->has_inverses = growth <= HYB_L1_MOST_GROWTH;
    return panel->has_inverses ? staged : l1;
}

/* The view of L2 of panel k on the device that factored it. */
static hyb_device_view_t l2_of(const hyb_place_t *home, int k)
{
    hyb_place_device_t *d = (hyb_place_device_t *)home;
    hyb_device_view_t panel = hyb_place_panel_columns(d, k);
    int64_t top = hpl_panel_top_rows(hyb_lu_panel(home->lu, k)->hpl);

    return hyb_device_view_part(panel, top, 0, panel.rows - top, panel.cols);
}

/* Queue the copy of L2 from the host or a peer, unless L2 is here. */
static xh_status_t send_l2(hyb_place_device_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;
    const hyb_lu_panel_t *source = hyb_lu_panel(d->base.lu, k);
    hyb_place_panel_t *panel = hyb_place_panel(d, k);
    int64_t b = hyb_lu_panel_block(lu, k);
    bool is_here = hyb_place_factored(d, k) && hyb_place_holds(d, b);

    panel->l2 = panel->received_l2 = hyb_place_l2(d, k);
    if (is_here && lu->groups.width > 1)
        XH_TRY(hyb_queue_copy(d->queue.link, l2_of(&d->base, k), panel->l2));
    else if (is_here)
        panel->l2 = l2_of(&d->base, k);
    else if (source->by_device && hyb_homes_by_peers(&lu->homes, b))
        XH_TRY(hyb_queue_copy(d->queue.link,
                              l2_of(hyb_lu_panel_place(lu, k), k), panel->l2));
    else if (!hyb_place_factored(d, k))
        XH_TRY(hyb_queue_copy_in(d->queue.link, source->columns, panel->l2));
    return hyb_lu_owns(lu, k) && hyb_place_is_visited(d, b)
               ? hyb_place_keep_panel(d, k)
               : XH_OK;
}

/* Send L2 up for visitors, which are only multiplied. */
static xh_status_t send_for_products(hyb_place_device_t *d, int k)
{
    hyb_event_t *ready = hyb_place_panel(d, k)->ready;

    XH_TRY(send_l2(d, k));
    XH_TRY(
        hyb_place_guard_queue_received_seal(d, k, (xh_view_t){NULL, 0, 0, 1}));
    hyb_place_span_end(d, d->queue.link, HYB_SPAN, 0.0);
    XH_TRY(hyb_event_record(d->queue.link, ready));
    return hyb_queue_wait(d->queue.compute, ready);
}

/* Send up the lists and L2, and then L1, which is prepared meanwhile. */
static xh_status_t send_panel(hyb_place_device_t *d, int k)
{
    hyb_place_panel_t *panel = hyb_place_panel(d, k);
    int64_t *lists = d->host.rows + k % HYB_SLOTS * HYB_ROW_LISTS * d->nb;
    xh_view_t l1;

    XH_TRY(hyb_place_send_lists(d, panel, hyb_lu_panel(d->base.lu, k)->hpl,
                                lists));
    XH_TRY(send_l2(d, k));
    l1 = stage_l1(d, k);
    XH_TRY(hyb_queue_copy_in(
        d->queue.link, l1, hyb_device_view_first(panel->l1, l1.rows, l1.cols)));
    XH_TRY(hyb_place_guard_queue_received_seal(d, k, l1));
    if (panel->has_inverses)
        XH_TRY(hyb_place_join_inverses(
            d->queue.link, hyb_device_view_first(panel->l1, l1.rows, l1.cols)));
    XH_TRY(hyb_place_widen(d, k));
    hyb_place_span_end(d, d->queue.link, HYB_SPAN, 0.0);
    XH_TRY(hyb_event_record(d->queue.link, panel->ready));
    if (d->queue.guests != NULL)
        XH_TRY(hyb_queue_wait(d->queue.guests, panel->ready));
    XH_TRY(hyb_queue_wait(d->queue.compute, panel->ready));
    return hyb_place_follow(d, k);
}

static bool has_panel(hyb_place_t *place, int k)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    bool has_come = true;

    if (k < place->lu->range.first || hyb_place_is_idle(d))
        return true;
    if (d->newest_panel < k)
        return false;
    hyb_place_require_ok(
        d, hyb_event_wait(hyb_place_panel(d, k)->ready, 0.0, &has_come));
    return has_come;
}

static bool l2_is_complete(void *panel)
{
    return hyb_l2_has_columns(panel);
}

/* Send the pending panel if its L2 is complete in columns. */
static void send_if_complete(hyb_place_device_t *d)
{
    int k = d->pending_panel;

    if (k < 0 || !l2_is_complete(hyb_lu_panel(d->base.lu, k)))
        return;
    hyb_place_span(d, d->queue.link, "panel");
    hyb_place_require_ok(d, d->base.lu->homes.resident
                                ? send_panel(d, k)
                                : send_for_products(d, k));
    d->newest_panel = k;
    d->pending_panel = -1;
}

static void wait_for_l2(hyb_place_device_t *d)
{
    hyb_lu_panel_t *panel = hyb_lu_panel(d->base.lu, d->pending_panel);

    if (!l2_is_complete(panel))
        hyb_l2_convert(panel);
    hyb_wait_until(l2_is_complete, panel, NULL, NULL);
    send_if_complete(d);
}

/* If columns live on devices, send the panel at once: other threads copy the
 * last rows of L2, and nobody polls while an iteration opens. */
static void receive_panel(hyb_place_t *place, int k)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;

    if (hyb_place_is_idle(d))
        return;
    if (d->pending_panel >= 0)
        wait_for_l2(d);
    hyb_place_require_ok(d, hyb_place_wait_followed(d, k - HYB_SLOTS));
    if (k == place->lu->groups.of[k].first)
        hyb_place_require_ok(
            d, hyb_place_guard_queue_last_seal(
                   d, place->lu->groups.of[k].number - HYB_SLOTS));
    hyb_place_locate_panel(hyb_place_panel(d, k),
                           hyb_lu_panel(place->lu, k)->hpl);
    d->pending_panel = k;
    if (place->lu->homes.resident)
        wait_for_l2(d);
}

static xh_view_t panel_columns(hyb_place_t *place, int k)
{
    const hyb_place_device_t *d = (hyb_place_device_t *)place;
    const HPL_T_panel *h = hyb_lu_panel(place->lu, k)->hpl;

    return host_view(d->host.pinned, h->mp, h->jb);
}

/* ---- swap, solve, multiply ----------------------------------------------- */

/* The columns of `blocks` that live on this device. */
static hyb_place_part_t part_of(const hyb_place_device_t *d,
                                hyb_block_range_t blocks)
{
    hyb_run_t mine = hyb_place_run(d, blocks);

    return (hyb_place_part_t){
        .queue = d->queue.compute,
        .columns = hyb_device_view_part(d->memory.matrix, 0, mine.from,
                                        d->memory.matrix.rows, mine.count),
        .u = d->memory.u}; /* shared, as one queue runs all work in order */
}

/* Queue the application of panels from .. to - 1 to this device's columns among
 * `blocks`. */
static void queue_application(hyb_place_device_t *d, const hyb_step_t *step,
                              hyb_block_range_t blocks, int from, int to)
{
    hyb_lu_t *lu = d->base.lu;
    hyb_place_part_t p = part_of(d, blocks);
    hyb_place_rows_t rows;
    double flop = 0.0;

    if (lu->grid->nprow > 1)
        rows =
            hyb_place_rows(d, hyb_exchange_parcel(lu->exchange, blocks.from));
    hyb_place_require_ok(
        d, hyb_place_apply_panels(d, &p, lu->grid->nprow > 1 ? &rows : NULL,
                                  from, to, &flop));
    hyb_place_start_next_panel(d, step, blocks, to - from, flop);
}

/* Bring a guest unless it is here, and apply panels from .. to - 1 to it. */
static bool host_guest(hyb_place_device_t *d, const hyb_step_t *step,
                       int64_t block, int from, int to, int64_t stages)
{
    double flop;

    if (!hyb_place_visit(d, step, block, from, to, &flop))
        return false;
    hyb_ledger_queue_all(&d->base.lu->ledger, hyb_one_block(block), stages);
    if (hyb_step_is_next(step, block))
        hyb_place_start_next_panel(d, step, hyb_one_block(block), to - from,
                                   flop);
    return true;
}

static bool apply(hyb_place_t *place, hyb_worker_t *me, const hyb_step_t *step,
                  hyb_run_t run, int64_t from, int64_t to)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    hyb_ledger_t *ledger = &me->lu->ledger;
    hyb_block_range_t blocks = hyb_ledger_blocks(ledger, run);
    int first = (int)(from / HYB_STEPS), end = (int)(to / HYB_STEPS);

    if (hyb_homes_is_guest(&me->lu->homes, blocks.from))
        return host_guest(d, step, blocks.from, first, end, to - from);
    if (from == hyb_stage_after(step->k, HYB_STEP_SOLVE)) {
        hyb_place_multiply_visitor(d, step->k, blocks.from);
        return true;
    }
    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (hyb_place_holds(d, b))
            hyb_ledger_queue_all(ledger, hyb_one_block(b), to - from);
    queue_application(d, step, blocks, first, end);
    return true;
}

/* ---- completed work ------------------------------------------------------ */

/* Note that work number `at` has run; work queued after it can run from now on.
 */
static void complete(hyb_place_device_t *d, int at, double now)
{
    hyb_ledger_t *ledger = &d->base.lu->ledger;
    hyb_block_range_t blocks = d->queued.work[at].blocks;
    double flop = d->queued.work[at].flop;
    double seconds = now - d->queued.work[at].since;

    d->queued.work[at].under_way = false;
    if (flop > 0.0) {
        d->queued.pace = fmax(d->queued.pace, seconds / flop);
        if (--d->queued.products == 0)
            d->queued.idle_since = now;
    }
    for (int i = 0; i < d->queued.count; i++)
        d->queued.work[i].since = now;
    if (at == d->queued.sending)
        d->queued.sending = -1;
    if (d->queued.work[at].sealed >= 0)
        hyb_place_guard_compare_seals(d, d->queued.work[at].sealed,
                                      d->queued.work[at].given_up);
    if (d->queued.work[at].swept >= 0)
        hyb_place_guard_finish_comparison(d, d->queued.work[at].swept);
    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (hyb_place_of(&d->base.lu->homes, b) == &d->base ||
            d->queued.work[at].visits >= 0)
            hyb_ledger_complete_all(ledger, hyb_one_block(b),
                                    d->queued.work[at].stages);
    if (d->queued.work[at].seat >= 0)
        hyb_place_seat_free(d, d->queued.work[at].seat);
    if (d->queued.work[at].visits >= 0)
        hyb_visits_note(d->base.lu->visits, d->queued.work[at].visits,
                        d->number - 1, flop, seconds);
}

static void poll(hyb_place_t *place)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    double now = xh_clock_now();

    send_if_complete(d);
    hyb_place_spans_poll(d);
    for (int i = 0; i < d->queued.count; i++)
        if (d->queued.work[i].under_way &&
            hyb_place_has_run(d, d->queued.work[i].done,
                              d->queued.work[i].since))
            complete(d, i, now);
}

/* ---- before and after the loop ------------------------------------------- */

/* Fill each block separately, because blocks of other places lie between. */
static void generate(hyb_place_t *place, int seed)
{
    const hyb_place_device_t *d = (hyb_place_device_t *)place;
    const HPL_T_grid *grid = place->lu->grid;
    const HPL_T_pmat *mat = place->lu->mat;
    hpl_map_t map = hpl_map_columns(grid, mat->nb);

    if (hyb_place_is_idle(d))
        return;
    for (int64_t b = 0; b < place->lu->ledger.blocks; b++) {
        int64_t first = hyb_ledger_first(&place->lu->ledger, b);
        hyb_run_t run = hyb_place_run(d, hyb_one_block(b));
        hyb_generate_t columns = {
            .seed = (uint64_t)seed,
            .order = mat->n,
            .rows = {0, mat->nb, grid->myrow, grid->nprow},
            .cols = {hpl_map_global(&map, first), mat->nb, 0, 1},
            .block = hyb_device_view_part(d->memory.matrix, 0, run.from,
                                          mat->mp, run.count)};

        if (run.count > 0)
            hyb_place_require_ok(
                d, hyb_queue_generate(d->queue.compute, &columns));
    }
    hyb_place_require_ok(d, hyb_place_drain(d));
}

static void begin(hyb_place_t *place)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    int first = place->lu->range.first;

    hyb_place_guard_begin(d);
    hyb_place_require_ok(d, hyb_place_spans_begin(d));
    d->queued.idle_since = xh_clock_now();
    if (!hyb_lu_owns(place->lu, first) ||
        hyb_lu_panel_place(place->lu, first) != place)
        return;
    if (!hyb_place_holds(d, hyb_lu_panel_block(place->lu, first)))
        hyb_place_require_ok(d, hyb_place_seat_panel(d, first));
    hyb_place_require_ok(d, hyb_place_guard_queue_panel_sums(d, first));
    hyb_place_require_ok(d,
                         hyb_event_record(d->queue.compute, d->event.computed));
    if (!hyb_lu_panel(place->lu, first)->by_device)
        hyb_place_require_ok(d, hyb_place_fetch_panel(d, first));
    hyb_place_require_ok(d, hyb_place_drain(d));
}

/*
 * Copy y down; at the end of the last range, the back-substitution begins with
 * it. Afterwards nothing is queued any more, whether b is here or not.
 */
static void end(hyb_place_t *place)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    const HPL_T_pmat *mat = place->lu->mat;
    const hyb_ledger_t *ledger = &place->lu->ledger;
    int last = place->lu->groups.of[hyb_lu_end(place->lu) - 1].number;

    if (hyb_place_is_idle(d))
        return;
    for (int group = last - HYB_SLOTS + 1; group <= last; group++)
        hyb_place_require_ok(d, hyb_place_guard_queue_last_seal(d, group));
    hyb_place_require_ok(d, hyb_place_drain(d));
    poll(place);
    hyb_place_require_ok(d, hyb_place_clear_seats(d));
    if (ledger->columns_of_ab > ledger->columns_of_a &&
        hyb_place_holds(d, ledger->b))
        hyb_place_require_ok(
            d, hyb_queue_copy_out(
                   d->queue.link,
                   hyb_device_view_part(d->memory.matrix, 0,
                                        d->columns[ledger->b], mat->mp, 1),
                   (xh_view_t){Mptr(mat->A, 0, ledger->columns_of_a, mat->ld),
                               mat->mp, 1, mat->ld}));
    hyb_place_require_ok(d, hyb_place_drain(d));
}

static xh_status_t queue_subtract(const hyb_place_device_t *d,
                                  hyb_device_view_t a,
                                  const hpl_product_t *product)
{
    hyb_device_view_t x = hyb_device_view_first(d->memory.x, a.cols, 1),
                      y = hyb_device_view_first(d->memory.y, a.rows, 1);
    xh_view_t host_y = {product->y, a.rows, 1, a.rows};
    xh_view_t host_x = {(double *)product->x, a.cols, 1, a.cols};

    XH_TRY(hyb_queue_copy_in(d->queue.link, host_x, x));
    XH_TRY(hyb_queue_copy_in(d->queue.link, host_y, y));
    XH_TRY(hyb_queue_gemv(d->queue.link, a, x, y));
    return hyb_queue_copy_out(d->queue.link, y, host_y);
}

static void subtract(hyb_place_t *place, const hpl_product_t *product)
{
    const hyb_place_device_t *d = (hyb_place_device_t *)place;
    const HPL_T_pmat *mat = place->lu->mat;
    int64_t at = product->a - mat->A, column = at / mat->ld;
    int64_t b = hyb_ledger_block(&place->lu->ledger, column);
    hyb_device_view_t a = hyb_device_view_part(
        d->memory.matrix, at % mat->ld, d->columns[b], product->m, product->n);

    hyb_place_require_ok(d, queue_subtract(d, a, product));
    hyb_place_require_ok(d, hyb_place_drain(d));
}

const hyb_place_t hyb_place_device = {.apply = apply,
                                      .receive_panel = receive_panel,
                                      .panel_columns = panel_columns,
                                      .factor_panel = hyb_place_factor_panel,
                                      .take_panel = hyb_place_take_panel,
                                      .panel_seconds = hyb_place_panel_seconds,
                                      .subtract = subtract,
                                      .has_room = hyb_place_has_room,
                                      .has_guest = hyb_place_has_guest,
                                      .has_panel = has_panel,
                                      .send_rows = hyb_place_send_rows,
                                      .has_sent_rows = hyb_place_has_sent_rows,
                                      .put_rows = hyb_place_put_rows,
                                      .copy = hyb_place_copy,
                                      .generate = generate,
                                      .sweep = hyb_place_guard_queue_comparison,
                                      .poll = poll,
                                      .begin = begin,
                                      .end = end};
