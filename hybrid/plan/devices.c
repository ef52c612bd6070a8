/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/devices.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "base/integers.h"
#include "base/median.h"
#include "base/memory.h"
#include "hybrid/lu/l2_columns.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/device/product.h"
#include "hybrid/plan/host_timing.h"

enum {
    SAMPLES = 16,    /* products, at most, of which the median counts */
    NARROWEST = 256, /* columns of the first one */
    LINE = 8         /* doubles */
};

/* L2 in columns: what the devices read, and what the team writes. */
enum { OF_DEVICES, OF_TEAM };

struct xhpl_devices {
    hyb_machine_t *node;
    int height; /* of the tiles that L2 comes in */
    xhpl_devices_extent_t extent;
    hyb_l2_columns_t *flat;
    double *memory; /* of what follows, pinned */
    size_t bytes;
    double *c, *u, *l2;

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

typedef xhpl_devices_t devices_t;

/* ---- memory -------------------------------------------------------------- */

/* Between columns of C, as the solver's: odd lines. */
static int64_t ld_for(int64_t m)
{
    return xh_whole_units(m, LINE) | LINE;
}

/* Columns of a C of m rows: no more than rows. */
static int64_t most_columns(const xhpl_devices_extent_t *extent, int64_t m)
{
    double most = extent->bytes / (double)(sizeof(double) * (size_t)ld_for(m));

    return (int64_t)fmax(1.0, fmin(most, (double)m));
}

/* No C that fits is wider than a square one. */
static int64_t widest(const xhpl_devices_extent_t *extent)
{
    double side = sqrt(extent->bytes / (double)sizeof(double));

    return (int64_t)fmax(1.0, fmin(side, (double)extent->rows));
}

/* The first touch, by those who touch the solver's matrix first. */
static void fill(void *context, int member)
{
    devices_t *d = context;
    int64_t count = (int64_t)(d->bytes / sizeof(double));
    int64_t share = xh_units(count, hyb_team_size(hyb_machine_team(d->node)));
    int64_t end = xh_smaller((member + 1) * share, count);

    for (int64_t i = member * share; i < end; i++)
        d->memory[i] = xhost_value(i, 0);
}

static xh_status_t allocate(devices_t *d)
{
    const xhpl_devices_extent_t *e = &d->extent;
    int64_t wanted = (int64_t)(e->bytes / (double)sizeof(double));
    int64_t c = xh_whole_units(xh_larger(wanted, ld_for(e->rows)), LINE);
    int64_t u = xh_whole_units(e->nb * widest(e), LINE);
    int64_t l2 = hyb_pack_size(e->rows, e->nb, d->height);
    void *memory;

    d->bytes = sizeof(double) * (size_t)(c + u + l2);
    if (xh_memory_allocate(d->bytes, &memory) != XH_OK)
        return XH_ERR_MEMORY;
    d->memory = d->c = memory;
    d->u = d->c + c;
    d->l2 = d->u + u;
    hyb_team_run(hyb_machine_team(d->node), fill, d);
    hyb_machine_pin_flat(d->node, d->memory, d->bytes);
    return XH_OK;
}

static xh_status_t allocate_flat(devices_t *d)
{
    double *memory;
    size_t bytes;

    if (hyb_l2_columns_create(d->extent.rows, d->extent.nb, &d->flat) != XH_OK)
        return XH_ERR_MEMORY;
    memory = hyb_l2_columns_memory(d->flat, &bytes);
    hyb_machine_pin_flat(d->node, memory, bytes);
    return XH_OK;
}

xh_status_t xhpl_devices_create(hyb_machine_t *node, const hyb_kernel_t *kernel,
                                const xhpl_devices_extent_t *extent,
                                xhpl_devices_t **devices_p)
{
    devices_t *d;

    *devices_p = NULL;
    if (hyb_machine_working_devices(node) == 0)
        return XH_OK;
    d = calloc(1, sizeof(*d));
    if (d == NULL)
        return XH_ERR_MEMORY;
    d->node = node;
    d->height = kernel->rows;
    d->extent = *extent;
    if (allocate(d) != XH_OK || allocate_flat(d) != XH_OK) {
        xhpl_devices_destroy(d);
        return XH_ERR_MEMORY;
    }
    *devices_p = d;
    return XH_OK;
}

void xhpl_devices_destroy(xhpl_devices_t *d)
{
    size_t bytes;

    if (d == NULL)
        return;
    if (d->flat != NULL)
        hyb_machine_unpin(d->node, hyb_l2_columns_memory(d->flat, &bytes));
    hyb_l2_columns_destroy(d->flat);
    if (d->memory != NULL)
        hyb_machine_unpin(d->node, d->memory);
    xh_memory_free(d->memory, d->bytes);
    free(d);
}

/* ---- L2 ------------------------------------------------------------------ */

static void begin_copy(devices_t *d, int form, int64_t m, int64_t nb)
{
    hyb_tiles_t tiles = {d->l2, m, nb, d->height};

    hyb_l2_columns_begin(d->flat, form, &tiles);
}

static void prepare_copy(void *context)
{
    devices_t *d = context;
    xh_view_t l2 = hyb_l2_columns_view(d->flat, OF_TEAM);

    begin_copy(d, OF_TEAM, l2.rows, l2.cols);
}

static void copy_share(void *context, int member)
{
    devices_t *d = context;

    (void)member;
    hyb_l2_columns_fill(d->flat, OF_TEAM);
}

static void copy(void *context)
{
    devices_t *d = context;

    hyb_team_run(hyb_machine_team(d->node), copy_share, d);
}

double xhpl_devices_copy_seconds(xhpl_devices_t *d, int64_t m, int64_t nb,
                                 int calls)
{
    const xhost_timed_t timed = {prepare_copy, copy, d};

    if (d == NULL)
        return 0.0;
    begin_copy(d, OF_TEAM, m, nb);
    return xhost_median_seconds(&timed, calls);
}

/* ---- products ------------------------------------------------------------ */

/* What failed devices give back is given up: nobody needs C. Returns whether
 * there was any. */
static bool is_given_up(hyb_product_t *product)
{
    hyb_tile_t tile;
    bool any = false;

    while (!hyb_product_done(product) && !hyb_product_lost(product))
        if (hyb_product_take(product, hyb_product_remaining(product), &tile)) {
            hyb_product_give(product, &tile);
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
    xh_status_t status = hyb_product_begin(d->node, &d->product, &product);
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

void xhpl_devices_begin(xhpl_devices_t *d, int64_t m, int64_t nb,
                        double seconds)
{
    if (d == NULL)
        return;
    begin_copy(d, OF_DEVICES, m, nb);
    hyb_l2_columns_fill(d->flat, OF_DEVICES);
    d->product = (xh_gemm_t){.alpha = -1.0,
                             .beta = 1.0,
                             .a = hyb_l2_columns_view(d->flat, OF_DEVICES),
                             .b = {d->u, nb, 0, nb},
                             .c = {d->c, m, 0, ld_for(m)}};
    d->most = most_columns(&d->extent, m);
    d->seconds = seconds;
    set_columns(d, xh_smaller(NARROWEST, d->most));
    atomic_store(&d->stops, false);
    d->runs = pthread_create(&d->thread, NULL, keep_busy, d) == 0;
}

xhpl_devices_pace_t xhpl_devices_end(xhpl_devices_t *d)
{
    xhpl_devices_pace_t none = {.column = INFINITY};

    if (d == NULL || !d->runs)
        return none;
    atomic_store(&d->stops, true);
    pthread_join(d->thread, NULL);
    if (d->samples == 0 || hyb_machine_working_devices(d->node) == 0)
        return none;
    return (xhpl_devices_pace_t){
        .column = xh_median(d->column, (int)xh_smaller(d->samples, SAMPLES)),
        .tile_columns = d->tile_columns};
}
