/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include "base/clock.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"

/* Keep track of work that is queued on the place's device. */

void hyb_place_require_ok(const hyb_place_device_t *d, xh_status_t status)
{
    int k = hyb_lu_opened(d->base.lu) - 1;
    char when[32] = "before iteration 0";

    if (status == XH_OK)
        return;
    if (k >= 0)
        snprintf(when, sizeof(when), "iteration %d", k);
    HPL_pabort(__LINE__, "hyb_place_device",
               "%s: a device is lost: %s device %d "
               "(%s%s%s): %s%s",
               when, d->info.backend, d->info.index, d->info.name,
               d->info.pci_address[0] != '\0' ? ", " : "", d->info.pci_address,
               xh_status_text(status), d->base.lu->advice);
}

xh_status_t hyb_place_drain(const hyb_place_device_t *d)
{
    double all =
        (double)d->memory.matrix.rows * (double)d->base.lu->ledger.columns;
    double seconds = fmax(all * 1e-6, d->stall_seconds);

    XH_TRY(hyb_event_record(d->queue.compute, d->event.computed));
    XH_TRY(hyb_event_record(d->queue.leave, d->event.arrived));
    XH_TRY(hyb_queue_wait(d->queue.link, d->event.computed));
    XH_TRY(hyb_queue_wait(d->queue.link, d->event.arrived));
    XH_TRY(hyb_event_record(d->queue.link, d->event.copied));
    return hyb_event_await(d->event.copied, seconds);
}

/* Seconds after which queued work counts as stalled: many times what it should
 * take. */
static double patience(const hyb_place_device_t *d)
{
    enum { TIMES = 20 };
    double flop = 0.0;

    for (int i = 0; i < d->queued.count; i++)
        flop += d->queued.work[i].under_way ? d->queued.work[i].flop : 0.0;
    return TIMES * flop * d->queued.pace;
}

bool hyb_place_has_run(const hyb_place_device_t *d, hyb_event_t *event,
                       double since)
{
    double waited;
    bool done;

    hyb_place_require_ok(d, hyb_event_wait(event, 0.0, &done));
    if (done)
        return true;
    waited = xh_clock_now() - since;
    if (waited > d->stall_seconds && waited > patience(d))
        hyb_place_require_ok(d, hyb_event_await(event, 0.0));
    return false;
}

/* The index of a free entry. There is always one, because the list is longer
 * than the work that can be under way. */
static int free_work(const hyb_place_device_t *d)
{
    int at = 0;

    while (at < d->queued.count && d->queued.work[at].under_way)
        at++;
    if (at == d->queued.count)
        HPL_pabort(__LINE__, "hyb_place_note",
                   "%d operations are under way: there is no room for another",
                   at);
    return at;
}

int hyb_place_note(hyb_place_device_t *d, hyb_block_range_t blocks,
                   int64_t stages, double flop, hyb_queue_t *queue)
{
    int at = d->queued.next;
    double now = xh_clock_now();

    if (flop > 0.0 && d->queued.products++ == 0)
        d->base.lu->homes.devices.waited[d->number - 1] +=
            now - d->queued.idle_since;
    d->queued.work[at].blocks = blocks;
    d->queued.work[at].stages = stages;
    d->queued.work[at].swept = d->queued.work[at].seat = -1;
    d->queued.work[at].sealed = -1;
    d->queued.work[at].visits = -1;
    d->queued.work[at].under_way = true;
    d->queued.work[at].flop = flop;
    d->queued.work[at].since = now;
    hyb_place_require_ok(d, hyb_event_record(queue, d->queued.work[at].done));
    d->queued.next = free_work(d);
    return at;
}

/* ---- copies of columns --------------------------------------------------- */

/* The device's view of the columns `host`. */
static hyb_device_view_t part_of(const hyb_place_device_t *d, int64_t row,
                                 int64_t col, xh_view_t host)
{
    const hyb_ledger_t *ledger = &d->base.lu->ledger;
    int64_t b = hyb_ledger_block(ledger, col);

    return hyb_device_view_part(d->memory.matrix, row,
                                d->columns[b] + col -
                                    hyb_ledger_first(ledger, b),
                                host.rows, host.cols);
}

void hyb_place_copy(hyb_place_t *place, int64_t row, int64_t col, int way,
                    xh_view_t elsewhere)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;
    hyb_device_view_t here = part_of(d, row, col, elsewhere);

    hyb_place_require_ok(
        d, way == HYB_SAVE ? hyb_queue_copy_out(d->queue.link, here, elsewhere)
                           : hyb_queue_copy_in(d->queue.link, elsewhere, here));
    hyb_place_require_ok(d, hyb_place_drain(d));
}
