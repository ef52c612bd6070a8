/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/tune/sizes.h"

/* Rows of a parcel that travel between processes (P > 1): on this device and
 * over the link. */

enum { RESIDENT = -1 };

/* ---- locations ----------------------------------------------------------- */

hyb_place_rows_t hyb_place_rows(const hyb_place_device_t *d,
                                const hyb_parcel_t *parcel)
{
    hyb_run_t run = hyb_place_run(d, parcel->blocks);
    bool is_l2 = hyb_parcel_is_l2(parcel);
    int64_t columns = is_l2 ? parcel->x.columns : run.count;
    int64_t at =
        parcel->slot < 0 ? run.from * d->nb : d->memory.slots + parcel->slot;
    hyb_place_rows_t rows = {
        .parcel = parcel,
        .guest = RESIDENT,
        .columns = is_l2 ? hyb_place_l2_before(d, parcel->k)
                         : hyb_place_trailing(d, parcel->x.panel, run),
        .gathered = hyb_device_view(d->memory.buffer, d->memory.packed_u + at,
                                    columns, parcel->x.panel->jb),
        .displaced = hyb_device_view(d->memory.buffer, d->memory.packed + at,
                                     columns, parcel->x.panel->jb)};

    return rows;
}

/* Rows first .. first + count - 1 of `packed`. */
static hyb_device_view_t rows_of(hyb_device_view_t packed, int first, int count)
{
    return hyb_device_view_part(packed, 0, first, packed.rows, count);
}

typedef enum { LEAVE, ENTER } row_way_t;

/* A packed buffer on the host, and the direction of its rows. */
typedef struct {
    hyb_queue_t *queue;
    row_way_t way;
    double *host;
    int64_t columns; /* elements per row */
} way_t;

/* Copy columns from .. from + packed.rows - 1 of the rows from `first` on. */
static xh_status_t copy_columns(const way_t *w, int64_t from, int first,
                                hyb_device_view_t packed)
{
    xh_view_t host = {w->host + (int64_t)first * w->columns + from, packed.rows,
                      packed.cols, w->columns};

    if (packed.rows == 0)
        return XH_OK;
    return w->way == LEAVE ? hyb_queue_copy_out(w->queue, packed, host)
                           : hyb_queue_copy_in(w->queue, host, packed);
}

static int64_t columns_before(const hyb_place_device_t *d,
                              const hyb_parcel_t *parcel, int64_t block)
{
    return hyb_ledger_first(&d->base.lu->ledger, block) -
           hyb_ledger_first(&d->base.lu->ledger, parcel->blocks.from);
}

/* Queue one copy per block of the parcel, or a single copy if the device has
 * all its columns. Queue none if MPI accesses the rows in device memory. */
static xh_status_t copy(const hyb_place_device_t *d,
                        const hyb_place_rows_t *rows, const way_t *w,
                        hyb_device_view_t packed, int first, int count)
{
    const hyb_parcel_t *parcel = rows->parcel;
    hyb_device_view_t some = rows_of(packed, first, count);
    int64_t at = 0;

    if (count == 0 || w->host == hyb_device_view_address(packed))
        return XH_OK;
    if (rows->guest != RESIDENT)
        return copy_columns(w, columns_before(d, parcel, rows->guest), first,
                            some);
    if (some.rows == w->columns)
        return copy_columns(w, 0, first, some);
    for (int64_t b = parcel->blocks.from; b < parcel->blocks.to; b++) {
        int64_t width = hyb_place_run(d, hyb_one_block(b)).count;

        XH_TRY(copy_columns(w, columns_before(d, parcel, b), first,
                            hyb_device_view_part(some, at, 0, width, count)));
        at += width;
    }
    return XH_OK;
}

/* ---- transfers ----------------------------------------------------------- */

xh_status_t hyb_place_queue_gather(hyb_place_device_t *d,
                                   const hyb_place_rows_t *rows)
{
    const hpl_exchange_t *x = &rows->parcel->x;
    const hyb_device_view_t *list =
        hyb_place_panels(d, rows->parcel->from, rows->parcel->to)->list;
    const hpl_pivots_t *moves = x->panel->pivots;
    way_t w = {d->queue.leave, LEAVE, x->gathered, x->columns};
    int first = moves->gather_offset[moves->me];
    int count = (int)list[HYB_U_FROM].rows;

    hyb_place_span(d, d->queue.leave, "rows");
    XH_TRY(hyb_queue_gather_rows(d->queue.leave, rows->columns,
                                 list[HYB_U_FROM],
                                 rows_of(rows->gathered, first, count)));
    XH_TRY(copy(d, rows, &w, rows->gathered, first, count));
    w.host = x->displaced;
    count = hpl_pivots_displaced_from(moves, moves->me, &first);
    XH_TRY(hyb_queue_gather_rows(d->queue.leave, rows->columns,
                                 list[HYB_DISPLACED_FROM],
                                 rows_of(rows->displaced, first, count)));
    XH_TRY(copy(d, rows, &w, rows->displaced, first, count));
    hyb_place_span_end(d, d->queue.leave, HYB_SPAN, 0.0);
    return XH_OK;
}

xh_status_t hyb_place_queue_receive(hyb_place_device_t *d, hyb_queue_t *queue,
                                    const hyb_place_rows_t *rows, bool mine_too)
{
    const hpl_exchange_t *x = &rows->parcel->x;
    const hpl_pivots_t *moves = x->panel->pivots;
    const int *u = moves->gather_offset;
    way_t w = {queue, ENTER, x->gathered, x->columns};
    int first, count;

    hyb_place_span(d, queue, "rows");
    for (int member = 0; member < moves->members; member++)
        if (member != moves->me || mine_too)
            XH_TRY(copy(d, rows, &w, rows->gathered, u[member],
                        u[member + 1] - u[member]));
    w.host = x->displaced;
    for (int source = 0; source < moves->sources; source++) {
        count = hpl_pivots_between(moves, source, moves->me, &first);
        if (source != moves->me || mine_too)
            XH_TRY(copy(d, rows, &w, rows->displaced, first, count));
    }
    hyb_place_span_end(d, queue, HYB_SPAN, 0.0);
    return XH_OK;
}

xh_status_t hyb_place_queue_scatter(hyb_place_device_t *d, hyb_queue_t *queue,
                                    const hyb_place_rows_t *rows,
                                    hyb_device_view_t u)
{
    const hyb_parcel_t *parcel = rows->parcel;
    const hpl_pivots_t *moves = parcel->x.panel->pivots;
    const hyb_device_view_t *list =
        hyb_place_panels(d, parcel->from, parcel->to)->list;
    int first, count, at = 0;

    XH_TRY(hyb_queue_scatter_rows(queue, rows->gathered, list[HYB_U_TO], u));
    for (int source = 0; source < moves->sources; source++, at += count) {
        count = hpl_pivots_between(moves, source, moves->me, &first);
        if (count > 0)
            XH_TRY(hyb_queue_scatter_rows(
                queue, rows_of(rows->displaced, first, count),
                hyb_device_view_part(list[HYB_DISPLACED_TO], at, 0, count, 1),
                rows->columns));
    }
    return XH_OK;
}
