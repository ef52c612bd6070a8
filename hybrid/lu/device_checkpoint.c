/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

/* Its own queue, made by the first who copies: nothing else runs on it. */
static xh_status_t open_queue(hyb_device_columns_t *d)
{
    if (d->event.saved == NULL)
        XH_TRY(hyb_event_create(d->device, &d->event.saved));
    return d->queue.save != NULL
               ? XH_OK
               : hyb_queue_create(d->device, HYB_QUEUE_NORMAL, &d->queue.save);
}

/* The same columns on the device. */
static hyb_block_t part_of(const hyb_device_columns_t *d, int64_t b,
                           const xh_rectangle_t *part)
{
    int64_t first = hyb_ledger_first(&d->base.lu->ledger, b);

    return hyb_block_part(d->memory.matrix, part->row,
                          d->columns[b] + part->col - first, part->rows,
                          part->cols);
}

static xh_status_t copy(hyb_device_columns_t *d, hyb_block_t block, int way,
                        double *data)
{
    xh_view_t host = {data, block.rows, block.cols, block.rows};

    XH_TRY(open_queue(d));
    if (way == HYB_SAVE)
        XH_TRY(hyb_queue_copy_out(d->queue.save, block, host));
    else
        XH_TRY(hyb_queue_copy_in(d->queue.save, host, block));
    XH_TRY(hyb_event_record(d->queue.save, d->event.saved));
    return hyb_event_await(d->event.saved, d->stall_seconds);
}

void hyb_device_copy(hyb_place_t *place, int64_t b, const xh_rectangle_t *part,
                     int way, double *host)
{
    hyb_device_columns_t *d = (hyb_device_columns_t *)place;

    pthread_mutex_lock(&d->saving);
    hyb_device_check(d, copy(d, part_of(d, b, part), way, host));
    pthread_mutex_unlock(&d->saving);
}
