/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/step.h"

enum { NO_BLOCK = -1 };

/* Columns that live in host memory visit the device in seats: panels are
 * applied here to guests, and visitors are multiplied once. */
struct hyb_place_seat {
    int64_t block; /* block in this seat, or NO_BLOCK */
    int first;     /* first panel that is applied here */
    bool leaves;   /* the block goes home, and nothing more is queued for it */
    hyb_device_view_t columns, u;
    hyb_device_view_t gathered, displaced; /* P > 1: packed rows that travel */
    hyb_event_t *arrived, *applied; /* the columns have arrived; all work queued
                                       for them has run */
};

typedef struct hyb_place_seat seat_t;

/* ---- create and destroy -------------------------------------------------- */

xh_status_t hyb_place_seats_create(hyb_place_device_t *d, int64_t at)
{
    int64_t rows = d->memory.matrix.rows, cols = hyb_ledger_widest(d->nb);
    int64_t wide = d->memory.l[0].cols;
    int64_t travel = d->base.lu->grid->nprow > 1 ? wide * cols : 0;

    d->seat = calloc((size_t)d->seats + 1, sizeof(*d->seat));
    if (d->seat == NULL)
        return XH_ERR_MEMORY;
    XH_TRY(hyb_queue_create(d->device, HYB_QUEUE_NORMAL, &d->queue.arrive));
    if (d->base.lu->homes.guests > 0)
        XH_TRY(hyb_queue_create(d->device, HYB_QUEUE_NORMAL, &d->queue.guests));
    XH_TRY(hyb_event_create(d->device, &d->event.kept));
    for (int i = 0; i < d->seats; i++, at += travel) {
        seat_t *seat = &d->seat[i];

        seat->block = NO_BLOCK;
        seat->columns = hyb_device_view(d->memory.buffer, at, rows, cols);
        seat->u =
            hyb_device_view(d->memory.buffer, at += rows * cols, wide, cols);
        seat->gathered =
            hyb_device_view(d->memory.buffer, at += wide * cols, cols, wide);
        seat->displaced =
            hyb_device_view(d->memory.buffer, at += travel, cols, wide);
        XH_TRY(hyb_event_create(d->device, &seat->arrived));
        XH_TRY(hyb_event_create(d->device, &seat->applied));
    }
    return XH_OK;
}

void hyb_place_seats_destroy(hyb_place_device_t *d)
{
    for (int i = 0; d->seat != NULL && i < d->seats; i++) {
        hyb_event_destroy(d->seat[i].applied);
        hyb_event_destroy(d->seat[i].arrived);
    }
    free(d->seat);
}

/* The seat of `block`; for NO_BLOCK, a free seat. NULL: there is none. */
static seat_t *seat_of(const hyb_place_device_t *d, int64_t block)
{
    for (int i = 0; d->seat != NULL && i < d->seats; i++)
        if (d->seat[i].block == block)
            return &d->seat[i];
    return NULL;
}

bool hyb_place_has_guest(const hyb_place_t *place, int64_t block)
{
    const seat_t *seat = seat_of((const hyb_place_device_t *)place, block);

    return seat != NULL && !seat->leaves;
}

bool hyb_place_is_visited(const hyb_place_device_t *d, int64_t block)
{
    return seat_of(d, block) != NULL;
}

hyb_device_view_t hyb_place_panel_columns(const hyb_place_device_t *d, int k)
{
    int64_t b = hyb_lu_panel_block(d->base.lu, k);
    const HPL_T_panel *h = hyb_lu_panel(d->base.lu, k)->hpl;
    const seat_t *seat = seat_of(d, b);

    if (seat != NULL)
        return hyb_device_view_part(seat->columns, h->ii, 0, h->mp, h->jb);
    return hyb_place_trailing(d, h, hyb_place_run(d, hyb_one_block(b)));
}

/* ---- arriving and leaving ------------------------------------------------ */

static int64_t first_row(const hyb_place_device_t *d, int panel)
{
    return hyb_lu_rows_above(d->base.lu->grid, d->base.lu->mat, panel);
}

/* Rows from .. to - 1 of the seat's block in host memory. */
static xh_view_t at_home(const hyb_place_device_t *d, const seat_t *seat,
                         int64_t from, int64_t to)
{
    const HPL_T_pmat *mat = d->base.lu->mat;
    int64_t column = hyb_ledger_first(&d->base.lu->ledger, seat->block);

    return (xh_view_t){Mptr(mat->A, from, column, mat->ld), to - from,
                       seat->columns.cols, mat->ld};
}

static hyb_device_view_t here(const seat_t *seat, int64_t from, int64_t to)
{
    return hyb_device_view_part(seat->columns, from, 0, to - from,
                                seat->columns.cols);
}

static double bytes_of(const seat_t *seat, int64_t rows)
{
    return (double)(rows * seat->columns.cols) * sizeof(double);
}

/*
 * Queue copies of rows from .. to - 1 into the seat or out of it. The link
 * serves one copy at a time, so copies are short: a panel must not wait for a
 * whole block column.
 */
static xh_status_t cross(const hyb_place_device_t *d, const seat_t *seat,
                         hyb_queue_t *queue, int64_t from, int64_t to)
{
    /* Bytes per copy, enough for the link's full rate. */
    enum { BYTES = 4 << 20 };
    xh_view_t home = at_home(d, seat, from, to);
    hyb_device_view_t there = here(seat, from, to);
    int64_t most =
        Mmax(BYTES / (int64_t)sizeof(double) / Mmax(to - from, 1), 1);

    for (int64_t at = 0, count; at < home.cols; at += count) {
        xh_view_t part = xh_view_part(home, 0, at, to - from,
                                      count = Mmin(most, home.cols - at));
        hyb_device_view_t block =
            hyb_device_view_part(there, 0, at, to - from, count);

        XH_TRY(queue == d->queue.leave ? hyb_queue_copy_out(queue, block, part)
                                       : hyb_queue_copy_in(queue, part, block));
    }
    return XH_OK;
}

/* Assign `seat` to `block`, and queue the copy of its rows from the first row
 * of `panel` on. */
static xh_status_t arrive(hyb_place_device_t *d, seat_t *seat, int64_t block,
                          int panel)
{
    int64_t rows = d->base.lu->mat->mp;
    hyb_run_t columns =
        hyb_ledger_columns(&d->base.lu->ledger, hyb_one_block(block));

    seat->block = block;
    seat->first = panel;
    seat->leaves = false;
    seat->columns.cols = seat->u.cols = columns.count;
    hyb_place_span(d, d->queue.arrive, "column");
    XH_TRY(cross(d, seat, d->queue.arrive, first_row(d, panel), rows));
    hyb_place_span_end(d, d->queue.arrive, HYB_SPAN_UP,
                       bytes_of(seat, rows - first_row(d, panel)));
    return hyb_event_record(d->queue.arrive, seat->arrived);
}

/* The seat's rows of `parcel`. */
static hyb_place_rows_t rows_of(const seat_t *seat, const hyb_parcel_t *parcel)
{
    const HPL_T_panel *h = parcel->x.panel;
    int64_t cols = seat->columns.cols;

    return (hyb_place_rows_t){
        .parcel = parcel,
        .guest = seat->block,
        .columns = hyb_device_view_part(seat->columns, h->ii, 0, h->mp, cols),
        .gathered = hyb_device_view(seat->gathered.buffer,
                                    seat->gathered.offset, cols, h->jb),
        .displaced = hyb_device_view(seat->displaced.buffer,
                                     seat->displaced.offset, cols, h->jb)};
}

xh_status_t hyb_place_guests_leave(hyb_place_device_t *d,
                                   const hyb_parcel_t *parcel)
{
    for (int i = 0; d->seat != NULL && i < d->seats; i++) {
        const seat_t *seat = &d->seat[i];
        hyb_place_rows_t rows;

        if (seat->leaves || seat->block < parcel->blocks.from ||
            seat->block >= parcel->blocks.to)
            continue;
        rows = rows_of(seat, parcel);
        XH_TRY(hyb_queue_wait(d->queue.leave, seat->applied));
        XH_TRY(hyb_place_queue_gather(d, &rows));
    }
    return XH_OK;
}

/* P > 1: queue the copy of the guest's rows, into the memory of earlier panels'
 * rows. */
static xh_status_t bring_rows(hyb_place_device_t *d, seat_t *seat,
                              const hyb_place_rows_t *rows)
{
    XH_TRY(hyb_queue_wait(d->queue.arrive, seat->applied));
    XH_TRY(hyb_place_queue_receive(d, d->queue.arrive, rows, true));
    return hyb_event_record(d->queue.arrive, seat->arrived);
}

/* Apply panels from .. to - 1 to the guest once it has arrived. */
static xh_status_t apply(hyb_place_device_t *d, seat_t *seat,
                         hyb_queue_t *queue, int from, int to, double *flop_p)
{
    hyb_place_part_t part = {
        .queue = queue, .columns = seat->columns, .u = seat->u};
    hyb_lu_t *lu = d->base.lu;
    bool travel = lu->grid->nprow > 1;
    hyb_place_rows_t rows;

    if (travel) {
        rows = rows_of(seat, hyb_exchange_parcel(lu->exchange, seat->block));
        XH_TRY(bring_rows(d, seat, &rows));
    }
    XH_TRY(hyb_queue_wait(queue, seat->arrived));
    *flop_p = 0.0;
    XH_TRY(hyb_place_apply_panels(d, &part, travel ? &rows : NULL, from, to,
                                  flop_p));
    return hyb_event_record(queue, seat->applied);
}

/* Queue the copy of the block's rows from .. to - 1 to the host. */
static xh_status_t go_home(hyb_place_device_t *d, seat_t *seat, int64_t from,
                           int64_t to)
{
    if (to == from)
        return XH_OK;
    hyb_place_span(d, d->queue.leave, "column");
    XH_TRY(cross(d, seat, d->queue.leave, from, to));
    hyb_place_span_end(d, d->queue.leave, HYB_SPAN_DOWN,
                       bytes_of(seat, to - from));
    return XH_OK;
}

/* Note that the seat is free once all work on the queue `leave` has run.
 * Returns the number of the work. */
static int note_end(hyb_place_device_t *d, seat_t *seat,
                    hyb_block_range_t blocks, int64_t stages, double flop)
{
    int at = hyb_place_note(d, blocks, stages, flop, d->queue.leave);

    d->queued.work[at].seat = (int)(seat - d->seat);
    seat->leaves = true;
    return at;
}

/* End the visit of a guest that is not the next panel: if single panels are
 * applied to it soon, it stays; else it goes home. */
static xh_status_t end_visit(hyb_place_device_t *d, seat_t *seat,
                             hyb_queue_t *queue, int k, int panels, double flop)
{
    const HPL_T_pmat *mat = d->base.lu->mat;
    hpl_map_t map = hpl_map_columns(d->base.lu->grid, mat->nb);
    hyb_block_range_t block = {seat->block, seat->block + 1};

    if (hyb_groups_is_near(hpl_map_block_global(&map, seat->block), k + 1)) {
        hyb_place_note(d, block, hyb_stage(panels), flop, queue);
        return XH_OK;
    }
    XH_TRY(hyb_queue_wait(d->queue.leave, seat->applied));
    XH_TRY(go_home(d, seat, first_row(d, seat->first), d->base.lu->mat->mp));
    note_end(d, seat, block, hyb_stage(panels), flop);
    return XH_OK;
}

/* Is the group that ends with panel to - 1 complete? If not, the queue
 * `compute` still changes it. */
static bool is_whole(const hyb_place_device_t *d, int to)
{
    return to == d->base.lu->groups.of[to - 1].end;
}

static xh_status_t visit(hyb_place_device_t *d, seat_t *seat,
                         const hyb_step_t *step, int64_t block, int from,
                         int to, double *flop_p)
{
    int panels = to - from;
    bool has_come = seat->block == block;
    bool is_next = hyb_step_is_next(step, block);
    hyb_queue_t *queue =
        is_next || !is_whole(d, to) ? d->queue.compute : d->queue.guests;

    if (!has_come)
        XH_TRY(arrive(d, seat, block, from));
    if (has_come)
        XH_TRY(hyb_queue_wait(queue, seat->applied));
    XH_TRY(apply(d, seat, queue, from, to, flop_p));
    return is_next ? XH_OK
                   : end_visit(d, seat, queue, step->k, panels, *flop_p);
}

bool hyb_place_visit(hyb_place_device_t *d, const hyb_step_t *step,
                     int64_t block, int from, int to, double *flop_p)
{
    seat_t *seat = seat_of(d, block);

    if (seat == NULL)
        seat = seat_of(d, NO_BLOCK);
    else if (seat->leaves)
        seat = NULL;
    if (seat != NULL)
        hyb_place_require_ok(d, visit(d, seat, step, block, from, to, flop_p));
    return seat != NULL;
}

/* ---- visitors, for one product
 * ------------------------------------------------------
 */

bool hyb_place_has_room(const hyb_place_t *place, int k)
{
    const hyb_place_device_t *d = (const hyb_place_device_t *)place;

    return d->newest_panel >= k && seat_of(d, NO_BLOCK) != NULL;
}

/* If the block has no top rows on this process, copy its rows of U up, too. */
static xh_status_t bring_u(hyb_place_device_t *d, int k, int64_t block,
                           const hyb_place_part_t *part)
{
    hyb_lu_t *lu = d->base.lu;
    const hyb_place_panel_t *panel = hyb_place_panel(d, k);

    return panel->top > 0
               ? XH_OK
               : hyb_queue_copy_in(
                     d->queue.arrive,
                     hyb_exchange_u(
                         lu->exchange, hyb_lu_panel(lu, k)->hpl->jb,
                         hyb_ledger_columns(&lu->ledger, hyb_one_block(block))),
                     hyb_place_u(panel, part));
}

static xh_status_t multiply(hyb_place_device_t *d, seat_t *seat, int k,
                            int64_t block, double *flop_p)
{
    const hyb_place_panel_t *panel = hyb_place_panel(d, k);
    int64_t below = panel->first + panel->top, end = d->base.lu->mat->mp;
    hyb_run_t run =
        hyb_ledger_columns(&d->base.lu->ledger, hyb_one_block(block));
    hyb_place_part_t part = {.queue = d->queue.compute,
                             .columns = seat->columns,
                             .u = seat->u,
                             .aside = seat->u};

    part.columns.cols = part.u.cols = part.aside.cols = run.count;
    *flop_p = hyb_place_flop(panel, &part);
    XH_TRY(bring_u(d, k, block, &part));
    XH_TRY(arrive(d, seat, block, k));
    XH_TRY(hyb_queue_wait(part.queue, seat->arrived));
    XH_TRY(hyb_place_in_span(d, "product", hyb_place_update, panel, &part));
    XH_TRY(hyb_event_record(part.queue, seat->applied));
    XH_TRY(hyb_queue_wait(d->queue.leave, seat->applied));
    return go_home(d, seat, below, end);
}

void hyb_place_multiply_visitor(hyb_place_device_t *d, int k, int64_t block)
{
    seat_t *seat = seat_of(d, NO_BLOCK);
    double flop;
    int at;

    hyb_place_require_ok(d, multiply(d, seat, k, block, &flop));
    at = note_end(d, seat, hyb_one_block(block), 1, flop);
    d->queued.work[at].visits = k;
}

/* ---- panels ---------------------------------------------------------------
 */

xh_status_t hyb_place_seat_panel(hyb_place_device_t *d, int k)
{
    seat_t *seat = &d->seat[0];

    XH_TRY(arrive(d, seat, hyb_lu_panel_block(d->base.lu, k), k));
    return hyb_queue_wait(d->queue.compute, seat->arrived);
}

xh_status_t hyb_place_clear_seats(hyb_place_device_t *d)
{
    int64_t rows = d->base.lu->mat->mp;

    for (int i = 0; d->seat != NULL && i < d->seats; i++) {
        seat_t *seat = &d->seat[i];

        if (seat->block == NO_BLOCK)
            continue;
        XH_TRY(go_home(d, seat, first_row(d, seat->first), rows));
        hyb_place_seat_free(d, i);
    }
    return hyb_place_drain(d);
}

xh_status_t hyb_place_keep_panel(hyb_place_device_t *d, int k)
{
    const hyb_place_panel_t *panel = hyb_place_panel(d, k);
    seat_t *seat = seat_of(d, hyb_lu_panel_block(d->base.lu, k));
    int64_t below = panel->first + panel->top;

    if (hyb_place_factored(d, k) && panel->l2.rows > 0)
        XH_TRY(hyb_queue_copy(d->queue.link,
                              here(seat, below, below + panel->l2.rows),
                              panel->l2));
    XH_TRY(go_home(d, seat, first_row(d, seat->first), panel->first));
    XH_TRY(hyb_event_record(d->queue.link, d->event.kept));
    XH_TRY(hyb_queue_wait(d->queue.leave, d->event.kept));
    note_end(d, seat, (hyb_block_range_t){0}, 0, 0.0);
    return XH_OK;
}

void hyb_place_seat_free(hyb_place_device_t *d, int seat)
{
    d->seat[seat].block = NO_BLOCK;
}
