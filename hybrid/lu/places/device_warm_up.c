/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>
#include "base/log.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/places/place_device.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"

/* Small sample operands: n x n blocks of the matrix, of a panel and of U; n
 * rows that travel; and a list with one row number, 0. */
typedef struct {
    const hyb_place_device_t *d;
    hyb_device_view_t columns, l1, l2, u, packed, list, no_list;
    xh_view_t host;
} sample_t;

static sample_t sample(const hyb_place_device_t *d)
{
    int64_t n = Mmin(d->memory.matrix.rows, Mmin(d->memory.matrix.cols, d->nb));
    hyb_device_view_t list = d->panel[0].lists;

    return (sample_t){.d = d,
                      .columns = hyb_device_view_first(d->memory.matrix, n, n),
                      .l1 = hyb_device_view_first(d->panel[0].l1, n, n),
                      .l2 = hyb_device_view_first(d->panel[0].l2, n, n),
                      .u = hyb_device_view_first(d->memory.u, n, n),
                      .packed = hyb_device_view(
                          d->memory.buffer, d->memory.packed_u, n, Mmin(n, 1)),
                      .list = hyb_device_view_first(list, Mmin(n, 1), 1),
                      .no_list = hyb_device_view_first(list, 0, 1),
                      .host = {d->host.pinned, n, n, Mmax(n, 1)}};
}

/* Warm up the link; later the other queues use what was copied up. */
static xh_status_t use_link(const sample_t *s)
{
    const hyb_place_device_t *d = s->d;
    hyb_device_view_t x =
        hyb_device_view_first(d->memory.x, s->columns.cols, 1);
    hyb_device_view_t y =
        hyb_device_view_first(d->memory.y, s->columns.rows, 1);

    XH_TRY(hyb_queue_upload(d->queue.link, d->host.rows, s->list));
    XH_TRY(hyb_queue_copy_in(d->queue.link, s->host, s->columns));
    XH_TRY(hyb_queue_gemv(d->queue.link, s->columns, x, y));
    XH_TRY(hyb_place_join_inverses(d->queue.link, s->l1));
    XH_TRY(hyb_queue_copy_out(d->queue.link, s->columns, s->host));
    if (d->queue.guests != NULL)
        XH_TRY(hyb_queue_copy(d->queue.link, s->columns, s->l2));
    XH_TRY(hyb_event_record(d->queue.link, d->event.copied));
    XH_TRY(hyb_queue_wait(d->queue.compute, d->event.copied));
    return hyb_queue_wait(d->queue.leave, d->event.copied);
}

static xh_status_t compute(const sample_t *s, bool exchanges)
{
    hyb_queue_t *queue = s->d->queue.compute;
    hyb_gemm_t update = {
        .alpha = -1.0, .beta = 1.0, .a = s->l2, .b = s->u, .c = s->columns};
    hyb_gemm_t by_inverse = {
        .alpha = 1.0, .a = s->l1, .b = s->u, .c = s->columns};
    hyb_row_swap_t swap = {
        .columns = s->columns,
        .u = hyb_device_view_first(s->u, s->list.rows, s->columns.cols),
        .source = s->list,
        .from = s->no_list,
        .to = s->no_list};

    if (exchanges)
        XH_TRY(hyb_queue_scatter_rows(queue, s->packed, s->list, s->columns));
    else
        XH_TRY(hyb_queue_swap_rows(queue, &swap));
    XH_TRY(hyb_queue_trsm(queue, s->l1, s->u));
    XH_TRY(hyb_queue_gemm(queue, &by_inverse));
    return hyb_queue_gemm(queue, &update);
}

static xh_status_t let_rows_leave(const sample_t *s)
{
    hyb_queue_t *queue = s->d->queue.leave;
    xh_view_t host = {s->host.data, s->packed.rows, s->packed.cols, s->host.ld};

    XH_TRY(hyb_queue_gather_rows(queue, s->columns, s->list, s->packed));
    return hyb_queue_copy_out(queue, s->packed, host);
}

static xh_status_t step(const sample_t *s, bool exchanges)
{
    int64_t n = s->columns.cols;
    hyb_panel_step_t all = {
        .panel = s->columns,
        .count = Mmin(n, HYB_PANEL_STEP),
        .pivots = hyb_device_view_first(s->d->memory.pivots, n, 1)};
    hyb_panel_column_t one = {
        .panel = s->columns,
        .end = all.count,
        .column = -1,
        .pivot = hyb_device_view_first(s->d->memory.proposed,
                                       hyb_pivot_elements(n), 1)};

    XH_TRY(exchanges ? hyb_queue_panel_column(s->d->queue.factor, &one)
                     : hyb_queue_panel_step(s->d->queue.factor, &all));
    XH_TRY(hyb_event_record(s->d->queue.factor, s->d->event.down));
    return hyb_queue_wait(s->d->queue.leave, s->d->event.down);
}

/* Warm up for visitors: copy a seat's columns up, multiply, and copy them down.
 */
static xh_status_t multiply(const hyb_place_device_t *d)
{
    int64_t n = Mmin(d->memory.matrix.rows, d->nb);
    hyb_device_view_t l2 = hyb_device_view_first(d->panel[0].l2, n, n);
    xh_view_t host = {d->host.pinned, n, n, Mmax(n, 1)};
    hyb_gemm_t update = {.alpha = -1.0,
                         .beta = 1.0,
                         .a = l2,
                         .b = hyb_device_view_first(d->memory.u, n, n),
                         .c = hyb_device_view_first(d->memory.l[1], n, n)};

    XH_TRY(hyb_queue_copy_in(d->queue.arrive, host, l2));
    XH_TRY(hyb_event_record(d->queue.arrive, d->event.copied));
    XH_TRY(hyb_queue_wait(d->queue.compute, d->event.copied));
    XH_TRY(hyb_queue_gemm(d->queue.compute, &update));
    XH_TRY(hyb_place_drain(d));
    return hyb_queue_copy_out(d->queue.leave, update.c, host);
}

/* Run all operations. The queues `leave` and `factor` use data of `compute`, so
 * drain `compute` first. */
static xh_status_t run_all(const sample_t *s)
{
    bool exchanges = s->d->base.lu->grid->nprow > 1;

    XH_TRY(use_link(s));
    XH_TRY(compute(s, exchanges));
    XH_TRY(hyb_place_drain(s->d));
    if (s->d->base.factor_panel != NULL)
        XH_TRY(step(s, exchanges));
    return exchanges ? let_rows_leave(s) : XH_OK;
}

xh_status_t hyb_place_device_warm_up(const hyb_place_t *place)
{
    const hyb_place_device_t *d = (const hyb_place_device_t *)place;
    sample_t s;
    xh_status_t tried, ended;

    if (hyb_place_is_idle(d))
        return XH_OK;
    s = sample(d);
    d->host.rows[0] = 0;
    tried = d->base.lu->homes.resident ? run_all(&s) : multiply(d);
    ended = hyb_place_drain(d); /* afterwards the caller may free the memory */
    if (tried == XH_OK && ended == XH_OK)
        return XH_OK;
    tried = tried != XH_OK ? tried : ended;
    xh_log_error("the first work on %s device %d (%s) fails: %s",
                 d->info.backend, d->info.index, d->info.name,
                 xh_status_text(tried));
    return tried;
}

/* ---- reaching another device --------------------------------------------- */

/* Copy rows from d's host memory through `other` to d, and then to other's host
 * memory. */
static xh_status_t cross(const hyb_place_device_t *d,
                         const hyb_place_device_t *other, int64_t count)
{
    hyb_device_view_t from = hyb_device_view_first(other->memory.y, count, 1);
    hyb_device_view_t to = hyb_device_view_first(d->memory.y, count, 1);

    XH_TRY(hyb_queue_copy_in(
        other->queue.link, (xh_view_t){d->host.pinned, count, 1, count}, from));
    XH_TRY(hyb_place_drain(other));
    XH_TRY(hyb_queue_copy(d->queue.link, from, to));
    XH_TRY(hyb_queue_copy_out(
        d->queue.link, to, (xh_view_t){other->host.pinned, count, 1, count}));
    return hyb_place_drain(d);
}

bool hyb_place_device_reaches(const hyb_place_t *place,
                              const hyb_place_t *other_place)
{
    const hyb_place_device_t *d = (const hyb_place_device_t *)place;
    const hyb_place_device_t *other = (const hyb_place_device_t *)other_place;
    int64_t count = d->memory.y.rows;
    size_t bytes = (size_t)count * sizeof(double);
    xh_status_t status;

    if (!hyb_device_reach(d->device, other->device))
        return false;
    if (count == 0)
        return true;
    for (int64_t i = 0; i < count; i++)
        d->host.pinned[i] = (double)(i + d->number);
    memset(other->host.pinned, 0, bytes);
    status = cross(d, other, count);
    if (status == XH_OK &&
        memcmp(d->host.pinned, other->host.pinned, bytes) == 0)
        return true;
    xh_log_warning("%s device %d reads the memory of device %d wrongly: panels "
                   "travel through the host",
                   d->info.backend, d->info.index, other->info.index);
    return false;
}
