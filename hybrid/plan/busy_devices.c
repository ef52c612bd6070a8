/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/busy_devices.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "base/integers.h"
#include "base/median.h"
#include "hybrid/device/product.h"
#include "hybrid/plan/host_parts.h"

enum {
    SAMPLES = 16,    /* products, at most, of which the median counts */
    NARROWEST = 256, /* columns of the first one */
    LINE = 8         /* doubles */
};

struct hyb_busy_devices {
    hyb_machine_t *node;
    int devices; /* that worked at first */
    int64_t c_doubles;
    hyb_scratch_t memory; /* of C, U and L2, pinned */
    double *u, *l2;

    /* between begin and end */
    bool is_warm; /* the first product allocates */
    pthread_t thread;
    bool runs;
    _Atomic bool stops;
    xh_gemm_t product;
    int64_t most; /* columns of C */
    double seconds;
    int samples; /* of products as wide as the last one */
    double column[SAMPLES];
};

/* ---- memory -------------------------------------------------------------- */

xh_status_t hyb_busy_devices_create(hyb_machine_t *node, int64_t rows,
                                    int64_t nb, double bytes,
                                    hyb_busy_devices_t **devices_p)
{
    int64_t ld = hyb_scratch_ld(rows);
    int64_t c =
        xh_whole_units(xh_larger((int64_t)(bytes / sizeof(double)), ld), LINE);
    int64_t u = nb * xh_whole_units(
                         xh_smaller(rows, (int64_t)sqrt((double)c) + 1), LINE);
    hyb_busy_devices_t *d;

    *devices_p = NULL;
    if (hyb_machine_working_devices(node) == 0)
        return XH_OK;
    d = calloc(1, sizeof(*d));
    if (d == NULL || hyb_scratch_open(&d->memory, hyb_machine_team(node),
                                      c + u + ld * nb) != XH_OK) {
        free(d);
        return XH_ERR_MEMORY;
    }
    d->node = node;
    d->devices = hyb_machine_working_devices(node);
    d->c_doubles = c;
    d->u = d->memory.data + c;
    d->l2 = d->u + u;
    hyb_machine_pin_flat(node, d->memory.data, d->memory.bytes);
    *devices_p = d;
    return XH_OK;
}

void hyb_busy_devices_destroy(hyb_busy_devices_t *d)
{
    if (d == NULL)
        return;
    for (int i = 0; i < hyb_machine_devices(d->node); i++)
        hyb_machine_free_tiles(d->node, i);
    hyb_machine_unpin(d->node, d->memory.data);
    /* A device that has stalled may still write to it. */
    if (hyb_machine_working_devices(d->node) == d->devices)
        hyb_scratch_close(&d->memory);
    free(d);
}

/* ---- products ------------------------------------------------------------ */

/* One product. Errors: XH_ERR_DEVICE  one failed; XH_ERR_MEMORY */
static xh_status_t multiply(hyb_busy_devices_t *d, hyb_report_t *report_p)
{
    hyb_product_t *product;

    XH_TRY(hyb_product_begin(d->node, &d->product, UINT64_MAX, &product));
    hyb_product_start(product);
    XH_TRY(hyb_product_finish(product, report_p));
    free(report_p->owner);
    return XH_OK;
}

static void set_columns(hyb_busy_devices_t *d, int64_t columns)
{
    d->product.b.cols = d->product.c.cols = columns;
    d->samples = 0;
}

/* Wider ones next, while there is time for them. */
static void note(hyb_busy_devices_t *d, const hyb_report_t *report)
{
    int64_t columns = d->product.c.cols;

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
    hyb_busy_devices_t *d = context;
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
                             .a = {d->l2, m, nb, hyb_scratch_ld(m)},
                             .b = {d->u, nb, 0, nb},
                             .c = {d->memory.data, m, 0, hyb_scratch_ld(m)}};
    d->most = xh_smaller(m, d->c_doubles / hyb_scratch_ld(m));
    d->seconds = seconds;
    set_columns(d, xh_smaller(NARROWEST, d->most));
    d->is_warm = false;
    atomic_store(&d->stops, false);
    d->runs = pthread_create(&d->thread, NULL, keep_busy, d) == 0;
}

double hyb_busy_devices_end(hyb_busy_devices_t *d)
{
    if (d == NULL || !d->runs)
        return INFINITY;
    atomic_store(&d->stops, true);
    pthread_join(d->thread, NULL);
    if (d->samples == 0 || hyb_machine_working_devices(d->node) == 0)
        return INFINITY;
    return xh_median(d->column, (int)xh_smaller(d->samples, SAMPLES));
}
