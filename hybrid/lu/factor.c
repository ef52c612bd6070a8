/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/factor.h"

#include <stdlib.h>
#include <string.h>
#include "base/settings.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/devices.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/panels.h"
#include "hybrid/observe/report.h"
#include "hybrid/observe/work.h"
#include "hybrid/lu/schedule.h"
#include "hybrid/cpu/gemm.h"
#include "hybrid/device/offload.h"

static void run(hyb_lu_t *lu)
{
    lu->mat->info = 0;
    if (lu->panels == 0)
        return;
    hyb_panels_open(lu, 0);
    if (!hyb_lu_owns(lu, 0))
        hyb_panels_broadcast(lu, 0);
    hyb_team_run(lu->team, hyb_schedule_work, lu);
}

static uint64_t steps(const void *context)
{
    const hyb_lu_t *lu = context;

    return hyb_timer_steps(lu->spent, lu->members);
}

static void where(const void *context, char *text, size_t size)
{
    const hyb_lu_t *lu = context;

    hyb_timer_where(lu->spent, lu->panels, text, size);
}

static void watch_and_run(hyb_lu_t *lu)
{
    hyb_watched_t watched = {.steps = steps, .where = where, .context = lu};
    hyb_watchdog_t dog;

    hyb_watchdog_begin(&dog, &watched, hyb_watchdog_patience());
    run(lu);
    hyb_watchdog_end(&dog);
}

/*
 * With no device to be kept busy, chunks were never seen to cost more than they
 * hide: they are swapped, solved and updated while in cache, and rows of other
 * processes arrive meanwhile. Iterations in mode 1, as a trial, are slower.
 */
static hyb_lookahead_request_t request(const hyb_means_t *means,
                                       const HPL_T_palg *algo)
{
    const char *setting = xh_settings_text("lookahead");
    hyb_lookahead_request_t asked = hyb_lookahead_request(setting, algo->depth);

    if (asked == HYB_MIXED && strcmp(setting, "mixed") != 0 && !means->offloads)
        return HYB_PIPELINE_ON_CORES;
    return asked;
}

/* Chunks cost messages where rows of other processes are exchanged. */
static hyb_lookahead_t first_mode(const HPL_T_grid *grid)
{
    return grid->nprow == 1 ? HYB_LOOKAHEAD_PIPELINE : HYB_LOOKAHEAD_PANEL;
}

static xh_status_t create_flat(hyb_lu_t *lu)
{
    if (!lu->in_columns)
        return XH_OK;
    return hyb_l2_columns_create(lu->mat->mp, Mmin(lu->mat->nb, lu->mat->n),
                                 &lu->flat);
}

static void take_means(const hyb_means_t *means, hyb_lu_t *lu)
{
    lu->team = hyb_machine_team(means->node);
    lu->kernel = means->kernel;
    lu->multiplier = means->multiplier;
    lu->offloads = means->offloads;
    lu->members = hyb_team_size(lu->team);
    lu->in_columns = means->multiplier == HYB_BY_BLAS ||
                     hyb_machine_working_devices(means->node) > 0;
}

static void set_up(const hyb_means_t *means, hyb_lu_t *lu)
{
    const HPL_T_pmat *mat = lu->mat;

    take_means(means, lu);
    lu->factored = -1;
    lu->deals_ahead = strcmp(xh_settings_text("schedule"), "static") == 0;
    lu->panels = (int)(((int64_t)mat->n + mat->nb - 1) / mat->nb);
    lu->record = means->record;
    hyb_choice_begin(&lu->choice, request(means, lu->algo),
                     first_mode(lu->grid), lu->grid->all_comm);
    hyb_regroup_init(&lu->regroup);
}

xh_status_t hyb_factor_prepare(const hyb_means_t *means, HPL_T_grid *grid,
                               HPL_T_palg *algo, HPL_T_pmat *mat,
                               hyb_factorization_t **factorization_p)
{
    hyb_lu_t *lu = calloc(1, sizeof(*lu));
    xh_status_t status;

    if (lu == NULL)
        return XH_ERR_MEMORY;
    *lu = (hyb_lu_t){.grid = grid, .algo = algo, .mat = mat};
    set_up(means, lu);
    status = hyb_lu_allocate(lu);
    if (status == XH_OK)
        status = create_flat(lu);
    if (status == XH_OK)
        hyb_lu_touch(lu);
    if (status == XH_OK)
        status = hyb_devices_create(lu, means->node, &lu->devices);
    if (status == XH_OK)
        *factorization_p = lu;
    else
        hyb_factor_free(lu);
    return status;
}

void hyb_factor_free(hyb_factorization_t *lu)
{
    if (lu == NULL)
        return;
    hyb_devices_destroy(lu->devices);
    hyb_l2_columns_destroy(lu->flat);
    hyb_lu_release(lu);
    free(lu);
}

void hyb_factor_run(hyb_factorization_t *lu)
{
    hyb_report_begin(lu);
    watch_and_run(lu);
    hyb_health_end(&lu->health);
}

bool hyb_factor_is_over(const hyb_factorization_t *lu)
{
    return atomic_load(&lu->open) > 0;
}

hpl_work_t hyb_factor_work(const hyb_factorization_t *lu)
{
    return hyb_work(lu->spent, lu->pace, lu->members, lu->devices_flop);
}

uint64_t hyb_factor_bytes(const hyb_means_t *means, const hpl_shape_t *shape)
{
    hyb_lu_t lu = {.panels = 0};
    int64_t rows = hpl_system_rows(shape), cols = hpl_system_columns(shape);
    int depth = Mmin(shape->nb, shape->n);
    uint64_t bytes;

    take_means(means, &lu);
    bytes = hyb_lu_bytes(&lu, shape);
    if (hyb_machine_working_devices(means->node) > 0)
        bytes += (uint64_t)lu.members * hyb_host_gemm_lone_bytes() +
                 hyb_offload_bytes(means->node, rows, cols, depth);
    if (lu.in_columns)
        bytes += hyb_l2_columns_bytes(rows, depth);
    return bytes;
}
