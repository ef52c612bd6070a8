/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"

/* The functions for parcels that the exchange calls. */

/* Does this device hold rows of the parcel, in columns or in L2? Guests that
 * arrive bring their rows along; guests that are here send theirs separately.
 */
static bool has_columns(const hyb_place_device_t *d, const hyb_parcel_t *parcel)
{
    return hyb_parcel_is_l2(parcel) ||
           hyb_place_run(d, parcel->blocks).count > 0;
}

/*
 * Let MPI read and write rows in this device's memory, if it is the process's
 * only device and has all columns of the parcel; but not rows of L2 if the host
 * sums their bits.
 */
static void lend(const hyb_place_device_t *d, hyb_parcel_t *parcel,
                 const hyb_place_rows_t *rows)
{
    const hyb_lu_t *lu = d->base.lu;

    if (!lu->resources.device_mpi || lu->homes.places > 2 ||
        rows->gathered.rows < parcel->x.columns ||
        (hyb_parcel_is_l2(parcel) && d->guard != NULL))
        return;
    parcel->x.gathered = hyb_device_view_address(rows->gathered);
    parcel->x.displaced = hyb_device_view_address(rows->displaced);
}

/* Once L2 of earlier panels has been permuted, the first device sends its rows.
 * The parcel of two iterations ago is no longer in use. */
static xh_status_t send_l2(hyb_place_device_t *d, const hyb_place_rows_t *rows)
{
    XH_TRY(hyb_queue_wait(d->queue.leave,
                          hyb_place_panel(d, rows->parcel->k - 1)->followed));
    return d->number == 1 ? hyb_place_queue_gather(d, rows) : XH_OK;
}

void hyb_place_send_rows(hyb_place_t *place, hyb_parcel_t *parcel)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    hyb_place_rows_t rows = hyb_place_rows(d, parcel);

    if (!place->lu->homes.resident)
        return;
    hyb_place_require_ok(
        d,
        hyb_queue_wait(d->queue.leave, hyb_place_panel(d, parcel->k)->ready));
    if (has_columns(d, parcel)) {
        lend(d, parcel, &rows);
        hyb_place_require_ok(d, hyb_parcel_is_l2(parcel)
                                    ? send_l2(d, &rows)
                                    : hyb_place_queue_gather(d, &rows));
    }
    hyb_place_require_ok(d, hyb_place_guests_leave(d, parcel));
    d->queued.sending =
        hyb_place_note(d, (hyb_block_range_t){0}, 0, 0.0, d->queue.leave);
}

bool hyb_place_has_sent_rows(hyb_place_t *place)
{
    const hyb_place_device_t *d = (hyb_place_device_t *)place;

    return d->queued.sending < 0 ||
           !d->queued.work[d->queued.sending].under_way;
}

/* Put received rows into place. Rows of this process are here already, except
 * rows of L2 on devices that did not send them. */
static xh_status_t put_rows(hyb_place_device_t *d, const hyb_place_rows_t *rows)
{
    bool is_l2 = hyb_parcel_is_l2(rows->parcel);
    int k = rows->parcel->k;

    XH_TRY(hyb_place_queue_receive(d, d->queue.link, rows,
                                   is_l2 && d->number > 1));
    XH_TRY(hyb_event_record(d->queue.link, d->event.arrived));
    XH_TRY(hyb_queue_wait(d->queue.compute, d->event.arrived));
    if (!is_l2)
        return XH_OK;
    XH_TRY(hyb_place_queue_scatter(d, d->queue.compute, rows,
                                   hyb_place_l1_before(d, k)));
    return hyb_place_followed(d, k);
}

void hyb_place_put_rows(hyb_place_t *place, const hyb_parcel_t *parcel)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    hyb_place_rows_t rows = hyb_place_rows(d, parcel);

    if (has_columns(d, parcel))
        hyb_place_require_ok(d, put_rows(d, &rows));
    if (hyb_parcel_is_l2(parcel))
        hyb_place_guard_update_seals(d, parcel);
}
