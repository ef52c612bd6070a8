/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/resident_devices.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "base/integers.h"
#include "base/median.h"
#include "hybrid/cpu/trial/host_parts.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/tune/sizes.h"

enum {
    SAMPLES = 16,    /* newest samples; their median counts */
    NARROWEST = 256, /* columns of the first C */
    LISTS = HYB_U_TO /* number of lists of rows, for P = 1 */
};

/* Seconds after which one piece of work counts as stalled. */
static const double patience = 60.0;

typedef struct {
    double *host; /* pinned: a panel */
    hyb_buffer_t *memory;
    hyb_device_view_t columns, u;
    hyb_place_panel_t panel;
    hyb_queue_t *queue;
    hyb_event_t *begin, *end;
} resident_t;

struct hyb_resident_devices {
    hyb_machine_t *machine;
    int64_t m, nb, most_columns; /* most columns of C per device */
    int64_t columns;             /* columns of C in the next sample */
    double seconds;
    hyb_scratch_t host; /* pinned: the lists, and one panel per device */
    int devices;
    resident_t device[HYB_EXECUTORS];
    pthread_t thread;
    bool has_thread;
    _Atomic bool stop;
    int samples; /* samples with the newest width */
    double column[SAMPLES], transfer[SAMPLES], factor[SAMPLES],
        subtract[SAMPLES], peers[SAMPLES];
    xh_status_t status;
};

/* ---- memory -------------------------------------------------------------- */

/* panel_doubles: doubles of L1, L2 and the lists. column_doubles: doubles per
 * column of C, U and the copy of U. */
static int64_t panel_doubles(const hyb_resident_devices_t *d)
{
    return (d->m + d->nb + LISTS) * d->nb;
}

static int64_t column_doubles(const hyb_resident_devices_t *d)
{
    return d->m + 2 * d->nb;
}

/* List rows to exchange with rows far apart, as pivots do. */
static void list_rows(const hyb_resident_devices_t *d)
{
    int64_t *row = (int64_t *)d->host.data;
    int64_t distance = xh_larger(d->m / d->nb, 1);

    for (int64_t i = 0; i < d->nb; i++) {
        row[i] = xh_smaller(d->nb + i * distance, d->m + d->nb - 1);
        row[d->nb + i] = i;
        row[2 * d->nb + i] = row[i];
    }
}

/* Make L1 and L2 so small that columns keep their magnitude however often they
 * are updated: products of zeros or infinities are faster. */
static void scale_panel(const hyb_resident_devices_t *d, const resident_t *r)
{
    for (int64_t i = 0; i < (d->m + d->nb) * d->nb; i++)
        r->host[i] /= (double)d->nb;
    for (int64_t i = 0; i < d->nb; i++)
        r->host[i * (d->nb + 1)] = 1.0;
}

/* Fill the columns with random values, like those of the matrix. */
static xh_status_t fill_columns(const hyb_resident_devices_t *d,
                                const resident_t *r)
{
    const hyb_generate_t columns = {.seed = 1,
                                    .order = d->m + d->nb,
                                    .rows = {0, d->nb, 0, 1},
                                    .cols = {0, d->nb, 0, 1},
                                    .block = r->columns};

    return hyb_queue_generate(r->queue, &columns);
}

static xh_status_t open_device(hyb_resident_devices_t *d, int i)
{
    hyb_device_t *device = hyb_machine_device(d->machine, i);
    resident_t *r = &d->device[i];
    int64_t at = 0, rows = d->m + d->nb, displaced = xh_smaller(d->nb, d->m);
    size_t bytes =
        sizeof(double) *
        (size_t)(panel_doubles(d) + d->most_columns * column_doubles(d));

    r->host = d->host.data + LISTS * d->nb + i * panel_doubles(d);
    hyb_machine_free_tiles(d->machine, i);
    XH_TRY(hyb_buffer_create(device, bytes, &r->memory));
    XH_TRY(hyb_queue_create(device, HYB_QUEUE_NORMAL, &r->queue));
    XH_TRY(hyb_event_create(device, &r->begin));
    XH_TRY(hyb_event_create(device, &r->end));
    r->columns = hyb_device_view(r->memory, at, rows, d->most_columns);
    r->u = hyb_device_view(r->memory, at += rows * d->most_columns, d->nb,
                           d->most_columns);
    r->panel.rows = rows;
    r->panel.jb = r->panel.top = r->panel.nb = d->nb;
    r->panel.has_inverses = true;
    r->panel.l1 =
        hyb_device_view(r->memory, at += d->nb * d->most_columns, d->nb, d->nb);
    r->panel.l2 = hyb_device_view(r->memory, at += d->nb * d->nb, d->m, d->nb);
    at += d->m * d->nb;
    for (int list = 0; list < LISTS; list++, at += d->nb) {
        r->panel.list[list] = hyb_device_view(
            r->memory, at, list == HYB_U_FROM ? d->nb : displaced, 1);
        XH_TRY(hyb_queue_upload(r->queue,
                                (const int64_t *)d->host.data + list * d->nb,
                                r->panel.list[list]));
    }
    scale_panel(d, r);
    return fill_columns(d, r);
}

static xh_status_t open_all(hyb_resident_devices_t *d)
{
    XH_TRY(hyb_scratch_open(&d->host, hyb_machine_team(d->machine),
                            LISTS * d->nb + d->devices * panel_doubles(d)));
    list_rows(d);
    hyb_machine_pin_flat(d->machine, d->host.data, d->host.bytes);
    for (int i = 0; i < d->devices; i++)
        XH_TRY(open_device(d, i));
    return XH_OK;
}

static void close_all(hyb_resident_devices_t *d)
{
    for (int i = 0; i < d->devices; i++) {
        hyb_event_destroy(d->device[i].end);
        hyb_event_destroy(d->device[i].begin);
        hyb_queue_destroy(d->device[i].queue);
        hyb_buffer_destroy(d->device[i].memory);
    }
    hyb_machine_unpin(d->machine, d->host.data);
    /* A device that has stalled may still write to d->host. */
    if (hyb_machine_working_devices(d->machine) == d->devices)
        hyb_scratch_close(&d->host);
    free(d);
}

/* ---- work ---------------------------------------------------------------- */

typedef xh_status_t work_t(const hyb_resident_devices_t *d,
                           const resident_t *r);

static xh_status_t update(const hyb_resident_devices_t *d, const resident_t *r)
{
    int64_t n = d->columns;
    const hyb_place_part_t part = {
        .queue = r->queue,
        .columns = hyb_device_view_first(r->columns, d->m + d->nb, n),
        .u = hyb_device_view_first(r->u, d->nb, n)};

    return hyb_place_apply_panel(&r->panel, &part);
}

static xh_status_t move(const hyb_resident_devices_t *d, const resident_t *r)
{
    xh_view_t l1 = {r->host, d->nb, d->nb, d->nb};
    xh_view_t l2 = {r->host + d->nb * d->nb, d->m, d->nb, d->m};

    XH_TRY(hyb_queue_copy_in(r->queue, l1, r->panel.l1));
    XH_TRY(hyb_queue_copy_in(r->queue, l2, r->panel.l2));
    XH_TRY(hyb_queue_copy_out(r->queue, r->panel.l1, l1));
    return hyb_queue_copy_out(r->queue, r->panel.l2, l2);
}

static xh_status_t subtract(const hyb_resident_devices_t *d,
                            const resident_t *r)
{
    xh_view_t host_x = {r->host, d->nb, 1, d->nb};
    xh_view_t host_y = {r->host + d->nb, d->m, 1, d->m};
    hyb_device_view_t x = hyb_device_view_first(r->u, d->nb, 1);
    hyb_device_view_t y = hyb_device_view_part(r->columns, d->nb, 0, d->m, 1);

    XH_TRY(hyb_queue_copy_in(r->queue, host_x, x));
    XH_TRY(hyb_queue_copy_in(r->queue, host_y, y));
    XH_TRY(hyb_queue_gemv(r->queue, r->panel.l2, x, y));
    return hyb_queue_copy_out(r->queue, y, host_y);
}

static xh_status_t copy_from_first(const hyb_resident_devices_t *d,
                                   const resident_t *r)
{
    const resident_t *first = &d->device[0];

    return r == first ? XH_OK
                      : hyb_queue_copy(r->queue, first->panel.l2, r->panel.l2);
}

static bool reach_first(const hyb_resident_devices_t *d)
{
    hyb_device_t *first = hyb_machine_device(d->machine, 0);
    bool all = d->devices > 1;

    for (int i = 1; i < d->devices; i++)
        all = all && hyb_device_reach(hyb_machine_device(d->machine, i), first);
    return all;
}

/* Return the view of the columns that are factored as a panel; fill_columns
 * sets their values. */
static hyb_device_view_t panel_of(const hyb_resident_devices_t *d,
                                  const resident_t *r)
{
    return hyb_device_view_first(r->columns, d->m + d->nb, d->nb);
}

static bool can_factor(const hyb_resident_devices_t *d)
{
    bool all = d->most_columns >= d->nb;

    for (int i = 0; i < d->devices; i++)
        all = all && hyb_device_has(hyb_machine_device(d->machine, i),
                                    HYB_OP_PANEL_STEP);
    return all;
}

static xh_status_t fill(const hyb_resident_devices_t *d, const resident_t *r)
{
    int64_t rows = d->m + d->nb;

    return hyb_queue_copy_in(r->queue, (xh_view_t){r->host, rows, d->nb, rows},
                             panel_of(d, r));
}

static xh_status_t factor(const hyb_resident_devices_t *d, const resident_t *r)
{
    const hyb_panel_column_t panel = {.panel = panel_of(d, r), .end = d->nb};

    return hyb_place_factor(r->queue, &panel,
                            hyb_device_view_first(r->u, d->nb, 1), NULL, NULL);
}

/* Let all devices do `work` at the same time. Return the slowest device's
 * seconds, and the seconds per piece of work of all devices together. */
static xh_status_t time_work(const hyb_resident_devices_t *d, work_t *work,
                             double *slowest_p, double *together_p)
{
    double seconds, rate = 0.0;

    *slowest_p = 0.0;
    for (int i = 0; i < d->devices; i++) {
        XH_TRY(hyb_event_record(d->device[i].queue, d->device[i].begin));
        XH_TRY(work(d, &d->device[i]));
        XH_TRY(hyb_event_record(d->device[i].queue, d->device[i].end));
    }
    for (int i = 0; i < d->devices; i++) {
        const resident_t *r = &d->device[i];

        XH_TRY(hyb_event_await(r->end, patience));
        XH_TRY(hyb_event_elapsed(r->begin, r->end, &seconds));
        *slowest_p = fmax(*slowest_p, seconds);
        rate += 1.0 / fmax(seconds, 1e-9);
    }
    *together_p = 1.0 / rate;
    return XH_OK;
}

/* Time the factorization of a panel; 0 if the devices cannot factor. */
static xh_status_t time_panel(const hyb_resident_devices_t *d,
                              double *seconds_p)
{
    double unused;

    *seconds_p = 0.0;
    if (!can_factor(d))
        return XH_OK;
    for (int i = 0; i < d->devices; i++)
        XH_TRY(fill(d, &d->device[i]));
    return time_work(d, factor, seconds_p, &unused);
}

/* Time copies of L2 between devices; 0 if they cannot reach each other. */
static xh_status_t time_peers(const hyb_resident_devices_t *d,
                              double *seconds_p)
{
    double unused;

    *seconds_p = 0.0;
    return reach_first(d) ? time_work(d, copy_from_first, seconds_p, &unused)
                          : XH_OK;
}

/*
 * Double the width of C while there is time, because narrow products are
 * slower; then measure until the end, at least once. The first sample of the
 * final width uses memory for the first time and does not count.
 */
static xh_status_t measure(hyb_resident_devices_t *d)
{
    double column, slowest, unused;
    bool is_warm = false;

    while (d->samples == 0 || !atomic_load(&d->stop)) {
        int at = d->samples % SAMPLES;

        XH_TRY(time_work(d, move, &d->transfer[at], &unused));
        XH_TRY(time_work(d, update, &slowest, &column));
        XH_TRY(time_work(d, subtract, &d->subtract[at], &unused));
        XH_TRY(time_panel(d, &d->factor[at]));
        XH_TRY(time_peers(d, &d->peers[at]));
        d->column[at] = column / (double)d->columns;
        d->samples += is_warm;
        is_warm = d->columns == d->most_columns || slowest > d->seconds / 4;
        if (!is_warm) {
            d->columns = xh_smaller(2 * d->columns, d->most_columns);
            d->samples = 0;
        }
    }
    return XH_OK;
}

static void *keep_busy(void *context)
{
    hyb_resident_devices_t *d = context;

    d->status = measure(d);
    return NULL;
}

/* ---- begin and end ------------------------------------------------------- */

/* Return the columns per device: as many as rows, within `bytes` and half of
 * each device's memory. */
static int64_t most_columns(const hyb_resident_devices_t *d, double bytes)
{
    double each = bytes / d->devices, left;

    for (int i = 0; i < d->devices; i++)
        each = fmin(each, (double)hyb_machine_memory(d->machine, i) / 2.0);
    left = each / sizeof(double) - (double)panel_doubles(d);
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
    d->devices = hyb_machine_devices(machine);
    d->most_columns = most_columns(d, bytes);
    d->columns = xh_smaller(NARROWEST, d->most_columns);
    if (d->columns > 0 && open_all(d) == XH_OK)
        d->has_thread = pthread_create(&d->thread, NULL, keep_busy, d) == 0;
    if (d->has_thread)
        *devices_p = d;
    else
        close_all(d);
}

hyb_resident_seconds_t hyb_resident_devices_end(hyb_resident_devices_t *d)
{
    hyb_resident_seconds_t s = {INFINITY, INFINITY, INFINITY, INFINITY,
                                INFINITY};
    int count;

    if (d == NULL)
        return s;
    atomic_store(&d->stop, true);
    pthread_join(d->thread, NULL);
    count = (int)xh_smaller(d->samples, SAMPLES);
    if (d->status == XH_OK)
        s = (hyb_resident_seconds_t){
            xh_median(d->column, count), xh_median(d->transfer, count),
            xh_median(d->factor, count), xh_median(d->peers, count),
            xh_median(d->subtract, count)};
    close_all(d);
    return s;
}
