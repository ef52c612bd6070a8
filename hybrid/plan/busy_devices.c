/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/busy_devices.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "base/integers.h"
#include "base/median.h"
#include "hybrid/device/product.h"
#include "hybrid/plan/timing.h"

enum {
    SAMPLES = 16,    /* products, at most, of which the median counts */
    NARROWEST = 256, /* columns of the first one */
    LINE = 8         /* doubles */
};

struct hyb_busy_devices {
    hyb_machine_t *node;
    int64_t c_doubles;
    hyb_scratch_t memory; /* of C, U and L2, pinned */
    double *u, *l2;

    bool is_warm; /* the first product allocates */

    /* between begin and end */
    pthread_t thread;
    bool runs;
    _Atomic bool stops;
    xh_gemm_t product;
    int64_t most; /* columns of C */
    double seconds;
    int samples; /* of products as wide as the last one */
    double column[SAMPLES];
    int64_t tile_columns;
};

typedef hyb_busy_devices_t devices_t;

/* ---- memory -------------------------------------------------------------- */

/* Between columns, as the solver's: odd lines. */
static int64_t ld_for(int64_t m)
{
    return xh_whole_units(m, LINE) | LINE;
}

xh_status_t hyb_busy_devices_create(hyb_machine_t *node, int64_t rows,
                                    int64_t nb, double bytes,
                                    hyb_busy_devices_t **devices_p)
{
    int64_t c = xh_larger((int64_t)(bytes / sizeof(double)), ld_for(rows));
    int64_t u = nb * xh_smaller(rows, (int64_t)sqrt((double)c) + 1);
    int64_t pinned;
    devices_t *d;

    *devices_p = NULL;
    if (hyb_machine_working_devices(node) == 0)
        return XH_OK;
    d = calloc(1, sizeof(*d));
    if (d == NULL)
        return XH_ERR_MEMORY;
    d->node = node;
    d->c_doubles = c = xh_whole_units(c, LINE);
    u = xh_whole_units(u, LINE);
    if (hyb_scratch_create(hyb_machine_team(node), c + u + ld_for(rows) * nb,
                           &d->memory) != XH_OK) {
        free(d);
        return XH_ERR_MEMORY;
    }
    d->u = d->memory.data + c;
    d->l2 = d->u + u;
    pinned = (int64_t)(d->memory.bytes / sizeof(double));
    hyb_machine_pin(node, (xh_view_t){d->memory.data, pinned, 1, pinned});
    *devices_p = d;
    return XH_OK;
}

void hyb_busy_devices_destroy(hyb_busy_devices_t *d)
{
    if (d == NULL)
        return;
    hyb_machine_unpin(d->node, d->memory.data);
    hyb_scratch_free(&d->memory);
    free(d);
}

/* ---- products ------------------------------------------------------------ */

/* Give up what failed devices give back: nobody needs C. Returns whether there
 * was any. */
static bool is_given_up(hyb_product_t *product)
{
    hyb_tile_t tile;
    bool any = false;

    while (!hyb_product_done(product) && !hyb_product_lost(product))
        if (hyb_product_take(product, hyb_product_remaining(product), &tile)) {
            hyb_product_complete(product, tile.index, 0);
            any = true;
        } else {
            hyb_product_wait(product);
        }
    return any;
}

/* One product. Errors: XH_ERR_DEVICE  one failed; XH_ERR_MEMORY */
static xh_status_t multiply(devices_t *d, hyb_report_t *report_p)
{
    hyb_product_t *product;
    xh_status_t status =
        hyb_product_begin(d->node, &d->product, NULL, &product);
    bool failed;

    if (status != XH_OK)
        return status;
    hyb_product_release(product, d->product.c.cols);
    failed = is_given_up(product);
    status = hyb_product_finish(product, report_p);
    if (status == XH_OK)
        free(report_p->owner);
    return failed ? XH_ERR_DEVICE : status;
}

static void set_columns(devices_t *d, int64_t columns)
{
    d->product.b.cols = d->product.c.cols = columns;
    d->samples = 0;
}

/* Wider ones next, while there is time for them. */
static void note(devices_t *d, const hyb_report_t *report)
{
    int64_t columns = d->product.c.cols;

    d->tile_columns = report->tiling.most_cols;
    d->column[d->samples++ % SAMPLES] = report->seconds / (double)columns;
    if (!atomic_load(&d->stops) && columns < d->most &&
        report->seconds < d->seconds / 2)
        set_columns(d, xh_smaller(2 * columns, d->most));
}

/*
 * Until the end; a product that ends later counts only if there is no other,
 * and one in which a device failed never.
 */
static void *keep_busy(void *context)
{
    devices_t *d = context;
    xh_status_t status = XH_OK;
    hyb_report_t report;

    while (hyb_machine_working_devices(d->node) > 0 &&
           (status == XH_OK || status == XH_ERR_DEVICE) &&
           (d->samples == 0 || !atomic_load(&d->stops))) {
        status = multiply(d, &report);
        if (status == XH_OK && d->is_warm &&
            (d->samples == 0 || !atomic_load(&d->stops)))
            note(d, &report);
        d->is_warm = d->is_warm || status == XH_OK;
    }
    return NULL;
}

void hyb_busy_devices_begin(hyb_busy_devices_t *d, int64_t m, int64_t nb,
                            double seconds)
{
    if (d == NULL)
        return;
    d->product = (xh_gemm_t){.alpha = -1.0,
                             .beta = 1.0,
                             .a = {d->l2, m, nb, ld_for(m)},
                             .b = {d->u, nb, 0, nb},
                             .c = {d->memory.data, m, 0, ld_for(m)}};
    d->most = xh_smaller(m, d->c_doubles / ld_for(m));
    d->seconds = seconds;
    set_columns(d, xh_smaller(NARROWEST, d->most));
    atomic_store(&d->stops, false);
    d->runs = pthread_create(&d->thread, NULL, keep_busy, d) == 0;
}

hyb_device_pace_t hyb_busy_devices_end(hyb_busy_devices_t *d)
{
    hyb_device_pace_t none = {.column = INFINITY};

    if (d == NULL || !d->runs)
        return none;
    atomic_store(&d->stops, true);
    pthread_join(d->thread, NULL);
    if (d->samples == 0 || hyb_machine_working_devices(d->node) == 0)
        return none;
    return (hyb_device_pace_t){
        .column = xh_median(d->column, (int)xh_smaller(d->samples, SAMPLES)),
        .tile_columns = d->tile_columns};
}
