/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

/* P = 1: a row of the process is that row of the matrix. */
static int64_t first_row(const hyb_lu_t *lu, int panel)
{
    return (int64_t)panel * lu->mat->nb;
}

/* Its rows from .. to - 1, at home and here. */
static xh_view_t at_home(const hyb_device_columns_t *d, const hyb_seat_t *seat,
                         int64_t from, int64_t to)
{
    const HPL_T_pmat *mat = d->base.lu->mat;
    int64_t column = hyb_ledger_first(&d->base.lu->ledger, seat->block);

    return (xh_view_t){Mptr(mat->A, from, column, mat->ld), to - from,
                       seat->columns.cols, mat->ld};
}

static hyb_block_t here(const hyb_seat_t *seat, int64_t from, int64_t to)
{
    return hyb_block_part(seat->columns, from, 0, to - from,
                          seat->columns.cols);
}

/* Block takes seat and comes, as far as panels up to this one are not done. */
static xh_status_t arrive(hyb_device_columns_t *d, hyb_seat_t *seat,
                          int64_t block, int panel)
{
    int64_t rows = d->base.lu->mat->mp;
    hyb_run_t columns = hyb_ledger_columns(&d->base.lu->ledger,
                                           (hyb_blocks_t){block, block + 1});

    seat->block = block;
    seat->columns.cols = seat->u.cols = columns.count;
    seat->from = first_row(d->base.lu, panel);
    XH_TRY(hyb_queue_copy_in(d->queue.arrive,
                             at_home(d, seat, seat->from, rows),
                             here(seat, seat->from, rows)));
    return hyb_event_record(d->queue.arrive, seat->come);
}

/* Behind the work on it before. */
static hyb_event_t *work_before(const hyb_seat_t *seat, bool has_come)
{
    return has_come ? seat->met : seat->come;
}

/* Panels first .. k; returns their flop in *flop_p. */
static xh_status_t meet(hyb_device_columns_t *d, hyb_seat_t *seat,
                        hyb_queue_t *queue, int first, int k, double *flop_p)
{
    hyb_device_part_t part = {
        .queue = queue, .columns = seat->columns, .u = seat->u};

    hyb_device_begin(d, queue);
    for (int p = first; p <= k; p++) {
        XH_TRY(hyb_device_meet(hyb_device_slot(d, p), &part));
        *flop_p += hyb_device_flop(hyb_device_slot(d, p), &part);
    }
    hyb_device_end(d, queue);
    return hyb_event_record(queue, seat->met);
}

static xh_status_t go_home(hyb_device_columns_t *d, const hyb_seat_t *seat,
                           int64_t to)
{
    if (to == seat->from)
        return XH_OK;
    return hyb_queue_copy_out(d->queue.leave, here(seat, seat->from, to),
                              at_home(d, seat, seat->from, to));
}

/* What follows: it is factored, stays until it is, or goes home. */
static xh_status_t end_visit(hyb_device_columns_t *d, hyb_seat_t *seat,
                             const hyb_step_t *step, int panels, double flop)
{
    hyb_blocks_t block = {seat->block, seat->block + 1};

    if (hyb_step_is_next(step, seat->block)) {
        hyb_device_has_met(d, step, block, panels, flop);
        return XH_OK;
    }
    if (hyb_lu_meets(d->base.lu, seat->block, step->k + 1)) {
        hyb_device_note(d, block, panels, flop, d->queue.guests);
        return XH_OK;
    }
    XH_TRY(hyb_queue_wait(d->queue.leave, seat->met));
    XH_TRY(go_home(d, seat, d->base.lu->mat->mp));
    seat->last = step->k;
    seat->is_panel = false;
    d->queued.work[hyb_device_note(d, block, panels, flop, d->queue.leave)]
        .seat = seat;
    return XH_OK;
}

static xh_status_t visit(hyb_device_columns_t *d, hyb_seat_t *seat,
                         const hyb_step_t *step, int64_t block)
{
    hyb_ledger_t *ledger = &d->base.lu->ledger;
    int first = hyb_ledger_panels_queued(ledger, block);
    int panels = step->k + 1 - first;
    bool has_come = seat->block == block;
    hyb_queue_t *queue =
        hyb_step_is_next(step, block) ? d->queue.compute : d->queue.guests;
    double flop = 0.0;

    if (!has_come)
        XH_TRY(arrive(d, seat, block, first));
    XH_TRY(hyb_queue_wait(queue, work_before(seat, has_come)));
    XH_TRY(meet(d, seat, queue, first, step->k, &flop));
    hyb_ledger_queue_all(ledger, (hyb_blocks_t){block, block + 1},
                         hyb_stage(panels));
    return end_visit(d, seat, step, panels, flop);
}

bool hyb_device_host_guest(hyb_place_t *place, const hyb_step_t *step,
                           int64_t block)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;
    hyb_seat_t *seat = hyb_device_seat(d, block);

    if (seat == NULL)
        seat = hyb_device_seat(d, HYB_NO_BLOCK);
    if (seat != NULL)
        hyb_device_check(d, visit(d, seat, step, block));
    return seat != NULL;
}

xh_status_t hyb_device_seat_first(hyb_device_columns_t *d)
{
    hyb_seat_t *seat = &d->seat[0];

    XH_TRY(arrive(d, seat, 0, 0));
    return hyb_queue_wait(d->queue.compute, seat->come);
}

xh_status_t hyb_device_keep_panel(hyb_device_columns_t *d, int k)
{
    const hyb_device_panel_t *panel = hyb_device_slot(d, k);
    hyb_seat_t *seat =
        hyb_device_seat(d, hyb_lu_trailing(d->base.lu, k - 1).from);
    int64_t below = panel->first + panel->top;

    if (hyb_device_factored(d, k) && panel->l2.rows > 0)
        XH_TRY(hyb_queue_copy(d->queue.link,
                              here(seat, below, below + panel->l2.rows),
                              panel->l2));
    XH_TRY(go_home(d, seat, panel->first));
    seat->last = k - 1;
    seat->is_panel = true;
    seat->by_team = !hyb_device_factored(d, k);
    XH_TRY(hyb_event_record(d->queue.link, d->event.kept));
    XH_TRY(hyb_queue_wait(d->queue.leave, d->event.kept));
    d->queued
        .work[hyb_device_note(d, (hyb_blocks_t){0}, 0, 0.0, d->queue.leave)]
        .seat = seat;
    return XH_OK;
}

bool hyb_device_guest_can_leave(const hyb_device_columns_t *d,
                                const hyb_seat_t *seat)
{
    return hyb_carried_knows_guests(d->base.lu,
                                    seat->last + (seat->is_panel ? 1 : 0));
}

void hyb_device_guest_left(hyb_device_columns_t *d, hyb_seat_t *seat)
{
    const hyb_visit_t visit = {.block = seat->block,
                               .device = d->number - 1,
                               .first = (int)(seat->from / d->base.lu->mat->nb),
                               .last = seat->last,
                               .is_panel = seat->is_panel,
                               .by_team = seat->by_team};

    if (d->sums != NULL)
        hyb_carried_guest_left(d->base.lu, &visit);
    seat->block = HYB_NO_BLOCK;
}
