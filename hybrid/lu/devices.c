/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/devices.h"

#include <math.h>
#include "hpl/panel/panel.h"
#include "hybrid/lu/devices_private.h"
#include "base/product.h"

/* ---- create and destroy --------------------------------------------------
 */

static xh_status_t allocate(const hyb_lu_t *lu, hyb_devices_t *d)
{
    size_t bytes;
    int i;

    d->l2 = hyb_l2_columns_memory(lu->flat, &bytes);
    hyb_machine_pin(d->node, d->l2, bytes);
    d->u = lu->exchanges.u;
    if (d->u != NULL)
        hyb_machine_pin(d->node, d->u, lu->exchanges.u_bytes);
    hyb_offload_reserve(d->node, lu->mat->mp, lu->columns.count,
                        Mmin(lu->mat->nb, lu->mat->n));
    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        d->part[i].fed =
            calloc((size_t)lu->columns.blocks + 1, sizeof(*d->part[i].fed));
        if (d->part[i].fed == NULL ||
            hyb_deal_create(1, &d->part[i].feed) != XH_OK)
            return XH_ERR_MEMORY;
    }
    return XH_OK;
}

xh_status_t hyb_devices_create(const hyb_lu_t *lu, hyb_machine_t *node,
                               hyb_devices_t **devices_p)
{
    hyb_devices_t *d;

    *devices_p = NULL;
    if (hyb_machine_working_devices(node) == 0)
        return XH_OK;
    d = calloc(1, sizeof(*d));
    if (d == NULL)
        return XH_ERR_MEMORY;
    d->node = node;
    d->split = hyb_machine_split(node);
    hyb_ratio_init(&d->ratio, 1.0, 1.0);
    if (d->split.policy == HYB_SPLIT_FIXED)
        hyb_ratio_fix(&d->ratio, d->split.share);
    pthread_mutex_init(&d->lock, NULL);
    if (allocate(lu, d) != XH_OK) {
        hyb_devices_destroy(d);
        return XH_ERR_MEMORY;
    }
    *devices_p = d;
    return XH_OK;
}

void hyb_devices_destroy(hyb_devices_t *d)
{
    int i;

    if (d == NULL)
        return;
    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        hyb_deal_destroy(&d->part[i].feed);
        free(d->part[i].fed);
    }
    if (d->u != NULL)
        hyb_machine_unpin(d->node, d->u);
    hyb_machine_unpin(d->node, d->l2);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* ---- planning: the leader ------------------------------------------------
 */

/* C := C - L2 U on the devices' columns. */
static xh_gemm_t product_of(const hyb_lu_t *lu, int k,
                            const hyb_devices_part_t *part)
{
    const HPL_T_panel *h = lu->panel[k % HYB_IN_FLIGHT].hpl;
    xh_view_t l2 = hyb_l2_columns_view(lu->flat, k);
    int64_t cols = part->to - part->from;
    int64_t top = hpl_panel_top_rows(h), ld = lu->mat->ld;
    double *c = Mptr(lu->mat->A, h->ii + top, part->from, ld);
    xh_view_t u = {c - top, h->jb, cols, ld};

    if (top == 0)
        u = (xh_view_t){lu->exchanges.u + part->from * lu->exchanges.rows,
                        h->jb, cols, h->jb};
    return (xh_gemm_t){.alpha = -1.0,
                       .beta = 1.0,
                       .a = l2,
                       .b = u,
                       .c = {c, l2.rows, cols, ld}};
}

/*
 * Are all columns theirs, but for single tiles that the team takes from the
 * back? So asked for, or as nobody's rate is known yet.
 */
static bool they_get_all(const hyb_devices_t *d)
{
    return d->split.policy == HYB_SPLIT_STEAL ||
           (d->split.policy == HYB_SPLIT_RATIO && d->rate == 0.0);
}

/* Columns of count that fall to the devices. */
static int64_t columns_for(const hyb_lu_t *lu, const hyb_devices_t *d, int k,
                           int64_t count, hyb_devices_part_t *part)
{
    const hyb_lu_panel_t *p = &lu->panel[k % HYB_IN_FLIGHT];
    double flop = 2.0 * (double)p->factors.l2.rows * (double)count * p->hpl->jb;
    int64_t unit = lu->kernel->cols, columns;

    part->situation =
        hyb_lu_owns(lu, k + 1) ? HYB_PANEL_HERE : HYB_PANEL_ELSEWHERE;
    part->share = they_get_all(d)
                      ? 1.0
                      : hyb_ratio_share(&d->ratio, part->situation, flop);
    columns = (int64_t)(part->share * (double)count + 0.5);
    columns = (columns + unit / 2) / unit * unit;
    if (count - columns < unit) /* too few to be worth reading L2 for */
        columns = count;
    if (hyb_machine_working_devices(d->node) == 0) {
        part->share = 0.0;
        return 0;
    }
    if (flop == 0.0)
        return 0;
    return Mmin(columns, count);
}

bool hyb_devices_are_quicker(const hyb_lu_t *lu, int k, int64_t columns)
{
    const hyb_devices_t *d = lu->devices;
    double team = lu->members * lu->thread_rate;

    return d != NULL && d->tile_columns > 0 && team > 0.0 &&
           lu->panel[k % HYB_IN_FLIGHT].factors.l2.rows > 0 &&
           hyb_machine_working_devices(d->node) > 0 &&
           (double)d->tile_columns / d->rate < (double)columns / team;
}

int64_t hyb_devices_plan(hyb_lu_t *lu, int k, hyb_run_t columns,
                         int64_t certain)
{
    hyb_devices_t *d = lu->devices;
    hyb_devices_part_t *part = hyb_devices_part(lu, k);
    int64_t count =
        certain + columns_for(lu, d, k, columns.count - certain, part);
    int64_t b;

    part->from = columns.from;
    part->to = columns.from + count;
    part->released = part->from;
    part->finished = count == 0;
    part->balanced = part->share;
    part->ended = 0.0;
    memset(part->multiplied, 0, sizeof(part->multiplied));
    memset(part->waited, 0, sizeof(part->waited));
    part->product = product_of(lu, k, part);
    for (b = 0; b < lu->columns.blocks; b++)
        atomic_store(&part->fed[b], 0);
    hyb_deal_begin(&part->feed, &lu->columns, (hyb_run_t){part->from, count},
                   lu->chunk);
    return count;
}

bool hyb_devices_finished(const hyb_lu_t *lu, int k)
{
    return lu->devices == NULL || k < 0 || hyb_devices_part(lu, k)->finished;
}

/* ---- feeding: all members ------------------------------------------------
 */

bool hyb_devices_feed(hyb_lu_t *lu, int k, hyb_run_t *run_p)
{
    const int anyone = 0; /* all take from one lane */

    return hyb_deal_take(&hyb_devices_part(lu, k)->feed, &lu->columns, anyone,
                         run_p);
}

int64_t hyb_devices_fed_until(const hyb_lu_t *lu, hyb_devices_part_t *part)
{
    int64_t nb = lu->columns.nb, from = part->released, end;

    while (from < part->to) {
        end = Mmin((from / nb + 1) * nb, part->to);
        if (atomic_load_explicit(&part->fed[from / nb], memory_order_acquire) <
            end - Mmax(from / nb * nb, part->from))
            break;
        from = end;
    }
    return from;
}

void hyb_devices_release(hyb_lu_t *lu, int k)
{
    hyb_devices_t *d = lu->devices;
    hyb_devices_part_t *part = hyb_devices_part(lu, k);
    int64_t until;

    pthread_mutex_lock(&d->lock);
    until = hyb_devices_fed_until(lu, part);
    if (d->offload != NULL && d->current == k && until > part->released) {
        part->released = until;
        hyb_offload_release(d->offload, until - part->from);
    }
    pthread_mutex_unlock(&d->lock);
}

void hyb_devices_fed(hyb_lu_t *lu, int k, hyb_run_t run)
{
    hyb_devices_part_t *part = hyb_devices_part(lu, k);

    hyb_deal_settle(&part->feed, run);
    atomic_fetch_add_explicit(&part->fed[run.from / lu->columns.nb], run.count,
                              memory_order_acq_rel);
    hyb_devices_release(lu, k);
}

void hyb_devices_fed_all(hyb_lu_t *lu, int k)
{
    hyb_run_t run;

    while (hyb_devices_feed(lu, k, &run))
        hyb_devices_fed(lu, k, run);
}

bool hyb_devices_have_plenty(const hyb_lu_t *lu, int k)
{
    const hyb_devices_t *d = lu->devices;
    hyb_devices_part_t *part = hyb_devices_part(lu, k);
    const xh_gemm_t *p = &part->product;
    double columns = (double)(hyb_devices_fed_until(lu, part) - part->from);
    double panel =
        lu->plan[(k + HYB_IN_FLIGHT - 1) % HYB_IN_FLIGHT].panel_seconds;

    return columns > 0.0 &&
           columns * 2.0 * (double)p->c.rows * (double)xh_gemm_depth(p) >=
               d->rate * panel;
}

/* ---- the record ----------------------------------------------------------
 */

double hyb_devices_share(const hyb_lu_t *lu, int k)
{
    return lu->devices != NULL ? hyb_devices_part(lu, k)->share : NAN;
}

double hyb_devices_ended(const hyb_lu_t *lu, int k)
{
    return lu->devices != NULL ? hyb_devices_part(lu, k)->ended : 0.0;
}

double hyb_devices_flop(const hyb_lu_t *lu, int k)
{
    const hyb_devices_part_t *part;

    if (lu->devices == NULL)
        return 0.0;
    part = hyb_devices_part(lu, k);
    return part->to > part->from ? xh_gemm_flop(&part->product) : 0.0;
}

double hyb_devices_rate(const hyb_lu_t *lu)
{
    return lu->devices != NULL &&
                   hyb_machine_working_devices(lu->devices->node) > 0
               ? lu->devices->rate
               : 0.0;
}

int64_t hyb_devices_tile_columns(const hyb_lu_t *lu)
{
    return lu->devices != NULL ? lu->devices->tile_columns : 0;
}

void hyb_devices_record(const hyb_lu_t *lu, int k, hyb_iteration_t *row)
{
    const hyb_devices_part_t *part;
    int i;

    if (lu->devices == NULL)
        return;
    part = hyb_devices_part(lu, k);
    row->share_measured = part->balanced;
    row->devices =
        Mmin(hyb_machine_devices(lu->devices->node), HYB_ITERATION_DEVICES);
    for (i = 0; i < row->devices; i++) {
        row->update_device[i] = part->multiplied[i];
        row->device_wait[i] = part->waited[i];
    }
}
