/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/resident_devices.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "base/median.h"
#include "base/memory.h"

enum {
    SAMPLES = 16,    /* of which the median counts */
    NARROWEST = 256, /* columns of the first C */
    LISTS = 3        /* of rows: source, from, to */
};

/* A device that takes longer for one sample has stalled. */
static const double patience = 60.0;

typedef struct {
    hyb_device_t *device;
    hyb_buffer_t *memory;
    hyb_block_t columns, u, l1, l2, list[LISTS];
    hyb_queue_t *queue;
    hyb_event_t *begun, *updated, *moved, *subtracted;
} resident_t;

struct hyb_resident_devices {
    hyb_machine_t *machine;
    int64_t m, nb, most; /* most columns of C, of each device */
    int64_t count;       /* those of the next sample */
    double seconds;
    double *host; /* pinned: a panel, and the lists */
    size_t bytes;
    int devices;
    resident_t *device;
    pthread_t thread;
    bool runs;
    _Atomic bool stops;
    int samples; /* as wide as the last one */
    hyb_resident_seconds_t sample[SAMPLES];
    xh_status_t status;
};

/* ---- memory -------------------------------------------------------------- */

static int64_t fixed_doubles(const hyb_resident_devices_t *d)
{
    return d->nb * d->nb + d->m * d->nb + LISTS * d->nb;
}

/* Of a column: its rows, and those of U aside. */
static int64_t column_doubles(const hyb_resident_devices_t *d)
{
    return d->m + 2 * d->nb;
}

/* Rows change places with rows far apart, as pivots do. */
static void list_rows(const hyb_resident_devices_t *d)
{
    int64_t *row = (int64_t *)(d->host + (d->m + d->nb) * d->nb);
    int64_t apart = xh_larger(d->m / d->nb, 1);

    for (int64_t i = 0; i < d->nb; i++) {
        row[i] = xh_smaller(d->nb + i * apart, d->m + d->nb - 1);
        row[d->nb + i] = i;
        row[2 * d->nb + i] = row[i];
    }
}

static xh_status_t open_device(hyb_resident_devices_t *d, int i)
{
    resident_t *r = &d->device[i];
    int64_t at = 0, rows = d->m + d->nb, displaced = xh_smaller(d->nb, d->m);
    int64_t doubles = fixed_doubles(d) + d->most * column_doubles(d);

    r->device = hyb_machine_device(d->machine, i);
    hyb_machine_set_aside(d->machine, i, (uint64_t)doubles * sizeof(double));
    XH_TRY(hyb_buffer_create(r->device, (size_t)doubles * sizeof(double),
                             &r->memory));
    XH_TRY(hyb_queue_create(r->device, HYB_QUEUE_NORMAL, &r->queue));
    XH_TRY(hyb_event_create(r->device, &r->begun));
    XH_TRY(hyb_event_create(r->device, &r->updated));
    XH_TRY(hyb_event_create(r->device, &r->moved));
    XH_TRY(hyb_event_create(r->device, &r->subtracted));
    r->columns = hyb_block(r->memory, at, rows, d->most);
    r->u = hyb_block(r->memory, at += rows * d->most, d->nb, d->most);
    r->l1 = hyb_block(r->memory, at += d->nb * d->most, d->nb, d->nb);
    r->l2 = hyb_block(r->memory, at += d->nb * d->nb, d->m, d->nb);
    at += d->m * d->nb;
    for (int list = 0; list < LISTS; list++, at += d->nb)
        r->list[list] =
            hyb_block(r->memory, at, list > 0 ? displaced : d->nb, 1);
    return XH_OK;
}

static xh_status_t open_all(hyb_resident_devices_t *d)
{
    XH_TRY(xh_memory_allocate(d->bytes, (void **)&d->host));
    hyb_machine_pin_flat(d->machine, d->host, d->bytes);
    list_rows(d);
    for (int i = 0; i < d->devices; i++)
        XH_TRY(open_device(d, i));
    return XH_OK;
}

static void close_all(hyb_resident_devices_t *d)
{
    for (int i = 0; i < d->devices; i++) {
        hyb_event_destroy(d->device[i].subtracted);
        hyb_event_destroy(d->device[i].moved);
        hyb_event_destroy(d->device[i].updated);
        hyb_event_destroy(d->device[i].begun);
        hyb_queue_destroy(d->device[i].queue);
        hyb_buffer_destroy(d->device[i].memory);
        hyb_machine_set_aside(d->machine, i, 0);
    }
    hyb_machine_unpin(d->machine, d->host);
    xh_memory_free(d->host, d->bytes);
    free(d->device);
    free(d);
}

/* ---- work ---------------------------------------------------------------- */

static xh_view_t host_l1(const hyb_resident_devices_t *d)
{
    return (xh_view_t){d->host, d->nb, d->nb, d->nb};
}

/* L1 is the identity, all else random numbers. */
static xh_status_t fill(const hyb_resident_devices_t *d, const resident_t *r)
{
    const hyb_block_t random[] = {r->columns, r->l2};
    const int64_t *row = (const int64_t *)(d->host + (d->m + d->nb) * d->nb);

    for (int i = 0; i < 2; i++)
        XH_TRY(hyb_queue_generate(
            r->queue, &(hyb_generate_t){.seed = 1,
                                        .order = random[i].rows,
                                        .rows = {0, random[i].rows, 0, 1},
                                        .cols = {0, random[i].rows, 0, 1},
                                        .block = random[i]}));
    for (int list = 0; list < LISTS; list++)
        XH_TRY(hyb_queue_upload(r->queue, row + list * d->nb, r->list[list]));
    return hyb_queue_copy_in(r->queue, host_l1(d), r->l1);
}

/* The update of the first columns. alpha keeps numbers from growing. */
static xh_status_t update(const hyb_resident_devices_t *d, const resident_t *r)
{
    int64_t n = d->count;
    hyb_block_t all = hyb_block_part(r->columns, 0, 0, d->m + d->nb, n);
    hyb_block_t u = hyb_block_part(all, 0, 0, d->nb, n);
    hyb_row_swap_t swap = {.columns = all,
                           .u = hyb_block_part(r->u, 0, 0, d->nb, n),
                           .source = r->list[0],
                           .from = r->list[1],
                           .to = r->list[2]};
    hyb_gemm_t product = {.alpha = -0x1p-12,
                          .beta = 1.0,
                          .a = r->l2,
                          .b = u,
                          .c = hyb_block_part(all, d->nb, 0, d->m, n)};

    XH_TRY(hyb_event_record(r->queue, r->begun));
    XH_TRY(hyb_queue_swap_rows(r->queue, &swap));
    XH_TRY(hyb_queue_trsm(r->queue, r->l1, u));
    XH_TRY(hyb_queue_gemm(r->queue, &product));
    return hyb_event_record(r->queue, r->updated);
}

static xh_status_t move(const hyb_resident_devices_t *d, const resident_t *r)
{
    xh_view_t l1 = host_l1(d);
    xh_view_t l2 = {d->host + d->nb * d->nb, d->m, d->nb, d->m};

    XH_TRY(hyb_queue_copy_out(r->queue, r->l1, l1));
    XH_TRY(hyb_queue_copy_out(r->queue, r->l2, l2));
    XH_TRY(hyb_queue_copy_in(r->queue, l1, r->l1));
    XH_TRY(hyb_queue_copy_in(r->queue, l2, r->l2));
    return hyb_event_record(r->queue, r->moved);
}

static xh_status_t subtract(const hyb_resident_devices_t *d,
                            const resident_t *r)
{
    xh_view_t host_x = {d->host, d->nb, 1, d->nb};
    xh_view_t host_y = {d->host + d->nb, d->m, 1, d->m};
    hyb_block_t x = hyb_block_part(r->u, 0, 0, d->nb, 1);
    hyb_block_t y = hyb_block_part(r->columns, d->nb, 0, d->m, 1);

    XH_TRY(hyb_queue_copy_in(r->queue, host_x, x));
    XH_TRY(hyb_queue_copy_in(r->queue, host_y, y));
    XH_TRY(hyb_queue_gemv(r->queue, r->l2, x, y));
    XH_TRY(hyb_queue_copy_out(r->queue, y, host_y));
    return hyb_event_record(r->queue, r->subtracted);
}

/* All devices at the same time. */
static xh_status_t sample(const hyb_resident_devices_t *d,
                          hyb_resident_seconds_t *s_p)
{
    hyb_resident_seconds_t s = {.column = 0.0};
    double rate = 0.0, seconds;

    for (int i = 0; i < d->devices; i++) {
        XH_TRY(update(d, &d->device[i]));
        XH_TRY(move(d, &d->device[i]));
        XH_TRY(subtract(d, &d->device[i]));
    }
    for (int i = 0; i < d->devices; i++) {
        const resident_t *r = &d->device[i];

        XH_TRY(hyb_event_await(r->subtracted, patience));
        XH_TRY(hyb_event_elapsed(r->begun, r->updated, &seconds));
        rate += (double)d->count / fmax(seconds, 1e-9);
        XH_TRY(hyb_event_elapsed(r->updated, r->moved, &seconds));
        s.transfer = fmax(s.transfer, seconds);
        XH_TRY(hyb_event_elapsed(r->moved, r->subtracted, &seconds));
        s.subtract = fmax(s.subtract, seconds);
    }
    s.column = 1.0 / rate;
    *s_p = s;
    return XH_OK;
}

/* Wider ones next, while there is time for them. */
static void widen(hyb_resident_devices_t *d, double column)
{
    if (atomic_load(&d->stops) || d->count == d->most ||
        column * (double)(d->count * d->devices) > d->seconds / 2)
        return;
    d->count = xh_smaller(2 * d->count, d->most);
    d->samples = 0;
}

/* The first sample warms up; one that ends later counts if there is no other.
 */
static xh_status_t work(hyb_resident_devices_t *d)
{
    hyb_resident_seconds_t s;

    for (int i = 0; i < d->devices; i++)
        XH_TRY(fill(d, &d->device[i]));
    XH_TRY(sample(d, &s));
    do {
        XH_TRY(sample(d, &s));
        d->sample[d->samples++ % SAMPLES] = s;
        widen(d, s.column);
    } while (d->samples == 0 || !atomic_load(&d->stops));
    return XH_OK;
}

static void *keep_busy(void *context)
{
    hyb_resident_devices_t *d = context;

    d->status = work(d);
    return NULL;
}

/* ---- begin and end ------------------------------------------------------- */

/* Columns of each device: as many as rows, within bytes and half its memory. */
static int64_t most_columns(const hyb_resident_devices_t *d, double bytes)
{
    double each = bytes / (double)xh_larger(d->devices, 1), left;

    for (int i = 0; i < d->devices; i++)
        each = fmin(each, (double)hyb_machine_memory(d->machine, i) / 2.0);
    left = each / sizeof(double) - (double)fixed_doubles(d);
    return (int64_t)fmin((double)xh_larger(d->m, NARROWEST),
                         left / (double)column_doubles(d));
}

void hyb_resident_devices_begin(hyb_machine_t *machine, int64_t m, int64_t nb,
                                double bytes, double seconds,
                                hyb_resident_devices_t **devices_p)
{
    hyb_resident_devices_t *d = calloc(1, sizeof(*d));

    *devices_p = NULL;
    if (d == NULL)
        return;
    d->machine = machine;
    d->m = m;
    d->nb = nb;
    d->seconds = seconds;
    d->bytes = (size_t)((m + nb) * nb + LISTS * nb) * sizeof(double);
    d->device = calloc(HYB_EXECUTORS, sizeof(*d->device));
    if (d->device != NULL)
        d->devices = hyb_machine_devices(machine);
    d->most = most_columns(d, bytes);
    d->count = xh_smaller(NARROWEST, d->most);
    if (d->devices > 0 && d->count > 0 && open_all(d) == XH_OK)
        d->runs = pthread_create(&d->thread, NULL, keep_busy, d) == 0;
    if (d->runs)
        *devices_p = d;
    else
        close_all(d);
}

/* Of one member of all samples. */
static double median_of(const hyb_resident_devices_t *d, size_t member)
{
    int count = (int)xh_smaller(d->samples, SAMPLES);
    double values[SAMPLES];

    for (int i = 0; i < count; i++)
        memcpy(&values[i], (const char *)&d->sample[i] + member,
               sizeof(values[i]));
    return xh_median(values, count);
}

hyb_resident_seconds_t hyb_resident_devices_end(hyb_resident_devices_t *d)
{
    hyb_resident_seconds_t s = {INFINITY, INFINITY, INFINITY};

    if (d == NULL)
        return s;
    atomic_store(&d->stops, true);
    pthread_join(d->thread, NULL);
    if (d->status == XH_OK)
        s = (hyb_resident_seconds_t){
            median_of(d, offsetof(hyb_resident_seconds_t, column)),
            median_of(d, offsetof(hyb_resident_seconds_t, transfer)),
            median_of(d, offsetof(hyb_resident_seconds_t, subtract))};
    close_all(d);
    return s;
}
