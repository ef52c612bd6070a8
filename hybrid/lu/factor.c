/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/factor.h"

#include <math.h>
#include "base/memory.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/loop.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/place_device.h"
#include "hybrid/lu/place.h"
#include "hybrid/lu/share.h"
#include "hybrid/lu/update.h"

/* ---- create and destroy --------------------------------------------------
 */

/* The pages of L2 in columns are backed by all members, each its part. */
static void touch_l2(void *context, int member)
{
    hyb_lu_t *lu = context;
    size_t bytes;
    double *memory = hyb_l2_columns_memory(lu->panel.l2, &bytes);

    xh_memory_touch(memory, bytes, member, lu->workers.count);
}

static xh_status_t create_l2_columns(hyb_lu_t *lu)
{
    xh_status_t status;

    if (!hyb_means_need_columns(&lu->means))
        return XH_OK;
    status = hyb_l2_columns_create(lu->mat->mp, Mmin(lu->mat->nb, lu->mat->n),
                                   &lu->panel.l2);
    if (status == XH_OK)
        hyb_team_run(lu->means.team, touch_l2, lu);
    return status;
}

static xh_status_t create_ledger(hyb_lu_t *lu)
{
    const HPL_T_pmat *mat = lu->mat;
    hpl_map_t map = hpl_map(mat->nb, lu->grid->npcol, lu->grid->mycol);

    return hyb_ledger_create(hpl_map_count(&map, mat->n),
                             hpl_map_owner(&map, mat->n) == map.me, mat->nb,
                             &lu->ledger);
}

/* What the leader keeps moving. */
static void register_polls(hyb_lu_t *lu)
{
    hyb_poller_add(&lu->poller, hyb_panel_poll, lu);
    if (lu->grid->nprow > 1)
        hyb_poller_add(&lu->poller, hyb_exchange_poll, lu);
    if (lu->share != NULL)
        hyb_poller_add(&lu->poller, hyb_share_poll, lu);
    if (hyb_homes_resident(&lu->homes))
        hyb_poller_add(&lu->poller, hyb_update_poll, lu);
}

/* What devices read and write of the host's beside the matrix: L2 in columns,
 * and rows on their way. */
static void pin(hyb_lu_t *lu)
{
    size_t bytes;
    double *l2;

    if (hyb_machine_working_devices(lu->means.machine) == 0)
        return;
    l2 = hyb_l2_columns_memory(lu->panel.l2, &bytes);
    hyb_machine_pin_flat(lu->means.machine, l2, bytes);
    if (lu->exchange.gathered != NULL)
        hyb_machine_pin_flat(lu->means.machine, lu->exchange.gathered,
                             lu->exchange.bytes);
}

static void unpin(hyb_lu_t *lu)
{
    size_t bytes;

    if (hyb_machine_devices(lu->means.machine) == 0)
        return;
    if (lu->panel.l2 != NULL)
        hyb_machine_unpin(lu->means.machine,
                          hyb_l2_columns_memory(lu->panel.l2, &bytes));
    hyb_machine_unpin(lu->means.machine, lu->exchange.gathered);
}

static xh_status_t create_all(hyb_lu_t *lu)
{
    xh_status_t status = create_ledger(lu);

    if (status == XH_OK)
        status = hyb_tune_begin(lu);
    if (status == XH_OK)
        status = hyb_workers_create(lu);
    if (status == XH_OK)
        status = hyb_exchange_create(lu);
    if (status == XH_OK)
        status = hyb_panels_create(lu);
    if (status == XH_OK)
        status = create_l2_columns(lu);
    if (status == XH_OK)
        pin(lu);
    if (status == XH_OK)
        status = hyb_homes_create(lu);
    if (status == XH_OK)
        status = hyb_share_create(lu, &lu->share);
    if (status == XH_OK)
        register_polls(lu);
    return status;
}

xh_status_t hyb_factor_prepare(const hyb_means_t *means, HPL_T_grid *grid,
                               HPL_T_palg *algo, HPL_T_pmat *mat,
                               hyb_lu_t **lu_p)
{
    hyb_lu_t *lu = calloc(1, sizeof(*lu));
    xh_status_t status;

    if (lu == NULL)
        return XH_ERR_MEMORY;
    lu->grid = grid;
    lu->algo = algo;
    lu->mat = mat;
    lu->means = *means;
    lu->panels = (int)(((int64_t)mat->n + mat->nb - 1) / mat->nb);
    status = create_all(lu);
    if (status == XH_OK)
        *lu_p = lu;
    else
        hyb_factor_free(lu);
    return status;
}

void hyb_factor_free(hyb_lu_t *lu)
{
    if (lu == NULL)
        return;
    hyb_share_destroy(lu->share);
    hyb_homes_destroy(&lu->homes);
    unpin(lu);
    hyb_l2_columns_destroy(lu->panel.l2);
    hyb_panels_destroy(&lu->panel);
    hyb_exchange_destroy(&lu->exchange);
    hyb_workers_destroy(&lu->workers);
    hyb_ledger_destroy(&lu->ledger);
    free(lu);
}

/* ---- running -------------------------------------------------------------
 */

void hyb_factor_run(hyb_lu_t *lu)
{
    const hyb_observer_t *observer = &lu->means.observer;
    const hyb_observed_t run = {.grid = lu->grid,
                                .n = lu->mat->n,
                                .nb = lu->mat->nb,
                                .iterations = lu->panels,
                                .members = lu->workers.count,
                                .timer = lu->workers.timer,
                                .pace = lu->workers.pace,
                                .has_devices = lu->share != NULL};

    observer->begin(observer->context, &run);
    lu->mat->info = 0;
    hyb_panel_open(lu, 0);
    if (lu->panels > 0) {
        for (int i = 1; i < lu->homes.places; i++)
            lu->homes.place[i]->ops->begin(lu->homes.place[i]);
        hyb_team_run(lu->means.team, hyb_loop, lu);
        for (int i = 1; i < lu->homes.places; i++)
            lu->homes.place[i]->ops->end(lu->homes.place[i]);
    }
    observer->end(observer->context);
}

void hyb_factor_generate(hyb_lu_t *lu, int seed)
{
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->ops->generate(lu->homes.place[i], seed);
}

bool hyb_factor_is_over(const hyb_lu_t *lu)
{
    return hyb_lu_is_open(lu, 0);
}

/* flop/s of a thread, as the diagnosis has it: where the system does not tell
 * when others had the core, the processor's time counts. */
static double rate_of(const hyb_workers_t *w)
{
    double flop = 0.0, seconds = 0.0;
    int i;

    for (i = 0; i < w->count; i++) {
        flop += atomic_load(&w->pace[i].flop);
        seconds += fmax(atomic_load(&w->pace[i].seconds),
                        atomic_load(&w->pace[i].cpu));
    }
    return seconds > 0.0 ? flop / seconds : NAN;
}

hpl_work_t hyb_factor_work(const hyb_lu_t *lu)
{
    const hyb_workers_t *w = &lu->workers;
    hyb_timer_sum_t sum = hyb_timer_sum(w->timer, w->count);
    int a;

    for (a = 0; a < HYB_ACTIVITIES; a++)
        sum.seconds[a] /= w->count;
    return (hpl_work_t){
        .panel = sum.seconds[HYB_PANEL],
        .swap = sum.seconds[HYB_SWAP],
        .solve = sum.seconds[HYB_SOLVE],
        .update = sum.seconds[HYB_MULTIPLY] + sum.seconds[HYB_HELP],
        .broadcast = sum.seconds[HYB_BROADCAST],
        .exchange = sum.seconds[HYB_EXCHANGE],
        .wait = sum.seconds[HYB_WAIT_PANEL] + sum.seconds[HYB_WAIT_ROWS] +
                sum.seconds[HYB_WAIT_COLUMNS],
        .flop = sum.flop + lu->tuner.devices_flop,
        .rate = rate_of(w)};
}

/* ---- memory that will be needed ------------------------------------------
 */

uint64_t hyb_factor_bytes(const hyb_means_t *means, const hpl_shape_t *shape)
{
    int nb = Mmin(shape->nb, shape->n);
    uint64_t bytes = hyb_workers_bytes(means, shape->n, shape->nb) +
                     hyb_exchange_bytes(means, shape) +
                     hyb_panels_bytes(means, shape) +
                     hyb_share_bytes(means, shape);

    if (means->resident)
        bytes += hyb_place_device_bytes(means, shape);

    if (hyb_means_need_columns(means))
        bytes += hyb_l2_columns_bytes(hpl_system_rows(shape), nb);
    return bytes;
}
