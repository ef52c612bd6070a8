/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/share.h"

#include <math.h>
#include <pthread.h>
#include "base/clock.h"
#include "base/product.h"
#include "base/trace.h"
#include "hpl/panel/panel.h"
#include "hpl/solver/system.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/product/gemm.h"
#include "hybrid/device/product.h"
#include "hybrid/lu/checkpoint/checkpoint.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/tuner/split.h"

/* What the devices get of one iteration. */
typedef struct {
    xh_gemm_t product;
    double begun;
    double multiplied[HYB_ITERATION_DEVICES]; /* s, by device */
    double waited[HYB_ITERATION_DEVICES];     /* likewise, for columns */
    hyb_lap_t lap;
} part_t;

struct hyb_share {
    part_t part[HYB_IN_FLIGHT];
    double rate;          /* flop/s of all in the last update; 0: unknown */
    int current;          /* iteration on the devices, or the next one */
    pthread_mutex_t lock; /* of what follows */
    hyb_product_t *tiles;
    int helpers; /* workers at its tiles */
};

static part_t *part_of(const hyb_lu_t *lu, int k)
{
    return &lu->share->part[k % HYB_IN_FLIGHT];
}

/* ---- create and destroy -------------------------------------------------- */

xh_status_t hyb_share_create(hyb_lu_t *lu)
{
    hyb_machine_t *machine = lu->means.machine;
    struct hyb_share *s;

    if (lu->homes.host_blocks == 0)
        return XH_OK;
    hyb_product_reserve(machine, lu->mat->mp,
                        hyb_ledger_first(&lu->ledger, lu->homes.host_blocks),
                        Mmin(lu->mat->nb, lu->mat->n));
    if (hyb_machine_working_devices(machine) == 0)
        return XH_OK;
    lu->share = s = calloc(1, sizeof(*s));
    if (s == NULL)
        return XH_ERR_MEMORY;
    pthread_mutex_init(&s->lock, NULL);
    return XH_OK;
}

void hyb_share_destroy(hyb_lu_t *lu)
{
    if (lu->share == NULL)
        return;
    pthread_mutex_destroy(&lu->share->lock);
    free(lu->share);
}

uint64_t hyb_share_bytes(const hyb_means_t *means, const hpl_shape_t *shape)
{
    if (hyb_homes_team_columns(means, shape) == 0 ||
        hyb_machine_working_devices(means->machine) == 0)
        return 0;
    return (uint64_t)hyb_team_size(means->team) * hyb_host_gemm_lone_bytes();
}

/* ---- columns: released by all workers ------------------------------------ */

/* C := C - L2 U on the devices' columns. */
static xh_gemm_t product_of(hyb_lu_t *lu, const hyb_step_t *step)
{
    const hyb_lu_panel_t *panel = hyb_lu_panel(lu, step->k);
    const HPL_T_panel *h = panel->hpl;
    hyb_run_t columns = hyb_ledger_columns(&lu->ledger, step->streamed);
    int64_t top = hpl_panel_top_rows(h), ld = lu->mat->ld;
    double *c = Mptr(lu->mat->A, h->ii + top, columns.from, ld);
    xh_view_t u = {c - top, h->jb, columns.count, ld};

    if (top == 0)
        u = hyb_exchange_u(lu, step->k, columns);
    return (xh_gemm_t){.alpha = -1.0,
                       .beta = 1.0,
                       .a = panel->columns,
                       .b = u,
                       .c = {c, panel->columns.rows, columns.count, ld}};
}

void hyb_share_open(hyb_lu_t *lu, const hyb_step_t *step)
{
    part_t *part;

    if (lu->share == NULL)
        return;
    part = part_of(lu, step->k);
    *part = (part_t){.product = product_of(lu, step)};
}

/* Columns of step, from the first streamed one on, that are solved. */
static int64_t solved_columns(const hyb_lu_t *lu, const hyb_step_t *step)
{
    hyb_blocks_t solved = step->streamed;

    solved.to = hyb_ledger_first_before(
        &lu->ledger, solved, hyb_stage_after(step->k, HYB_STEP_SOLVE));
    return hyb_ledger_columns(&lu->ledger, solved).count;
}

void hyb_share_release(hyb_lu_t *lu, const hyb_step_t *step)
{
    struct hyb_share *s = lu->share;

    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    if (s->tiles != NULL && s->current == step->k)
        hyb_product_release(s->tiles, solved_columns(lu, step));
    pthread_mutex_unlock(&s->lock);
}

bool hyb_share_is_saturated(const hyb_worker_t *me, const hyb_step_t *step)
{
    hyb_lu_t *lu = me->lu;
    double columns = (double)solved_columns(lu, step);
    const xh_gemm_t *p;

    if (lu->share == NULL)
        return true;
    p = &part_of(lu, step->k)->product;
    return columns > 0.0 &&
           columns * 2.0 * (double)p->c.rows * (double)xh_gemm_depth(p) >=
               lu->share->rate * step->panel_seconds;
}

/* ---- on the devices: the leader ------------------------------------------ */

/* The iteration whose tiles are on the devices cannot be completed. */
static _Noreturn void give_up(const hyb_lu_t *lu, const char *what,
                              const char *why)
{
    HPL_pabort(__LINE__, "hyb_share", "iteration %d: %s%s", lu->share->current,
               what, why);
}

/* A device that writes into the matrix must not fail. */
static void check_devices(const hyb_lu_t *lu)
{
    int lost = hyb_product_lost(lu->share->tiles);
    const hyb_device_info_t *info;
    char name[256];

    if (lost < 0)
        return;
    info = hyb_machine_device_info(lu->means.machine, lost);
    snprintf(name, sizeof(name), "%s device %d (%s)%s", info->backend,
             info->index, info->name, hyb_checkpoint_advice());
    give_up(lu, "the device that multiplies is lost: ", name);
}

static void begin(hyb_lu_t *lu, part_t *part)
{
    struct hyb_share *s = lu->share;
    hyb_product_t *tiles;
    xh_status_t status =
        hyb_product_begin(lu->means.machine, &part->product, NULL, &tiles);

    if (status != XH_OK)
        give_up(lu, "devices cannot begin: ", xh_status_text(status));
    part->begun = xh_clock_now();
    pthread_mutex_lock(&s->lock);
    s->tiles = tiles;
    pthread_mutex_unlock(&s->lock);
}

static bool has_columns(const hyb_lu_t *lu, int k)
{
    return hyb_blocks_count(lu->flight[k % HYB_IN_FLIGHT].step.streamed) > 0;
}

/* Pass iterations without columns for devices; none is on them. */
static void pass_empty(hyb_lu_t *lu)
{
    struct hyb_share *s = lu->share;

    while (s->current < hyb_lu_opened(lu) && !has_columns(lu, s->current))
        s->current++;
}

/* The next iteration's tiles, once L2 is there in columns. */
static void begin_next(hyb_lu_t *lu)
{
    struct hyb_share *s = lu->share;

    pass_empty(lu);
    if (s->current < hyb_lu_opened(lu) &&
        hyb_l2_columns_complete(hyb_lu_panel(lu, s->current)))
        begin(lu, part_of(lu, s->current));
}

/* A span of each device, as an actor behind the workers. */
static void trace(const hyb_lu_t *lu, const part_t *part,
                  const hyb_report_t *report)
{
    char name[32];

    if (!xh_trace_on())
        return;
    for (int i = 0; i < hyb_machine_devices(lu->means.machine); i++) {
        int actor = hyb_team_size(lu->means.team) + i;

        if (report->device[i].seconds == 0.0)
            continue;
        snprintf(name, sizeof(name), "device %d", i);
        xh_trace_name_actor(actor, name);
        xh_trace_span(actor, "gemm", lu->share->current, part->begun,
                      part->begun + report->device[i].seconds);
    }
}

static void add_work(hpl_device_work_t *all, const hyb_work_t *d)
{
    all->flop += d->flop;
    all->seconds += d->compute_seconds;
    all->up += (double)d->bytes_in;
    all->up_seconds += d->in_seconds;
    all->down += (double)d->bytes_out;
    all->down_seconds += d->out_seconds;
}

/* What goes into the record, and what the tuner learns from. */
static void note(hyb_lu_t *lu, part_t *part, const hyb_report_t *report)
{
    struct hyb_share *s = lu->share;
    hyb_lap_t *lap = &part->lap;

    *lap = hyb_timer_lap(lu->worker, hyb_team_size(lu->means.team));
    lap->time = part->begun + report->seconds;
    lap->devices_columns = report->tiling.most_cols;
    for (int i = 0; i < hyb_machine_devices(lu->means.machine); i++) {
        const hyb_work_t *d = &report->device[i];
        double busy = d->seconds - d->wait_seconds;

        if (i < HYB_ITERATION_DEVICES) {
            part->multiplied[i] = d->compute_seconds;
            part->waited[i] = d->wait_seconds;
        }
        add_work(&lu->homes.devices.did[i], d);
        lap->devices_flop += d->flop;
        lap->devices_rate += busy > 0.0 ? d->flop / busy : 0.0;
    }
    if (lap->devices_rate > 0.0)
        s->rate = lap->devices_rate;
}

/* Blocks whose first columns of so many are complete have met the panel. */
static void complete_columns(hyb_lu_t *lu, int64_t columns)
{
    const hyb_step_t *step = hyb_lu_step(lu, lu->share->current);
    hyb_blocks_t done = step->streamed;
    int64_t end = hyb_ledger_first(&lu->ledger, done.from) + columns;

    done.from =
        hyb_ledger_first_before(&lu->ledger, done, hyb_stage(step->k + 1));
    while (done.to > done.from && hyb_ledger_first(&lu->ledger, done.to) > end)
        done.to--;
    hyb_ledger_queue_all(&lu->ledger, done, 1);
    hyb_ledger_complete_all(&lu->ledger, done, 1);
}

/* All tiles are complete, and no worker is at one. */
static void finish(hyb_lu_t *lu)
{
    struct hyb_share *s = lu->share;
    part_t *part = part_of(lu, s->current);
    hyb_product_t *tiles = NULL;
    hyb_report_t report;

    pthread_mutex_lock(&s->lock);
    if (s->helpers == 0) {
        tiles = s->tiles;
        s->tiles = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    if (tiles == NULL)
        return;
    if (hyb_product_finish(tiles, &report) != XH_OK)
        give_up(lu, "a device is lost", "");
    note(lu, part, &report);
    trace(lu, part, &report);
    complete_columns(lu, part->product.c.cols);
    free(report.owner);
    s->current++;
}

/* The tiles that are on the devices; they may be the last ones. */
static void attend(hyb_lu_t *lu)
{
    struct hyb_share *s = lu->share;

    hyb_share_release(lu, hyb_lu_step(lu, s->current));
    check_devices(lu);
    complete_columns(lu, hyb_product_columns_done(s->tiles));
    if (hyb_product_done(s->tiles))
        finish(lu);
}

void hyb_share_poll(void *context)
{
    hyb_lu_t *lu = context;
    struct hyb_share *s = lu->share;

    if (s->tiles != NULL)
        attend(lu);
    if (s->tiles != NULL)
        return;
    begin_next(lu);
    if (s->tiles != NULL)
        hyb_share_release(lu, hyb_lu_step(lu, s->current));
}

bool hyb_share_advance(hyb_lu_t *lu, int k)
{
    if (lu->share == NULL)
        return true;
    if (lu->share->tiles == NULL)
        pass_empty(lu);
    return k < lu->share->current;
}

/* ---- helping: all workers ------------------------------------------------ */

/* Once all tiles are complete nobody comes in: the leader waits for those
 * inside. */
static hyb_product_t *enter(struct hyb_share *s)
{
    hyb_product_t *tiles;

    pthread_mutex_lock(&s->lock);
    tiles = s->tiles;
    if (tiles != NULL && hyb_product_done(tiles))
        tiles = NULL;
    if (tiles != NULL)
        s->helpers++;
    pthread_mutex_unlock(&s->lock);
    return tiles;
}

static void leave(struct hyb_share *s)
{
    pthread_mutex_lock(&s->lock);
    s->helpers--;
    pthread_mutex_unlock(&s->lock);
}

/* flop/s of one worker; in the first iterations by what all did so far. */
static double worker_rate(hyb_lu_t *lu)
{
    double rate = hyb_lu_step(lu, lu->share->current)->thread_rate;
    int members = hyb_team_size(lu->means.team);
    hyb_lap_t lap;

    if (rate > 0.0)
        return rate;
    lap = hyb_timer_lap(lu->worker, members);
    return lap.flop > 0.0 ? lap.flop / members / lap.team[HYB_MULTIPLY] : 0.0;
}

/* Tiles to be left to the devices. */
static int64_t tiles_to_keep(const hyb_worker_t *me)
{
    const struct hyb_share *s = me->lu->share;
    double rate = s->rate > 0.0 ? s->rate : hyb_product_rate(s->tiles);

    return hyb_split_tiles_to_keep(
        hyb_lu_step(me->lu, s->current)->share_is_fixed, rate,
        worker_rate(me->lu));
}

/* With what multiplies on the cores of this run. */
static void multiply(const hyb_lu_t *lu, const xh_gemm_t *product)
{
    xh_status_t status =
        lu->means.by_blas ? hyb_blas_gemm(product) : hyb_gemm_alone(product);

    if (status != XH_OK)
        give_up(lu, "a tile was not multiplied: ", xh_status_text(status));
}

/* In pieces of some milliseconds, between which the leader polls. */
static void multiply_tile(hyb_worker_t *me, const xh_gemm_t *tile)
{
    static const double flop = 5e8;
    xh_rectangle_t piece = {.rows = 0};
    xh_gemm_t part;

    if (me->member > 0) {
        multiply(me->lu, tile);
        return;
    }
    while (xh_gemm_next_piece(tile, flop, &piece)) {
        part = xh_gemm_part(tile, piece);
        multiply(me->lu, &part);
        hyb_poller_poll(&me->lu->poller);
    }
}

bool hyb_share_help(hyb_worker_t *me)
{
    hyb_lu_t *lu = me->lu;
    struct hyb_share *s = lu->share;
    hyb_product_t *tiles = s != NULL && !me->is_urgent ? enter(s) : NULL;
    hyb_tile_t tile;
    bool any;

    if (tiles == NULL)
        return false;
    any = hyb_product_take(tiles, tiles_to_keep(me), &tile);
    if (any) {
        const xh_gemm_t product =
            xh_gemm_part(&part_of(lu, s->current)->product, tile.part);

        hyb_timer_begin(me, HYB_HELP, s->current);
        multiply_tile(me, &product);
        hyb_timer_end(me);
        hyb_product_complete(tiles, tile.index, 0);
    }
    leave(s);
    return any;
}

/* ---- what they did ------------------------------------------------------- */

const hyb_lap_t *hyb_share_lap(const hyb_lu_t *lu, int k)
{
    return lu->share != NULL && part_of(lu, k)->lap.time > 0.0
               ? &part_of(lu, k)->lap
               : NULL;
}

double hyb_share_flop(const hyb_lu_t *lu, int k)
{
    return lu->share != NULL && has_columns(lu, k)
               ? xh_gemm_flop(&part_of(lu, k)->product)
               : 0.0;
}

void hyb_share_record(const hyb_lu_t *lu, int k, hyb_iteration_t *row)
{
    const part_t *part;

    if (lu->share == NULL)
        return;
    part = part_of(lu, k);
    row->devices =
        Mmin(hyb_machine_devices(lu->means.machine), HYB_ITERATION_DEVICES);
    for (int i = 0; i < row->devices; i++) {
        row->update_device[i] = part->multiplied[i];
        row->device_wait[i] = part->waited[i];
    }
}
